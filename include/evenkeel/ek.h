/* SPDX-License-Identifier: BSD-3-Clause
 *
 * evenkeel: sparse linear algebra whose speed does not depend on how the nonzeros are spread.
 *
 * This is the only public header, and its comments are the reference manual.
 *
 * Three objects do everything:
 *     ek_context   allocator, threads, instruction-set limit, log callback
 *     ek_matrix    a sparse matrix made from CSR, CSC or COO arrays, from a file, or generated
 *     ek_plan      an operation prepared for one matrix: prepared once, run many times
 * and functions on plain arrays, from scans to sorting, are at the end ("Primitives on arrays").
 *
 * Conventions that hold for every function (CONVENTIONS.md has the reasons):
 *   - The result is an ek_status; 0 is success, errors are negative. ek_error_text() has the
 *     details of this thread's last failure: argument, position, value.
 *   - A call that fails leaves its arguments as they were and its outputs untouched.
 *   - Inputs come first, outputs last. Dimensions and counts are int64_t.
 *   - Indices start at 0, unless EK_BASE1 is given when a matrix is made.
 *   - The library never prints, never exits, and never changes locale, signals or rounding mode.
 *   - Every ..._destroy accepts NULL. Objects may be destroyed in any order and in any thread: what
 *     an object needs lives until it is destroyed itself (ek_context_destroy). Only the caller's own
 *     handle ends: using it is EK_EINVAL while something needs the object, and undefined afterwards.
 *   - Thread safety: different objects may be used at the same time. A context and a matrix may be
 *     used by any number of threads as long as nobody changes them; a plan by one thread at a time.
 */
#ifndef EVENKEEL_EK_H
#define EVENKEEL_EK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default) /* exactly what is declared here is exported */
#endif

#define EK_VERSION_MAJOR 0
#define EK_VERSION_MINOR 2
#define EK_VERSION_PATCH 0

/* The version of the library that runs, for example "0.2.0". Never fails. */
const char *ek_version(void);

/* ---- Structs -------------------------------------------------------------------------------
 *
 * Programs and library may come from different versions of this header, and later versions have
 * members more, always at the end. Therefore:
 *   - A struct of the caller, read or filled by the library, begins with `size`, which the caller
 *     sets to its sizeof: ek_hints h = {.size = sizeof h}. The inline functions (ek_vector,
 *     ek_key_value, ...) do it themselves.
 *   - Read: a shorter one than the library's counts as if zeros followed, and zero means the
 *     default; a longer one is accepted if all bytes that the library does not know are 0.
 *   - Filled: as much as there is room for; what the library does not know becomes 0; `size` stays.
 *   - EK_EINVAL, with both sizes in the message: bytes beyond what the library knows that are not
 *     0, a size that ends within a member, or that is no struct's (below sizeof(size_t), or above
 *     4096). Nothing is read or written beyond `size`.
 *   - Structs that the library owns and hands out by const pointer (ek_twin, ek_format_param,
 *     ek_layout) have no size and may grow at the end as well: use them through the pointer, and
 *     make no copies or arrays of them.
 */

/* A row of the table of public structs: first the struct itself, with "" as its member, then its
 * members in their order. For self-tests of bindings, which repeat this header in another
 * language. */
typedef struct ek_layout {
	const char *type;   /* "ek_dense" */
	const char *member; /* "ld"; "": the struct itself */
	/* "int", "uint", "real", "enum" (as int), "pointer" (of functions, too), "text" (characters
	 * up to a 0), "struct" */
	const char *kind;
	int64_t offset, size; /* in bytes, on this machine */
	int64_t count;        /* elements of an array; else 1 */
} ek_layout;
const ek_layout *ek_layout_next(const ek_layout *after); /* NULL: the first; ends with NULL */

/* ---- Status ------------------------------------------------------------------------------- */

typedef enum ek_status {
	EK_OK = 0,
	EK_EINVAL = -1,     /* an argument is wrong: NULL, bad enum value, sizes that do not fit */
	EK_ENOMEM = -2,     /* the allocator had no memory */
	EK_ERANGE = -3,     /* an index or a value lies outside its range */
	EK_EOVERFLOW = -4,  /* a number does not fit its type */
	EK_ESYNTAX = -5,    /* a file does not follow its format */
	EK_ETRUNCATED = -6, /* a file ends too early */
	EK_ETRAILING = -7,  /* a file goes on after its end */
	EK_ELIMIT = -8,     /* over a configured limit */
	EK_EIO = -9,        /* the operating system, or a compressed stream, reported an error */
	EK_EDEVICE = -10,   /* a device reported an error, or there is no such device or driver */
	EK_EUNSUPPORTED = -11 /* valid, but not available in this build or for these types */
} ek_status;

/* A short English name of a status, for example "out of memory". Never fails, never NULL. */
const char *ek_status_text(ek_status status);

/* What went wrong in the last failed call of this thread; "" if none failed yet. The text stays
 * valid until the next failing call of the same thread. */
const char *ek_error_text(void);

/* ---- Types -------------------------------------------------------------------------------- */

/* Type of numbers. Matrices hold EK_F32 or EK_F64; the primitives on arrays do all four. */
typedef enum ek_value {
	EK_F32 = 1,   /* float */
	EK_F64 = 2,   /* double */
	EK_INT32 = 3, /* int32_t */
	EK_INT64 = 4  /* int64_t */
} ek_value;

/* Type of row pointers and of column indices. */
typedef enum ek_index {
	EK_I32 = 1,    /* row pointers int32_t, columns int32_t: fewer than 2^31 nonzeros */
	EK_I64_32 = 2, /* row pointers int64_t, columns int32_t */
	EK_I64 = 3     /* row pointers int64_t, columns int64_t */
} ek_index;

/* op(A). The values are those of the BLAS and of most vendor libraries. */
typedef enum ek_op {
	EK_OP_N = 111, /* A */
	EK_OP_T = 112  /* A transposed */
} ek_op;

/* Instruction-set levels that the library has code for, lowest first. */
typedef enum ek_isa {
	EK_ISA_SCALAR = 0,
	EK_ISA_AVX2 = 1,  /* AVX2 and FMA */
	EK_ISA_AVX512 = 2 /* AVX-512 F, DQ, BW, VL */
} ek_isa;

const char *ek_value_name(ek_value value); /* "f32", "f64", "i32", "i64"; NULL: no such type */
const char *ek_index_name(ek_index index); /* "32", "64/32", "64"; NULL if not an index type */
const char *ek_isa_name(ek_isa isa);       /* "scalar", "avx2", "avx512"; NULL if unknown */
size_t ek_value_size(ek_value value);      /* bytes of one value; 0 if not a value type */

/* ---- The build ----------------------------------------------------------------------------- */

/* How the library that runs was built. All texts are constant, and no path is in them. */
typedef struct ek_build_info {
	size_t size;          /* set to sizeof(ek_build_info) before the call */
	const char *version;  /* as ek_version */
	const char *commit;   /* "e27d88b8d2c4", "-dirty" behind it if files differed; "unknown" */
	const char *compiler; /* "gcc 12.2.0" */
	const char *threads;  /* the run time of threads: "libgomp", "libomp"; "none" */
	const char *isa;      /* instruction sets compiled in: "scalar avx2 avx512" */
	ek_isa isa_here;      /* the best of them for this processor */
} ek_build_info;
/* Errors: EK_EINVAL. Cost: nothing is loaded or opened; for drivers there is ek_device_drivers. */
ek_status ek_build_get_info(ek_build_info *info);

