/* SPDX-License-Identifier: BSD-3-Clause
 * Precedes every kernel, so that one text compiles as OpenCL C 1.2 and as CUDA (by NVRTC, without
 * headers). If EK_SUB_GROUP is defined, the text is compiled as OpenCL C 3.0, with sub-groups of
 * that many work-items, which has to be 32, as kernels know warps of 32 work-items or of 1.
 *
 * Rules for the text of kernels, besides the use of the names defined here:
 *   - scalars only, no vector types; ek_i64 for 64 bits, never long
 *   - VAL, PTR and IDX are the types of the matrix's values, row pointers and columns; these and a
 *     kernel's other parameters are set by #define lines that precede this text
 *   - values are added with +, multiplied with EK_MUL and tested with EK_IS_ZERO and EK_IS_FINITE,
 *     as OpenCL C has no complex numbers; the constant 0 is written (VAL)0 in initialisers with
 *     braces and in conditional expressions, where a plain 0 would be an int
 *   - arrays in local memory have fixed sizes and are declared in the body of a kernel (EK_LOCAL);
 *     helper functions (EK_FN) take pointers to these arrays (EK_LOCAL_PTR); a kernel may have one
 *     array more, of a size that the host gives (EK_LOCAL_PARAMETER, eki_arg_local)
 *   - all work-items of a group reach each barrier, and each call of a function that has a barrier;
 *     a loop with barriers has no `continue`, since PoCL 3.1 may compile it wrong
 *   - no work-group waits for another; one may wait for the host, for a bounded number of looks,
 *     and the host launches it again (prim_gpu/kselect_adheap.c)
 *
 * Command by which an editor can check the syntax of kernels: clang -x cl -include
 * src/gpu/prelude.cl -DVAL=float -DPTR=int -DIDX=int */
#ifdef __OPENCL_VERSION__

#pragma OPENCL FP_CONTRACT OFF
#ifdef EK_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef EK_SUB_GROUP
/* OpenCL leaves open which work-items are a sub-group, so work-items are numbered by sub-groups. */
#define EK_KERNEL(name, group)                                        \
	__kernel __attribute__((reqd_work_group_size(group, 1, 1)))   \
	__attribute__((intel_reqd_sub_group_size(EK_SUB_GROUP))) void name
#define EK_LID() ((int)(get_sub_group_id() * EK_SUB_GROUP + get_sub_group_local_id()))
#else
#define EK_KERNEL(name, group) \
	__kernel __attribute__((reqd_work_group_size(group, 1, 1))) void name
#define EK_LID() ((int)get_local_id(0))
#endif
/* Declares a kernel. At least `resident` groups of it should fit on a multiprocessor at once, and
 * the compiler may use as many registers as that allows. Without such a number, compilers save
 * registers: they delay loads that the text issues together. */
#define EK_KERNEL_AT(name, group, resident) EK_KERNEL(name, group)
#define EK_FN        static inline
#define EK_GLOBAL    __global
#define EK_LOCAL     __local /* written before an array in the body of a kernel */
#define EK_LOCAL_PTR __local /* written before the type that a pointer points to */
/* Local memory of a size that the launch gives: the first is written behind a kernel's last
 * parameter, without a comma, the second at the beginning of its body. CUDA lets such memory, and
 * no other, be larger than 48 KiB, once the host has asked for it (cuFuncSetAttribute). */
#define EK_LOCAL_PARAMETER(name) , __local ek_i64 *name
#define EK_LOCAL_DECLARE(name)   (void)name
#define EK_RESTRICT  restrict
#define EK_GROUP()   ((ek_i64)get_group_id(0))
#define EK_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
/* EK_FENCE orders the writes of this work-item to global memory: other work-items see the writes
 * before the fence no later than the writes after it. EK_BARRIER_GLOBAL is a barrier that also
 * makes writes to global memory visible to the work-group. */
#define EK_FENCE()          mem_fence(CLK_GLOBAL_MEM_FENCE)
#define EK_BARRIER_GLOBAL() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
typedef long ek_i64;
typedef ulong ek_u64;
typedef uint ek_u32;
typedef ushort ek_u16;
typedef uchar ek_u8;
/* Read, add to and set an int in global memory that another group may access in the same launch.
 * EK_ATOMIC_ADD returns the old value. */
#define EK_ATOMIC_READ(p)   atomic_or((volatile __global int *)(p), 0)
#define EK_ATOMIC_ADD(p, v) atomic_add((volatile __global int *)(p), v)
#define EK_ATOMIC_SET(p, v) atomic_xchg((volatile __global int *)(p), v)
/* Read, change and compare an int in local memory that other work-items of the group may access at
 * the same time. All return the old value. EK_LOCAL_CAS stores `v` if the old value is `was`. */
