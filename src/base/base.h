/* SPDX-License-Identifier: BSD-3-Clause
 * Declarations that all files of the library share and that do not depend on matrices: value types,
 * errors, contexts and their memory, threads, the processor. Names that start with eki_ are
 * internal and not exported. Prototypes are grouped by the file that defines them. */
#ifndef EK_BASE_H
#define EK_BASE_H

#include <float.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "evenkeel/ek.h"

#if FLT_EVAL_METHOD == 1 || FLT_EVAL_METHOD == 2
#error "sums must round at each step: -msse2 -mfpmath=sse (x86), -fexcess-precision=fast (s390x)"
#endif

/* Processors with code of their own. Big-endian ones number the lanes of vectors that C initialises
 * from the other end. */
#if defined(__x86_64__) && defined(__GNUC__)
#define EK_HAVE_X86 1
#ifndef EK_NO_AVX512
#define EK_HAVE_AVX512 1
#endif
#elif defined(__aarch64__) && defined(__GNUC__) && !defined(__AARCH64EB__)
#define EK_HAVE_NEON 1
#endif

#define EKI_ALIGNMENT   64
#define EKI_MAX_THREADS 4096
#define EKI_MAX_DIMS    5 /* maximum number of parameters of a method */
#define EKI_FORMAT_DIMS 4 /* of a format: files and ek_matrix_info have room for so many */

#include "base/value.h"

/* ---- status.c -------------------------------------------------------------------------------- */

enum { EKI_MESSAGE = 1024 }; /* bytes of the longest message, with its final 0 */
/* Formats the message that ek_error_text will return, and returns `status`. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
ek_status
eki_fail(ek_status status, const char *format, ...);

/* Returns name `k` of `list`, or NULL if the list has no more names. */
typedef const char *eki_name_fn(const void *list, size_t k);
/* Does the same as eki_fail, but appends a list of names to the message: as many names as fit, then
 * the number of the others. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
ek_status
eki_fail_list(ek_status status, eki_name_fn *name, const void *list, const char *format, ...);

/* Stores the result of `call` in the local variable `status` and, if it is an error, goes to the
 * label `done:`, where the function releases everything. */
#define EK_TRY(call)                 \
	do {                         \
		status = (call);     \
		if (status != EK_OK) \
			goto done;   \
	} while (0)

/* Returns from the function with the result of `call` if that is an error. Used where the function
 * has nothing to release. */
#define EK_RETURN_IF(call)             \
	do {                           \
		ek_status s_ = (call); \
		if (s_ != EK_OK)       \
			return s_;     \
	} while (0)

/* ---- struct.c: callers' structs, perhaps from another version of the header ------------------ */

/* Copies the caller's struct `given` to `own`, with zeros for the members that the caller's version
 * lacks. Errors: EK_EINVAL if the size that `given` states makes no sense, or if `given` sets
 * members that this library does not know. Messages call the argument `name`. */