/* What a build may have or leave out, such as "zlib". The table is fixed. */
typedef struct ek_feature ek_feature;
const ek_feature *ek_feature_next(const ek_feature *after); /* NULL: the first; ends with NULL */
const char *ek_feature_name(const ek_feature *feature);     /* "zlib" */
const char *ek_feature_text(const ek_feature *feature);     /* one line: what it is for */
/* The version of what runs, "" if it has none; NULL: left out of this build. */
const char *ek_feature_version(const ek_feature *feature);

/* ---- Context ------------------------------------------------------------------------------ */

typedef struct ek_context ek_context;

typedef enum ek_log_level { EK_LOG_WARNING = 1 } ek_log_level;

/* How arrays that processor and device both use are held. */
typedef enum ek_device_memory {
	/* Shared where the device has no memory of its own and can share, else copies */
	EK_MEMORY_AUTO = 0,
	EK_MEMORY_COPY = 1, /* one copy on each side */
	/* One copy, which processor and device have in turn: coarse-grained shared virtual memory
	 * of OpenCL. A matrix is copied there once. */
	EK_MEMORY_MAPPED = 2,
	/* One copy, which both may use at the same time: fine-grained shared virtual memory of
	 * OpenCL, managed memory of CUDA. The context's whole heap lies there, unless options.alloc
	 * is given, so arrays that the library allocated are never copied; borrowed ones are. With
	 * CUDA, take less than the card has free. */
	EK_MEMORY_SHARED = 3
} ek_device_memory;

/* Options of a context. Set `size` to sizeof(ek_options) and everything else to zero, then change
 * what you need: zero always means the default. So do all structs of options. */
typedef struct ek_options {
	size_t size;
	/* Memory hooks: both or none. `alloc` returns `bytes` (> 0) bytes aligned to `alignment`, a
	 * power of two of at most 64, or NULL. `dealloc` gets what `alloc` returned, and its size.
	 * They may be called from any thread that calls the library. */
	void *(*alloc)(void *user, size_t alignment, size_t bytes);
	void (*dealloc)(void *user, void *block, size_t bytes);
	void *user;
	/* Most threads that one call may use. 0: the environment variable EK_THREADS, else what the
	 * OpenMP run time offers (OMP_NUM_THREADS, then the processors of this process). */
	int threads;
	/* Highest instruction set to use, plus one; 0: whatever the processor and the environment
	 * variable EK_ISA (scalar, avx2, avx512) allow. EK_ISA_LIMIT(EK_ISA_AVX2) asks for AVX2. */
	int isa_limit;
	/* Gets warnings, for example that a file holds values that underflow. NULL: none wanted. It
	 * is called by the thread that called the library, and may call the library itself. */
	void (*log)(void *user, ek_log_level level, const char *text);
	void *log_user;
	/* The device beside the processor: "cpu" for none, "opencl" or "cuda" for the first of that
	 * kind, "opencl:1" for another one (ek_device_get_info), "gpu" for the first that is one,
	 * CUDA before OpenCL. NULL: the environment variable EK_DEVICE, else none. */
	const char *device;
	ek_device_memory device_memory;
} ek_options;

#define EK_ISA_LIMIT(isa) ((int)(isa) + 1)

/* Makes a context. `options` may be NULL. Environment variables are ignored in set-user-id
 * programs, and a value that makes no sense there is an error (EK_EINVAL), never ignored.
 * EK_METHOD has methods that replace the library's choice in this context: entries with ";" between
 * them, each a method, for the operation and, of products, the ops that it does ("spmv.csr.merge",
 * which does op N), or an operation and a method ("scan=scan.serial"), or an op of products and a
 * method, which must do it ("spmv.n=spmv.csr.vector"). An entry changes nothing for other operations
 * and ops; "auto" in place of a method leaves the choice to the library; names may be short and
 * parameters may follow, as in ek_hints.
 * Errors: EK_EINVAL, EK_ENOMEM, and for a device EK_EDEVICE (no driver, no such device: the message
 * says what was looked for) and EK_EUNSUPPORTED (device_memory that it has not, or a build without
 * devices). Cost: microseconds; opening a device up to a second. */
ek_status ek_context_create(const ek_options *options, ek_context **ctx);

/* Destroys a context. It is freed, and its device closed, with the last matrix, plan or heap that was
 * made in it, which work on as before; so the memory hooks and the log callback, with their user
 * pointers, must stay until then. Give back what ek_device_alloc gave, and what ek_dense_read did,
 * before. */
void ek_context_destroy(ek_context *ctx);

int ek_context_threads(const ek_context *ctx);
ek_isa ek_context_isa(const ek_context *ctx);

/* ---- Devices ------------------------------------------------------------------------------ */

/* A context with a device has methods that run there ("spmv.csr.vector.gpu"; ek_method_device is
 * then "gpu"), and chooses among these where no method is named and one of them can do it (none has
 * EK_REPRO_STRICT); methods of the processor still run by name. Vectors may lie with the host, then they are copied there and back, or on the device
 * (EK_ON_DEVICE), then a run returns when it is in the device's queue. Each context has a queue of
 * its own, in which everything happens in order; contexts of one device, or of several, work side
 * by side. With EK_MEMORY_SHARED, wait (ek_device_wait) before the host changes what a run in the
 * queue reads: vectors, and values of A.
 * Kernels are compiled when a plan is made, and kept for later in the folder
 * $XDG_CACHE_HOME/evenkeel (else ~/.cache/evenkeel; EK_CACHE names another, by its whole path, "off"
 * none; folders of other users, or that others may write to, are not used). Drivers are
 * libOpenCL.so.1, and libcuda.so.1 with NVRTC, which the CUDA toolkit and the Python package
 * nvidia-cuda-nvrtc have; EK_OPENCL, EK_CUDA and EK_NVRTC name other files. */

typedef struct ek_device_info {
	size_t size;      /* set to sizeof(ek_device_info) before the call */
	char name[32];    /* "cuda:0": what options.device takes */
	char text[128];   /* the maker's name of it */
	char driver[128]; /* of the driver, and its version */
	char kind[16];    /* "gpu", "cpu", "accelerator" */
	int units;        /* compute units, or multiprocessors */
	int lanes;        /* work-items that run in step: the warp or wavefront; 1 if not known */
	int64_t memory;   /* bytes, of its own or of the host */
	int64_t local;    /* bytes of local memory for a work-group */
	int unified;      /* 1: it has no memory of its own */
	int mapped, shared; /* 1: EK_MEMORY_MAPPED, EK_MEMORY_SHARED are possible */
	int f64;          /* 1: it can do f64 */
	char arch[32];    /* "sm_90"; of OpenCL its version, "3.0" */
} ek_device_info;

/* Device k = 0, 1, ... of all that the drivers of this machine have: CUDA's, then OpenCL's. Errors:
 * EK_EDEVICE if there are fewer, info is then as it was, and the message says, for each driver, what
 * is missing or how many it has; EK_EDEVICE too for a device that fails to describe itself: info has
 * its name then, and nothing else, and there may be others behind it. Cost: the first call loads the drivers. */
ek_status ek_device_get_info(int k, ek_device_info *info);

/* What each driver has, or why there is none, as one line: "cuda: there is no libcuda.so.1; opencl:
 * 1 device"; at most `bytes` bytes with the final 0. Errors: EK_EINVAL; EK_EUNSUPPORTED in a build
 * without devices. Cost: the first call that asks for devices loads the drivers, which takes from
 * milliseconds to seconds, may start threads of theirs, and cannot be undone. */
