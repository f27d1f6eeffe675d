/* SPDX-License-Identifier: BSD-3-Clause
 * Stands before every kernel: one text for OpenCL C 1.2 and CUDA (NVRTC, without headers).
 *
 * Rules of the dialect, besides these words:
 *   - scalars only, no vector types; ek_i64 for 64 bits, never long
 *   - VAL, PTR, IDX are the types of the matrix; all other parameters are lines of #define before
 *   - arrays in local memory have fixed sizes and stand in the body of a kernel (EK_LOCAL); helper
 *     functions (EK_FN) take EK_LOCAL_PTR
 *   - barriers, and functions that are said to have one, are met by all work-items of a group
 *   - no work-group waits for another
 * For editors: clang -x cl -include src/gpu/prelude.cl -DVAL=float -DPTR=int -DIDX=int */
#ifdef __OPENCL_VERSION__

#pragma OPENCL FP_CONTRACT OFF
#ifdef EK_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define EK_KERNEL(name, group) \
	__kernel __attribute__((reqd_work_group_size(group, 1, 1))) void name
/* `resident`: as many groups should fit on a multiprocessor at once, so that registers need not be
 * saved beyond that: without it compilers put off loads that the text has side by side. */
#define EK_KERNEL_AT(name, group, resident) EK_KERNEL(name, group)
#define EK_FN        static inline
#define EK_GLOBAL    __global
#define EK_LOCAL     __local /* an array in the body of a kernel */
#define EK_LOCAL_PTR __local /* what a pointer points to */
#define EK_RESTRICT  restrict
#define EK_LID()     ((int)get_local_id(0))
#define EK_GROUP()   ((ek_i64)get_group_id(0))
#define EK_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
/* What this work-item wrote to global memory is seen by others before what it writes later; by
 * those of its group after EK_BARRIER_GLOBAL. */
#define EK_FENCE()          mem_fence(CLK_GLOBAL_MEM_FENCE)
#define EK_BARRIER_GLOBAL() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
typedef long ek_i64;
typedef ulong ek_u64;
typedef uint ek_u32;
typedef ushort ek_u16;
typedef uchar ek_u8;
/* Reads what another group may have written in this launch. */
#define EK_ATOMIC_READ(p)   atomic_or((volatile __global int *)(p), 0)
#define EK_ATOMIC_ADD(p, v) atomic_add((volatile __global int *)(p), v) /* of int; gives the old */
#define EK_ATOMIC_SET(p, v) atomic_xchg((volatile __global int *)(p), v)
#define EK_POPCOUNT(v)      ((int)popcount((uint)(v)))
#define EK_LOAD(p)          (*(p)) /* an array that no launch writes to while this one reads */
/* The same for what is read once and should leave room in the caches for x. */
#define EK_STREAM(p) (*(p))

#else

#define EK_KERNEL(name, group) extern "C" __global__ void __launch_bounds__(group) name
#pragma nv_diag_suppress 177 /* functions of this file that a kernel does not need */
#if __CUDA_ARCH__ == 750
#define EK_THREADS 1024 /* that a multiprocessor holds at most */
#elif __CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200
#define EK_THREADS 1536
#else
#define EK_THREADS 2048
#endif
#define EK_KERNEL_AT(name, group, resident)                                                  \
	extern "C" __global__ void __launch_bounds__(                                        \
		group, (resident) * (group) > EK_THREADS ? EK_THREADS / (group) : (resident)) name
#define EK_FN                  static __device__ __forceinline__
#define EK_GLOBAL
#define EK_LOCAL __shared__
#define EK_LOCAL_PTR
#define EK_RESTRICT         __restrict__
#define EK_LID()            ((int)threadIdx.x)
#define EK_GROUP()          ((ek_i64)blockIdx.x)
#define EK_BARRIER()        __syncthreads()
#define EK_FENCE()          __threadfence()
#define EK_BARRIER_GLOBAL() __syncthreads()
typedef long long ek_i64;
typedef unsigned long long ek_u64;
typedef unsigned int ek_u32;
typedef unsigned short ek_u16;
typedef unsigned char ek_u8;
#define EK_ATOMIC_READ(p)   atomicOr((int *)(p), 0)
#define EK_ATOMIC_ADD(p, v) atomicAdd((int *)(p), v)
#define EK_ATOMIC_SET(p, v) atomicExch((int *)(p), v)
#define EK_POPCOUNT(v)      __popc((unsigned)(v))
#define EK_LOAD(p)          __ldg(p)
#define EK_STREAM(p)        __ldcs(p)