#define EK_LOCAL_READ(p)        atomic_or((volatile __local int *)(p), 0)
#define EK_LOCAL_CAS(p, was, v) atomic_cmpxchg((volatile __local int *)(p), was, v)
#define EK_LOCAL_ADD(p, v)      atomic_add((volatile __local int *)(p), v)
#define EK_LOCAL_OR(p, v)       atomic_or((volatile __local int *)(p), v)
/* Read and set an int in memory that the host may access during the launch. EK_FENCE_SYSTEM orders
 * this work-item's accesses to such memory: it is called after the int was read, and before it is
 * set. */
#ifdef EK_HOST_ATOMICS /* of the shared virtual memory of OpenCL C 2.0 and 3.0 */
#define EK_SYSTEM_READ(p)                                                                \
	atomic_load_explicit((volatile __global atomic_int *)(p), memory_order_acquire,  \
	                     memory_scope_all_svm_devices)
#define EK_SYSTEM_SET(p, v)                                                                  \
	atomic_store_explicit((volatile __global atomic_int *)(p), v, memory_order_release,  \
	                      memory_scope_all_svm_devices)
#define EK_FENCE_SYSTEM()                                                   \
	atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel,  \
	                       memory_scope_all_svm_devices)
#else
#define EK_SYSTEM_READ(p)       EK_ATOMIC_READ(p)
#define EK_SYSTEM_SET(p, v)     EK_ATOMIC_SET(p, v)
#define EK_FENCE_SYSTEM()       mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif
#define EK_POPCOUNT(v)          ((int)popcount((uint)(v)))
#define EK_INFINITY         INFINITY
#define EK_LOAD(p)          (*(p)) /* reads an array that is constant during the launch */
/* Reads like EK_LOAD, but without letting the array displace x from the caches. For arrays whose
 * elements are each read once. */
#define EK_STREAM(p) (*(p))
/* Precedes a loop that has barriers and is not to be unrolled: on processors, unrolled barriers
 * take long to compile and save nothing. */
#define EK_ROLLED _Pragma("unroll 1")

#else

#define EK_KERNEL(name, group) extern "C" __global__ void __launch_bounds__(group) name
#pragma nv_diag_suppress 177 /* no warnings about unused functions */
#if __CUDA_ARCH__ == 750
#define EK_THREADS 1024 /* maximum number of threads on a multiprocessor */
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
#define EK_LOCAL_PARAMETER(name)
#define EK_LOCAL_DECLARE(name) extern __shared__ ek_i64 name[]
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
#define EK_LOCAL_READ(p)        (*(volatile int *)(p))
#define EK_LOCAL_CAS(p, was, v) atomicCAS((int *)(p), was, v)
#define EK_LOCAL_ADD(p, v)      atomicAdd((int *)(p), v)
#define EK_LOCAL_OR(p, v)       atomicOr((int *)(p), v)
#define EK_SYSTEM_READ(p)       atomicOr_system((int *)(p), 0)
#define EK_SYSTEM_SET(p, v)     atomicExch_system((int *)(p), v)
#define EK_FENCE_SYSTEM()       __threadfence_system()
#define EK_POPCOUNT(v)          __popc((unsigned)(v))
#define EK_INFINITY         __int_as_float(0x7f800000)
#define EK_LOAD(p)          __ldg(p)
#define EK_STREAM(p)        __ldcs(p)
#define EK_ROLLED

#endif

/* Operations of a warp. A warp is EK_WARP neighbouring work-items that run in lockstep and can
 * exchange registers: 32, or 1 where the driver offers no such operations. All work-items of a warp
 * call these macros together. EK_BALLOT returns a mask with one bit for each work-item. The bit is
 * set if the work-item's flag is not 0. EK_FIRST returns the position of the lowest set bit of such
 * a mask. EK_FROM returns the value `v` of work-item `lane`. EK_WARP_BARRIER is a barrier for the
 * warp. The others are there only if EK_WARP > 1. EK_DOWN and EK_UP return the value of the
 * work-item that is `d` places after or before; if there is none in the warp, or in the aligned set
 * of `width` work-items, what they return must not be used. EK_XOR returns that of the work-item
 * whose number differs by exclusive or with `d`. */