ek_status ek_device_drivers(char *text, size_t bytes);

/* The device of a context; EK_EDEVICE if it has none. */
ek_status ek_context_get_device(const ek_context *ctx, ek_device_info *info);

/* What was done on a context's device so far; zeros without one. */
typedef struct ek_device_counters {
	size_t size;
	int64_t to_device, from_device; /* bytes copied; shared memory is not */
	int64_t launches;               /* of kernels */
	int64_t compiled, loaded;       /* programs: by the compiler, and from the folder */
} ek_device_counters;
ek_status ek_device_get_counters(const ek_context *ctx, ek_device_counters *counters);

/* Memory of the context's device, for vectors: `data` is for ek_dense with EK_ON_DEVICE and the
 * functions below, and as it is: with OpenCL it may be a handle, to which nothing can be added. With
 * CUDA it is a device pointer that the caller's own kernels and libraries can use (and, with
 * EK_MEMORY_COPY, the other way round: any device pointer of the same primary context will do). The
 * queue is a stream that waits for no other: let yours end before ek_spmv, and call ek_device_wait
 * before you use what it gives. Errors: EK_EDEVICE, EK_ENOMEM. */
ek_status ek_device_alloc(ek_context *ctx, int64_t bytes, void **data);
void ek_device_free(ek_context *ctx, void *data);
/* Copies between memory of the host and of the device, in order with the queue, and waits. */
ek_status ek_device_write(ek_context *ctx, void *to_device, const void *from, int64_t bytes);
ek_status ek_device_read(ek_context *ctx, const void *from_device, void *to, int64_t bytes);
/* Copies within the device, from one such memory to another, and returns when that is in the queue.
 * Over the time of it: the bandwidth of copies, which bounds what reads and writes as much. */
ek_status ek_device_copy(ek_context *ctx, void *to, const void *from, int64_t bytes);
/* Waits until everything that was put into the queue is done. Errors: EK_EDEVICE if any of it
 * failed; then the context's runs and copies fail too from there on, since what lies on the device
 * is not to be trusted. */
ek_status ek_device_wait(ek_context *ctx);
/* The time between two places in the queue, by the device's own clock: start, runs, stop. `stop`
 * waits. A context has one timer, for one thread at a time. Errors: EK_EDEVICE, EK_EINVAL (stop
 * without a start). */
ek_status ek_device_timer_start(ek_context *ctx);
ek_status ek_device_timer_stop(ek_context *ctx, double *seconds);

/* ---- Matrix ------------------------------------------------------------------------------- */

typedef struct ek_matrix ek_matrix;

/* Flags of the functions that make a matrix; combine with |. */
enum {
	/* Ownership, one of three. Borrowed arrays are used in place, never written to and never
	 * freed: they must stay as they are until the matrix and its plans are destroyed (but see
	 * ek_matrix_values_changed). Adopted arrays are used in place and freed with the matrix by
	 * the context's dealloc hook (without hooks: by free()); if the call fails they stay yours.
	 */
	EK_BORROW = 0x0,
	EK_COPY = 0x1,
	EK_ADOPT = 0x2,
	EK_TRUSTED =
		0x10,    /* skip the check of the arrays; a bad index is then undefined behaviour */
	/* Indices and pointers start at 1, as Fortran has them. Borrowed columns and values are used
	 * where they are, the rows + 1 pointers are copied; methods that cannot read such columns
	 * (ek_plan_explain tells) keep a copy of them in the plan. Adopted arrays are rewritten to
	 * start at 0. Messages about the matrix count from 1 too, positions in arrays included;
	 * functions that take a row or a column count from 0 in any case. */
	EK_BASE1 = 0x20,
	EK_KEEP_ORDER = 0x40, /* COO: remember where each entry went, for ek_matrix_set_values */
	/* What to do with entries that share row and column. Default: CSR and CSC keep them (they
	 * act additively in products), COO and files add them up. */
	EK_DUP_SUM = 0x100,  /* add them up; CSR and CSC: needs EK_COPY */
	EK_DUP_LAST = 0x200, /* keep the one given last; CSR and CSC: needs EK_COPY */
	EK_DUP_ERROR = 0x300 /* refuse them: EK_ERANGE, with the position */
};

/* A from compressed sparse rows: entries row_ptr[i] .. row_ptr[i+1]-1 of col_idx and val are row i.
 *   row_ptr   rows + 1 entries of the row pointer type, row_ptr[0] = 0, not decreasing
 *   col_idx   row_ptr[rows] entries of the column type in 0 .. cols-1, in any order in a row
 *   val       as many values
 * col_idx and val may be NULL if there are no entries, row_ptr never. Entries behind row_ptr[rows]
 * are ignored. Unless EK_TRUSTED is given, one parallel pass checks row_ptr and col_idx; it costs
 * about a fifth of one plain product (16 to 26 percent measured).
 * Errors: EK_EINVAL (argument, flags, array not aligned to its type), EK_ERANGE (row_ptr or column
 * out of range: message with position and value), EK_EOVERFLOW, EK_ENOMEM.
 * Cost: borrowing O(nnz) for the check, O(1) when trusted; copying O(nnz). */
ek_status ek_matrix_from_csr(ek_context *ctx, ek_value value, ek_index index, int64_t rows,
                             int64_t cols, const void *row_ptr, const void *col_idx,
                             const void *val, unsigned flags, ek_matrix **A);

/* A from compressed sparse columns: the same with rows and columns exchanged. `index` names the
 * types of col_ptr and row_idx. Borrowed without a copy: A is kept as the CSR of its transpose, and
 * plans exchange op N and op T. Errors and cost as ek_matrix_from_csr. */
ek_status ek_matrix_from_csc(ek_context *ctx, ek_value value, ek_index index, int64_t rows,
                             int64_t cols, const void *col_ptr, const void *row_idx,
                             const void *val, unsigned flags, ek_matrix **A);

/* A from coordinates: entry k is val[k] at (row_idx[k], col_idx[k]), in any order; both index
 * arrays have the column type of `index`. The entries are assembled into CSR, sorted by row, then
 * column; the arrays are read in this call only, so EK_ADOPT is refused and EK_BORROW and EK_COPY
 * mean the same. Entries with the same place are added in the order given (other policies:
 * EK_DUP_*). Errors: EK_EINVAL, EK_ERANGE, EK_EOVERFLOW, EK_ENOMEM. Cost: O(nnz + rows + cols). */
ek_status ek_matrix_from_coo(ek_context *ctx, ek_value value, ek_index index, int64_t rows,
                             int64_t cols, int64_t nnz, const void *row_idx, const void *col_idx,
                             const void *val, unsigned flags, ek_matrix **A);

/* Destroys a matrix. It is freed, and its arrays if they were copied or adopted, with the last of its
 * plans, which work on as before: borrowed arrays must stay as they are until then. */
void ek_matrix_destroy(ek_matrix *A);

/* What is known about a matrix. */
typedef struct ek_matrix_info {
	size_t size; /* set to sizeof(ek_matrix_info) before the call */
	int64_t rows, cols, nnz;
	ek_value value;
	ek_index index;
	const char *format; /* "csr", "csc", or another name of the table of formats */
	int64_t dim[4];     /* dim[k] is that of ek_format_get_param(..., k); 0 beyond them */
	int borrowed;       /* 1 if the arrays belong to the caller */
	int64_t bytes;      /* of the arrays, whoever owns them */
	uint64_t state;     /* grows with every change of values */
	int base;           /* 1: what ek_matrix_array shows counts from 1 (EK_BASE1, borrowed) */
} ek_matrix_info;
ek_status ek_matrix_get_info(const ek_matrix *A, ek_matrix_info *info);