#endif

/* The sum of v over aligned groups of `lanes` (a power of two up to EK_WG) work-items that lie
 * beside each other, in each first one of them; a tree of fixed shape. `room` has an entry for each
 * work-item. Barrier. */
#ifdef __CUDACC__
#define EK_WARP          32
#define EK_BALLOT(flag)  __ballot_sync(0xffffffffu, flag)
#define EK_FIRST(ballot) (__ffs((int)(ballot)) - 1)
#define EK_FROM(v, lane) __shfl_sync(0xffffffffu, v, lane)
#else
#define EK_WARP 1 /* work-items that surely run in step, and exchange registers */
/* For all of these at once: a bit for each, set if its flag is; the first bit that is set in one of
 * these; the value that work-item `lane` of them has. */
#define EK_BALLOT(flag)  ((ek_u32)((flag) != 0))
#define EK_FIRST(ballot) 0
#define EK_FROM(v, lane) ((void)(lane), (v))
#endif

#ifdef VAL
/* Two parts, so that on OpenCL nothing but local memory is used. */
EK_FN VAL ek_lanes_sum(VAL v, int lanes, EK_LOCAL_PTR VAL *room)
{
#ifdef __CUDACC__
	for (int d = (lanes < 32 ? lanes : 32) / 2; d > 0; d /= 2)
		v += __shfl_down_sync(0xffffffffu, v, d, 32);
	if (lanes > 32) {
		EK_BARRIER();
		if (EK_LID() % 32 == 0)
			room[EK_LID() / 32] = v;
		EK_BARRIER();
		if (EK_LID() % lanes < 32) {
			v = EK_LID() % lanes < lanes / 32
			            ? room[EK_LID() / lanes * (lanes / 32) + EK_LID() % lanes]
			            : (VAL)0;
			for (int d = lanes / 64; d > 0; d /= 2)
				v += __shfl_down_sync(0xffffffffu, v, d, 32);
		}
	}
#else
	const int lid = EK_LID();

	EK_BARRIER(); /* others may still read what was here */
	room[lid] = v;
	EK_BARRIER();
	for (int d = lanes / 2; d > 0; d /= 2) {
		if ((lid & (lanes - 1)) < d)
			room[lid] += room[lid + d];
		EK_BARRIER();
	}
	v = room[lid];
#endif
	return v;
}

/* The sum over the EK_WARP work-items that run in step, in the first of them. No barrier. */
EK_FN VAL ek_warp_sum(VAL v)
{
#ifdef __CUDACC__
	for (int d = 16; d > 0; d /= 2)
		v += __shfl_down_sync(0xffffffffu, v, d, 32);
#endif
	return v;
}

/* A value that one group leaves for another, which an atomic counter tells (EK_FENCE on both sides)
 * that it is there. */
EK_FN void ek_leave(EK_GLOBAL VAL *p, VAL v)
{
#ifdef __CUDACC__
	*(volatile VAL *)p = v;
#else
	union {
		VAL v;
		int part[sizeof(VAL) / sizeof(int)];
	} u;

	u.v = v;
	for (int k = 0; k < (int)(sizeof(VAL) / sizeof(int)); k++)
		EK_ATOMIC_SET((EK_GLOBAL int *)p + k, u.part[k]);
#endif
}

EK_FN VAL ek_found(EK_GLOBAL VAL *p)
{
#ifdef __CUDACC__
	return *(volatile VAL *)p;
#else
	union {
		VAL v;
		int part[sizeof(VAL) / sizeof(int)];
	} u;

	for (int k = 0; k < (int)(sizeof(VAL) / sizeof(int)); k++)
		u.part[k] = EK_ATOMIC_READ((EK_GLOBAL int *)p + k);
	return u.v;
#endif
}

/* One entry of alpha A x + beta y. beta = 0: y is not read. */
EK_FN void ek_finish(VAL sum, VAL alpha, VAL beta, EK_GLOBAL VAL *y)
{
	*y = beta == 0 ? alpha * sum : alpha * sum + beta * *y;
}
#endif