#define EKI_STRUCT_IN(name, type, given, own) \
	eki_struct_in(name, #type, (const type *){given}, (type *){own}, sizeof(type))
/* EKI_STRUCT_CHECK checks that the caller's struct `given` can be filled in: it is not NULL and the
 * size that it states makes sense. EKI_STRUCT_OUT copies `own` to `given`; it is used once all
 * results are known. */
#define EKI_STRUCT_CHECK(name, type, given) \
	eki_struct_check(name, #type, (const type *){given}, sizeof(type))
#define EKI_STRUCT_OUT(type, own, given) \
	eki_struct_out((const type *){own}, (type *){given}, sizeof(type))
ek_status eki_struct_in(const char *name, const char *type, const void *given, void *own,
                        size_t known);
ek_status eki_struct_check(const char *name, const char *type, const void *given, size_t known);
void eki_struct_out(const void *own, void *given, size_t known);

/* ---- cpu.c ----------------------------------------------------------------------------------- */

/* Returns the best instruction-set level that this processor and operating system can run. */
ek_isa eki_cpu_isa(void);
/* Clears the upper halves of the vector registers. While they are not clear, a processor may run
 * SSE code, such as all code without a pass for AVX, at half its speed (seen on Zen 4). Not only
 * kernels leave them so, but also the system, when it lets a thread go on that has slept. */
static inline void eki_clear_registers(void)
{
#ifdef EK_HAVE_X86
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vzeroupper" ::
		                         : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
		                           "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
		                           "xmm13", "xmm14", "xmm15");
#endif
}
/* Returns the names of the instruction-set levels that were compiled, lowest first, separated by
 * spaces. */
const char *eki_isa_compiled(void);
/* What an x86-64 processor says about itself. AMD's family 25 has Zen 3 and 4, 26 has Zen 5. */
typedef struct eki_cpu_version {
	unsigned family, model, stepping;
} eki_cpu_version;
/* Returns the version of this processor, or zeros in builds for others than x86-64. */
eki_cpu_version eki_cpu_version_here(void);
/* Returns the size in bytes of the last-level cache that a processor reaches, or 32 MiB if the
 * system reports none of level 3 or higher. */
int64_t eki_cpu_cache(void);
/* Returns the size, in bytes, of the cache of level 2 that the first processor reaches, or 0 if the
 * system does not say. */
int64_t eki_cpu_core_cache(void);

#include "base/machine.h"

#include "base/hold.h"

#include "base/parallel.h"

/* ---- context.c ------------------------------------------------------------------------------- */

/* Decisions of hints.measure that a context remembers (plan/wisdom.h). Zeroed memory is an empty
 * table. */
typedef struct eki_wisdom {
	eki_lock lock;
	struct eki_decision *list;
	int64_t *slot; /* hash table of 2 * capacity places: 1 + a position in `list`, or 0 */
	int64_t count, capacity;
	char machine[160]; /* name of this machine, or "" as long as nobody has asked for it */
} eki_wisdom;

struct ek_context {
	eki_life life;
	ek_options options; /* the caller's options, with the default heap if they name none */
	bool hooks;         /* whether the caller gave functions that allocate memory */
	int threads;
	bool bind; /* whether the library's threads are to be bound to processors (EK_BIND) */
	ek_isa isa;
	const eki_machine *machine;
	struct eki_forced *forced; /* methods that EK_METHOD asks for (plan/forced.c), or NULL */
	/* Number of rows plus entries below which waking a thread costs more than it saves. 0 in
	 * tests, so that small matrices are split. */
	int64_t small_work;
	struct eki_device *device; /* the device (base/device.h), or NULL if there is none */
	bool together; /* whether one call may use the processor and the device: "cpu+NAME" */
	eki_wisdom wisdom;
	/* Replaces the measured nanoseconds of a trial, which is a run, or the preparation if
	 * `prepares` is true, of a method. Also those of products by one side or by both, which
	 * decide how these share later ones; `prepares` is then true for the time in which the
	 * processor waited for the device. NULL except in tests. */
	double (*timing)(const ek_method *method, bool prepares, double ns);
};

/* Closes the context's device and frees the context. */
void eki_context_free(ek_context *ctx);
/* Allocates count * size bytes, aligned to 64 bytes, and sets *out to the block, or to NULL if the
 * product is 0. Errors: EK_EOVERFLOW, EK_ENOMEM. Must not be called inside a parallel region: tests
 * that make the n-th allocation fail rely on a fixed order of allocations. */
ek_status eki_alloc(const ek_context *ctx, int64_t count, size_t size, void **out);
ek_status eki_calloc(const ek_context *ctx, int64_t count, size_t size, void **out);
/* Frees a block that eki_alloc returned for the same `count` and `size`. Does nothing if `block` is
 * NULL. */
void eki_free(const ek_context *ctx, void *block, int64_t count, size_t size);
/* Shrinks `*block` from `held` to `count` elements of `size` bytes. In the library's heap a block
 * stays if it is large, since pages never written take no memory, or at most twice as long as is
 * needed; others are replaced by smaller copies. After an error the block is unchanged. */
ek_status eki_trim(const ek_context *ctx, void **block, int64_t held, int64_t count, size_t size);
/* Allocates a copy of `from`. The context's threads write the copy, so that its pages are in memory
 * near these threads. */
ek_status eki_copy(const ek_context *ctx, const void *from, int64_t count, size_t size, void **out);
/* Copies `from` to `to` on the context's threads. `to` is already allocated. */
void eki_copy_into(const ek_context *ctx, void *to, const void *from, int64_t count, size_t size);
/* Returns the number of parts for work on `n` rows or entries: 1 if there is little work, else the
 * number of threads. */
int eki_parts(const ek_context *ctx, int64_t n);
/* Allocates memory from the C heap, outside of any context, for the bookkeeping of a context's own
 * heap. Returns NULL if there is no memory. */
void *eki_bare_alloc(size_t bytes);
void eki_bare_free(void *block);
void eki_log(const ek_context *ctx, ek_log_level level, const char *format, ...);
/* Returns the value of an environment variable. Returns NULL if the variable is unset or empty or,
 * with glibc, if the program runs set-user-id. */
const char *eki_getenv(const char *name);
/* Sets the allocation functions in `options` to those of the library's own heap, which contexts use
 * by default. */
void eki_heap_default(ek_options *options);
/* Tells whether a context uses the library's own heap. */
bool eki_heap_is_default(const ek_context *ctx);

/* ---- Functions that contexts call, defined in folders above this one ------------------------- */

/* Reads the environment variable EK_METHOD into ctx->forced (plan/forced.c). Errors: EK_EINVAL if
 * one of its entries makes no sense; the message names the entry. */
ek_status eki_forced_read(ek_context *ctx);
void eki_forced_free(ek_context *ctx);
/* Checks the environment variable EK_CSR5_SIGMA (format/csr5_sigma.c). Returns EK_EINVAL if its
 * value makes no sense. */
ek_status eki_csr5_environment(void);
/* Frees what ctx->wisdom holds (plan/wisdom.c). */
void eki_wisdom_free(ek_context *ctx);

/* ---- params.c -------------------------------------------------------------------------------- */

/* Parses `length` characters of a text such as "c=8,sigma=64". Sets value[k] to the value of
 * parameter param[k]: 0 if the parameter is absent, EKI_ZERO if it is given as 0. Messages begin
 * with `owner`, such as "format sell". */
enum { EKI_ZERO = -1 };
ek_status eki_params_parse(const char *owner, const ek_format_param *param, const char *text,
                           size_t length, int64_t value[]);

#include "base/device.h"
#include "base/f32.h"

/* Returns the alignment that an array of elements of `size` bytes must have. That is `size` itself,
 * except on 32-bit x86, where compilers align doubles and 64-bit integers to 4 bytes. */
static inline size_t eki_alignment(size_t size)
{
	struct eight {
		int64_t i;
		double f;
	};

	return size == 8 ? _Alignof(struct eight) : size;
}

/* Returns a number of bytes, rounded up to whole units of EKI_ALIGNMENT; down if it is too
 * large. */
static inline int64_t eki_align(int64_t bytes)
{
	const int64_t most = INT64_MAX - EKI_ALIGNMENT + 1;

	return bytes > most ? most : (bytes + EKI_ALIGNMENT - 1) & -(int64_t)EKI_ALIGNMENT;
}

/* Tells whether bit i is set in an array of bits, 64 in a word. */
static inline bool eki_bit(const uint64_t *words, int64_t i)
{
	return words[i / 64] >> (i % 64) & 1;
}

/* Returns the level of an instruction set: EK_ISA_SCALAR, EK_ISA_AVX2, EK_ISA_AVX512 or
 * EK_ISA_NEON. */
static inline ek_isa eki_isa_level(ek_isa isa)
{
	return isa == EK_ISA_AVX512_LOADS ? EK_ISA_AVX512
	       : isa == EK_ISA_AVX2_LOADS ? EK_ISA_AVX2
	                                  : isa;
}

/* Returns the instruction set of a level that gathers by loads, or by the instruction. */
static inline ek_isa eki_isa_gather(ek_isa level, bool loads)
{
	return !loads                    ? level
	       : level == EK_ISA_AVX512  ? EK_ISA_AVX512_LOADS
	       : level == EK_ISA_AVX2    ? EK_ISA_AVX2_LOADS
	                                 : level;
}

/* Returns the level below a level that is not scalar. */
static inline ek_isa eki_isa_below(ek_isa level)
{
	return level == EK_ISA_AVX512 ? EK_ISA_AVX2 : EK_ISA_SCALAR;
}

/* Returns the row of an instruction set in tables of costs, which have EK_NLEVEL rows: for scalar,
 * AVX2 and AVX-512 code. NEON, for which nothing was measured, has the row of AVX2. */
static inline int eki_isa_row(ek_isa isa)
{
	const ek_isa level = eki_isa_level(isa);

	return level == EK_ISA_NEON ? EK_ISA_AVX2 : (int)level;
}

/* Returns W (base/for_each.h), the number of values in a vector, for an instruction set and a value
 * type of matrices. */
static inline int64_t eki_lanes(ek_isa isa, ek_value value)
{
	const ek_isa level = eki_isa_level(isa);
	const int64_t narrow = value == EK_F64 ? 2 : 4; /* lanes of 16 bytes */

	return level == EK_ISA_SCALAR ? 1
	       : level == EK_ISA_NEON ? narrow
	       : level == EK_ISA_AVX2 ? 2 * narrow
	                              : 8;
}

#endif