/* One of the arrays of a matrix, without a copy: "row_ptr" (of a CSC matrix: "col_ptr"), "col_idx"
 * ("row_idx"), "val"; of other formats the arrays that doc/formats.md draws. The view is valid
 * until the matrix is destroyed or converted in place. Errors: EK_EINVAL if the format has no such
 * array (the message lists what there is). */
typedef struct ek_view {
	size_t size; /* set to sizeof(ek_view) before the call */
	const void *data;
	int64_t len;      /* entries */
	size_t elem_size; /* bytes of one entry */
	ek_value type;    /* of one entry; 0: bits and bytes of the format's own */
} ek_view;
ek_status ek_matrix_array(const ek_matrix *A, const char *name, ek_view *view);

/* Checks all invariants of the arrays, in parallel: what creation checks without EK_TRUSTED.
 * Errors: EK_ERANGE with the position. */
ek_status ek_matrix_check(const ek_matrix *A);

/* Tells the library that you changed the values of borrowed or adopted arrays, the pattern being
 * the same: plans that keep copies take the new values at their next run, without a new
 * preparation. No thread may run a plan of A during the call. */
ek_status ek_matrix_values_changed(ek_matrix *A);

/* New values on the same pattern. `val` has the order and number of the arrays that A was made
 * from; for COO that needs EK_KEEP_ORDER, for CSR and CSC no EK_DUP_SUM or EK_DUP_LAST merging.
 * Of a converted matrix, in place or not, they are those that going back to CSR gives (row by row;
 * ascending columns for formats that place entries by their columns), but csc takes them column by
 * column, as they lie in its array. Copied and adopted arrays are overwritten; borrowed values are
 * refused (change them yourself, then call ek_matrix_values_changed). Errors: EK_EINVAL, EK_ENOMEM.
 * Cost: one pass over the values of csr, csc, coo and csr5; other formats go back to CSR for it,
 * whose memory is taken for the call. */
ek_status ek_matrix_set_values(ek_matrix *A, int64_t count, const void *val);

/* ---- Reading, writing, generating ---------------------------------------------------------- */

/* Options of ek_matrix_read and ek_dense_read; zero means the default. */
typedef struct ek_read_options {
	size_t size;
	int allow_nan; /* accept nan and inf as values, in text and in binary files */
	int mirror;    /* symmetric: accept entries above the diagonal as their mirror images */
	unsigned duplicates; /* EK_DUP_SUM (default), EK_DUP_LAST, EK_DUP_ERROR */
	/* Most bytes after decompression, of text or of a binary file with its header; 0: no limit.
	 * What a binary file announces is compared before any of it is read. */
	int64_t max_bytes;
	/* Most bytes after decompression for a byte of compressed input; 0: 1024. Arrays of equal
	 * values, such as those of dia, are compressed as far as a method can, so of what the header
	 * of a binary file announces the first 256 MiB are free of this limit, and the rest may be
	 * 32 times as many: by default what zstd makes of zeros. Memory is taken as they come; for
	 * files of strangers max_bytes bounds it. */
	int64_t max_ratio;
	/* Most rows, and most columns. 0: 2^40, and no more than the largest of 2^20, 64 for each
	 * byte of the file and 1 for each byte after decompression: a number in the header must not
	 * make a small file take much memory, here or in a product. A matrix with an entry in one
	 * row and one column of 64 passes always; emptier ones need max_dim. */
	int64_t max_dim;
	/* Called now and then, from the calling thread, with the bytes done and the bytes in all
	 * (-1: not known). A return value other than 0 stops the call with EK_ELIMIT. */
	int (*progress)(void *user, int64_t done, int64_t total);
	void *progress_user;
} ek_read_options;

/* A from a file: Matrix Market text (coordinate or array; real, integer, pattern; general,
 * symmetric, skew-symmetric, expanded to all entries), plain or compressed by gzip, xz or zstd, or
 * the .tar.gz of the SuiteSparse collection, or the library's own binary form (ek_matrix_write; of
 * a library built without xxHash only files of version 2, which 0.1 wrote before it had xxHash).
 * The kind is found from the content; what is known and not read (bzip2, zip, HDF5 and others) is
 * EK_EUNSUPPORTED, by its name. "-" reads standard input. value = 0 and index = 0: the types of a
 * binary file; EK_F64 and EK_I32 for text. `options` may be NULL. Complex files are
 * EK_EUNSUPPORTED. Objects called vector are matrices of one column. Explicit zeros stay. Pattern
 * entries become 1. Decimals and integers go to the nearest value of the type, ties to even,
 * whatever the rounding mode of the caller, and denormal numbers are read where it flushes them to
 * zero; only the sums of repeated places (EK_DUP_SUM) are made in the caller's mode. Warnings of the
 * context's log count those sums and, with file and line of the first, integers that the type cannot
 * hold exactly and values that became 0; a number beyond the range is EK_EOVERFLOW. A word that is
 * missing in a line is EK_ESYNTAX; lines that are missing, or a word in a last line without newline,
 * are EK_ETRUNCATED. A last line that has all its words is read, with a newline or without: a last
 * number that was cut off cannot be seen. Lines longer than 1 MiB are EK_ESYNTAX. Links in a tar are
 * not followed. Errors: EK_EIO, EK_ESYNTAX, EK_ETRUNCATED, EK_ETRAILING, EK_ERANGE, EK_EOVERFLOW,
 * EK_ELIMIT, EK_EUNSUPPORTED, EK_ENOMEM; the message starts with file:line. Parsing is parallel. */
ek_status ek_matrix_read(ek_context *ctx, const char *path, ek_value value, ek_index index,
                         const ek_read_options *options, ek_matrix **A);

/* The same from text or bytes in memory; `name` stands for the file name in messages. */
ek_status ek_matrix_read_memory(ek_context *ctx, const char *name, const void *data, size_t bytes,
                                ek_value value, ek_index index, const ek_read_options *options,
                                ek_matrix **A);

/* Writes A: "mtx" (Matrix Market, coordinate, general, shortest digits that read back bit for bit,
 * the same in every rounding mode and where the caller flushes denormal numbers to zero; the field
 * is integer if all values are integers up to 2^24), or "ekm" (binary, fast, with a checksum;
 * EK_EUNSUPPORTED in a library built without xxHash).
 * NULL: by the ending of the name, .ekm or else mtx; a further .gz, .xz or .zst compresses. "-"
 * writes to standard output. The file appears under its name only when it is complete; until then
 * it is PATH.tmp<process id, last six digits>-<number>. Errors: EK_EIO, EK_EINVAL, EK_EUNSUPPORTED,
 * EK_ENOMEM. What was written is read again by ek_matrix_read, whose defaults hold for it too: NaN and
 * Inf need allow_nan; more rows or columns than max_dim accepts by itself, which are emptier than one
 * entry in 64, need max_dim. A warning of the context's log says so of such rows or columns. */
ek_status ek_matrix_write(const ek_matrix *A, const char *path, const char *form);

/* Dense vectors and blocks as Matrix Market array files (or one-column coordinate files, or objects
 * called vector in either form). ek_dense_read returns column-major data in `*data`, which the
 * caller frees with ek_free(ctx, *data, rows * cols * ek_value_size(value)). `options` are those of
 * ek_matrix_read and may be NULL; so NaN and Inf need allow_nan. Repeated places of a coordinate
 * file are added, or what options->duplicates says; one with more rows than
 * max_dim accepts is EK_ELIMIT. */
