/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of the library share: types, tables, and the functions of src/core. Names that
 * start with eki_ are internal and not exported. Prototypes stand under the file that defines them.
 */
#ifndef EK_CORE_H
#define EK_CORE_H

#include <float.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "evenkeel/ek.h"

#if FLT_EVAL_METHOD == 1 || FLT_EVAL_METHOD == 2
#error "sums must round at each step: use -msse2 -mfpmath=sse (x86), -fexcess-precision=fast (s390x)"
#endif

#define EKI_ALIGNMENT   64
#define EKI_PLAN_BLOCKS 32
#define EKI_MAX_DIMS    4 /* parameters of a format or method */

/* Tables by type and by instruction set have these lengths. */
enum { EK_NVALUE = 2, EK_NINDEX = 3, EK_NTYPE = EK_NVALUE * EK_NINDEX, EK_NISA = 3 };

static inline int eki_type(ek_value value, ek_index index)
{
	return ((int)value - 1) * EK_NINDEX + ((int)index - 1);
}

/* ---- status.c -------------------------------------------------------------------------------- */

/* Keeps the message for ek_error_text and returns `status`. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
ek_status
eki_fail(ek_status status, const char *format, ...);

/* In functions with `ek_status status = EK_OK;` and a label `done:` where everything is released.
 */
#define EK_TRY(call)                 \
	do {                         \
		status = (call);     \
		if (status != EK_OK) \
			goto done;   \
	} while (0)

/* For functions with nothing to release. */
#define EK_RETURN_IF(call)             \
	do {                           \
		ek_status s_ = (call); \
		if (s_ != EK_OK)       \
			return s_;     \
	} while (0)

/* ---- struct.c: structs of callers that may know another version of the header ------------------ */

/* *own = the struct that the caller gave, with what it lacks filled up by zeros. Errors: EK_EINVAL
 * if its size makes no sense, or if it has more than the library knows. `name` is the argument. */