#ifdef __CUDACC__
#define EK_WARP               32
#define EK_BALLOT(flag)       __ballot_sync(0xffffffffu, flag)
#define EK_FIRST(ballot)      (__ffs((int)(ballot)) - 1)
#define EK_FROM(v, lane)      __shfl_sync(0xffffffffu, v, lane)
#define EK_DOWN(v, d, width)  __shfl_down_sync(0xffffffffu, v, d, width)
#define EK_UP(v, d, width)    __shfl_up_sync(0xffffffffu, v, d, width)
#define EK_XOR(v, d)          __shfl_xor_sync(0xffffffffu, v, d)
#define EK_WARP_BARRIER()     __syncwarp()
#elif defined(EK_SUB_GROUP)
#define EK_WARP               EK_SUB_GROUP
#define EK_BALLOT(flag)       (sub_group_ballot((flag) != 0).x)
#define EK_FIRST(ballot)      EK_POPCOUNT(((ballot) & -(ballot)) - 1)
#define EK_FROM(v, lane)      sub_group_shuffle(v, (uint)(lane))
#define EK_DOWN(v, d, width)  sub_group_shuffle_down(v, (uint)(d))
#define EK_UP(v, d, width)    sub_group_shuffle_up(v, (uint)(d))
#define EK_XOR(v, d)          sub_group_shuffle_xor(v, (uint)(d))
#define EK_WARP_BARRIER()     sub_group_barrier(CLK_LOCAL_MEM_FENCE)
#else
#define EK_WARP               1
#define EK_BALLOT(flag)       ((ek_u32)((flag) != 0))
#define EK_FIRST(ballot)      0
#define EK_FROM(v, lane)      ((void)(lane), (v))
#define EK_WARP_BARRIER()
#endif

#ifdef VAL
/* EK_MUL multiplies two values. EK_IS_ZERO tells whether a value is 0, and EK_IS_FINITE whether it
 * is neither Inf nor NaN. */
#define EK_MUL(a, b)    ((a) * (b))
#define EK_IS_ZERO(a)   ((a) == 0)
#define EK_IS_FINITE(a) ((a) - (a) == 0)

/* Returns the sum of v over each aligned group of `lanes` adjacent work-items, but only in the
 * first work-item of the group. `lanes` is a power of two up to EK_WG. The order of summation is a
 * fixed tree. `scratch` has an element for each work-item of the work-group. Has a barrier. There
 * are two variants, since OpenCL C 1.2 can exchange values only through local memory. */
EK_FN VAL ek_lanes_sum(VAL v, int lanes, EK_LOCAL_PTR VAL *scratch)
{
#if EK_WARP > 1
	for (int d = (lanes < 32 ? lanes : 32) / 2; d > 0; d /= 2)
		v += EK_DOWN(v, d, 32);
	if (lanes > 32) {
		EK_BARRIER();
		if (EK_LID() % 32 == 0)
			scratch[EK_LID() / 32] = v;
		EK_BARRIER();
		if (EK_LID() % lanes < 32) {
			v = EK_LID() % lanes < lanes / 32
			            ? scratch[EK_LID() / lanes * (lanes / 32) + EK_LID() % lanes]
			            : (VAL)0;
			for (int d = lanes / 64; d > 0; d /= 2)
				v += EK_DOWN(v, d, 32);
		}
	}
#else
	const int lid = EK_LID();

	EK_BARRIER(); /* other work-items may still be reading `scratch` */
	scratch[lid] = v;
	EK_BARRIER();
	for (int d = lanes / 2; d > 0; d /= 2) {
		if ((lid & (lanes - 1)) < d)
			scratch[lid] += scratch[lid + d];
		EK_BARRIER();
	}
	v = scratch[lid];
#endif
	return v;
}

/* Returns the sum of v over the EK_WARP work-items of a warp, but only in the first of them. Has no
 * barrier. */
EK_FN VAL ek_warp_sum(VAL v)
{
#if EK_WARP > 1
	for (int d = 16; d > 0; d /= 2)
		v += EK_DOWN(v, d, 32);
#endif
	return v;
}

/* Stores a value for another group. That group reads the value with ek_found, once an atomic
 * counter says that the value has been stored. The writer calls EK_FENCE before it changes the
 * counter; the reader calls EK_FENCE after it has read the counter. */
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

/* Sets *y, one entry of y, to alpha sum + beta *y. If beta is 0, *y is not read. */
EK_FN void ek_finish(VAL sum, VAL alpha, VAL beta, EK_GLOBAL VAL *y)
{
	*y = EK_IS_ZERO(beta) ? EK_MUL(alpha, sum) : EK_MUL(alpha, sum) + EK_MUL(beta, *y);
}

/* Multiplies *y, one entry of y, by beta. If beta is 0, *y is not read. */
EK_FN void ek_scale(VAL beta, EK_GLOBAL VAL *y)
{
	*y = EK_IS_ZERO(beta) ? (VAL)0 : EK_MUL(beta, *y);
}
#endif