ek_status ek_dense_read(ek_context *ctx, const char *path, ek_value value,
                        const ek_read_options *options, int64_t *rows, int64_t *cols, void **data);
ek_status ek_dense_write(ek_context *ctx, const char *path, ek_value value, int64_t rows,
                         int64_t cols, const void *data);
void ek_free(ek_context *ctx, void *block, size_t bytes);

/* A synthetic matrix from a text like "poisson3d7:nx=100,ny=80,nz=60" or "twin:name=webbase-1M":
 * a generator's name, then its parameters. Defaults that are too large for the sizes that are given
 * become smaller, and only `rows` of a square example makes a square matrix. The same text gives the same matrix on every machine and
 * for every number of threads. Errors: EK_EINVAL (unknown generator or parameter: the message lists
 * what there is; a parameter given twice; a twin without a name), EK_EOVERFLOW, EK_ENOMEM. ek_generator_next walks the
 * generators. */
ek_status ek_matrix_generate(ek_context *ctx, const char *spec, ek_value value, ek_index index,
                             ek_matrix **A);

typedef struct ek_generator ek_generator;
const ek_generator *
ek_generator_next(const ek_generator *after); /* NULL: the first; ends with NULL */
const char *ek_generator_name(const ek_generator *generator);
const char *ek_generator_text(const ek_generator *generator);    /* one line: what it makes */
const char *ek_generator_example(const ek_generator *generator); /* all parameters, with defaults */

/* The matrices of the works, as published, that "twin:name=..." can make. */
typedef struct ek_twin {
	const char *name;       /* the name in the collection, for example "webbase-1M" */
	const char *paper_name; /* the name in the work, for example "Webbase" */
	int64_t rows, cols, nnz;
	int64_t row_min, row_max; /* shortest and longest row */
	const char *structure;    /* class: fem, stencil, circuit, lp, web, graph, dense, ... */
	const char *works;        /* tables it appears in, for example "A.1 8.4 I" */
} ek_twin;
const ek_twin *ek_twin_next(const ek_twin *after);

/* Figures of the pattern, found in parallel passes over the arrays; a sorted copy is made on the
 * way if columns do not ascend, and of a matrix in CSC or another format one in CSR. Errors:
 * EK_EINVAL, EK_ENOMEM. */
typedef struct ek_stats {
	size_t size; /* set to sizeof(ek_stats) before the call */
	int64_t rows, cols, nnz;
	int64_t row_min, row_max;    /* shortest and longest row */
	double row_mean, row_stddev; /* of the row lengths */
	int64_t row_median;
	int64_t empty_rows, empty_cols;
	int64_t lower_bandwidth, upper_bandwidth; /* largest i - j and j - i of an entry */
	int64_t diagonal;                         /* entries on the main diagonal */
	int64_t duplicates;                       /* entries that repeat a place of their row */
	int sorted;            /* 1: indices ascend in every row (CSC: in every column) */
	int symmetric;         /* square: 1 same pattern and values as its transpose, 2 same
	                                pattern only, 3 skew-symmetric, 0 none of these */
	int64_t histogram[64]; /* rows of length 0, 1, 2-3, 4-7, ... */
} ek_stats;
ek_status ek_matrix_stats(const ek_matrix *A, ek_stats *stats);

/* ---- Formats --------------------------------------------------------------------------------- */

/* The ways to store a matrix. The table is fixed; walk it with ek_format_next. */
typedef struct ek_format ek_format;
const ek_format *ek_format_next(const ek_format *after); /* NULL: the first; ends with NULL */
const ek_format *ek_format_find(const char *name);       /* NULL if there is none of that name */
const char *ek_format_name(const ek_format *format);     /* "csr" */
const char *ek_format_text(const ek_format *format);     /* one line: what it is */
const char *ek_format_source(const ek_format *format);   /* author, year, section */

/* A whole number that a format can be given, as the chunk height of SELL; number k of a format, or
 * NULL if it has fewer. */
typedef struct ek_format_param {
	const char *name; /* "c" */
	int64_t min, max; /* what is possible; the library chooses where none is given */
	const char *text; /* one line: what it is */
} ek_format_param;
const ek_format_param *ek_format_get_param(const ek_format *format, int k);
/* The name of array number k of a matrix in that format, for ek_matrix_array; NULL: it has
 * fewer. */
const char *ek_format_array(const ek_format *format, int k);

/* Options of a conversion; zero means the default. */
typedef struct ek_convert_options {
	size_t size;
	ek_value value; /* types of the result; 0: those of A */
	ek_index index;
	/* Most bytes that the arrays of the result may take, in any format. 0: eight times those of
	 * A in CSR with these types, and 1 MiB; -1: no limit. It is compared before they are taken.
	 * So is, where it is given, what the call takes on the way, A in CSR or turned: that may be
	 * as much, or four times what A itself takes if that is more. All other temporary memory
	 * goes with the entries and the rows of A in CSR; none with its columns alone. */
	int64_t max_bytes;
} ek_convert_options;

/* B = a copy of A in another format: its name, or a name and parameters, as "sell:c=8,sigma=256".
 * Parameters that are not given are chosen by the library for this matrix and machine. Types may
 * change on the way: f64 to f32 rounds to nearest, ties to even, whatever the rounding mode of the
 * caller, f32 to f64 is exact, and neither takes denormal numbers for zero. A finite value beyond the
 * range of f32 is EK_EOVERFLOW, as are sizes that do not fit; a warning of the context's log counts
 * values that became 0. Entries keep their order within rows; going back to "csr" gives them without
 * a lost bit, explicit zeros included.
 * Formats that place entries by their column (dia, scoo, bcsr, bcoo, bccoo, cocktail) cannot hold
 * two entries of one place: EK_EUNSUPPORTED. Going back from them, or from csc, gives ascending
 * columns. Errors: EK_EINVAL (no such format or parameter: the message lists what there is),
 * EK_ELIMIT (more than max_bytes; the message has both numbers), EK_EUNSUPPORTED, EK_EOVERFLOW,
 * EK_ENOMEM.
 * Cost, from CSR, in products with plain CSR on matrices of the works (`ek bench convert`): coo and
 * csr5 1 to 6 (csr5 2.5 in the mean); csc, sell, brc and hyb 2 to 20; scoo 5 to 30; ell 4 to 40,
 * the more it pads; bcsr, bcoo and bccoo 10 to 40; cocktail 10 to 115. From another format going
 * back to CSR comes first. Thread safety: A is only read. */
ek_status ek_matrix_convert(const ek_matrix *A, const char *format,
                            const ek_convert_options *options, ek_matrix **B);

/* The same, A itself becoming the result: its arrays are given up, and formats that keep columns
 * and values in as many places, as csr5, rearrange them where they are, without a copy. A must own
 * its arrays (not EK_BORROW: EK_EINVAL) and have no plans (EK_EINVAL: how many it has). What EK_KEEP_ORDER kept is given up as
 * well: ek_matrix_set_values then takes the order of the result. After an error A is as it was. */
ek_status ek_matrix_convert_in_place(ek_matrix *A, const char *format,
                                     const ek_convert_options *options);