#define EKI_STRUCT_IN(name, type, given, own) \
	eki_struct_in(name, #type, (const type *){given}, (type *){own}, sizeof(type))
/* May the caller's struct, if it is one, be filled? Then, when all is known, fill it. */
#define EKI_STRUCT_ROOM(name, type, given) \
	eki_struct_room(name, #type, (const type *){given}, sizeof(type))
#define EKI_STRUCT_OUT(type, own, given) \
	eki_struct_out((const type *){own}, (type *){given}, sizeof(type))
ek_status eki_struct_in(const char *name, const char *type, const void *given, void *own,
                        size_t known);
ek_status eki_struct_room(const char *name, const char *type, const void *given, size_t known);
void eki_struct_out(const void *own, void *given, size_t known);

/* ---- cpu.c ----------------------------------------------------------------------------------- */

/* The best level that this processor and operating system can run. */
ek_isa eki_cpu_isa(void);
/* The names of all levels that were compiled, lowest first. */
const char *eki_isa_compiled(void);
/* Bytes of the last-level cache that this process sees; a guess of 32 MiB if the system is silent.
 */
int64_t eki_cpu_cache(void);

#include "core/hold.h"

/* ---- forced.c -------------------------------------------------------------------------------- */

enum { EKI_OPERATIONS = EK_SET_INTERSECTION + 1 }; /* numbers of them begin at 1 */

/* What EK_METHOD says of one operation, or of one op of products. */
typedef struct eki_forced {
	const ek_method *method; /* NULL: nothing */
	int64_t param[EKI_MAX_DIMS];
	bool one_op; /* the entry named the op */
} eki_forced;

/* Reads the environment variable; EK_EINVAL with the entry that makes no sense. */
ek_status eki_forced_from_environment(eki_forced forced[EKI_OPERATIONS][2]);

/* ---- context.c ------------------------------------------------------------------------------- */

struct ek_context {
	eki_life life;
	ek_options options; /* with defaults filled in */
	int threads;
	ek_isa isa;
	/* By operation and, of products, op N and T of A; of the others the first */
	eki_forced forced[EKI_OPERATIONS][2];
	int64_t small_work; /* EKI_SMALL_WORK; tests set 0, so that small matrices are cut too */
	struct eki_device *device; /* gpu/gpu.h; NULL: none */
};

/* Below this many rows plus entries waking a thread costs more than it saves. */
enum { EKI_SMALL_WORK = 15000 };

/* Closes its device and frees it. */
void eki_context_free(ek_context *ctx);
/* count * size bytes, aligned to 64; *out = NULL if that is 0. Errors: EK_EOVERFLOW, EK_ENOMEM.
 * Never call it inside a parallel region: the tests that let the n-th allocation fail count on a
 * fixed order. */
ek_status eki_alloc(const ek_context *ctx, int64_t count, size_t size, void **out);
ek_status eki_calloc(const ek_context *ctx, int64_t count, size_t size, void **out);
/* Frees `count * size` bytes as given to eki_alloc; NULL is fine. */
void eki_free(const ek_context *ctx, void *block, int64_t count, size_t size);
/* A copy made by the context's threads, so that pages lie near them. */
ek_status eki_copy(const ek_context *ctx, const void *from, int64_t count, size_t size, void **out);
/* The same to memory that is there. */
void eki_copy_into(const ek_context *ctx, void *to, const void *from, int64_t count, size_t size);
/* Into how many parts work on n rows or entries is cut: one if that is little. */
int eki_parts(const ek_context *ctx, int64_t n);
/* Memory that belongs to no context: for the books of a context's own heap. NULL if there is none.
 */
void *eki_bare_alloc(size_t bytes);
void eki_bare_free(void *block);
void eki_log(const ek_context *ctx, ek_log_level level, const char *format, ...);
/* getenv, but NULL in set-user-id programs and for empty values. */
const char *eki_getenv(const char *name);
/* format/csr5_sigma.c: EK_EINVAL if EK_CSR5_SIGMA is nonsense. */
ek_status eki_csr5_environment(void);

/* ---- params.c -------------------------------------------------------------------------------- */

/* "c=8,sigma=64" of `length` characters: value[k] of param[k]; 0 if it is not there, EKI_ZERO if it
 * is 0. `owner` ("format sell") is for messages. */
enum { EKI_ZERO = -1 };
ek_status eki_params_parse(const char *owner, const ek_format_param *param, const char *text,
                           size_t length, int64_t value[]);

#include "core/f32.h"
#include "core/parallel.h"
#include "core/store.h"

/* ---- matrix.c -------------------------------------------------------------------------------- */

struct ek_matrix {
	eki_life life;
	const ek_context *ctx;
	ek_store store;  /* CSR of A, or of its transpose */
	bool transposed; /* made from CSC */
	/* EK_BASE1: the caller's row pointers, of which the store has a copy */
	const void *given_ptr;
	bool merged; /* duplicates were merged: the caller's order of values is lost */
	void *order; /* EK_KEEP_ORDER: order[k], of the row pointer type, is where entry k went */
	int64_t order_len;
	int64_t value_count; /* how many values the caller gave */
	_Atomic uint64_t state;
};

/* Frees what EK_KEEP_ORDER kept. */
void eki_matrix_forget_order(ek_matrix *A);
/* A number that no values had before, of any matrix: a device may hold an array of several. */
uint64_t eki_new_state(void);
/* Wraps a store that the library owns; takes it over on success only. */
ek_status eki_matrix_from_store(ek_context *ctx, ek_store *store, ek_matrix **A);
/* A, which no longer has its old arrays, takes over a store: made from that, as if by
 * conversion. */
void eki_matrix_restore(ek_matrix *A, const ek_store *store, bool transposed);
/* The store of A with the arrays as they lie with the caller: for looking at, not for products. */
void eki_matrix_given(const ek_matrix *A, ek_store *s);
ek_status eki_type_check(ek_value value, ek_index index);
/* What an array of elements of `size` bytes must be aligned to: 4 for 8 bytes on 32-bit x86, where
 * compilers put doubles and 64-bit integers at such places. */
static inline size_t eki_alignment(size_t size)
{
	struct eight {
		int64_t i;
		double f;
	};

	return size == 8 ? _Alignof(struct eight) : size;
}
/* EK_EINVAL if an array of `len` elements is missing, or not aligned to their type. */
ek_status eki_array_check(const char *name, const void *array, int64_t len, size_t size);

/* ---- reshape/ -------------------------------------------------------------------------------- */

/* CSR, sorted by row, then column, from coordinates in any order; entries given for the same place
 * are merged as `duplicates` (EK_DUP_SUM, EK_DUP_LAST, EK_DUP_ERROR, or 0: keep them, in the order
 * given) says. EK_BASE1 and EKI_COLUMNS may come with it: the caller counts from 1, or calls rows
 * columns, so messages do. Indices are 0-based and already checked. order: NULL, or where to put an
 * allocated array of nnz entries of the row pointer type: order[k] is the position of entry k in
 * the result.
 */
#define EKI_COLUMNS 0x10000u
ek_status eki_assemble(const ek_context *ctx, ek_value value, ek_index index, int64_t rows,
                       int64_t cols, int64_t nnz, const void *row_idx, const void *col_idx,
                       const void *val, unsigned duplicates, ek_store *csr, void **order);
/* The CSR of the transpose, columns ascending; equal places keep their order. `from`: NULL, or
 * where to put an allocated array of nnz entries of the row pointer type: out entry k came from in
 * entry from[k]. */
ek_status eki_transpose(const ek_context *ctx, const ek_store *csr, ek_store *out, void **from);

/* For methods that do op T on a copy: puts the transpose of the plan's store in its place, and N
 * for its op. The copy, and `from`, which tells where its values come from, belong to the plan.
 * eki_transposed_refresh fetches the values anew. */
typedef struct eki_transposed {
	ek_store store;
	void *from;
} eki_transposed;
ek_status eki_plan_transpose(ek_plan *plan, eki_transposed *copy);
void eki_transposed_refresh(const ek_plan *plan, eki_transposed *copy);

/* ---- partition.c ----------------------------------------------------------------------------- */

/* The last row whose row_ptr is <= k, that is, the row that entry k lies in; rows - 1 at most. */
int64_t eki_row_of(const ek_store *csr, int64_t k);
/* bound[0 .. parts]: rows, cut so that parts have nearly equal nonzeros plus rows. */
void eki_partition_rows(const ek_store *csr, int parts, int64_t *bound);
/* Merge path (Merrill, Garland 2016): where diagonal `d` of the merge of row ends and entries cuts:
 * rows finished before it, and entries used. */
void eki_merge_search(const ek_store *csr, int64_t d, int64_t *row, int64_t *entry);

/* W of a pass of core/for_each.h. */
static inline int64_t eki_lanes(ek_isa isa, ek_value value)
{
	return isa == EK_ISA_SCALAR ? 1 : value == EK_F64 && isa == EK_ISA_AVX2 ? 4 : 8;
}

/* ---- plan.c and registry.c ------------------------------------------------------------------- */

/* What a run gets: x and y are contiguous. */
typedef struct ek_args {
	const void *x;
	void *y;
	double alpha, beta;
	const void *kept;     /* the plan's, for kernels that drivers call */
	int x_where, y_where; /* as in ek_dense; methods of the processor get 0 */
	/* What beta multiplies: y, or as many values elsewhere, which overlap y nowhere. Methods of
	 * devices always get y. */
	const void *y0;
} ek_args;

enum { /* where a method runs */
       EKI_CPU = 1,
       EKI_OPENCL = 2,
       EKI_CUDA = 4
};
enum { /* traits of a method */
       EKI_OP_N = 1,
       EKI_OP_T = 2,
       EKI_STRICT = 4, /* the same bits for any number of threads and any instruction set */
       EKI_SERIAL = 8, /* uses one thread whatever the plan says */
       /* op N, op T: reads columns that start at store->base. Op N: x begins that many before. */
       EKI_BASE1_N = 16,
       EKI_BASE1_T = 32
};

/* What a cost function may ask about the matrix and the machine. */
typedef struct eki_features {
	ek_stats stats; /* row-length part only */
	ek_value value;
	ek_index index;
	ek_op op; /* op on the CSR store */
	int threads;
	ek_isa isa;
	int64_t calls;
	double short_share; /* share of the rows with at most 8 entries */
	double mixed_share; /* share of the rows whose length differs from the previous row's */
	/* Shares of the entries of a sample: in rows shaped like one shortly before; and beginning
	 * a column after it; in rows that span less than 2^16 columns; far from the diagonal
	 * and from what was just read, so that x may come from beyond the cache. */
	double repeat_share, run_share, narrow_share, far_share;
	double csr_bytes;  /* moved by one plain product */
	bool in_cache;     /* csr_bytes below the last-level cache */
	bool on_processor; /* the device is one */
} eki_features;

typedef struct eki_array eki_array;

struct ek_method {
	const char *name, *text, *source;
	ek_operation operation;
	const ek_format *format;
	/* Whole numbers that the method can be given: plan->param has them, or 0 for those that
	 * were not. None may be 0. */
	ek_format_param param[EKI_MAX_DIMS];
	unsigned backend, traits;
	/* If A is not in the format, `prepare` makes what it needs from CSR, which plan->store then
	 * is, with the parameters of plan->dim. */
	bool from_csr;
	/* Can it do this matrix? NULL: always. */
	bool (*applies)(const ek_store *store, ek_op op);
	/* Predicted nanoseconds of one run, from eki_cost. NULL: never chosen automatically. */
	double (*cost)(const eki_features *f);
	ek_status (*prepare)(ek_plan *plan); /* NULL: nothing to prepare */
	ek_status (*refresh)(
		ek_plan *plan); /* values changed, pattern did not; NULL: keeps no values */
	ek_status (*run)(const ek_plan *plan, const ek_args *args);
	/* Primitives (prim/prim.h) have these instead of the functions above: the call, and its
	 * predicted nanoseconds (NULL: never chosen automatically). */
	ek_status (*array)(const ek_context *ctx, const eki_array *a);
	double (*array_cost)(const eki_array *a);
};

struct ek_plan {
	uint32_t magic;
	const ek_context *ctx;
	const ek_matrix *A;
	const ek_store
		*store; /* what the method multiplies with: of A, `own`, or made by prepare */
	ek_store own;   /* A in the format that is wanted, if A is not */
	ek_operation operation;
	ek_op op; /* of the store: exchanged where A is held as its transpose, N on a transposed copy */
	int64_t x_len, y_len;
	ek_reproducible reproducible;
	int64_t calls;
	const ek_method *method;
	int64_t param[EKI_MAX_DIMS]; /* of the method */
	int64_t dim[EKI_MAX_DIMS];   /* of the format, as the hints ask for them */
	char format[96];             /* of what is multiplied with, and its parameters */
	const ek_method *inner;      /* of a method that hands its store on to another */
	ek_isa isa;
	int threads, parts;
	void *state;         /* of the method, or of the driver that it uses */
	void *kept;          /* of a method that uses a driver */
	struct eki_gpu *gpu; /* of a method that runs on a device */
	int64_t bytes;       /* moved by one run */
	uint64_t seen;       /* state of A's values when prepared or refreshed */
	struct {
		void *block;
		int64_t bytes;
	} memory[EKI_PLAN_BLOCKS];
	int blocks;
	char why[1024];
};

/* plan_choose.c: the method, `store` and `own`, op, bytes, and why. */
ek_status eki_plan_choose(ek_plan *plan, const ek_hints *hints);
/* Row k of the table, NULL behind the last: for calls that cannot spend a search on each row. */
const ek_method *eki_method(size_t k);
/* method_name.c: a method's name, also without the operation where only one can be meant, and,
 * behind a colon, its parameters. `operation`: what it must be for; 0: anything. `from` stands
 * before what is said of nonsense. */
ek_status eki_method_parse(const char *from, const char *text, ek_operation operation,
                           const ek_method **method, int64_t param[EKI_MAX_DIMS]);
/* Memory that lives as long as the plan. */
ek_status eki_plan_alloc(ek_plan *plan, int64_t count, size_t size, void *out);
/* Gives the plan a block to free that came from eki_alloc; eki_plan_room has to allow it before the
 * block is made. */
ek_status eki_plan_room(const ek_plan *plan, int blocks);
void eki_plan_own(ek_plan *plan, void *block, int64_t bytes);
/* y = beta y0, by all threads of the plan; y0 may be y. beta = 0 writes zeros. */
void eki_scale(const ek_plan *plan, double beta, const void *y0, void *y, int64_t n);

/* ---- select/ --------------------------------------------------------------------------------- */

/* The method with the least predicted cost among those that can and multiply with the format; `why`
 * gets the table of candidates. */
ek_status eki_select(const ek_plan *plan, const ek_format *format, const ek_method **method,
                     char *why, size_t size);
/* Predicted nanoseconds of a run that moves `bytes` and keeps all cores busy for `work` nanoseconds
 * in sum: whichever is longer, and a share of the other, since they overlap only in part; waking
 * threads comes on top, and so does waiting for entries of x that are far (far_share). */
double eki_cost(const eki_features *f, double bytes, double work);
/* Nanoseconds of one core for each row and for each entry, as measured on matrices that stay in its
 * cache. */
typedef struct eki_speed {
	double row, entry;
} eki_speed;
double eki_work(const eki_features *f, const eki_speed speed[EK_NISA]);
/* What the cache of one core holds at least. */
#define EKI_L2_BYTES 2e6
/* Row-length part of ek_stats, shared by selection and ek_matrix_stats. */
ek_status eki_row_stats(const ek_context *ctx, const ek_store *csr, eki_features *f);
/* The shares of ek_features that a sample of the columns gives. */
void eki_sample_shapes(const ek_store *csr, eki_features *f);

#endif