/* The entry of A in row i and column j (from 0), in any format, without going back to CSR:
 * ek_matrix_get gives its value, 0 if none is stored there, the sum in the order stored if several
 * are. ek_matrix_set gives the one entry that is stored there a new value, of the type of A
 * (to nearest, in every rounding mode), which counts as a change of values for plans; borrowed arrays
 * are refused. Errors: EK_EINVAL (i or j out of range; ek_matrix_set: not exactly one entry is
 * stored there), EK_EOVERFLOW (ek_matrix_set: a finite value beyond the range of f32). Cost:
 * O(entries of the row), or of the column if that is how A is held; ek_matrix_set: no run of a plan
 * of A at the same time. */
ek_status ek_matrix_get(const ek_matrix *A, int64_t i, int64_t j, double *value);
ek_status ek_matrix_set(ek_matrix *A, int64_t i, int64_t j, double value);

/* ---- Methods and plans --------------------------------------------------------------------- */

typedef enum ek_operation {
	EK_SPMV = 1,
	/* primitives on arrays, which need no plan */
	EK_REDUCE = 2,
	EK_SCAN = 3,
	EK_SEGMENTED_SCAN = 4,
	EK_SEGMENTED_SUM = 5,
	EK_SORT = 6,
	EK_MERGE = 7,
	EK_KSELECT = 8,
	EK_SET_UNION = 9,
	EK_SET_INTERSECTION = 10
} ek_operation;

/* The short name that methods of an operation begin with, for example "segsum"; NULL if unknown. */
const char *ek_operation_name(ek_operation operation);

/* How far results must be the same bits. */
typedef enum ek_reproducible {
	EK_REPRO_RUN = 0,   /* same machine, same number of threads, same plan: the default */
	EK_REPRO_STRICT = 1 /* any number of threads, any instruction set */
} ek_reproducible;

/* A method is one way to do one operation. The table is fixed; walk it with ek_method_next. */
typedef struct ek_method ek_method;
const ek_method *ek_method_next(const ek_method *after); /* NULL: the first; ends with NULL */
const ek_method *ek_method_find(const char *name);       /* in full; NULL if there is none of it */
const char *ek_method_name(const ek_method *method);     /* "spmv.csr.merge" */
const char *ek_method_text(const ek_method *method);     /* one line: what it does */
const char *ek_method_source(const ek_method *method);   /* author, year, section */
const char *ek_method_format(const ek_method *method);   /* "csr"; "array" for primitives */
const char *ek_method_device(const ek_method *method);   /* "cpu"; "gpu": on a context's device */
ek_operation ek_method_operation(const ek_method *method);
/* A whole number that the method can be given, as the tile size of one that cuts A into tiles;
 * number k, or NULL if it has fewer. */
const ek_format_param *ek_method_get_param(const ek_method *method, int k);
/* 1 if the method can do op(A) with that degree of reproducibility. Primitives have no op:
 * 1 for them if op is 0 and the method has that degree (EK_REPRO_STRICT: as for products). */
int ek_method_supports(const ek_method *method, ek_op op, ek_reproducible level);

/* What a plan should be good for; zero means the default. */
typedef struct ek_hints {
	size_t size;
	const char
		*method; /* a method's name, also without the operation ("csr.merge"); NULL or
	                       "auto": chosen by the matrix. The environment variable EK_METHOD
	                       replaces NULL and "auto", for experiments (ek_context_create).
	                       Parameters may follow: "spmv.csr.adaptive.gpu:block=2048" */
	ek_op op;        /* 0: EK_OP_N */
	int64_t calls;   /* announced number of runs; 0: many (1000) */
	ek_reproducible reproducible;
	int threads; /* 0: the context's; more than the context's is EK_EINVAL */
	/* How to store A for the product: a format, and parameters, as ek_matrix_convert takes
	 * them. NULL: as the method wants, or, without a method, as A is. If A is not in that
	 * format with these parameters the plan keeps a copy that is, within the default of
	 * max_bytes, made by way of CSR. Methods of "csr" multiply with "csc" too, op N and op T
	 * exchanged. */
	const char *format;
} ek_hints;

typedef struct ek_plan ek_plan;

/* Prepares `operation` for A. Everything that costs more than one product happens here; running the
 * plan allocates nothing, apart from the first run after values changed, of some copies (ek_spmv
 * says which). The plan keeps what it needs of A. `hints` may be NULL.
 * Errors: EK_EINVAL (no such method or format: the message lists the names; the method does not
 * multiply with hints.format), EK_EUNSUPPORTED (the method cannot do this op, or not with this
 * reproducibility; the format cannot hold A), EK_ELIMIT (A would take too much in that format:
 * ek_matrix_convert has no such limit with max_bytes = -1), EK_EOVERFLOW (x or y would not fit the
 * address space), EK_EDEVICE (the context has no device for the method; its compiler or driver
 * failed), EK_ENOMEM.
 * Cost: from nothing to O(rows) for the methods that only cut the work, O(nnz) for those that keep
 * arrays of their own (patterns, segsum, forward, copy_t, strict with op T) or look up which columns
 * a thread meets (transposed, adaptive and acsr with op T, and most other formats with op T), and
 * the conversion where the method's format is not that of A; `ek bench` measures it, in products.
 */
ek_status ek_plan_create(ek_operation operation, const ek_matrix *A, const ek_hints *hints,
                         ek_plan **plan);
void ek_plan_destroy(ek_plan *plan);

const char *ek_plan_method(const ek_plan *plan); /* name of the method that was chosen */
/* What it multiplies with, as hints.format takes it: "csr", "sell:c=8,sigma=64". */
const char *ek_plan_format(const ek_plan *plan);
/* What was chosen and why, as text of several lines; at most `size` bytes with the final 0. */
ek_status ek_plan_explain(const ek_plan *plan, char *text, size_t size);
/* Bytes that one run must move at least: matrix, side arrays, x once, y once. */
int64_t ek_plan_bytes(const ek_plan *plan);
/* Bytes that the plan holds beside the matrix. */
int64_t ek_plan_memory(const ek_plan *plan);

/* A view of a dense vector or column-major block; it owns nothing. Made by ek_vector, or member by
 * member with `size` set to sizeof(ek_dense). */
typedef struct ek_dense {
	size_t size;
	ek_value value;
	int64_t rows, cols;
	int64_t ld; /* entries from one column to the next; at least rows */
	void *data;
	int where; /* 0: memory of the host; EK_ON_DEVICE */
} ek_dense;

enum { EK_ON_DEVICE = 1 }; /* data is memory of the context's device (ek_device_alloc) */

static inline ek_dense ek_vector(ek_value value, int64_t n, const void *data)
{
	ek_dense v;
	v.size = sizeof v;
	v.value = value;
	v.rows = n;
	v.cols = 1;
	v.ld = n;
	v.data = (void *)(uintptr_t)data;
	v.where = 0;
	return v;
}

static inline ek_dense ek_device_vector(ek_value value, int64_t n, const void *data)
{
	ek_dense v = ek_vector(value, n, data);
	v.where = EK_ON_DEVICE;
	return v;
}

/* y = alpha op(A) x + beta y, with the op of the plan.
 *   x   as many entries as op(A) has columns; not written to
 *   y   as many entries as op(A) has rows; must not overlap x or the arrays of A
 * beta = 0: y is written only, so NaN or uninitialised memory there does not matter. alpha = 0: A
 * and x are not read. Entries that are not stored are never multiplied: NaN or Inf in x reaches
 * only the rows that have an entry in that column. alpha and beta are rounded to the value type;
 * if alpha is Inf or NaN, a row without entries gives NaN or beta y_i, by the method. Formats made
 * of parts (hyb, cocktail; on a device scoo with high slices) add alpha times the sum of each part, which may overflow where the sum
 * of the whole row does not.
 * |error of y_i| <= gamma(k + 2) (|alpha| (|A||x|)_i + |beta||y_i|), k the number of entries of row
 * i of op(A), gamma(k) = k u / (1 - k u), underflow apart (Higham 2002, section 3.1). Errors:
 * EK_EINVAL (NULL, wrong type, wrong length, overlap), and EK_ENOMEM in the first run after values
 * of A changed, if the plan has a copy of A and either A is in neither csr nor csc, or one is in csr
 * and the other in csc, or A was borrowed with EK_BASE1; y and the plan are as before then. Cost: O(nnz + rows); that first run also
 * fills the copy, and in those cases takes memory for CSR of A and the time of a conversion to it
 * (between csr and csc: of a transposition).
 * On a device: EK_EDEVICE; EK_ENOMEM in the first run after values changed also for csr5 and segSpMV
 * of A in csr, and for op T with every format but csr; after an error y may be written in part by methods that share y between processor and
 * device ("spmv.csr.hetero.gpu"). Vectors with EK_ON_DEVICE need a method that runs there, and then the
 * call returns when the work is in the queue (ek_device_wait), its errors coming with a later call.
 * Not for two threads with the same plan at once. */
ek_status ek_spmv(ek_plan *plan, double alpha, const ek_dense *x, double beta, const ek_dense *y);

/* z = alpha op(A) x + beta y: the same with the result elsewhere, and the same bits as if y had been
 * copied to z first.
 *   y   as long as z; not written to, nor read if beta = 0. It may be x, if the lengths are the same,
 *       and lie in A
 *   z   y itself, or memory that overlaps neither y nor x nor the arrays of A
 * Errors as ek_spmv, and EK_EINVAL if one of y and z lies on a device and the other does not. Cost: on
 * the processor that of ek_spmv, y being read instead of z; a format of parts (hyb, cocktail) and op T
 * by columns read y once and then work on z, as ek_spmv does. On a device y is first copied to z
 * where they lie, in the queue, unless beta = 0: two values for each row more to move. */
ek_status ek_spmv_add(ek_plan *plan, double alpha, const ek_dense *x, double beta,
                      const ek_dense *y, const ek_dense *z);

/* ---- Primitives on arrays -------------------------------------------------------------------
 *
 * Reduction, scan, segmented scan and sum, sorting, merging, k-selection, sets, heaps: what sparse
 * operations are made from. For all of them:
 *   - Types: i32, i64, f32, f64, where nothing else is said. Arrays are aligned to their type; an
 *     array without entries may be NULL.
 *   - `out` may be `in` where "in place" is said; other overlaps are EK_EINVAL.
 *   - Integers wrap around. Maximum and minimum are NaN if one of the values is. The
 *     sign of a zero that is a sum, a maximum or a minimum depends on the method.
 *   - Keys are put in ascending order; floats in the total order of IEEE 754: -NaN, -inf, ..., -0,
 *     +0, ..., +inf, +NaN.
 *   - `options` may be NULL: then the library chooses the method. The table of methods has the
 *     others (ek_method_next); the environment variable EK_METHOD replaces NULL and "auto" for the
 *     operations that it names (ek_context_create).
 *   - Temporary memory comes from the context. Errors: EK_EINVAL, EK_EOVERFLOW (lengths
 *     beyond the address space), EK_ENOMEM and what is named; a failing call has not touched its
 *     outputs.
 *   - Any number of threads may call at the same time. Small arrays are done by the calling thread.
 */

/* How many times a heap did what (Liu 2015, section 4.6). */
typedef struct ek_heap_counts {
	size_t size;           /* set to sizeof(ek_heap_counts) before the call */
	int64_t update_key;    /* reconstructions from one node downwards or upwards */
	int64_t find_maxchild; /* searches for the largest of the children of a node */
	int64_t compare;       /* comparisons of a node with its parent or its largest child */
	int64_t swap;          /* moves of a key by one level */
} ek_heap_counts;

/* Set `size` to sizeof(ek_array_options) and the rest to zero, then change what you need. */
typedef struct ek_array_options {
	size_t size;
	const char *method; /* as in ek_hints; NULL or "auto": chosen by the library */
	int threads;        /* 0: the context's; more than the context's is EK_EINVAL */
	unsigned flags;     /* EK_TRUSTED: do not check segments */
	int64_t block;      /* entries of a block, for methods that have blocks; 0: their default */
	int arity;          /* d of methods that use a d-heap, 2 to 1024; 0: 8 */
	ek_heap_counts *counts; /* NULL, or where such methods put what their heaps did */
} ek_array_options;

/* An associative operator with its identity. */
typedef enum ek_monoid {
	EK_SUM = 1,
	EK_MAX = 2, /* identity: the least number of the type, -inf for floats */
	EK_MIN = 3, /* identity: the largest number of the type, +inf for floats */
	EK_OR = 4   /* of the bits; integers only */
} ek_monoid;

typedef enum ek_scan_kind {
	EK_INCLUSIVE = 1, /* out[i] = in[0] + ... + in[i] */
	EK_EXCLUSIVE = 2  /* out[i] = in[0] + ... + in[i - 1], out[0] the identity */
} ek_scan_kind;

/* *result = in[0] + ... + in[n - 1], the identity if n = 0. + is any ek_monoid.
 * Sums of floats depend on the method and, for it, on n (for "reduce.simd" on the instruction set
 * too), not on the number of threads. |error| <= gamma(d) sum |in[i]|, d the depth of the tree of
 * additions: n - 1 for "reduce.serial", ceil(log2 n) for "reduce.tree", 1040 for "reduce.simd",
 * however large n is (gamma as at ek_spmv; Higham 2002, section 4.2). Cost: one read of `in`.
 * Source: Liu 2015, section 4.3.2. */
ek_status ek_reduce(ek_context *ctx, const ek_array_options *options, ek_value type, ek_monoid op,
                    int64_t n, const void *in, void *result);

/* The scan (prefix sum) of n numbers; in place possible.
 * "scan.blocked", the default, gives the same bits for any number of threads (not for any `block`
 * or instruction set); |error of out[i]| <= gamma(1040) sum_{j<=i} |in[j]|, however large n is.
 * "scan.serial" has gamma(n - 1), and so have, depending on the threads, "scan.zhang" and
 * "scan.blelloch".
 * Cost: one read and one write of n entries, where blocks fit the caches.
 * Source: Zhang 2012; Blelloch 1990; Liu 2015, section 4.4. */
ek_status ek_scan(ek_context *ctx, const ek_array_options *options, ek_value type, ek_monoid op,
                  ek_scan_kind kind, int64_t n, const void *in, void *out);

/* Where the segments of an array of n entries begin: by flags or by offsets, the other is NULL.
 *   flag    n bytes, not 0 where a segment begins; entry 0 begins one in any case
 *   offset  count + 1 positions, from 0 to n, not decreasing: segment s is offset[s] ..
 *           offset[s + 1] - 1, and may be empty; of type EK_INT32 or EK_INT64
 * They are checked (offsets: EK_ERANGE with the position; flags: `count` must be the number of
 * segments, for sums), which EK_TRUSTED leaves out; wrong ones are then undefined behaviour. */
typedef struct ek_segments {
	size_t size; /* sizeof(ek_segments); the functions below set it */
	int64_t count;
	const uint8_t *flag;
	const void *offset;
	ek_value offset_type;
} ek_segments;

static inline ek_segments ek_segment_flags(int64_t count, const uint8_t *flag)
{
	ek_segments s;
	s.size = sizeof s;
	s.count = count;
	s.flag = flag;
	s.offset = NULL;
	s.offset_type = EK_INT32;
	return s;
}

static inline ek_segments ek_segment_offsets(int64_t count, ek_value type, const void *offset)
{
	ek_segments s;
	s.size = sizeof s;
	s.count = count;
	s.flag = NULL;
	s.offset = offset;
	s.offset_type = type;
	return s;
}

/* The scan of each segment; in place possible. With flags segments->count is not read.
 * Floats: |error of out[i]| <= gamma(k) times the sum of |in| from the beginning of the segment to
 * i, k the number of these terms. Bits may depend on the number of threads.
 * Cost: one read and one write of n entries and the flags or offsets; two of each for
 * "segscan.forward". Source: Liu 2015, Algorithm 11; Zhang 2012, section 4. */
ek_status ek_segmented_scan(ek_context *ctx, const ek_array_options *options, ek_value type,
                            ek_monoid op, ek_scan_kind kind, int64_t n, const void *in,
                            const ek_segments *segments, void *out);

/* out[s] = the sum of segment s, 0 if it is empty; segments->count entries, not in place.
 * Floats: |error of out[s]| <= gamma(k) times the sum of |in| over the segment of k entries; but
 * "segsum.offset" takes differences of one long scan, so its bound has the sum of |in| from the
 * beginning of the array with the constant 2 gamma(1040) + 4 u, small segments behind large ones
 * lose all their digits, and behind NaN or Inf all sums are NaN.
 * Cost: one read of n entries and the flags or offsets, one write of `count`.
 * Source: Liu 2015, Algorithms 12 and 13; Blelloch, Heroux and Zagha 1993. */
ek_status ek_segmented_sum(ek_context *ctx, const ek_array_options *options, ek_value type,
                           int64_t n, const void *in, const ek_segments *segments, void *out);

/* Keys, and with each a value of 4 or 8 bytes that is moved along; value_size 0: keys only. */
typedef struct ek_pairs {
	size_t size;       /* sizeof(ek_pairs); ek_key_value sets it */
	ek_value type;     /* of the keys */
	size_t value_size; /* 0, 4 or 8 */
	int64_t n;
	void *key, *value;
} ek_pairs;

static inline ek_pairs ek_key_value(ek_value type, size_t value_size, int64_t n, const void *key,
                                    const void *value)
{
	ek_pairs p;
	p.size = sizeof p;
	p.type = type;
	p.value_size = value_size;
	p.n = n;
	p.key = (void *)(uintptr_t)key;
	p.value = (void *)(uintptr_t)value;
	return p;
}

/* Sorts pairs by key, in place, ascending. Only "sort.serial" keeps the order of pairs with equal
 * keys. Cost: O(n log n), O(n log^2 n) for the networks; a copy of the pairs as temporary memory,
 * none for the networks. Source: Liu 2015, section 4.5; Batcher 1968. */
ek_status ek_sort(ek_context *ctx, const ek_array_options *options, const ek_pairs *pairs);

/* Merges sorted pairs `a` and `b` into `out`, which has a->n + b->n places and does not overlap
 * them. `batch` independent merges are done in one call: merge k takes pairs k a->n .. (k + 1) a->n
 * - 1 of a, likewise of b, and fills places k (a->n + b->n) .. of out; out->n is not read. Equal
 * keys: first those of a, then those of b, each in their order, except for the networks
 * ("merge.bitonic", "merge.oddeven", "merge.simd"). Inputs that are not sorted give a result
 * without meaning; nothing beyond out is written. Cost: one read and one write of all pairs, times
 * log for the networks and the ranking. Source: Liu 2015, sections 4.5.4 to 4.5.6. */
ek_status ek_merge(ek_context *ctx, const ek_array_options *options, int64_t batch,
                   const ek_pairs *a, const ek_pairs *b, const ek_pairs *out);

/* From each of `lists` lists of `length` numbers, one after the other in `in`: kth[j] = the k-th
 * smallest of list j, 1 <= k <= length (so lists without entries are EK_EINVAL; without lists k is
 * not looked at), and, if `smallest` is not NULL, the k smallest of list j at smallest[j k], in any
 * order; equal numbers are interchangeable. `in` is not changed. Cost: about one read of `in` (two
 * with `smallest`) for the default; O(length log_d k) for each list by heaps. Source: Liu 2015,
 * section 4.6.3; Floyd and Rivest 1975. */
ek_status ek_kselect(ek_context *ctx, const ek_array_options *options, ek_value type, int64_t lists,
                     int64_t length, int64_t k, const void *in, void *kth, void *smallest);

/* Union and intersection of two sets of indices (EK_INT32 or EK_INT64), held as strictly ascending
 * arrays; so is the result: *count entries of `out`, which has room for a_n + b_n, or for the
 * smaller of both. Nothing in place. Inputs that do not ascend give a result without meaning, but
 * nothing beyond that room is written. Cost: one read and one write; the intersection of sets of
 * very different sizes O(small log large). */
ek_status ek_set_union(ek_context *ctx, const ek_array_options *options, ek_value type, int64_t a_n,
                       const void *a, int64_t b_n, const void *b, int64_t *count, void *out);
ek_status ek_set_intersection(ek_context *ctx, const ek_array_options *options, ek_value type,
                              int64_t a_n, const void *a, int64_t b_n, const void *b,
                              int64_t *count, void *out);

/* A max-heap in which every node has d children: implicit, the children of a node side by side and
 * aligned, so that their largest is found by SIMD. Nodes are numbered 0 (the root, the largest key)
 * to size - 1; the parent of node i is (i - 1) / d. Keys may carry values of 4 or 8 bytes. One
 * thread at a time. Source: LaMarca and Ladner 1996; Liu 2015, section 4.6, Algorithms 19 and
 * 20. */
typedef struct ek_heap ek_heap;

/* An empty heap; arity is d, 2 to 1024. It grows as needed; `capacity` is room made in advance. The
 * heap keeps its context. */
ek_status ek_heap_create(ek_context *ctx, ek_value key, size_t value_size, int arity,
                         int64_t capacity, ek_heap **heap);
void ek_heap_destroy(ek_heap *heap);
int64_t ek_heap_size(const ek_heap *heap); /* number of nodes */
/* Heapify: replaces the contents by n pairs, O(n). `values` is not read if value_size is 0. */
ek_status ek_heap_build(ek_heap *heap, int64_t n, const void *keys, const void *values);
/* Adds a pair, O(log_d size). */
ek_status ek_heap_insert(ek_heap *heap, const void *key, const void *value);
/* Copies the pair of a node; key or value may be NULL. EK_ERANGE if there is no such node. */
ek_status ek_heap_node(const ek_heap *heap, int64_t node, void *key, void *value);
/* Removes the root, which goes to key and value (may be NULL); EK_ERANGE if empty. O(d log_d size)
 * steps, of which SIMD does d at a time. */
ek_status ek_heap_delete_max(ek_heap *heap, void *key, void *value);
/* Gives a node another pair, which then moves to its place. EK_ERANGE if there is no such node. */
ek_status ek_heap_update_key(ek_heap *heap, int64_t node, const void *key, const void *value);
/* What the heap did since it was made. */
ek_status ek_heap_get_counts(const ek_heap *heap, ek_heap_counts *counts);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
