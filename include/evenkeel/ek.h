/* SPDX-License-Identifier: BSD-3-Clause
 *
 * evenkeel: sparse linear algebra whose speed does not depend on how the nonzeros are spread.
 *
 * This is the only public header, and its comments are the reference manual.
 *
 * Three objects do everything:
 *     ek_context   allocator, threads, instruction-set limit, log callback
 *     ek_matrix    a sparse matrix made from CSR, CSC or COO arrays, from a file, or generated
 *     ek_plan      an operation on matrices: prepared once, run many times
 * Functions on plain arrays, from scans to sorting, are at the end ("Primitives on arrays"), and
 * after them those on sparse vectors ("Sparse vectors").
 *
 * Conventions that hold for every function (doc/architecture.md has the reasons):
 *   - The result is an ek_status; 0 is success, errors are negative. ek_error_text() has the
 *     details of this thread's last failure: argument, position, value.
 *   - A call that fails leaves its arguments as they were and its outputs untouched.
 *   - Inputs come first, outputs last. Dimensions and counts are int64_t.
 *   - Indices start at 0, unless EK_BASE1 is given when a matrix is made.
 *   - The library never prints, never exits, and never changes locale, signals or rounding mode.
 *   - Every ..._destroy accepts NULL. Objects may be destroyed in any order and in any thread: a
 *     destroyed object is freed only when no other object depends on it (ek_context_destroy). Using
 *     its handle gives EK_EINVAL until then, and is undefined behaviour after that.
 *   - Thread safety: different objects may be used at the same time. One context, matrix or plan
 *     may be used by any number of threads as long as no thread changes or destroys it. Concurrent
 *     runs of a plan must each write to a result vector of their own.
 */
#ifndef EVENKEEL_EK_H
#define EVENKEEL_EK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Tells GCC that a function does not read what its pointer argument n points to, so that a view of
 * an array without values yet gets no warning. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#define EK_NOT_READ(n) __attribute__((access(none, n)))
#else
#define EK_NOT_READ(n)
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default) /* the library exports exactly these declarations */
#endif

#define EK_VERSION_MAJOR 0
#define EK_VERSION_MINOR 2
#define EK_VERSION_PATCH 0

/* Returns the version of the library in use, for example "0.2.0". Never fails. */
const char *ek_version(void);

/* ---- Structs -------------------------------------------------------------------------------
 *
 * A program and the library may have been built with different versions of this header; later
 * versions have additional members, always at the end. Therefore:
 *   - A struct of the caller that the library reads or fills begins with `size`. The caller sets it
 *     to the sizeof of the struct: ek_hints h = {.size = sizeof h}. The inline functions
 *     (ek_vector, ek_key_value, ...) set it themselves.
 *   - Structs that the library reads may be shorter or longer than in the library's version of this
 *     header. A shorter struct is read as if zeros followed, and zero means the default. A longer
 *     one is accepted if all bytes that the library does not know are 0.
 *   - In a struct that it fills, the library sets the members that `size` covers, and sets bytes
 *     that it does not know to 0. It does not change `size` itself.
 *   - The result is EK_EINVAL, with both sizes in the message, if bytes beyond those that the
 *     library knows are not 0, if the size ends within a member, or if it is impossible (below
 *     sizeof(size_t) or above 4096). Nothing is read or written beyond `size`.
 *   - Structs that the library owns and hands out by const pointer (ek_twin, ek_format_param,
 *     ek_layout, ek_profile_number) have no member `size` and may also grow at the end: use them
 *     through the pointer, and do not copy them or make arrays of them.
 */

/* A row of the table of public structs. For each struct, the table has one row for the struct
 * itself, whose `member` is "", then one row for each member, in the order of declaration.
 * Bindings, which repeat this header in another language, can check their structs against the
 * table. */
typedef struct ek_layout {
	const char *type;   /* name of the struct, for example "ek_dense" */
	const char *member; /* name of the member, for example "ld", or "" for the struct itself */
	/* kind of type: "int", "uint", "real", "enum" (as int), "pointer" (to functions, too),
	 * "text" (characters up to a 0) or "struct" */
	const char *kind;
	int64_t offset, size; /* both in bytes, on this machine */
	int64_t count;        /* number of elements if the member is an array, else 1 */
} ek_layout;
/* Returns the row after `after`, or the first if `after` is NULL. Returns NULL after the last. */
const ek_layout *ek_layout_next(const ek_layout *after);

/* ---- Status ------------------------------------------------------------------------------- */

typedef enum ek_status {
	EK_OK = 0,
	EK_EINVAL = -1,       /* an argument is wrong: NULL, bad enum value, mismatched sizes */
	EK_ENOMEM = -2,       /* the allocator returned no memory */
	EK_ERANGE = -3,       /* an index or a value lies outside its range */
	EK_EOVERFLOW = -4,    /* a number does not fit its type */
	EK_ESYNTAX = -5,      /* a file does not follow its format */
	EK_ETRUNCATED = -6,   /* a file ends too early */
	EK_ETRAILING = -7,    /* a file continues after the end of its content */
	EK_ELIMIT = -8,       /* a configured limit was exceeded */
	EK_EIO = -9,          /* the operating system, or a compressed stream, reported an error */
	EK_EDEVICE = -10,     /* a device reported an error, or there is no such device or driver */
	EK_EUNSUPPORTED = -11 /* valid, but not available in this build or for these types */
} ek_status;

/* Returns a short English name of a status, for example "out of memory". Never fails and
 * never returns NULL. */
const char *ek_status_text(ek_status status);

/* Returns a text that says what went wrong in this thread's last failed call, or "" if no call has
 * failed yet. The text stays valid until the next call of the same thread, which may change it even
 * if it succeeds. */
const char *ek_error_text(void);

/* ---- Types -------------------------------------------------------------------------------- */

/* Type of numbers. Matrices hold EK_F32 or EK_F64; the primitives on arrays take all four. */
typedef enum ek_value {
	EK_F32 = 1,   /* float */
	EK_F64 = 2,   /* double */
	EK_INT32 = 3, /* int32_t */
	EK_INT64 = 4  /* int64_t */
} ek_value;

/* Type of row pointers and of column indices. */
typedef enum ek_index {
	EK_I32 = 1,    /* row pointers int32_t, columns int32_t: fewer than 2^31 - 1 nonzeros */
	EK_I64_32 = 2, /* row pointers int64_t, columns int32_t */
	EK_I64 = 3     /* row pointers int64_t, columns int64_t */
} ek_index;

/* What op(A) means. The enumerators have the values that the BLAS and most vendor libraries use. */
typedef enum ek_op {
	EK_OP_N = 111, /* A */
	EK_OP_T = 112  /* A transposed */
} ek_op;

/* Instruction sets that the library has code for. */
typedef enum ek_isa {
	EK_ISA_SCALAR = 0,
	EK_ISA_AVX2 = 1,   /* AVX2 and FMA */
	EK_ISA_AVX512 = 2, /* AVX-512 F, DQ, BW, VL */
	/* The same without gather instructions: entries of x are loaded one by one. Processors
	 * differ in which of the two is faster. Reproducible methods give the same bits. */
	EK_ISA_AVX2_LOADS = 3,
	EK_ISA_AVX512_LOADS = 4,
	EK_ISA_NEON = 5 /* Advanced SIMD of 64-bit ARM (AArch64), which always has it */
} ek_isa;

const char *ek_value_name(ek_value value); /* "f32", "f64", "i32" or "i64"; NULL for other values */
const char *ek_index_name(ek_index index); /* "32", "64/32" or "64"; NULL for other values */
/* "scalar", "avx2", "avx512", "avx2-loads", "avx512-loads" or "neon"; NULL for other values */
const char *ek_isa_name(ek_isa isa);
size_t ek_value_size(ek_value value);      /* bytes of one value of that type; 0 for other values */

/* ---- The build ----------------------------------------------------------------------------- */

/* How the library in use was built. All texts are constant and contain no paths. */
typedef struct ek_build_info {
	size_t size;         /* set to sizeof(ek_build_info) before the call */
	const char *version; /* as ek_version returns it */
	/* commit that was built, for example "e27d88b8d2c4", with "-dirty" appended if files
	 * differed from it; "unknown" if it is not known */
	const char *commit;
	const char *compiler; /* for example "gcc 12.2.0" */
	const char *threads; /* "pool", or the OpenMP run time ("libgomp", "libomp"), or "none" */
	/* instruction sets compiled in: "scalar avx2 avx512 avx2-loads avx512-loads" (64-bit x86),
	 * "scalar neon" (AArch64) or "scalar" */
	const char *isa;
	ek_isa isa_here;      /* the highest compiled-in instruction set that this processor has */
} ek_build_info;
/* Fills in `info`. Errors: EK_EINVAL. Cost: small. Nothing is loaded or opened, not even drivers of
 * devices; ek_device_drivers does that. */
ek_status ek_build_get_info(ek_build_info *info);

/* An optional part of the build, such as "zlib". The table of features is constant. */
typedef struct ek_feature ek_feature;
/* Returns the feature after `after`, or the first if `after` is NULL. Returns NULL after the
 * last. */
const ek_feature *ek_feature_next(const ek_feature *after);
const char *ek_feature_name(const ek_feature *feature); /* for example "zlib" */
const char *ek_feature_text(const ek_feature *feature); /* one line on what it is for */
/* Returns the version of the library that provides a feature, for example zlib. Returns "" if the
 * feature has no version, and NULL if this build does not contain the feature. */
const char *ek_feature_version(const ek_feature *feature);

/* ---- Context ------------------------------------------------------------------------------ */

typedef struct ek_context ek_context;

typedef enum ek_log_level { EK_LOG_WARNING = 1 } ek_log_level;

/* Kind of memory for arrays that both the processor and the device use. */
typedef enum ek_device_memory {
	/* EK_MEMORY_SHARED if the device has no memory of its own and supports it, else
	 * EK_MEMORY_COPY */
	EK_MEMORY_AUTO = 0,
	EK_MEMORY_COPY = 1, /* one copy in the host's memory and one in the device's */
	/* One copy, which processor and device use in turn: coarse-grained shared virtual memory of
	 * OpenCL. A matrix is copied into it once. */
	EK_MEMORY_MAPPED = 2,
	/* One copy, which processor and device may use at the same time: fine-grained shared
	 * virtual memory of OpenCL, managed memory of CUDA. The context allocates everything in
	 * this memory unless options.alloc is given, so arrays that the library allocated are never
	 * copied, whereas borrowed arrays are. With CUDA, the total should stay below the free
	 * memory of the card. */
	EK_MEMORY_SHARED = 3
} ek_device_memory;

/* Options of a context. Set `size` to sizeof(ek_options) and everything else to zero, then change
 * what you need: zero always means the default. All option structs work like this. */
typedef struct ek_options {
	size_t size;
	/* Memory hooks; set both or neither. `alloc` returns `bytes` (> 0) bytes, aligned to
	 * `alignment` (a power of two, at most 64), or NULL if there is no memory. `dealloc` gets a
	 * block that `alloc` returned, and its size in bytes. Both may be called from any thread
	 * that calls the library. */
	void *(*alloc)(void *user, size_t alignment, size_t bytes);
	void (*dealloc)(void *user, void *block, size_t bytes);
	void *user;
	/* Maximum number of threads that one call may use. 0 means the value of the environment
	 * variable EK_THREADS or, if that is not set, the first number of OMP_NUM_THREADS, else the
	 * number of processors that this process may use. While there is a context that was made
	 * with the environment variable EK_BIND at 1 (not 0, the default), each thread that the
	 * library keeps for its work is bound to a processor of its own, as long as there are
	 * enough, and a thread that calls the library is moved to one that is left, but not bound
	 * (Linux; not with OpenMP, which has OMP_PROC_BIND). This is for measurements. */
	int threads;
	/* Instruction set to use, plus one: EK_ISA_LIMIT(EK_ISA_AVX2) asks for AVX2 with gather
	 * instructions. If the processor or the environment variable EK_ISA (scalar, avx2, avx512,
	 * avx2-loads, avx512-loads, neon) does not allow it, the highest one below it is used:
	 * scalar, if it belongs to another kind of processor. 0 means the highest that both allow,
	 * with loads or gather instructions, whichever is faster on this processor. */
	int isa_limit;
	/* Receives warnings, for example that a file holds values that underflow. If `log` is NULL,
	 * warnings are dropped. The thread that called the library calls `log`, which may itself
	 * call the library. */
	void (*log)(void *user, ek_log_level level, const char *text);
	void *log_user;
	/* The device to use in addition to the processor. "cpu" means no device. "opencl" and
	 * "cuda" mean the first device of that kind. "gpu" means the first GPU, where CUDA comes
	 * before OpenCL. A name from ek_device_get_info, such as "opencl:1", means that device.
	 * "cpu+" before one of these, as in "cpu+gpu" or "cpu+cuda:0", means that one call may use
	 * the device and the processor at the same time ("Both kinds of core"). NULL means the
	 * value of the environment variable EK_DEVICE, or no device if that is not set. */
	const char *device;
	ek_device_memory device_memory;
	/* An executor of the caller, in place of the library's threads; NULL means the library's.
	 * It calls part(arg, 0), part(arg, 1), ..., part(arg, parts - 1), each exactly once, on at
	 * most `threads` threads, this one included or not, and returns when all these calls have
	 * returned. threads is at least 2 and at most parts. The calls may be made in any order,
	 * one after the other as well as at the same time. They never throw, do not block, and do
	 * not call the executor. Some wait, in a loop that pauses and yields, for what another call
	 * of a part that has begun will soon do. So an executor must not suspend a part to begin
	 * another one in the same thread. What was written before the executor was called must be
	 * visible to all parts, and what they wrote to the thread that called it. The library calls
	 * the executor in any thread that calls the library, also in several at the same time, and
	 * in calls for little work not at all. Results do not depend on what it does. */
	void (*parallel)(void *user, int threads, int parts, void (*part)(void *arg, int part),
	                 void *arg);
	void *parallel_user;
} ek_options;

#define EK_ISA_LIMIT(isa) ((int)(isa) + 1)

/* Makes a context. `options` may be NULL. In set-user-id programs, environment variables are
 * ignored. In all other programs, an environment variable with an invalid value is an error
 * (EK_EINVAL), except OMP_NUM_THREADS, which is then ignored. EK_CSR5_SIGMA is the height of tiles
 * of csr5 in place of the library's choice.
 *
 * The environment variable EK_METHOD names methods that replace the library's choice in this
 * context. It holds entries separated by ";", each in one of these forms:
 *   METHOD             applies to the operation of the method and, if that is a product, to the
 *                      ops that the method supports: "spmv.csr.merge" applies to op N
 *   OPERATION=METHOD   applies to that operation: "scan=scan.serial"
 *   PRODUCT.OP=METHOD  applies to one op of a product; the method must support that op:
 *                      "spmv.n=spmv.csr.vector"
 * An entry changes nothing for other operations and ops. "auto" in place of a method leaves the
 * choice to the library. As in ek_hints, a method's name may omit the operation, and parameters may
 * follow the name.
 *
 * Errors: EK_EINVAL and EK_ENOMEM. If options or EK_DEVICE ask for a device, also EK_EDEVICE (there
 * is no driver or no such device; the message says what was looked for) and EK_EUNSUPPORTED (the
 * device does not have the kind of memory that device_memory asks for, or the library was built
 * without device support). Cost: microseconds; opening a device takes up to a second. */
ek_status ek_context_create(const ek_options *options, ek_context **ctx);

/* Destroys a context. Matrices, plans and heaps made in it continue to work. The context is freed,
 * and its device closed, when the last of these objects is destroyed. So the memory hooks, the log
 * callback and the executor, with their user pointers, must remain valid until then. Before the
 * call, free the memory that ek_device_alloc and ek_dense_read returned.
 *
 * The threads of the library serve all contexts. They start when a call first needs them, and end
 * when the last context of the process is freed, which waits for them (a few milliseconds at
 * most). Before the library is unloaded (dlclose), all contexts must have been freed. After fork,
 * the child has no such threads, and its calls start new ones. */
void ek_context_destroy(ek_context *ctx);

int ek_context_threads(const ek_context *ctx); /* maximum number of threads of one call */
ek_isa ek_context_isa(const ek_context *ctx);  /* highest instruction set that the context uses */

/* ---- The machine profile ------------------------------------------------------------------- */

/* The library chooses methods by predicted times. How fast memory, caches and inner loops are is a
 * *machine profile*. A table for the processor's family is built in. ek_tune measures this machine
 * and stores a profile, which every later process of this user reads once, when it makes its first
 * context, from the file that the environment variable EK_PROFILE names ("none": no file), else
 * from $XDG_CACHE_HOME/evenkeel/profile, else from ~/.cache/evenkeel/profile. A profile of another
 * processor or of another version of the library, or one that is damaged, is not used: products
 * never fail for it, and ek_plan_explain and the context's log say why.
 *
 * A device has a profile of its own, which ek_tune measures in a context with that device: what a
 * launch takes, how fast arrays are read, and how long one lane takes for an entry. It is used in
 * contexts with the same device, driver (in the same version) and kind of memory, in place of
 * numbers that are built in for all devices. Its file has the path above, a dot, and 16 hexadecimal
 * digits that stand for these three. A process reads it once, when it first opens the device. What
 * makes a file unusable is the same, and keeps no device from being opened.
 *
 * Without a profile the first context that names no instruction set also measures, for up to two
 * milliseconds, whether loads or gather instructions are the faster way to gather entries of x.
 * Reproducible methods give the same bits either way, and the choice of a method does not depend
 * on it. Choices with EK_REPRO_STRICT depend on no profile. */

/* A row of a profile. `name` and the struct are valid during the call that hands them out. Numbers
 * are GB/s if the name contains "gbps", else nanoseconds: for a "loop.", of a row, an entry, and a
 * row whose length the branch predictor missed; for a "block.", of a row of blocks, a block, and a
 * step in it. "loads" is 1 if entries of x are gathered by loads. A device has only "launch",
 * "device_gbps", "lane_gather" and, if it is a processor, "loop_gbps", for kernels that become
 * plain loops there. */
typedef struct ek_profile_number {
	const char *name;
	int count;        /* how many of the numbers the row has */
	double value[3];  /* measured, or in force */
	double family[3]; /* in the table for the processor's family, which has devices as well */
} ek_profile_number;

/* Options of ek_tune. Set `size` to sizeof(ek_tune_options) and the rest to zero, then change what
 * you need. */
typedef struct ek_tune_options {
	size_t size;
	/* File to write; NULL means the one that later processes read, and "-" standard output. In
	 * a context with a device the dot and the digits for it follow. */
	const char *path;
	int dry;          /* if not 0, nothing is written */
	int quick;        /* if not 0, one short pass: rough numbers, to try out a program */
	/* Called now and then, with the steps that are done and their number; NULL: no calls. */
	void (*progress)(void *user, int done, int of);
	/* Called for each row of the new profile, at the end; NULL: no calls. */
	void (*number)(void *user, const ek_profile_number *number);
	void *user;
} ek_tune_options;

/* Measures this machine, or the device that the context has, and stores the profile. `options` may
 * be NULL. Costs are solved from the times of whole products on generated matrices, on one thread;
 * bandwidths are measured on one thread and on all threads of the context. Products on a device are
 * timed by its own clock (ek_device_timer_start), with vectors in its memory. This process goes on
 * with the profiles that it has.
 *
 * Errors: EK_EINVAL (no path is known), EK_EIO (the file cannot be written; the message has its
 * path), EK_ENOMEM, EK_EDEVICE. After an error the file is as it was. Cost: less than 20 seconds
 * and about 300 MB on an idle machine, and half of that memory on a device; `quick`, about 2
 * seconds. Other programs that run meanwhile make the numbers worse, not the products wrong. Thread
 * safety: one call at a time is best, since calls disturb each other. */
ek_status ek_tune(ek_context *ctx, const ek_tune_options *options);
/* Returns the name of what is in force: "measured 2026-11-25", or the table, such as "zen". */
const char *ek_profile_name(void);
/* Returns why a stored profile is not in force, or NULL if it is, or if there is none and
 * EK_PROFILE names none. */
const char *ek_profile_refused(void);
/* Calls number(user, row) for each row that is in force. Errors: EK_EINVAL. */
ek_status ek_profile_numbers(void (*number)(void *user, const ek_profile_number *number),
                             void *user);
/* The same for the device of a context. The name is "built in" if no stored profile of the device
 * is in force. In a context without a device they do the same as those above, and so do the first
 * two if ctx is NULL, for which the last returns EK_EINVAL. */
const char *ek_context_profile_name(const ek_context *ctx);
const char *ek_context_profile_refused(const ek_context *ctx);
ek_status ek_context_profile_numbers(const ek_context *ctx,
                                     void (*number)(void *user, const ek_profile_number *number),
                                     void *user);

/* ---- Devices ------------------------------------------------------------------------------ */

/* A context with a device has methods that run on it ("spmv.csr.vector.gpu"; ek_method_device
 * returns "gpu" for them). Unless a method is named, the library chooses one of these methods if
 * any can do the operation as asked (none supports EK_REPRO_STRICT). Methods on the processor still
 * run if they are named.
 *
 * If the device has too little memory when the plan is made, a method that was named gives
 * EK_ENOMEM. Where the library chose it, another one takes its place: for ek_spmv, ek_spmm and
 * ek_spgemm the one that sends A to the device in batches in each run ("spmv.csr.batches.gpu" ...),
 * if that has enough memory, else one of the processor, which takes vectors in the host's memory
 * only. ek_plan_method and ek_plan_explain tell. A run that takes temporary memory of the device,
 * as those with sparse results do, may still find too little there and return EK_ENOMEM.
 *
 * Vectors in the host's memory are copied to the device and back. With vectors on the device
 * (EK_ON_DEVICE), a run returns as soon as its work is in the device's queue. Each context has its
 * own queue, whose work is done in order. The queues of different contexts run concurrently, even
 * on the same device. With EK_MEMORY_SHARED, call ek_device_wait before the host changes vectors or
 * values of A that a queued run reads.
 *
 * Kernels are compiled when a plan is made, and cached in the folder $XDG_CACHE_HOME/evenkeel, else
 * ~/.cache/evenkeel. The environment variable EK_CACHE sets the full path of another folder, or
 * turns the cache off with the value "off". Folders that belong to other users, or that others may
 * write to, are not used. The drivers are libOpenCL.so.1, and libcuda.so.1 with NVRTC, which is
 * part of the CUDA toolkit and of the Python package nvidia-cuda-nvrtc. The environment variables
 * EK_OPENCL, EK_CUDA and EK_NVRTC name other files to load in their place. */

/* Both kinds of core. In a context whose device is named "cpu+...", products by ek_spmv and ek_spmm
 * with vectors in the host's memory are divided: the device multiplies some rows of op(A) while the
 * processor multiplies the others. A plan finds out whether that pays. It measures a few products
 * by each side, with the copies of x and y that the device needs if they are in memory of the
 * program's own (vectors in memory that the context shares with the device need none), cuts the
 * rows by the speeds and by the parts of x that must be copied, and measures a few products by
 * both. If these are not faster than those of the faster side alone, that side does all rows. With
 * fewer than 64 announced calls, predictions take the place of measured products. ek_plan_explain
 * says what was found and which side does what.
 *   - The methods are spmv.csr.split.gpu and spmm.csr.split.gpu. They multiply with csr and csc.
 *     For other formats, if A is in one or it is asked for, for EK_REPRO_STRICT, and for other
 *     operations but SpGEMM, the choice is that of a context with the device alone. By name they
 *     run in any context with a device; a parameter then fixes the processor's share in
 *     thousandths ("spmv.csr.split.gpu:share=300") or the side that does all rows (side=1 is the
 *     device, 2 the processor).
 *   - Where copies are needed and the device is no processor, it gets its rows in chunks if that is
 *     expected to pay, also if it does all rows: while it multiplies a chunk, y of the one before
 *     is copied back and, with CUDA, what only the next one needs of x is copied to it. The
 *     parameter chunks, from 1 to 6, fixes their number ("spmv.csr.split.gpu:share=300,chunks=3"
 *     or, for the device alone, "spmv.csr.split.gpu:side=1,chunks=3"). The bits of a row may depend
 *     on the chunk that it is in.
 *   - A plan keeps its cut, so its runs give the same bits. Two plans of one matrix may have
 *     different cuts. With hints.measure = 1 the first runs move small pieces of the rows from one
 *     side to the other until a product takes the least time, so their bits may differ.
 *   - With a vector in the device's memory, the device multiplies all rows. It has all of A, so the
 *     plan takes as much memory there as one for the device. The bits are then those of the device.
 *   - If A does not fit the device, it goes there in batches in each run, and the product of a
 *     batch overlaps with the copy of the next ("spmv.csr.batches.gpu", "spmm.csr.batches.gpu",
 *     which also run by name).
 *   - In memory that both share (EK_MEMORY_SHARED), vectors that the context allocated are not
 *     copied.
 * Products by ek_spgemm are divided likewise, by spgemm.csr.split.gpu: the device computes some
 * rows of C, in a thread of the library's own, and the processor the others. The speeds come from a
 * sample, the rows in the middle with a sixteenth of the products, which both sides compute. If
 * hints.calls announces 64 calls or more, products of all rows are measured, too, nine at most: by
 * the side that is faster, by the other one unless it is far slower, and by both together; runs
 * then do what was fastest. Without that the sample alone decides, also if hints.calls is 0, and a
 * sample may miss what other rows are like. A new C takes its memory twice for a moment,
 * since its two parts are copied into one matrix, so with a limit in hints.memory the processor
 * does all rows. If A, B and D take more than 0.4 of the device's memory, or its driver has too
 * little, B stays there and the rows of A and D go there in batches in each run
 * ("spgemm.csr.batches.gpu", which also runs by name). If B does not fit, or the longest row of A
 * with its row of C beside B, B goes there in slices of columns in each run, and all rows of A once
 * for each slice. If the slices do not fit either, the processor does all rows. If the device is a
 * processor, the choice is that of a context without a device. On one thread, or with functions of
 * the caller's in ek_options (alloc, log, parallel), the two sides work one after the other. */

typedef struct ek_device_info {
	size_t size;        /* set to sizeof(ek_device_info) before the call */
	char name[32];      /* name that options.device takes, for example "cuda:0" */
	char text[128];     /* manufacturer's name for the device */
	char driver[128];   /* name and version of the driver */
	char kind[16];      /* "gpu", "cpu" or "accelerator" */
	int units;          /* number of compute units, which CUDA calls multiprocessors */
	int lanes;          /* work-items in lockstep: warp, wavefront, sub-group; 1: unknown */
	int64_t memory;     /* bytes of the device's own memory, or of the host's if it has none */
	int64_t local;      /* bytes of local memory of a work-group, in arrays of fixed sizes */
	int unified;        /* 1 if the device has no memory of its own */
	int mapped, shared; /* 1 if EK_MEMORY_MAPPED or EK_MEMORY_SHARED, respectively, works */
	int f64;            /* 1 if the device supports f64 */
	char arch[32];      /* architecture, such as "sm_90", or version of OpenCL, such as "3.0" */
	/* 1 if, in memory that both sides use at once, atomic operations of the host and of the
	 * device order each other's accesses */
	int atomics;
	/* bytes of local memory of a work-group, if the launch says how many: at least `local`, and
	 * more with newer CUDA devices */
	int64_t local_most;
} ek_device_info;

/* Describes device k of this machine, counted from 0: first come the devices of CUDA's driver, then
 * those of OpenCL's.
 * Errors: EK_EDEVICE, in two cases. If there are k devices or fewer, `info` is unchanged, and the
 * message says for each driver how many devices it has or what is missing. If the device fails to
 * describe itself, `info` holds its name and nothing else; more devices may follow.
 * Cost: the first call loads the drivers. */
ek_status ek_device_get_info(int k, ek_device_info *info);

/* Writes one line to `text`. For each driver, it says how many devices the driver has, or why the
 * driver is missing, for example "cuda: there is no libcuda.so.1; opencl: 1 device". At most
 * `bytes` bytes are written, the final 0 included. Errors: EK_EINVAL; EK_EUNSUPPORTED in a build
 * without devices. Cost: the first call that asks for devices loads the drivers. Loading takes from
 * milliseconds to seconds, may start threads of the drivers, and cannot be undone. */
ek_status ek_device_drivers(char *text, size_t bytes);

/* Describes the device of a context. Errors: EK_EDEVICE if the context has no device. */
ek_status ek_context_get_device(const ek_context *ctx, ek_device_info *info);

/* Counts of what has been done on a context's device so far; all 0 if it has no device. */
typedef struct ek_device_counters {
	size_t size;
	int64_t to_device, from_device; /* bytes copied; shared memory is not copied */
	int64_t launches;               /* kernels launched */
	/* programs compiled, and programs loaded from the cache folder */
	int64_t compiled, loaded;
} ek_device_counters;
ek_status ek_device_get_counters(const ek_context *ctx, ek_device_counters *counters);

/* Allocates memory on the context's device, for vectors. Use the pointer only in ek_dense with
 * EK_ON_DEVICE and in the functions below, and do not add an offset to it: with OpenCL it may be a
 * handle. With CUDA it is a device pointer that the caller's own kernels and libraries can use;
 * conversely, with EK_MEMORY_COPY any device pointer of the same CUDA primary context can be used
 * in ek_dense. With CUDA the queue is a stream that does not synchronise with other streams: finish
 * the work in your own stream before ek_spmv, and call ek_device_wait before you use the result.
 * Errors: EK_EDEVICE, EK_ENOMEM. */
ek_status ek_device_alloc(ek_context *ctx, int64_t bytes, void **data);
void ek_device_free(ek_context *ctx, void *data);
/* Copy `bytes` bytes to the device (write) or from the device (read), in the order of the queue,
 * and wait until the copy is done. Errors: EK_EDEVICE, EK_EINVAL. */
ek_status ek_device_write(ek_context *ctx, void *to_device, const void *from, int64_t bytes);
ek_status ek_device_read(ek_context *ctx, const void *from_device, void *to, int64_t bytes);
/* Copies `bytes` bytes from one place in the device's memory to another. Returns as soon as the
 * copy is in the queue. The time of a copy gives the copy bandwidth, an upper bound for all
 * operations that read as many bytes as they write. The places must not overlap. Errors:
 * EK_EDEVICE, EK_EINVAL. */
ek_status ek_device_copy(ek_context *ctx, void *to, const void *from, int64_t bytes);
/* Waits until all work in the queue is done. Errors: EK_EDEVICE if any work failed; then all later
 * runs and copies of the context fail too, since the data on the device cannot be trusted. */
ek_status ek_device_wait(ek_context *ctx);
/* Measure the time that work in the queue takes, by the device's own clock: call start, make the
 * runs, then call stop, which waits for the runs and gives the seconds between start and stop. A
 * context has one timer, which one thread at a time may use. Errors: EK_EDEVICE, EK_EINVAL (stop
 * without a start). */
ek_status ek_device_timer_start(ek_context *ctx);
ek_status ek_device_timer_stop(ek_context *ctx, double *seconds);

/* ---- Matrix ------------------------------------------------------------------------------- */

typedef struct ek_matrix ek_matrix;

/* Flags of the functions that make a matrix; combine with |. */
enum {
	/* Ownership of the arrays; give one of these three. Borrowed arrays are used in place,
	 * never written to and never freed. They must stay unchanged until the matrix and its plans
	 * are destroyed (but see ek_matrix_values_changed). Adopted arrays are used in place and
	 * freed with the matrix, by the context's dealloc hook or, without hooks, by free(); the
	 * hook gets the bytes of the elements that the matrix uses, even if an array has more. If
	 * the call fails, they still belong to the caller. */
	EK_BORROW = 0x0,
	EK_COPY = 0x1,
	EK_ADOPT = 0x2,
	/* Skip the check of the arrays; an index out of range is then undefined behaviour. */
	EK_TRUSTED = 0x10,
	/* Indices and pointers start at 1, as in Fortran. If the arrays are borrowed, column
	 * indices and values are used in place and the rows + 1 pointers are copied. Methods that
	 * cannot read column indices that start at 1 (ek_plan_explain says so) keep a copy of the
	 * indices in the plan; a plan for another format has a copy of A, as with indices from 0.
	 * Adopted arrays are rewritten to start at 0. Messages about the matrix count from 1 too,
	 * positions in arrays included. Functions that take a row or a column always count from
	 * 0. */
	EK_BASE1 = 0x20,
	/* for COO: remember where each entry went, for ek_matrix_set_values */
	EK_KEEP_ORDER = 0x40,
	/* How to treat entries that have the same row and column. By default, matrices from CSR and
	 * CSC keep them (products add them up), and matrices from COO and files add them up. */
	EK_DUP_SUM = 0x100,  /* add them up; for CSR and CSC only with EK_COPY */
	EK_DUP_LAST = 0x200, /* keep the last one given; for CSR and CSC only with EK_COPY */
	EK_DUP_ERROR = 0x300 /* refuse them: EK_ERANGE, with the position in the message */
};

/* Makes A from compressed sparse rows: row i consists of entries row_ptr[i] .. row_ptr[i+1]-1 of
 * col_idx and val.
 *   row_ptr   rows + 1 entries of the row pointer type, row_ptr[0] = 0, non-decreasing
 *   col_idx   row_ptr[rows] entries of the column type in 0 .. cols-1, in any order within a row
 *   val       row_ptr[rows] values
 * row_ptr must not be NULL; col_idx and val may be NULL if there are no entries. Elements of
 * col_idx and val from row_ptr[rows] on are ignored. Unless EK_TRUSTED is given, one parallel pass
 * checks row_ptr and col_idx; it costs about a fifth of one plain product (16 to 26 percent
 * measured).
 * Errors: EK_EINVAL (argument, flags, array not aligned to its type), EK_ERANGE (row_ptr or column
 * out of range; the message has position and value), EK_EOVERFLOW, EK_ENOMEM.
 * Cost: for borrowed arrays O(nnz) for the check, or O(1) with EK_TRUSTED; for copies O(nnz). */
ek_status ek_matrix_from_csr(ek_context *ctx, ek_value value, ek_index index, int64_t rows,
                             int64_t cols, const void *row_ptr, const void *col_idx,
                             const void *val, unsigned flags, ek_matrix **A);

/* Makes A from compressed sparse columns, like ek_matrix_from_csr with rows and columns exchanged.
 * `index` names the types of col_ptr and row_idx. Borrowing needs no copy here either: A is held as
 * the CSR of its transpose, and plans exchange op N and op T. Errors and cost as for
 * ek_matrix_from_csr. */
ek_status ek_matrix_from_csc(ek_context *ctx, ek_value value, ek_index index, int64_t rows,
                             int64_t cols, const void *col_ptr, const void *row_idx,
                             const void *val, unsigned flags, ek_matrix **A);

/* Makes A from coordinates: entry k is val[k] at (row_idx[k], col_idx[k]), in any order; both index
 * arrays have the column type of `index`. The entries are assembled into CSR, sorted by row, then
 * column. The arrays are read in this call only, so EK_ADOPT is refused, and EK_BORROW and EK_COPY
 * mean the same. Entries at the same place are added in the order given, unless an EK_DUP_... flag
 * asks for something else. Errors: EK_EINVAL, EK_ERANGE, EK_EOVERFLOW, EK_ENOMEM. Cost: O(nnz +
 * rows + cols). */
ek_status ek_matrix_from_coo(ek_context *ctx, ek_value value, ek_index index, int64_t rows,
                             int64_t cols, int64_t nnz, const void *row_idx, const void *col_idx,
                             const void *val, unsigned flags, ek_matrix **A);

/* Destroys a matrix. Its plans continue to work. When the last of these plans is destroyed, the
 * matrix is freed, together with its arrays if they were copied or adopted. Borrowed arrays must
 * stay unchanged until then. */
void ek_matrix_destroy(ek_matrix *A);

/* What is known about a matrix. */
typedef struct ek_matrix_info {
	size_t size; /* set to sizeof(ek_matrix_info) before the call */
	int64_t rows, cols, nnz;
	ek_value value;
	ek_index index;
	const char *format; /* "csr", "csc", or another name from the table of formats */
	int64_t dim[4];     /* values of the format's parameters (ek_format_get_param), then 0 */
	int borrowed;       /* 1 if the arrays belong to the caller */
	int64_t bytes;      /* total size of the arrays, whoever owns them */
	uint64_t state;     /* number that grows with every change of values */
	/* 1 if the arrays were borrowed with EK_BASE1, so that the indices in views of them
	 * (ek_matrix_array) start at 1; else 0 */
	int base;
} ek_matrix_info;
ek_status ek_matrix_get_info(const ek_matrix *A, ek_matrix_info *info);

/* A view of one array of a matrix. Nothing is copied. */
typedef struct ek_view {
	size_t size; /* set to sizeof(ek_view) before the call */
	const void *data;
	int64_t len;      /* number of elements */
	size_t elem_size; /* bytes of one element */
	ek_value type;    /* type of an element; 0 for bits or bytes that only the format reads */
} ek_view;
/* Gives a view of the array `name` of A. CSR has the arrays "row_ptr", "col_idx" and "val"; CSC has
 * "col_ptr", "row_idx" and "val"; doc/formats.md shows those of other formats. The view is valid
 * until the matrix is destroyed or converted in place. Errors: EK_EINVAL if the format has no such
 * array (the message lists the arrays that it has). */
ek_status ek_matrix_array(const ek_matrix *A, const char *name, ek_view *view);

/* Checks all invariants of the arrays of A, in parallel. The functions that make a matrix do the
 * same checks, unless EK_TRUSTED is given. Errors: EK_ERANGE, with the position in the message, and
 * EK_ENOMEM: csr5 and cocktail are compared with CSR, which is made for that. */
ek_status ek_matrix_check(const ek_matrix *A);

/* Tells the library that you changed values of borrowed or adopted arrays; the pattern must be the
 * same. Plans that hold copies of the values take the new values at their next run, without being
 * prepared again. No thread may run a plan of A during the call. */
ek_status ek_matrix_values_changed(ek_matrix *A);

/* Gives the entries of A new values. `val` must have as many values as the arrays from which A was
 * made, in the same order. So a matrix from COO must have been made with EK_KEEP_ORDER, and a
 * matrix from CSR or CSC without EK_DUP_SUM and EK_DUP_LAST. If A was converted, in place or not,
 * the order is instead as if A were converted back to CSR: row by row, with ascending columns if
 * the format places entries by their columns. The one exception is csc: its values are given column
 * by column, as in its array. Copied and adopted arrays are overwritten. Borrowed values are
 * refused; change them yourself, then call ek_matrix_values_changed. Errors: EK_EINVAL, EK_ENOMEM.
 * Cost: one pass over the values for csr, csc, coo and csr5. Other formats are converted back to
 * CSR, which needs memory for that CSR during the call. */
ek_status ek_matrix_set_values(ek_matrix *A, int64_t count, const void *val);

/* ---- Reading, writing, generating ---------------------------------------------------------- */

/* Options of ek_matrix_read and ek_dense_read; zero means the default. */
typedef struct ek_read_options {
	size_t size;
	int allow_nan; /* accept nan and inf as values, in text and in binary files */
	/* in symmetric files, accept entries above the diagonal, and read them as their mirror
	 * images below it */
	int mirror;
	unsigned duplicates; /* EK_DUP_SUM (default), EK_DUP_LAST or EK_DUP_ERROR */
	/* Maximum number of bytes after decompression, for text and for binary files (header
	 * included); 0 means no limit. If the header of a binary file announces more bytes, nothing
	 * after the header is read. */
	int64_t max_bytes;
	/* Maximum number of bytes after decompression for each byte of compressed input; 0 means
	 * 1024. Binary files have a higher limit, since arrays of equal values, such as those of
	 * dia, can reach the highest ratio of their compression method. The first 256 MiB that the
	 * header announces are exempt, and for the rest the limit is 32 times as high; by default
	 * that is the ratio that zstd reaches on zeros. Memory is allocated as the bytes arrive;
	 * for untrusted files, limit the memory with max_bytes. */
	int64_t max_ratio;
	/* Maximum number of rows, and of columns. 0 means 2^40, or less for small files: no more
	 * than the largest of 2^20, 64 for each byte of the file, and 1 for each byte after
	 * decompression. So the sizes in the header of a small file cannot make the library
	 * allocate much memory, here or in a product. A matrix is always accepted if at least one
	 * in 64 of its rows and one in 64 of its columns has an entry; emptier matrices need
	 * max_dim. */
	int64_t max_dim;
	/* Called from time to time, by the calling thread. `done` is the number of bytes read so
	 * far, and `total` the number of all bytes, or -1 if that is not known. A return value
	 * other than 0 stops the call with EK_ELIMIT. */
	int (*progress)(void *user, int64_t done, int64_t total);
	void *progress_user;
} ek_read_options;

/* Reads A from a file.
 *
 * Files: Matrix Market text, or the library's own binary form. The text may be coordinate or array;
 * real, integer or pattern; general, symmetric or skew-symmetric (symmetric and skew-symmetric
 * files are expanded to all entries). It may be plain, compressed by gzip, xz or zstd, or in a
 * .tar.gz of the SuiteSparse collection. The binary form is that of ek_matrix_write; a library
 * built without xxHash reads only version 2 of this form, which evenkeel 0.1 wrote before it used
 * xxHash. The kind of a file is recognised by the content, never by the name. Other kinds that are
 * recognised (bzip2, zip, HDF5 and more) give EK_EUNSUPPORTED, and the message names the kind. "-"
 * reads standard input. Links in a tar archive are not followed.
 *
 * Types: value = 0 and index = 0 mean the types of a binary file, or EK_F64 and EK_I32 for a text
 * file. `options` may be NULL. Files of complex numbers give EK_EUNSUPPORTED. A file whose header
 * says "vector" becomes a matrix of one column. Explicit zeros are stored. Entries of pattern files
 * become 1.
 *
 * Numbers: decimals and integers become the nearest value of the type, ties to even, whatever the
 * caller's rounding mode. Denormal numbers are read even if the caller flushes them to zero. Only
 * sums of entries at the same place (EK_DUP_SUM) are rounded in the caller's mode. Warnings to the
 * context's log count entries that were added up, integers that the type cannot hold exactly, and
 * values that became 0. For the last two, the warnings also give the file and line of the first
 * one. A number beyond the range of the type gives EK_EOVERFLOW.
 *
 * Incomplete files: a missing word in a line gives EK_ESYNTAX; missing lines, or a missing word in
 * a last line without newline, give EK_ETRUNCATED. A last line that has all its words is accepted
 * with or without a newline, so a cut within the last number of a file goes unnoticed. Lines longer
 * than 1 MiB give EK_ESYNTAX.
 *
 * Sizes that the index type cannot hold give EK_ELIMIT or, if they come up in a conversion of
 * types, EK_EOVERFLOW.
 *
 * Errors: EK_EIO, EK_ESYNTAX, EK_ETRUNCATED, EK_ETRAILING, EK_ERANGE, EK_EOVERFLOW, EK_ELIMIT,
 * EK_EUNSUPPORTED, EK_ENOMEM; the message starts with file:line. Parsing is parallel. */
ek_status ek_matrix_read(ek_context *ctx, const char *path, ek_value value, ek_index index,
                         const ek_read_options *options, ek_matrix **A);

/* Reads A like ek_matrix_read, but from memory: `data` is the content of a file, which has `bytes`
 * bytes. Messages use `name` as the file name. */
ek_status ek_matrix_read_memory(ek_context *ctx, const char *name, const void *data, size_t bytes,
                                ek_value value, ek_index index, const ek_read_options *options,
                                ek_matrix **A);

/* Writes A to a file. `form` is one of:
 *   "mtx"   Matrix Market, coordinate, general, with the fewest digits that read back bit for bit.
 *           The text is the same in every rounding mode, even if the caller flushes denormal
 *           numbers to zero. The header's field is "integer" if all values are integers of at most
 *           2^24
 *   "ekm"   binary, fast, with a checksum; EK_EUNSUPPORTED in a library built without xxHash
 *   NULL    "ekm" if the name ends in .ekm, else "mtx"
 * If the name ends in .gz, .xz or .zst, the file is compressed; NULL then chooses by the ending
 * before that ("a.ekm.gz"). "-" writes to standard output. The file appears under its name only
 * when it is complete; until then it is called PATH.tmp<process id, last six digits>-<number>.
 * Errors: EK_EIO, EK_EINVAL, EK_EUNSUPPORTED, EK_ENOMEM.
 * ek_matrix_read with default options reads the file back, with two exceptions. NaN and Inf need
 * allow_nan. A matrix with more rows or columns than the default limit accepts needs max_dim if
 * fewer than one in 64 of them has an entry; then a warning to the context's log says so. */
ek_status ek_matrix_write(const ek_matrix *A, const char *path, const char *form);

/* Read and write dense vectors and blocks as Matrix Market array files. Reading also accepts
 * coordinate files of one column, and files whose header says "vector", in array or coordinate
 * form. ek_dense_read returns column-major data in `*data`, which the caller frees with
 * ek_free(ctx, *data, rows * cols * ek_value_size(value)). `options` are those of ek_matrix_read
 * and may be NULL; so NaN and Inf need allow_nan. Entries of a coordinate file at the same place
 * are added up, unless options->duplicates says otherwise. A coordinate file with more rows than
 * max_dim accepts gives EK_ELIMIT. `value` is EK_F32 or EK_F64. Errors: as for ek_matrix_read and
 * ek_matrix_write. */
ek_status ek_dense_read(ek_context *ctx, const char *path, ek_value value,
                        const ek_read_options *options, int64_t *rows, int64_t *cols, void **data);
ek_status ek_dense_write(ek_context *ctx, const char *path, ek_value value, int64_t rows,
                         int64_t cols, const void *data);
void ek_free(ek_context *ctx, void *block, size_t bytes);

/* Makes a synthetic matrix from a text like "poisson3d7:nx=100,ny=80,nz=60" or
 * "twin:name=webbase-1M": a generator's name, then its parameters. Default values that are too
 * large for the given sizes are reduced. If a generator's example is square, giving only `rows`
 * makes a square matrix. The same text gives the same matrix on every machine and for every number
 * of threads. Errors: EK_EINVAL (unknown generator or parameter: the message lists those that
 * exist; a parameter given twice; a twin without a name), EK_EOVERFLOW, EK_ENOMEM.
 * ek_generator_next lists the generators. */
ek_status ek_matrix_generate(ek_context *ctx, const char *spec, ek_value value, ek_index index,
                             ek_matrix **A);

typedef struct ek_generator ek_generator;
/* Returns the generator after `after`, or the first if `after` is NULL. Returns NULL after the
 * last. */
const ek_generator *ek_generator_next(const ek_generator *after);
const char *ek_generator_name(const ek_generator *generator);
const char *ek_generator_text(const ek_generator *generator);    /* one line on what it makes */
const char *ek_generator_example(const ek_generator *generator); /* all parameters, with defaults */

/* A matrix from published works, with its published figures. The generator text "twin:name=..."
 * makes its twin, a matrix with the same sizes, shortest and longest row. If `works` includes
 * "9.2", the products and the nonzeros of its square also match that table to within a tenth. */
typedef struct ek_twin {
	const char *name;       /* name in the matrix collection, for example "webbase-1M" */
	const char *paper_name; /* name in the published work, for example "Webbase" */
	int64_t rows, cols, nnz;
	int64_t row_min, row_max; /* shortest and longest row */
	const char *structure;    /* class: fem, stencil, circuit, lp, web, graph, dense, ... */
	const char *works;        /* published tables that list it, for example "A.1 8.2 8.4 I" */
} ek_twin;
/* Returns the twin after `after`, or the first if `after` is NULL. Returns NULL after the last. */
const ek_twin *ek_twin_next(const ek_twin *after);

/* Statistics of the pattern, computed in parallel passes over the arrays. A temporary copy is made
 * if columns do not ascend within rows (a sorted copy), or if A is not in CSR (a copy in CSR).
 * Errors: EK_EINVAL, EK_ENOMEM. */
typedef struct ek_stats {
	size_t size; /* set to sizeof(ek_stats) before the call */
	int64_t rows, cols, nnz;
	int64_t row_min, row_max;    /* shortest and longest row */
	double row_mean, row_stddev; /* mean and standard deviation of the row lengths */
	int64_t row_median;
	int64_t empty_rows, empty_cols;
	int64_t lower_bandwidth, upper_bandwidth; /* largest i - j of an entry; largest j - i */
	int64_t diagonal;                         /* entries on the main diagonal */
	int64_t duplicates;                       /* entries at the place of an earlier entry */
	int sorted; /* 1 if indices ascend in every row (CSC: in every column) */
	/* a square matrix is compared with its transpose: 1 if pattern and values are the same, 2
	 * if only the pattern is the same, 3 if the matrix is skew-symmetric; else 0 */
	int symmetric;
	int64_t histogram[64]; /* numbers of rows with 0, 1, 2-3, 4-7, ... entries */
} ek_stats;
ek_status ek_matrix_stats(const ek_matrix *A, ek_stats *stats);

/* ---- Formats --------------------------------------------------------------------------------- */

/* A way to store a matrix. The table of formats is constant; ek_format_next goes through it. */
typedef struct ek_format ek_format;
/* Returns the format after `after`, or the first if `after` is NULL. Returns NULL after the
 * last. */
const ek_format *ek_format_next(const ek_format *after);
const ek_format *ek_format_find(const char *name);     /* NULL if no format has that name */
const char *ek_format_name(const ek_format *format);   /* for example "csr" */
const char *ek_format_text(const ek_format *format);   /* one line on what it is */
const char *ek_format_source(const ek_format *format); /* author, year, section */

/* A parameter of a format or of a method, such as the chunk height of SELL. Its value is a whole
 * number. */
typedef struct ek_format_param {
	const char *name; /* for example "c" */
	int64_t min, max; /* smallest and largest value; the library chooses one if none is given */
	const char *text; /* one line on what it is */
} ek_format_param;
/* Returns parameter k of a format, counted from 0, or NULL if the format has no parameter k. */
const ek_format_param *ek_format_get_param(const ek_format *format, int k);
/* Returns the name of array k (from 0) of matrices in a format. ek_matrix_array takes this name.
 * Returns NULL if the format has no array k. */
const char *ek_format_array(const ek_format *format, int k);

/* Seconds that the steps of a conversion from CSR took. All are 0 if the result is in csr or csc.
 * The way from another format to CSR, and other types, are not included. */
typedef struct ek_convert_times {
	size_t size;       /* set to sizeof(ek_convert_times) before the call */
	double layout;     /* finding parameters and the lengths of the arrays */
	double allocation; /* allocating the arrays; in place: 0, it is part of `pattern` */
	double pattern;    /* filling all arrays except the values of the entries */
	double values;     /* filling these; in place: 0, it is part of `pattern` */
	/* For csr5, parts of `pattern` and `values`: the two arrays, and the transposition of
	 * columns and values (Liu 2015, section 8.5.2). 0 for other formats. */
	double tile_ptr, tile_desc, transposition;
} ek_convert_times;

/* Options of a conversion; zero means the default. */
typedef struct ek_convert_options {
	size_t size;
	ek_value value; /* types of the result; 0 means the type of A */
	ek_index index;
	/* Maximum size in bytes of the result's arrays, checked before the arrays are allocated. 0
	 * means eight times the size of A in CSR with the types of the result, plus 1 MiB; -1 means
	 * no limit. If a limit is given, it also applies to intermediate copies (A in CSR, or
	 * transposed), but these may always take four times the bytes of A itself. All other
	 * temporary memory is proportional to the entries and rows of A in CSR, never to its
	 * columns alone. */
	int64_t max_bytes;
	ek_convert_times *times; /* NULL, or where a conversion stores how long its steps took */
} ek_convert_options;

/* Makes B, a copy of A in another format. `format` is a name, or a name and parameters:
 * "sell:c=8,sigma=256". Parameters that are not given are chosen by the library for this matrix and
 * machine. The types may change too. f64 to f32 rounds to nearest, ties to even, whatever the
 * caller's rounding mode; f32 to f64 is exact. Neither treats denormal numbers as zero. A finite
 * value beyond the range of f32, or a size that does not fit its type, gives EK_EOVERFLOW. A
 * warning to the context's log counts values that became 0.
 *
 * Entries keep their order within rows; converting back to "csr" restores them bit for bit,
 * explicit zeros included. Formats that place entries by their column (dia, bdia, scoo, bcsr, bell,
 * sbell, bcoo, bccoo, cocktail) cannot hold two entries at one place; a matrix with such entries
 * gives EK_EUNSUPPORTED. Converting back from these formats, or from csc, gives ascending columns.
 *
 * Errors: EK_EINVAL (no such format or parameter: the message lists those that exist), EK_ELIMIT
 * (more than max_bytes; the message has both numbers), EK_EUNSUPPORTED, EK_EOVERFLOW, EK_ENOMEM.
 *
 * Cost of a conversion from CSR, in units of one product with plain CSR (measured by `ek bench
 * convert` on real matrices and on stencils): 1 to 6 for coo and csr5 (3 on average for csr5); 2
 * to 20 for csc, sell, brc and hyb (5 on average for sell and brc); 5 to 30 for scoo; 4 to 40 for
 * ell, depending on how much it pads, and for dia; 10 to 90 for bcsr, bcoo and bccoo, the more the
 * less the rows of a block are alike. bdia, bell and sbell have not been measured, nor has cocktail
 * since it has nine parts; with the five it had before it took 10 to 115, far more if it fitted
 * badly. From another format, A is first converted to CSR. Thread safety: A is only read. */
ek_status ek_matrix_convert(const ek_matrix *A, const char *format,
                            const ek_convert_options *options, ek_matrix **B);

/* Converts A itself. Its old arrays are freed. If the format has as many column indices and values
 * as A (csr5, for example), these arrays are instead rearranged in place, without a copy. A must
 * own its arrays and have no plans. Otherwise the result is EK_EINVAL; if A has plans, the message
 * says how many. The order that EK_KEEP_ORDER remembered is discarded: ek_matrix_set_values then
 * takes values in the order of the result. After an error A is unchanged. */
ek_status ek_matrix_convert_in_place(ek_matrix *A, const char *format,
                                     const ek_convert_options *options);

/* Get or set the entry of A in row i and column j (from 0), in any format, without conversion to
 * CSR. ek_matrix_get gives the value, which is 0 if no entry is stored there. Several entries are
 * added up in the order in which they are stored. ek_matrix_set gives the one entry stored there a
 * new value, rounded to the type of A (to nearest, in every rounding mode). Plans take the new
 * value at their next run. ek_matrix_set refuses borrowed arrays. Errors: EK_EINVAL (i or j out of
 * range; ek_matrix_set: not exactly one entry is stored there), EK_EOVERFLOW (ek_matrix_set: a
 * finite value beyond the range of f32). Cost: O(entries of the row), or of the column if A is held
 * by columns. Thread safety: no plan of A may run during ek_matrix_set. */
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
	EK_SET_INTERSECTION = 10,
	EK_SPMM = 11,   /* product of A and a dense block; needs a plan, like EK_SPMV */
	EK_SPGEMM = 12, /* product of two sparse matrices, A and hints.B; needs a plan */
	EK_SPADD = 13,  /* sum of two sparse matrices, A and hints.B; needs a plan */
	/* sparse vectors and sets of pairs, which need no plan */
	EK_SPARSE_DOT_DENSE = 14,
	EK_SPARSE_DOT = 15,
	EK_SPARSE_AXPY = 16,
	EK_GATHER = 17,
	EK_GATHER_ZERO = 18,
	EK_SCATTER = 19,
	EK_SPARSE_ADD = 20,
	EK_PAIRS_UNION = 21,
	EK_PAIRS_INTERSECTION = 22,
	EK_DENSE_SPMM = 23, /* product of a dense block and A; needs a plan */
	EK_SPADD_DENSE = 24, /* sum of A and a dense matrix; needs a plan */
	EK_TRANSPOSE = 25, /* transpose of a sparse matrix; needs a plan */
	EK_SPMSPV = 26, /* product of A and a sparse vector; needs a plan, like EK_SPMV */
	EK_GEMVI = 27,  /* product of a dense matrix and a sparse vector; needs no plan */
	EK_TRIPLE = 28, /* Galerkin product of A and P, which is hints.B; needs a plan */
	/* conversions between coordinates and CSR in the caller's arrays, which need no plan */
	EK_TO_COO = 29,
	EK_TO_CSR = 30,
	/* more primitives on arrays, which need no plan */
	EK_ARRAY_ADD = 31,
	EK_COMPACT = 32
} ek_operation;

/* Returns the short name of an operation, for example "segsum", with which the names of its methods
 * begin. Returns NULL if there is no such operation. */
const char *ek_operation_name(ek_operation operation);
/* Returns a line that says what an operation computes, or NULL if there is no such operation. */
const char *ek_operation_text(ek_operation operation);

/* Conditions under which results must have the same bits. */
typedef enum ek_reproducible {
	EK_REPRO_RUN = 0,   /* same machine, same number of threads, same plan: the default */
	EK_REPRO_STRICT = 1 /* any number of threads, any instruction set */
} ek_reproducible;

/* A method is one way to do one operation. The table of methods is constant; ek_method_next goes
 * through it. */
typedef struct ek_method ek_method;
/* Returns the method after `after`, or the first if `after` is NULL. Returns NULL after the
 * last. */
const ek_method *ek_method_next(const ek_method *after);
const ek_method *ek_method_find(const char *name);     /* NULL if no method has that full name */
const char *ek_method_name(const ek_method *method);   /* "spmv.csr.merge", for example */
const char *ek_method_text(const ek_method *method);   /* one line on what it does */
const char *ek_method_source(const ek_method *method); /* author, year, section */
const char *ek_method_format(const ek_method *method); /* such as "csr"; "array" for primitives */
/* Returns "cpu", "gpu" for a context's device, or "cpu+gpu" for methods that divide products
 * between the two. */
const char *ek_method_device(const ek_method *method);
ek_operation ek_method_operation(const ek_method *method);
/* Returns parameter k of a method, counted from 0, for example the tile size of a method that cuts
 * A into tiles. Returns NULL if the method has no parameter k. */
const ek_format_param *ek_method_get_param(const ek_method *method, int k);
/* Returns 1 if the method supports op(A) with that level of reproducibility, else 0. For
 * primitives, which have no op, it returns 1 if op is 0 and the method has that level
 * (EK_REPRO_STRICT means the same as for products). */
int ek_method_supports(const ek_method *method, ek_op op, ek_reproducible level);

/* How a plan will be used; zero means the default. */
typedef struct ek_hints {
	size_t size;
	/* Name of a method, in full or without the operation ("csr.merge"). With NULL or "auto" the
	 * library chooses a method for the matrix; for experiments, the environment variable
	 * EK_METHOD can replace NULL and "auto" (ek_context_create). Parameters may follow the
	 * name: "spmv.csr.adaptive.gpu:block=2048". For EK_SPMV on the processor, "learned" takes
	 * the method of a rule that was learned from measured matrices if its confidence is at
	 * least 80 %, and otherwise does what `measure` does ("Learned choices") */
	const char *method;
	ek_op op;      /* 0 means EK_OP_N */
	int64_t calls; /* expected number of runs; 0 means many (1000) */
	ek_reproducible reproducible;
	int threads; /* maximum; 0 means the context's maximum; more gives EK_EINVAL */
	/* How to store A for the product: a format and parameters, as for ek_matrix_convert. NULL
	 * means the format of the method. If no method is given either, the library uses A's own
	 * format or, if A is in csr or csc, the fastest format (the cost of the conversion is
	 * divided by the expected calls). If A has another format or other parameters, the plan
	 * holds a copy in this format. The copy is made via CSR, within the default limit of
	 * ek_matrix_convert. Methods of "csr" multiply with "csc" too, with op N and op T
	 * exchanged. */
	const char *format;
	/* Maximum number of bytes that the library's choice may take in addition to A, for a
	 * copy in another format or for a method's own arrays. 0 means twice the size of A in CSR,
	 * plus 16 MiB; -1 means no limit. Scratch for runs is not counted. A method or format that
	 * is asked for by name is not limited, nor is the only method that can do the product.
	 * For EK_SPGEMM, EK_SPADD, EK_TRANSPOSE and EK_TRIPLE this is a hard limit on everything
	 * that the plan and its runs allocate besides C; 0 and -1 mean no limit (ek_spgemm). */
	int64_t memory;
	/* expected number of columns of X (EK_SPMM) or of rows of X (EK_DENSE_SPMM); 0 means 8.
	 * Runs may have a different number */
	int64_t width;
	/* For EK_SPGEMM, EK_SPADD and EK_TRIPLE: the second matrix B (for EK_TRIPLE: P), its op,
	 * and the type of the indices of C (0 means the widest of the operands' types). For
	 * EK_SPGEMM also D, a matrix to add to the product, or NULL. B and D have the context and
	 * the value type of A. Operands whose index type is narrower than that of another operand
	 * are copied; no index is narrowed. */
	const ek_matrix *B;
	ek_op op_b;
	ek_index index;
	const ek_matrix *D;
	/* If this is 1, the library does not rely on predictions alone: the plan's first runs use
	 * several methods in turn, and the fastest stays ("Measured choices"), or move rows between
	 * device and processor ("Both kinds of core"). 0, the default, means that the same machine
	 * profile and the same matrix always give the same method. */
	int measure;
	/* For EK_SPGEMM: if this is 1, the columns in a row of C (in csc: the rows in a column) may
	 * have any order, as those of scipy and MKL have, which can take half the time. It is
	 * permission, not a promise: rows ascend where that is as fast, on devices and with both
	 * kinds of core, with hints.memory or hints.measure and with EK_REPRO_STRICT. The entries
	 * are the same, to the bit. Operations that need ascending rows sort a copy. 0, the
	 * default: they ascend. */
	int unsorted;
} ek_hints;

typedef struct ek_plan ek_plan;

/* Prepares `operation` for A. Everything that costs more than one product happens here. Runs of the
 * plan allocate nothing, with two exceptions besides hints.measure. One is the first run after
 * values changed, if the plan has a copy of A that needs a conversion (ek_spmv says when). The
 * other is the first time that more threads than before run the plan at once, since each of them
 * needs scratch of its own; with more than 16 threads at once it may happen again.
 * A may be destroyed before the plan. `hints` may be NULL.
 * Errors: EK_EINVAL (there is no such method or format, and the message lists the names; or the
 * method does not support hints.format), EK_EUNSUPPORTED (the method does not support this op, or
 * not with this reproducibility; the format cannot hold A), EK_ELIMIT (A would take too many bytes
 * in the format; ek_matrix_convert with max_bytes = -1 has no such limit), EK_EOVERFLOW (x or y
 * would not fit in the address space), EK_EDEVICE (the context has no device for the method; its
 * compiler or driver failed), EK_ENOMEM.
 * Cost: from nothing to O(rows) for methods that only divide the work or list the rows that have
 * entries (nonempty). O(nnz) for methods that have arrays of their own (patterns, segsum, forward,
 * copy_t, strict with op T) or that find out which columns each thread writes to (transposed,
 * adaptive and acsr with op T, and most other formats with op T). If the method's format is not
 * that of A, add the cost of the conversion. `ek bench` measures the cost in units of one product.
 * If the library chooses and many calls are expected, it also considers other formats, which takes
 * the time of a few more products; copy_t does the same for its transposed copy. hints.calls = 0
 * means many calls, so set it to the real number if that is small. */
ek_status ek_plan_create(ek_operation operation, const ek_matrix *A, const ek_hints *hints,
                         ek_plan **plan);
void ek_plan_destroy(ek_plan *plan);

const char *ek_plan_method(const ek_plan *plan); /* name of the method that was chosen */
/* Returns the format of the matrix that the plan multiplies with, and its parameters, as
 * hints.format takes them: "csr", "sell:c=8,sigma=64". */
const char *ek_plan_format(const ek_plan *plan);
/* Returns the parameters that the plan's method works with, those that hints.method gave and those
 * that the method chose for the matrix and the device: "t=64,w=16,b=2,s=2". A value may differ from
 * the one that was asked for where the method rounds or limits it. Parameters that make no
 * difference for this plan are left out; "" if the method has none. Where runs move work between
 * device and processor, `share` is what they begin with. */
const char *ek_plan_parameters(const ek_plan *plan);
/* Writes some lines to `text` that say which method and format were chosen, and why. At most `size`
 * bytes are written, the final 0 included; a longer text is cut, without an error. 4096 bytes are
 * enough for most plans. Errors: EK_EINVAL. Thread-safe. */
ek_status ek_plan_explain(const ek_plan *plan, char *text, size_t size);
/* The predicted time of one of `calls` runs of a plan, which is run + convert. */
typedef struct ek_prediction {
	size_t size; /* set to sizeof(ek_prediction) before the call */
	int64_t calls; /* number of runs that was assumed */
	double run;     /* seconds of a run, and what its method prepares divided by `calls` */
	double convert; /* seconds of bringing A into the plan's format, divided by `calls` */
} ek_prediction;
/* Predicts the time of a run if there are `calls` runs; 0 means as many as the plan was made for.
 * These are the numbers by which the library chooses if hints.method is NULL. For a plan with a
 * method or a format given by name they are what the choice would have found for it, so predicted
 * and measured times can be compared (`ek bench regret`). They are estimates for a kind of
 * processor or device, not promises. `convert` is 0 if the plan multiplies with A as it is stored,
 * and NAN if the library does not predict the conversion: from formats other than csr and csc, and
 * between these two.
 * Errors: EK_EINVAL, EK_EUNSUPPORTED (there are no predictions for the method, and it is never
 * chosen where there is another, except by hints.measure: a plan whose trials decided for such a
 * method has no predictions from then on), EK_ENOMEM.
 * Cost: a pass over row_ptr and a sample of the columns; for methods that make the arrays of their
 * format themselves, also the layout of the format. Thread-safe. */
ek_status ek_plan_predict(const ek_plan *plan, int64_t calls, ek_prediction *prediction);
/* Returns a lower bound on the bytes that one run moves. It is the size of the matrix, of the
 * plan's own arrays, and of x and y, each counted once. */
int64_t ek_plan_bytes(const ek_plan *plan);
/* Returns the bytes that the plan takes in addition to the matrix. */
int64_t ek_plan_memory(const ek_plan *plan);

/* ---- Measured choices ------------------------------------------------------------------------
 *
 * With hints.measure a plan begins with the method that is predicted to be the fastest. Its first
 * runs, at most some thirty, are also trials: they use this method and up to three others, whose
 * predicted times are not far above, in turn. The result of each run is right, within the bound of
 * the operation. Then the method with the least time stays, and the plan frees what the others
 * hold. The predicted one stays unless another is at least 3 percent faster.
 *   - Trials take at most the time of 3 products more than the predicted method alone would. This
 *     includes what the trials prepare, so a method that needs a copy of A in another format or
 *     long preparations is rarely tried. A trial begins only if it fits into what is left. The
 *     library assumes for that that preparations take as long as predicted, and that a method takes
 *     at most twice the time of the predicted one until a run of it was measured; a run that takes
 *     longer than that exceeds the limit, and is the last of its method.
 *   - Only runs alike are compared: with the strides and the width of the first, with beta = 0 or
 *     not, and while no other thread runs the plan and no values of A are new. Runs with alpha = 0
 *     are never trials. Runs that are not trials use the method that the plan has. If this leaves
 *     too few trials, the predicted method stays. Products by ek_spgemm make C or write to an
 *     existing C, and those of one kind are compared: of the first run's or, if a run writes to an
 *     existing C before another method was tried, of that one's.
 *   - ek_plan_method, ek_plan_format, ek_plan_parameters, ek_plan_bytes and ek_plan_predict are
 *     about the method that the plan has so far, ek_plan_memory counts all that are prepared
 *     (hints.memory is a limit for each of them), and ek_plan_explain lists the times of the
 *     trials, and what was not tried and why.
 *   - Trials allocate memory in runs. A method for which there is none is not tried.
 *   - The choice depends on what else the machine does at that time, so the bits of results may
 *     differ from one program to the next, and during the trials from one run to the next. With
 *     EK_REPRO_STRICT the hint gives EK_EINVAL.
 *   - It is for EK_SPMV, EK_SPMM, EK_DENSE_SPMM and EK_SPGEMM. In contexts for both kinds of core
 *     it does something else, for EK_SPMV, EK_SPMM and EK_SPGEMM: runs balance the work of the two
 *     ("Both kinds of core"), which needs no other methods, and is not remembered; but products by
 *     ek_spgemm have trials where the device is a processor, since they are not divided there.
 *     Other operations give EK_EUNSUPPORTED. It has no effect if hints.method or EK_METHOD names a
 *     method, and with fewer than 64 announced calls, which could not make up for the trials.
 *   - For EK_SPGEMM the processor has one other method: spgemm.csr.bins is tried where most rows of
 *     the product, by a sample, are so wide from their first to their last column that
 *     spgemm.csr.flags takes them in several windows, since it is far slower elsewhere. All methods
 *     of the processor give the same bits, so trials among these do not change them. With
 *     hints.memory > 0, a hard limit that would leave no room for a second method, nothing is
 *     tried. Each method has copies of its own of the operands that must be copied.
 *
 * In a context with a device, if the predicted method runs there:
 *   - A trial waits for the device before and after the run, also with vectors in its memory.
 *   - Candidates are tried one after the other, each in turn with the predicted one; the device
 *     then holds at most the predicted plan, the fastest so far and the one that is tried. Each
 *     candidate adds at most fourteen runs that are trials, unless other threads disturb them.
 *   - The method that would be chosen without the device is tried, too, unless vectors are on the
 *     device. If it stays, the predicted plan stays as well, for runs with vectors on the device;
 *     not for EK_SPGEMM, which has none.
 *   - Methods that take long to prepare are tried last, and so are three without predictions:
 *     spmv.csr.panels.gpu and spmv.csr.padded.gpu, whose preparation is assumed to take 40
 *     products, and spgemm.csr.bins.gpu, with one product. With them trials may take as long as a
 *     sixteenth of the announced calls.
 *   - Compiling and loading kernels is not counted among these, since compiled ones are kept on the
 *     disk (EK_CACHE). It happens only as long as it is expected, with a second for each candidate,
 *     to take less time than all announced products.
 *   - A failing trial is done again by the predicted method. So products with vectors and blocks
 *     whose beta is not 0 are trials only if beta multiplies another vector than y (ek_spmv_add).
 *     For EK_SPGEMM runs with any beta are trials, since nothing is read from C: an existing C is
 *     right after a failing trial, too.
 *   - Too little memory, and errors in runs of a candidate, cost it its trials. If the driver fails
 *     for good, runs return EK_EDEVICE as without trials.
 *
 * The context remembers the decision. A later plan with hints.measure takes it without trials if
 * everything agrees: the version of the library, the processor, the context's device with its
 * driver and the kind of its memory, the machine profile, the pattern of A (but for collisions of
 * 64-bit hashes) with its format and types, those of B and D for EK_SPGEMM, operation, ops,
 * threads, instruction set with its way to gather, hints.index, hints.width, hints.format,
 * hints.memory, and the number of digits of hints.calls. For EK_SPGEMM it does not matter whether
 * the runs that were compared made C or wrote to an existing C. If the device lacks the memory that
 * the method needs there, the plan has trials of its own. So a plan that takes a decision has the
 * same method and format, and its runs give the same bits as those of the first plan after its
 * trials. Decisions of a context can be saved to a file and loaded by later programs. Plans without
 * hints.measure never look at decisions.
 *
 * The hash takes one pass over the indices of a matrix when its first plan with hints.measure is
 * made (0.2 to 0.4 products with a vector measured for large matrices, up to 1.5 where A stays in
 * cache); finding a decision takes less than a microsecond. */

/* Adds the decisions in a file to those of a context, in place of those about the same. Decisions
 * of other machines and versions are kept, and saved again, but not used. Errors: EK_EIO (there is
 * no such file, or it cannot be read), EK_ESYNTAX, EK_ETRUNCATED and EK_ETRAILING (the message
 * names file and line), EK_ENOMEM, EK_EINVAL. After an error the context has the decisions that it
 * had. */
ek_status ek_wisdom_load(ek_context *ctx, const char *path);
/* Writes all decisions of a context to a file ("-": standard output), a line of text for each, in
 * place of what the file had. It appears under its name only when it is complete. Errors: EK_EIO,
 * EK_ENOMEM, EK_EINVAL. */
ek_status ek_wisdom_save(ek_context *ctx, const char *path);
/* Forgets all decisions of a context. Plans keep their methods. Errors: EK_EINVAL. */
ek_status ek_wisdom_forget(ek_context *ctx);
/* Returns the number of decisions that a context remembers, those of other machines included. */
int64_t ek_wisdom_count(const ek_context *ctx);

/* ---- Learned choices -------------------------------------------------------------------------
 *
 * With hints.method "learned" a plan for EK_SPMV is chosen by rules over features of the matrix,
 * such as the lengths of rows and the number of diagonals, as in SMAT (Li, Tan, Chen and Sun 2013).
 * The rules are part of the library and were learned from the times of matrices on one machine,
 * which src/plan/learned.def names; bench/learn.py learns them again on another one.
 * ek_plan_explain has the rule that fits, its confidence and the features.
 *   - If no rule is sure, or its method cannot be used for this matrix, the first runs are trials
 *     as with hints.measure, and what is said there holds; with fewer than 64 announced calls the
 *     predicted method is taken.
 *   - There are no rules, so that the same happens, for op T, for hints.format, for fewer than 8
 *     announced calls, for an A that is in another format than csr (csc with op T is like csr
 *     with op N), and for types of values, widths of indices and numbers of threads that no matrix
 *     was measured with (learned.def lists those that were); also if memory for the features is
 *     missing.
 *   - The features take a few products to find, most of it for the diagonals.
 *   - hints.memory is no limit for the method of a rule, as for any that is named.
 *   - EK_METHOD has no influence unless runs are measured.
 *   - Errors: EK_EUNSUPPORTED for other operations and in contexts with a device; EK_EINVAL with
 *     EK_REPRO_STRICT. */

/* A view of a dense vector or block; it owns nothing. Make a view with ek_vector, ek_block or
 * ek_device_vector, or set its members yourself, with `size` = sizeof(ek_dense). */
typedef struct ek_dense {
	size_t size;
	ek_value value;
	int64_t rows, cols;
	/* leading dimension: number of values from one column to the next, at least `rows`; with
	 * EK_ROW_MAJOR, from one row to the next, at least `cols` */
	int64_t ld;
	void *data;
	int where;     /* 0 for memory of the host, or EK_ON_DEVICE */
	int64_t order; /* EK_COL_MAJOR or EK_ROW_MAJOR */
} ek_dense;

enum { EK_ON_DEVICE = 1 }; /* `data` is memory of the context's device (ek_device_alloc) */
enum { EK_COL_MAJOR = 0, EK_ROW_MAJOR = 1 };

EK_NOT_READ(3)
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
	v.order = EK_COL_MAJOR;
	return v;
}

EK_NOT_READ(6)
static inline ek_dense ek_block(ek_value value, int64_t rows, int64_t cols, int64_t ld, int order,
                                const void *data)
{
	ek_dense v = ek_vector(value, rows, data);
	v.cols = cols;
	v.ld = ld;
	v.order = order;
	return v;
}

EK_NOT_READ(3)
static inline ek_dense ek_device_vector(ek_value value, int64_t n, const void *data)
{
	ek_dense v = ek_vector(value, n, data);
	v.where = EK_ON_DEVICE;
	return v;
}

/* Computes y = alpha op(A) x + beta y, with the op of the plan.
 *   x   as many entries as op(A) has columns; not written to
 *   y   as many entries as op(A) has rows; must not overlap x or the arrays of A
 * alpha and beta are rounded to the value type of A.
 *
 * What is read: with beta = 0, y is only written, so it may hold NaN or be uninitialised. With
 * alpha = 0, A and x are not read. Entries that are not stored are never multiplied: if x_j is NaN
 * or Inf, it reaches only rows of op(A) with an entry in column j. If alpha is Inf or NaN, a row
 * without entries gives NaN or beta y_i, depending on the method.
 *
 * Accuracy: |error of y_i| <= gamma(k + 2) (|alpha| (|A||x|)_i + |beta||y_i|), where k is the
 * number of entries of row i of op(A) and gamma(k) = k u / (1 - k u), barring underflow (Higham
 * 2002, section 3.1). Formats that consist of parts (hyb and cocktail) add alpha times the sum of
 * each part, and scoo (on a device only with high slices) adds alpha times each product; that may
 * overflow where the sum of the whole row does not.
 *
 * Errors: EK_EINVAL (NULL, wrong type, wrong length, overlap). EK_ENOMEM if there is no memory for
 * the scratch of one more thread that runs the plan. EK_ENOMEM also in the first run after values
 * of A changed, if the plan has a copy of A that needs a conversion. This is so if A is in neither
 * csr nor csc, if one of A and the copy is in csr and the other in csc, or if A was borrowed with
 * EK_BASE1. After EK_ENOMEM y is unchanged; if the conversion failed, the plan is unchanged too.
 *
 * Cost: O(nnz + rows). The first run after values of A changed also fills the copy, if the plan has
 * one. If the copy needs a conversion, that run takes memory for A in CSR. It also takes the time
 * of a conversion to CSR or, between csr and csc, of a transposition.
 *
 * Thread safety: any number of threads may run one plan at the same time; runs on a device take
 * turns.
 *
 * On a device: vectors with EK_ON_DEVICE need a method that runs on the device. The call then
 * returns when the work is in the queue (ek_device_wait), and errors of that work are returned by a
 * later call. With CUDA, runs that take several launches and are repeated with the same vectors and
 * factors, both vectors on the device, are recorded and then run as one graph, unless the method
 * waits for the device in its runs; a plan keeps four of them, in memory of the driver. Further
 * errors: EK_EDEVICE; EK_ENOMEM also in the first run after values changed, for csr5 and segspmv if
 * A is in csr, and for op T with every format except csr. Methods that share y between processor
 * and device ("spmv.csr.hetero.gpu", "spmv.csr.split.gpu") may leave y partly
 * written after an error. Runs by batches ("spmv.csr.batches.gpu") return when their work is
 * done. */
ek_status ek_spmv(ek_plan *plan, double alpha, const ek_dense *x, double beta, const ek_dense *y);

/* Computes z = alpha op(A) x + beta y, like ek_spmv but with the result in z. The bits are the same
 * as if y had been copied to z first.
 *   y   as long as z; not written to, and not read if beta = 0. It may be x, if the lengths are
 *       equal, and may be part of the arrays of A
 *   z   y itself, or memory that overlaps neither y nor x nor the arrays of A
 * Errors: as for ek_spmv; also EK_EINVAL if one of y and z is on a device and the other is not. If
 * a device fails, a z on the host may have the values of y.
 * Cost: on the processor, the same as ek_spmv, except that y is read instead of z. Two kinds of
 * products read y once and then work on z, as ek_spmv works on y: those with formats that consist
 * of parts (hyb, cocktail), and those of op T that add to columns. On a device y is first copied to
 * z on the device, in the queue, unless beta = 0; this moves two more values for each row. */
ek_status ek_spmv_add(ek_plan *plan, double alpha, const ek_dense *x, double beta,
                      const ek_dense *y, const ek_dense *z);

/* Computes Y = alpha op(A) X + beta Y for blocks X and Y with the same number of columns. The plan
 * must be made for EK_SPMM. Each column is a product as ek_spmv computes it, but A is read once for
 * several columns.
 *   X   as many rows as op(A) has columns; not written to
 *   Y   as many rows as op(A) has rows, as many columns as X; must not overlap X or the arrays of
 *       A. X and Y may be interleaved: two ranges of columns of one row-major array, or two ranges
 *       of rows of one column-major array
 * Both have the value type of A; each is row- or column-major, with any leading dimension. Memory
 * between the rows or columns of a block is not touched.
 *
 * What is read: with beta = 0, Y is only written. With alpha = 0, A and X are not read. Entries
 * that are not stored are never multiplied.
 *
 * Accuracy: the bound of ek_spmv holds for each entry, with column j of X and Y in place of x and
 * y. The bits of a column depend neither on the other columns nor on whether the blocks are row- or
 * column-major.
 *
 * Errors: as for ek_spmv; also EK_EINVAL if the plan is for another operation. If a device fails, Y
 * may have its new values in some columns: a block on the host with more columns than hints.width,
 * or more than 32, goes to the device in pieces.
 *
 * Cost: O((nnz + rows) columns). Row-major X is faster, since its rows are contiguous. Two kinds of
 * blocks are copied to scratch that the plan holds, one panel of columns at a time: column-major X
 * of more than one column, and row-major X with more columns than a panel. A panel is as wide as
 * hints.width, rounded up, but at most four SIMD vectors wide. A method that goes column by column
 * ("spmm.columns") reads A once for each column of X.
 *
 * Thread safety: any number of threads may run one plan at the same time, each with its own Y; runs
 * on a device take turns.
 *
 * Source: after Yang, Buluc, Owens 2018 (row-major panels), Aktulga et al. 2014. */
ek_status ek_spmm(ek_plan *plan, double alpha, const ek_dense *X, double beta, const ek_dense *Y);

/* Computes Y = alpha X op(A) + beta Y: a product like ek_spmm, but with the dense blocks X and Y on
 * the left of op(A). The plan must be made for EK_DENSE_SPMM.
 *   X   any number of rows, as many columns as op(A) has rows; not written to
 *   Y   as many rows as X, as many columns as op(A) has columns; must not overlap X or the arrays
 *       of A. X and Y may be interleaved, as for ek_spmm
 * Both have the value type of A; each is row- or column-major, with any leading dimension. Memory
 * between the rows or columns of a block is not touched.
 *
 * Result: the transpose of what ek_spmm computes with the transposes of X and Y and the other op,
 * with the same bits. The transpose of a row-major block is the same memory, read as column-major.
 *
 * What is read, accuracy, errors, thread safety: as for ek_spmm, with rows in place of columns, and
 * (|X||A|)_rj in the bound. Blocks must be on the host.
 *
 * Cost: that of ek_spmm with the transposes, so column-major X is faster. With op N on a matrix in
 * csr (and op T on one in csc), the fast method keeps a transposed copy of A in the plan
 * (ek_plan_memory); hints.memory can forbid it. Source: Liu 2015, section 2.3.3. */
ek_status ek_dense_spmm(ek_plan *plan, double alpha, const ek_dense *X, double beta,
                        const ek_dense *Y);

/* Computes C = alpha op(A) op(B) + beta D, where all matrices are sparse. The plan must be made for
 * EK_SPGEMM, with B in hints.B and D, if any, in hints.D; hints.op is the op of A.
 *   A, B   op(A) has as many columns as op(B) has rows
 *   D      as many rows as op(A), as many columns as op(B). beta is not read without D
 *   *C     NULL: the call makes a new matrix, which the caller destroys. Otherwise a matrix that
 *          an earlier run of this plan made: its values are replaced, its pattern and its memory
 *          stay as they are. This takes about half the time. Plans of *C see the new values.
 *          ek_result_values writes such values to an array of the caller
 *
 * Result: C is in csr, or in csc if A, B and D are all in csc. Indices start at 0 and ascend
 * strictly in each row (csc: in each column), unless hints.unsorted is 1: then they are only
 * distinct. C has an entry exactly where a product of two stored entries falls, or where D has an
 * entry. Entries whose value is 0 are kept, even if alpha or beta is 0. Duplicates in A, B and D
 * are added up.
 *
 * What is read: with alpha = 0, the values of A and B are not read; with beta = 0, those of D are
 * not. Products of entries that are not stored are never formed. alpha and beta are rounded to the
 * value type of A.
 *
 * Accuracy: |error of c_ij| <= gamma(k + 2) (|alpha| (|A||B|)_ij + |beta||d_ij|), where k is the
 * number of products that are added up (gamma as for ek_spmv; k + m + 1 if B has up to m entries at
 * one place), barring underflow. Methods with EK_REPRO_STRICT add the products of an entry to beta
 * d_ij one after the other, in the order of the entries of the row of op(A), each rounded, so the
 * bits are the same for any number of threads, any instruction set and any memory limit. A run into
 * an existing C gives the same bits as one that makes C.
 *
 * Memory besides C: each thread has sums for the columns of C, at most as many as fit in the cache
 * of a core, and a block of rows of C. ek_plan_memory returns the total. hints.memory limits it,
 * together with copies of operands and what it takes to make these: to stay within the limit, C is
 * counted before it is filled, and columns are processed in pieces, which takes longer but gives
 * the same bits. If even that takes more than the limit, ek_plan_create returns EK_ELIMIT, and the
 * message has the smallest limit that would do. With hints.unsorted each thread may have sums,
 * flags and a list for all columns of C, if those of all threads are not more than the products.
 * Concurrent runs each have sums of their own. Copies are made of operands that are neither in csr
 * (with op N) nor in csc (with op T), and of B and D if their indices do not ascend strictly.
 *
 * On a device the library chooses spgemm.csr.hash.gpu, unless the device is a processor, where the
 * methods of the library's own threads are faster; spgemm.csr.bins.gpu runs there by name or with
 * hints.measure. The operands, or the copies in csr, are copied to the device when the plan is
 * made, and their values again when they have changed. Each run copies the values of C to the host,
 * and the run that makes C also its row pointers and columns; a run into an existing C first copies
 * its row pointers and columns to the device. Nothing of what is in memory that host and device
 * share is copied (EK_MEMORY_SHARED). hints.memory counts what the plan and its runs hold on the
 * host and on the device, except C and its copy on the device. The bits are those of the
 * processor's methods if the device rounds each operation and keeps denormal numbers, and in any
 * case the same in each run (by one method: with hints.measure the first runs may also be those of
 * the processor). If the device fails while a run writes into an existing C, its values are
 * undefined; its pattern stays. So it is where memory runs out (EK_ENOMEM) in methods that compute
 * C in parts: in spgemm.csr.batches.gpu and spgemm.csr.split.gpu, and in spgemm.csr.hash.gpu with
 * hints.memory or with a C that is too large for the device. With spgemm.csr.hash.gpu a run holds,
 * in one phase, room for the bounds on the entries of C's rows, and with hints.memory a part of C
 * at a time; from the first run on, the plan keeps where the rows of C begin and, for runs into an
 * existing C, its columns. If the device runs out of memory in a run, that and later runs of the
 * plan make C in two phases and in smaller batches, down to the longest row, and ek_plan_explain
 * says so. It says how many rows are computed in which way, and whether C is counted before it is
 * filled. By name, spgemm.csr.batches.gpu multiplies an A that does not fit the device: B stays
 * there, and each run copies the rows of A and D, batch by batch, and copies their rows of C back.
 * The parameter `batch` is the most that one takes there besides B, but at least the longest rows
 * of A and C have room. If B does not fit, or leaves too little for the longest rows, each run
 * copies it in slices of columns, as few as fit a part of the memory, and the rows of A once for
 * each slice. The parameter `slices` fixes their number, from 2 to 64; but there are no more than
 * leave half of a slice to its entries, since each has row pointers for all rows of B.
 * ek_plan_explain says how many batches and slices there are. On the host a run with slices also
 * holds a slice of B and, for one batch, of D and of an existing C, which ek_plan_memory does not
 * count. A new C takes its memory twice for a moment, so hints.memory is refused (EK_EUNSUPPORTED);
 * EK_ENOMEM says that the slices or a row do not fit.
 *
 * Errors: EK_EINVAL (NULL; *C was not made by this plan, or has been converted since), EK_EOVERFLOW
 * (C has more entries than its index type can count; the message names the type that can, for
 * hints.index), EK_ENOMEM. After an error *C is unchanged, but for the values that are undefined on
 * a device (above).
 *
 * Cost: O(products + entries of C + rows) and, for scattered products, cache misses. Thread safety:
 * any number of threads may run one plan at the same time, each with its own *C.
 *
 * Source: Gustavson 1978 (by rows, with sums for all columns); Liu 2015, chapter 9. */
ek_status ek_spgemm(ek_plan *plan, double alpha, double beta, ek_matrix **C);

/* Computes C = alpha op(A) + beta op(B), where all matrices are sparse. The plan must be made for
 * EK_SPADD, with B in hints.B; hints.op is the op of A, hints.op_b that of B.
 *   A, B   op(A) and op(B) have the same numbers of rows and columns
 *   *C     NULL, or a matrix that an earlier run of this plan made, as for ek_spgemm
 *
 * Result: C is in csr, or in csc if A and B are both in csc, with indices that start at 0 and
 * ascend strictly. It has an entry exactly where op(A) or op(B) has one. Entries whose value is 0
 * are kept, even if alpha or beta is 0. Duplicates in A and B are added up.
 *
 * What is read: with alpha = 0, the values of A are not read; with beta = 0, those of B are not.
 * alpha and beta are rounded to the value type of A.
 *
 * Accuracy: |error of c_ij| <= gamma(2) (|alpha||a_ij| + |beta||b_ij|), barring underflow; the 2
 * grows by one for each duplicate. Each entry is one addition of two rounded products, so the bits
 * are the same for any method, number of threads and instruction set. As for ek_spgemm,
 * hints.memory limits what is allocated besides C; on a device that is at least A, B and C.
 *
 * Errors and thread safety: as for ek_spgemm. Cost: O(nnz(A) + nnz(B) + rows), and a transposition
 * of operands that are neither in csr with op N nor in csc with op T. Source: Gustavson 1978; Liu
 * 2015, section 2.3.3 and chapter 7. */
ek_status ek_spadd(ek_plan *plan, double alpha, double beta, ek_matrix **C);

/* Computes Y = alpha op(A) + beta Y, where Y is dense. The plan must be made for EK_SPADD_DENSE.
 * With alpha = 1 and beta = 0, Y becomes op(A) as a dense matrix.
 *   Y   as many rows and columns as op(A); row- or column-major, with any leading dimension, and
 *       with the value type of A; on the host; must not overlap the arrays of A. Memory between the
 *       rows or columns of Y is not touched
 * alpha and beta are rounded to the value type of A. Duplicates in A are added up.
 *
 * What is read: with beta = 0, Y is only written, so it may hold NaN or be uninitialised. With
 * alpha = 0, the values of A are not read.
 *
 * Accuracy: |error of y_ij| <= gamma(k + 2) (|alpha| |A|_ij + |beta||y_ij|), where k is the number
 * of entries of op(A) at (i, j), and |A|_ij the sum of their absolute values (gamma as for
 * ek_spmv), barring underflow. alpha times each entry is rounded and added to beta y_ij, in the
 * order in which A stores the entries. So the bits are the same for any method, number of threads
 * and instruction set.
 *
 * Errors: EK_EINVAL (NULL, wrong type, wrong size, overlap), EK_ENOMEM in the first run after
 * values of A changed, if A is in neither csr nor csc. After an error Y is unchanged.
 *
 * Cost: Y is read and written once (beta = 0: only written; beta = 1: only where A has entries),
 * and A is read once. If A is wide and in csr, and Y is stored by the columns of A, the entries are
 * added in a second pass over Y; likewise if A is tall and in csc, and Y is stored by the rows of
 * A. A is never transposed. Thread safety: any number of threads may run one plan at the same time,
 * each with its own Y. Source: Liu 2015, section 2.3.3. */
ek_status ek_spadd_dense(ek_plan *plan, double alpha, double beta, const ek_dense *Y);

/* Computes C = A^T, where both matrices are sparse. The plan must be made for EK_TRANSPOSE.
 *   A    in any format; hints.op must be EK_OP_N
 *   *C   NULL, or a matrix that an earlier run of this plan made, as for ek_spgemm: then the run
 *        writes the current values of A to it, and nothing else
 *
 * Result: C is in csc if A is in csc, else in csr. It has the types of A, and indices that start at
 * 0. Each entry of A becomes one of C: zeros are kept, and duplicates are not added up. In a row of
 * C (csc: a column) entries are in the order of the rows of A (csc: of the columns), even if the
 * entries of A are not sorted. Entries at the same place keep their order. So C has sorted rows,
 * and transposing twice sorts the rows of A.
 *
 * A^T in the other format needs no transposition: the arrays of A in csr, read as those of a matrix
 * in csc, are A^T. ek_matrix_from_csc makes that matrix, even with borrowed arrays. In the same way
 * C in csr has the arrays of A in csc, so ek_matrix_convert(A, "csc") does the same work as this
 * function, but its result is A, not A^T.
 *
 * Accuracy: values are copied, so all bits are the same, even those of NaN, for any method, number
 * of threads and instruction set.
 *
 * Memory besides C: transpose.csr.serial and scan take a position for each column of A (csc: each
 * row) in each thread; transpose.csr.radix takes 2 bytes for each entry and, in each thread, about
 * the size of a core's cache; transpose.csr.blocks takes more than another C. If A is neither in
 * csr nor in csc, a copy of A in csr is needed as well. On a device, the plan of
 * transpose.csr.radix.gpu keeps A, and the pattern of C with the number of each of its entries in
 * A; making it takes another four numbers for each entry. hints.memory limits all this.
 *
 * Errors: EK_EINVAL (NULL; a plan for another operation; *C was not made by this plan, or has been
 * converted since), EK_ENOMEM. After an error *C is unchanged. Cost: O(nnz + rows + columns).
 * Thread safety: any number of threads may run one plan at the same time, each with its own *C.
 *
 * Source: Gustavson 1978; Wang, Liu, Hou, Feng 2016. */
ek_status ek_transpose(ek_plan *plan, ek_matrix **C);

/* Computes the Galerkin product C = alpha op(P)^T op(A) op(P), where all matrices are sparse. The
 * plan must be made for EK_TRIPLE, with P in hints.B; hints.op is the op of A, hints.op_b that of
 * P.
 *   A      square
 *   P      op(P) has as many rows as A
 *   *C     NULL, or a matrix that an earlier run of this plan made, as for ek_spgemm
 *
 * Result: C is square, with as many rows as op(P) has columns. It is in csr, or in csc if A and P
 * are both in csc, with indices that start at 0 and ascend strictly. It has an entry c_ij exactly
 * where there is a product p_ki a_kl p_lj of three stored entries. Entries whose value is 0 are
 * kept, even if alpha is 0. Duplicates in A and P are added up.
 *
 * Methods: triple.csr.fused makes C row by row, and stores no other product. triple.csr.left and
 * triple.csr.right multiply twice, (P^T A) P and P^T (A P). Their plans hold the first of the two
 * products, which is computed when the plan is made and in the first run after values changed. So
 * compare methods by the time of making a plan and one run, or by that of runs with new values. On
 * a device, triple.csr.left.gpu and triple.csr.right.gpu do the same; the first product stays in
 * its memory, except its row pointers. They were never timed on a GPU, so they are chosen only by
 * name; ek_plan_explain says so of other plans in a context with a GPU. Both products are done by
 * the same method of ek_spgemm on devices, and its rules hold for what is copied, for C, and if the
 * device fails.
 *
 * What is read: with alpha = 0 a run reads no values, but left and right have read them when the
 * plan was made. alpha is rounded to the value type of A.
 *
 * Accuracy: |error of c_ij| <= gamma(k + 2) |alpha| (|P|^T|A||P|)_ij, where k is the number of
 * products p a p that are added up (gamma as for ek_spmv; with duplicates, k counts the products of
 * each of them, and one more for each duplicate), barring underflow. For each method the bits are
 * the same for any number of threads, any instruction set and any memory limit, and for a new and
 * an existing C. Different methods add in different orders. Those on a device have the bits of left
 * and right if the device rounds each operation and keeps denormal numbers, and in any case the
 * same in each run; they are refused with EK_REPRO_STRICT.
 *
 * Memory: all methods hold a transposed copy of P, with the position of each value, and copies of A
 * and P as ek_spgemm makes them of B. fused takes sums for all columns of A and C for each thread;
 * if these would take more than twice the bytes of A, fewer threads work. left and right hold the
 * first product. hints.memory is a hard limit, as for ek_spgemm, also on what the device holds; but
 * how large the first product is shows when it is made, so a plan that is refused for it has taken
 * its memory for a moment.
 *
 * Errors: as for ek_spgemm; also EK_EINVAL if A is not square. EK_EOVERFLOW also if the first of
 * two products has more entries than hints.index can count. A run after new values may return
 * EK_ENOMEM. After an error *C is unchanged.
 *
 * Cost: O(products of P^T A + products of (P^T A) P). Thread safety: as for ek_spgemm.
 *
 * Source: Liu 2015, section 9.5.1 (the two orders); Gustavson 1978. */
ek_status ek_triple(ek_plan *plan, double alpha, ek_matrix **C);

/* Computes the values of a sparse result as a run of ek_spgemm, ek_spadd, ek_transpose or ek_triple
 * into an existing C does, but writes them to an array of the caller. So a program that has the
 * pattern of C in arrays of its own need not copy the values.
 *   plan    for one of these operations. Sums read alpha and beta, products with a D too, other
 *           products only alpha, and transpositions neither
 *   C       made by an earlier run of this plan. It gives the pattern, and stays as it is; its own
 *           values may be old
 *   count   number of entries of C
 *   val     room for count values of the type of C, aligned to it, on the host; must not overlap
 *           the arrays of A, B, D and C. The values are in the order of those of C: row by row, or
 *           column by column if C is in csc
 *
 * Result, what is read, accuracy and cost: as for that run, with the same bits. Errors: EK_EINVAL
 * (NULL; another plan made C, or it has been converted since; wrong count, overlap), EK_ENOMEM as
 * for that run. After an error val is unchanged, but for what ek_spgemm says of an existing C on a
 * device. Thread safety: any number of threads may run one plan at the same time, with the same C,
 * each with its own val. */
ek_status ek_result_values(ek_plan *plan, double alpha, double beta, const ek_matrix *C,
                           int64_t count, void *val);

/* ---- Aggregation ----------------------------------------------------------------------------
 *
 * What algebraic multigrid by smoothed aggregation needs besides products; examples/multigrid.c is
 * a complete solver. */

/* Options of aggregation; zero means the default. */
typedef struct ek_aggregation {
	size_t size;
	/* Threshold: entry a_ij off the diagonal is strong if it is not 0 and |a_ij| >= strength
	 * sqrt(|a_ii a_jj|). 0 means that all entries but zeros are strong. For anisotropic
	 * problems, 0.08 on the finest level is usual, and on each coarser level half as much as on
	 * the one before */
	double strength;
	double omega; /* damping of the smoother of ek_prolongator, below 2; 0 means 4/3 */
} ek_aggregation;

/* Makes T, the prolongator that is constant on each aggregate of rows of A. The strong neighbours
 * of a row are the columns of its strong entries. A row and its strong neighbours form an aggregate
 * if none of them belongs to one yet. The rows that are left join the aggregate of the strong
 * neighbour with the largest entry.
 *   A         square, in any format. Its pattern should be symmetric. Duplicates are added up
 *   options   may be NULL
 *   *T        as many rows as A, as many columns as there are aggregates, in csr, with the types of
 *             A. If row i of A belongs to aggregate j, row i of T has one entry, a 1 in column j.
 *             Rows of A without strong entries off the diagonal belong to no aggregate: these rows
 *             of T are empty, and a smoother must solve for them
 *
 * Each aggregate has two rows or more. Aggregates are numbered by their first rows, and do not
 * depend on threads.
 *
 * Errors: EK_EINVAL (A is not square; a diagonal entry is missing, 0 or not finite, and the message
 * names the first such row; an option is out of range; T is NULL), EK_ENOMEM. After an error *T is
 * unchanged. Cost: O(nnz + rows), on one thread except for the diagonal; copies as ek_spgemm makes
 * of B. Thread safety: A is only read.
 *
 * Source: Vanek, Mandel, Brezina 1996. */
ek_status ek_aggregate(const ek_matrix *A, const ek_aggregation *options, ek_matrix **T);

/* Makes the smoothed prolongator P = (I - w D^-1 F) T. T is that of ek_aggregate. F is A without
 * its weak entries, each added to the diagonal of its row; D is the diagonal of F. w is omega
 * divided by the largest sum of |f_ij| / |d_i| over a row, a bound on the eigenvalues of D^-1 F
 * (Gershgorin). If the entries of row i of A add up to 0, and all strong neighbours of the row have
 * aggregates, the entries of row i of P add up to 1.
 *   *P   as many rows and columns as T, in csr, with the types of A; indices start at 0 and ascend
 *        strictly. Row i has an entry for each aggregate of row i and its strong neighbours
 *
 * Accuracy: values are computed in f64 and rounded once to the type of A. The bits are the same for
 * any number of threads and any instruction set.
 *
 * Errors: as for ek_aggregate; also EK_EINVAL if a diagonal entry of F is 0 or not finite. After an
 * error *P is unchanged. Cost: that of ek_aggregate, and two passes over A on all threads. Thread
 * safety: A is only read.
 *
 * Source: Vanek, Mandel, Brezina 1996. */
ek_status ek_prolongator(const ek_matrix *A, const ek_aggregation *options, ek_matrix **P);

/* ---- Primitives on arrays -------------------------------------------------------------------
 *
 * Addition, reduction, scan, segmented scan and sum, compaction, sorting, merging, k-selection,
 * sets, heaps: the building blocks of sparse operations. For all of them:
 *   - Types: i32, i64, f32, f64, unless the function says otherwise. Arrays are aligned to their
 *     type; an array without elements may be NULL.
 *   - `out` may be the same array as `in` if the function says "in place"; other overlaps give
 *     EK_EINVAL.
 *   - Integers wrap around. Maximum and minimum are NaN if one of the values is NaN. The sign of a
 *     zero that is a sum, a maximum or a minimum depends on the method.
 *   - Keys are put in ascending order; floats in the total order of IEEE 754: -NaN, -inf, ..., -0,
 *     +0, ..., +inf, +NaN.
 *   - `options` may be NULL: then the library chooses the method. ek_method_next lists all methods;
 *     the environment variable EK_METHOD replaces NULL and "auto" for the operations that it names
 *     (ek_context_create).
 *   - Temporary memory comes from the context. Errors: EK_EINVAL, EK_EOVERFLOW (lengths beyond the
 *     address space), EK_ENOMEM, and those named at a function; a failing call leaves its outputs
 *     untouched.
 *   - Any number of threads may call these functions at the same time. Small arrays are handled by
 *     the calling thread alone.
 *   - On a device: methods whose names end in ".gpu" run on the context's device. With arrays of
 *     the host they are used only if they are named, since both copies take longer than the work;
 *     the call returns when the results are in the host's arrays. With arrays of the device
 *     (options->where) the library chooses among them, and the call returns as soon as the work is
 *     in the device's queue, unless a single result goes to the host. What the arrays contain is
 *     then not checked, as with EK_TRUSTED. Errors, in addition: EK_EDEVICE (the context has no
 *     device, or its driver failed), EK_EUNSUPPORTED (no method of the operation runs on a device,
 *     or the device has no f64).
 */

/* Numbers of basic operations that a heap has performed (Liu 2015, section 4.6). */
typedef struct ek_heap_counts {
	size_t size;           /* set to sizeof(ek_heap_counts) before the call */
	int64_t update_key;    /* reconstructions of the heap, from one node downwards or upwards */
	int64_t find_maxchild; /* searches for the largest of the children of a node */
	int64_t compare;       /* comparisons of a node with its parent or its largest child */
	int64_t swap;          /* moves of a key by one level */
	/* Which part of these it took to make heaps of keys in any order (heapify). Liu's numbers
	 * N_u, N_f, N_c and N_s are the differences. */
	int64_t heapify_update_key, heapify_find_maxchild, heapify_compare, heapify_swap;
} ek_heap_counts;

enum { EK_PARAMETERS_TEXT = 96 }; /* most bytes of a text with parameters, the final 0 included */

/* Options of a primitive. Set `size` to sizeof(ek_array_options) and the rest to zero, then change
 * what you need. */
typedef struct ek_array_options {
	size_t size;
	const char *method; /* as in ek_hints; with NULL or "auto" the library chooses */
	int threads;        /* maximum; 0 means the context's maximum; more gives EK_EINVAL */
	unsigned flags;     /* 0, or EK_TRUSTED to skip the check of segments and of indices */
	int64_t block;      /* entries in a block, for methods with blocks; 0 means their default */
	int arity;          /* children of a node of a heap, 2 to 1024; 0 means 8 */
	ek_heap_counts *counts; /* NULL, or where methods that use heaps store their counts */
	/* 0 if the arrays are in memory of the host, or EK_ON_DEVICE if all are in memory of the
	 * context's device (ek_device_alloc). Single results, such as that of ek_reduce, are
	 * always in memory of the host. */
	int where;
	/* NULL, or EK_PARAMETERS_TEXT bytes for the parameters that the method worked with, given
	 * ones and defaults, as ek_plan_parameters has them: "block=4096,overlap=0" */
	char *parameters;
} ek_array_options;

/* An associative operator with its identity. */
typedef enum ek_monoid {
	EK_SUM = 1,
	EK_MAX = 2, /* identity: the smallest number of the type, -inf for floats */
	EK_MIN = 3, /* identity: the largest number of the type, +inf for floats */
	EK_OR = 4   /* bitwise or, for integers only; identity: 0 */
} ek_monoid;

typedef enum ek_scan_kind {
	EK_INCLUSIVE = 1, /* out[i] = in[0] + ... + in[i] */
	EK_EXCLUSIVE = 2  /* out[i] = in[0] + ... + in[i - 1], out[0] = the identity */
} ek_scan_kind;

/* Computes out[i] = a[i] + b[i] for n numbers, the sum of two dense vectors. `out` may be the same
 * array as `a` or as `b`, in place; other overlaps of `out` give EK_EINVAL. `a` and `b` may
 * overlap. Each sum of floats is rounded once, so all methods give the same bits. No method runs on
 * a device. Cost: one read of both inputs and one write of n entries. Source: Liu 2015, Algorithms
 * 1 and 2. */
ek_status ek_array_add(ek_context *ctx, const ek_array_options *options, ek_value type, int64_t n,
                       const void *a, const void *b, void *out);

/* Computes *result = in[0] + ... + in[n - 1], or the identity if n = 0; + stands for any ek_monoid.
 * The bits of sums of floats depend on the method and on n, and for "reduce.simd" on the
 * instruction set, but not on the number of threads. |error| <= gamma(d) sum |in[i]|, where d is
 * the depth of the tree of additions: n - 1 for "reduce.serial", ceil(log2 n) for "reduce.tree",
 * 1040 for "reduce.simd", however large n is (gamma as for ek_spmv; Higham 2002, section 4.2). On a
 * device, "reduce.tree.gpu" has d = 12 ceil(log2 n / 12), and the call waits for the result.
 * Cost: one read of `in`. Source: Liu 2015, section 4.3.2. */
ek_status ek_reduce(ek_context *ctx, const ek_array_options *options, ek_value type, ek_monoid op,
                    int64_t n, const void *in, void *result);

/* Computes the scan (prefix sum) of n numbers, also in place.
 * "scan.blocked", the default, gives the same bits for any number of threads, but they depend on
 * `block` and on the instruction set. However large n is, its bound is
 * |error of out[i]| <= gamma(1040) sum_{j<=i} |in[j]|. "scan.serial", "scan.zhang" and
 * "scan.blelloch" have gamma(n - 1) instead of gamma(1040); the bits of the last two depend on the
 * number of threads. "scan.zhang:block=0" is that scan without blocks, which the paper compares it
 * with; "scan.zhang:overlap=1" adds the sums of segments while others are scanned, the paper's
 * order, with the same bits. "scan.tiles.gpu" has gamma(24 ceil(log2 n / 11)), and its bits depend
 * on n alone.
 * Cost: one read and one write of n entries, if blocks fit the caches; on a device one more read.
 * Source: Zhang 2012; Blelloch 1990; Liu 2015, section 4.4. */
ek_status ek_scan(ek_context *ctx, const ek_array_options *options, ek_value type, ek_monoid op,
                  ek_scan_kind kind, int64_t n, const void *in, void *out);

/* Segments of an array of n entries. They are given either by flags or by offsets; the other
 * pointer is NULL.
 *   flag    n bytes, not 0 where a segment begins; entry 0 always begins a segment
 *   offset  count + 1 positions, from 0 to n, non-decreasing, of type EK_INT32 or EK_INT64.
 *           Segment s is offset[s] .. offset[s + 1] - 1, and may be empty
 * Wrong offsets give EK_ERANGE, with the position in the message. Sums with flags also check that
 * `count` is the number of segments. EK_TRUSTED skips these checks; wrong segments are then
 * undefined behaviour. */
typedef struct ek_segments {
	size_t size; /* sizeof(ek_segments); the two functions below set it */
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

/* Computes the scan of each segment, also in place. If the segments are given by flags,
 * segments->count is not read.
 * Floats: |error of out[i]| <= gamma(k) times the sum of |in| from the beginning of the segment to
 * i, where k is the number of these terms. Bits may depend on the number of threads. On a device
 * they depend on n and the segments alone, and k is at most 24 ceil(log2 n / 11).
 * Cost: one read and one write of n entries, and one read of the flags or offsets; twice that for
 * "segscan.forward". "segscan.tiles.gpu" reads entries and flags twice, and writes flags first if
 * it is given offsets. Source: Liu 2015, Algorithm 11; Zhang 2012, section 4. */
ek_status ek_segmented_scan(ek_context *ctx, const ek_array_options *options, ek_value type,
                            ek_monoid op, ek_scan_kind kind, int64_t n, const void *in,
                            const ek_segments *segments, void *out);

/* Computes out[s], the sum of segment s, or 0 if the segment is empty. `out` has segments->count
 * entries. Not in place.
 * Floats: |error of out[s]| <= gamma(k) times the sum of |in| over the k entries of the segment.
 * "segsum.offset" is less accurate, since it takes differences of one long scan: its bound is (2
 * gamma(1040) + 4 u) times the sum of |in| from the beginning of the array. With it, small segments
 * after large ones lose all their digits, and after NaN or Inf all sums are NaN. The same holds for
 * "segsum.offset.gpu", with gamma(24 ceil(log2 n / 11)) in place of gamma(1040).
 * Cost: one read of n entries and of the flags or offsets, one write of segments->count sums. On a
 * device one more read, for "segsum.offset.gpu" also one write of n entries.
 * Source: Liu 2015, Algorithms 12 and 13; Blelloch, Heroux and Zagha 1993. */
ek_status ek_segmented_sum(ek_context *ctx, const ek_array_options *options, ek_value type,
                           int64_t n, const void *in, const ek_segments *segments, void *out);

/* Keys, each with a value of 4 or 8 bytes that moves with the key; value_size = 0 means keys
 * only. */
typedef struct ek_pairs {
	size_t size;       /* sizeof(ek_pairs); ek_key_value sets it */
	ek_value type;     /* type of the keys */
	size_t value_size; /* bytes of a value: 0, 4 or 8 */
	int64_t n;
	void *key, *value;
} ek_pairs;

EK_NOT_READ(4) EK_NOT_READ(5)
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

/* Eliminates pairs: copies those of the pairs in->key[i], in->value[i] whose flag[i] is not 0 to
 * the first *count places of `out`, in their order. Keys have any of the four types; what they
 * contain is not looked at, so their bits are kept. For a part of CSR, keys are the columns and
 * values are those of the entries. `out` has the types of `in`, and out->n, the number of pairs for
 * which it has space, is at least in->n. Not in place: what is written must not overlap anything
 * else. No method runs on a device. All methods give the same bits.
 * Cost: two reads of the flags, one of the pairs, and one write of those that are kept;
 * "compact.scan", as published, also writes, scans and reads 8 bytes a pair of temporary memory.
 * Source: Liu 2015, section 4.4.1, Algorithm 5. */
ek_status ek_compact(ek_context *ctx, const ek_array_options *options, const ek_pairs *in,
                     const uint8_t *flag, int64_t *count, const ek_pairs *out);

/* Sorts pairs by key, in place, ascending. Only "sort.serial" keeps the order of pairs with
 * equal keys. Cost: O(n log n) time and a copy of the pairs as temporary memory; the sorting
 * networks ("sort.bitonic", "sort.oddeven") take O(n log^2 n) time and no temporary memory. On a
 * device, "sort.merge.gpu" reads and writes all pairs 1 + log2(n / 2048) times (log2(n / 1024)
 * with keys and values of 8 bytes) and takes temporary memory of the same size, and the networks
 * have a launch for each step with a stride of at least as many pairs. No method on a device is
 * stable. Source: Liu 2015, section 4.5; Batcher 1968. */
ek_status ek_sort(ek_context *ctx, const ek_array_options *options, const ek_pairs *pairs);

/* Merges the sorted pairs of `a` and of `b` into `out`. One call does `batch` independent
 * merges. Merge k takes pairs k a->n .. (k + 1) a->n - 1 of `a` and the corresponding pairs of
 * `b`. It writes a->n + b->n pairs of `out`, beginning with pair k (a->n + b->n). `out` must
 * have space for batch (a->n + b->n) pairs and must not overlap `a` or `b`; out->n is not read.
 * Among pairs with equal keys, those of `a` come first, then those of `b`, each in their order,
 * except with the networks ("merge.bitonic", "merge.oddeven", "merge.simd" and, on a device,
 * "merge.bitonic.gpu", "merge.oddeven.gpu", "merge.advanced.gpu"). Inputs that are not sorted
 * give a meaningless result, but nothing outside `out` is written. Cost: one read and one write
 * of all pairs; the networks and "merge.ranking" take longer by a logarithmic factor. On a
 * device they have this cost in local memory, for merges of up to 1024 to 4096 pairs, depending
 * on their bytes. Source: Liu 2015, sections 4.5.4 to 4.5.6. */
ek_status ek_merge(ek_context *ctx, const ek_array_options *options, int64_t batch,
                   const ek_pairs *a, const ek_pairs *b, const ek_pairs *out);

/* Selects the k-th smallest number, 1 <= k <= length, of each of several lists. `in` holds `lists`
 * lists of `length` numbers, one after the other. kth[j] becomes the k-th smallest of list j. If
 * `smallest` is not NULL, the k smallest of list j are stored from smallest[j k] on, in any order;
 * equal numbers are interchangeable. `in` is not changed. k is not checked if there are no lists;
 * with lists of length 0 no k is valid (EK_EINVAL).
 * Cost: about one read of `in` (two with `smallest`) for the default; O(length log_d k) for each
 * list with heaps. "kselect.radix.gpu" reads `in` once for each byte of a number, and once or twice
 * more with `smallest`; "kselect.heap.gpu" and "kselect.adheap.gpu" are for comparison: O(length
 * log_d k) steps for each list, and a group of work-items for each.
 * Source: Liu 2015, section 4.6.3; Floyd and Rivest 1975. */
ek_status ek_kselect(ek_context *ctx, const ek_array_options *options, ek_value type, int64_t lists,
                     int64_t length, int64_t k, const void *in, void *kth, void *smallest);

/* Makes the context's device do again what it does for ad-heaps ("kselect.adheap.gpu"), with no
 * processor that takes part, so that the time of this half can be measured alone. Makes a heap of
 * the first k numbers of each list. Then, for the updates first[j] to first[j + 1] - 1 of list j,
 * finds and compares the largest child of each node on a path, and writes the bridge. Nodes are not
 * changed, so the caller says where each path goes. Bits 0 to 5 of path[u] are the number of levels
 * that the new key sinks; ceil(log2 arity) bits for each of these levels follow, which say at which
 * child the path goes on. A path that leaves the heap ends there.
 *   updates  entries of `path`; `first` has lists + 1 entries, and may be NULL if this is 0
 * options->counts gets the operations that were done; there is no other result. options->method is
 * not read. Arguments and errors are else those of ek_kselect; EK_EDEVICE without a device.
 * Source: Liu 2015, section 4.6.2, the simulator of the ad-heap. */
ek_status ek_adheap_replay(ek_context *ctx, const ek_array_options *options, ek_value type,
                           int64_t lists, int64_t length, int64_t k, const void *in,
                           int64_t updates, const int64_t *first, const int64_t *path);

/* Compute the union and the intersection of two sets of indices (EK_INT32 or EK_INT64), given as
 * strictly ascending arrays. The result, the first *count entries of `out`, ascends strictly too.
 * `out` must have space for a_n + b_n entries (union) or for the smaller of a_n and b_n
 * (intersection). Not in place. Inputs that do not ascend give a meaningless result, but nothing
 * beyond that space is written. Cost: one read of both sets and one write of the result; for the
 * intersection of sets of very different sizes O(small log large). */
ek_status ek_set_union(ek_context *ctx, const ek_array_options *options, ek_value type, int64_t a_n,
                       const void *a, int64_t b_n, const void *b, int64_t *count, void *out);
ek_status ek_set_intersection(ek_context *ctx, const ek_array_options *options, ek_value type,
                              int64_t a_n, const void *a, int64_t b_n, const void *b,
                              int64_t *count, void *out);

/* Compute the union and the intersection of two sets of pairs: the keys are sets as for
 * ek_set_union (EK_INT32 or EK_INT64, strictly ascending), and each key has a value of type
 * `value`, one of the four types of numbers. At a key that both sets contain, the value of the
 * result is a's value `op` b's value; all other values are copied. So `op` decides what becomes of
 * duplicates: EK_SUM adds sparse vectors. The result is the first *count pairs of `out`, whose keys
 * ascend strictly. out->n is the number of pairs for which `out` has space, at least a->n + b->n
 * (union) or the smaller of a->n and b->n (intersection). value_size must be that of `value` in all
 * three. `a` and `b` may be the same; `out` and `count` must not overlap anything else. Inputs
 * whose keys do not ascend give a meaningless result, but nothing beyond the space of `out` is
 * written.
 * Errors: as for all primitives. Bits: the same for all methods, any number of threads and any
 * instruction set. Cost: one read of both sets and one write of the result; if one set is much
 * smaller, an intersection costs O(small log large), and a union copies most of the large set.
 * Source: Bentley and Yao 1976, for sets of very different sizes. */
ek_status ek_pairs_union(ek_context *ctx, const ek_array_options *options, ek_value value,
                         ek_monoid op, const ek_pairs *a, const ek_pairs *b, int64_t *count,
                         const ek_pairs *out);
ek_status ek_pairs_intersection(ek_context *ctx, const ek_array_options *options, ek_value value,
                                ek_monoid op, const ek_pairs *a, const ek_pairs *b, int64_t *count,
                                const ek_pairs *out);

/* A max-heap in which every node has d children. It is an array without pointers. The children of a
 * node are stored side by side and aligned, so that SIMD instructions can find the largest. Nodes
 * are numbered 0 (the root, the largest key) to size - 1; the parent of node i is (i - 1) / d. Keys
 * may carry values of 4 or 8 bytes. Only one thread at a time may use a heap. Source: LaMarca and
 * Ladner 1996; Liu 2015, section 4.6, Algorithms 19 and 20. */
typedef struct ek_heap ek_heap;

/* Makes an empty heap; `arity` is d, 2 to 1024. The heap grows as needed; `capacity` is the number
 * of pairs for which memory is allocated in advance. The heap keeps its context alive. */
ek_status ek_heap_create(ek_context *ctx, ek_value key, size_t value_size, int arity,
                         int64_t capacity, ek_heap **heap);
void ek_heap_destroy(ek_heap *heap);
int64_t ek_heap_size(const ek_heap *heap); /* number of nodes */
/* Replaces the contents of a heap by n pairs (heapify), in O(n). `values` is not read if value_size
 * is 0. */
ek_status ek_heap_build(ek_heap *heap, int64_t n, const void *keys, const void *values);
/* Adds a pair to a heap, in O(log_d size). */
ek_status ek_heap_insert(ek_heap *heap, const void *key, const void *value);
/* Copies the pair of a node to `key` and `value`, either of which may be NULL. Errors: EK_ERANGE if
 * there is no such node. */
ek_status ek_heap_node(const ek_heap *heap, int64_t node, void *key, void *value);
/* Removes the root and stores its pair in `key` and `value`, either of which may be NULL. Errors:
 * EK_ERANGE if the heap is empty. Cost: O(d log_d size) steps, of which SIMD does d at a time. */
ek_status ek_heap_delete_max(ek_heap *heap, void *key, void *value);
/* Gives a node a new pair and restores the order of the heap. Errors: EK_ERANGE if there is no such
 * node. */
ek_status ek_heap_update_key(ek_heap *heap, int64_t node, const void *key, const void *value);
/* Fills in `counts` with the operations that the heap has performed since it was made. */
ek_status ek_heap_get_counts(const ek_heap *heap, ek_heap_counts *counts);

/* ---- Coordinates and compressed rows --------------------------------------------------------
 *
 * Conversions in arrays of the caller, mainly for arrays on a device; ek_matrix_from_coo makes a
 * matrix from coordinates on the host, and ek_matrix_convert converts one. These functions are
 * primitives, so all that "Primitives on arrays" says holds for them. In addition:
 *   - `index` gives the types as for matrices: row_ptr has that of row pointers, and row_idx and
 *     col_idx have that of columns. Values are f32 or f64.
 *   - Outputs must not overlap each other or the inputs.
 *   - Errors, in addition: EK_ERANGE (row_ptr, row_idx or col_idx in memory of the host, with the
 *     position in the message), EK_EOVERFLOW (sizes that do not fit `index`). EK_TRUSTED in
 *     options->flags skips the check; wrong indices are then undefined behaviour.
 */

/* Writes the row of each entry of a CSR matrix: coordinates are these rows with the columns and
 * values of the matrix as they are.
 *   row_ptr   rows + 1 row pointers, row_ptr[0] = 0, row_ptr[rows] = nnz, non-decreasing
 *   row_idx   gets nnz rows
 * On a device wrong row pointers give wrong rows, but nothing outside row_idx is written.
 * Cost: one read of row_ptr and one write of row_idx; on a device also a search for each entry
 * within the rows of its tile. */
ek_status ek_csr_to_coo(ek_context *ctx, const ek_array_options *options, ek_index index,
                        int64_t rows, const void *row_ptr, int64_t nnz, void *row_idx);

/* Makes CSR from coordinates, in any order: entry k is val[k] at (row_idx[k], col_idx[k]). The
 * result is sorted by row, then column. Entries at the same place are added in the order given, as
 * in ek_matrix_from_coo, so all methods give the same bits.
 *   row_ptr           gets rows + 1 row pointers
 *   out_col, out_val  space for nnz entries; the first *count of them are the result, and what
 *                     follows may be overwritten
 *   count             gets the number of entries of the result
 * Cost: O(nnz + rows + cols) on the processor, by one thread. On a device a radix sort, which moves
 * columns and numbers of entries once for each byte of a column, and then rows for each byte of a
 * row. Coordinates that are sorted already are not sorted again: that costs one more read. Entries
 * at one place are added by one work-item. A call with arrays of the device waits twice, for the
 * order and for *count. Source: Zagha and Blelloch 1991. */
ek_status ek_coo_to_csr(ek_context *ctx, const ek_array_options *options, ek_value value,
                        ek_index index, int64_t rows, int64_t cols, int64_t nnz,
                        const void *row_idx, const void *col_idx, const void *val, int64_t *count,
                        void *row_ptr, void *out_col, void *out_val);

/* ---- Sparse vectors --------------------------------------------------------------------------
 *
 * Level 1 of the Sparse BLAS: dot products, additions, gather and scatter. These functions are
 * primitives, so all that "Primitives on arrays" says holds for them. In addition:
 *   - Values are f32, f64, i32 or i64, and have the same type in all vectors of a call; indices are
 *     32 or 64 bits wide. Integers wrap around.
 *   - Indices must ascend strictly and lie in 0 .. n - 1. One pass over the indices checks this
 *     before anything is written: EK_ERANGE, with the position in the message. It takes about a
 *     quarter of the time of a gather. EK_TRUSTED in options->flags skips the check; wrong indices
 *     are then undefined behaviour.
 *   - An entry is an index with its value, even if the value is 0. Entries that are not stored are
 *     never multiplied or added: NaN or Inf in a dense vector has no effect where the sparse vector
 *     has no entry.
 *   - Dense vectors are those of ek_vector, as long as the sparse ones (rows = n), in memory of the
 *     host.
 *   - Factors are rounded to the type of the values. For integers they must be integers of that
 *     type (else EK_EINVAL). If a factor is 0, the values that it multiplies are not read and count
 *     as +0.
 *   - Outputs must not overlap each other or the inputs; inputs may overlap each other.
 *   - Of these functions, ek_sparse_add has methods on devices.
 *   - Errors: EK_EINVAL (NULL, wrong type or length, overlap, factor), EK_ERANGE (indices),
 *     EK_EOVERFLOW, EK_ENOMEM. A failing call writes no output.
 */

/* A view of a sparse vector; it owns nothing. */
typedef struct ek_sparse {
	size_t size;    /* sizeof(ek_sparse); ek_sparse_vector sets it */
	ek_value value; /* type of the values */
	ek_value index; /* type of the indices: EK_INT32 or EK_INT64 */
	int64_t n;      /* length of the vector */
	int64_t nnz;    /* number of entries */
	void *idx, *val;
} ek_sparse;

EK_NOT_READ(5) EK_NOT_READ(6)
static inline ek_sparse ek_sparse_vector(ek_value value, ek_value index, int64_t n, int64_t nnz,
                                         const void *idx, const void *val)
{
	ek_sparse v;
	v.size = sizeof v;
	v.value = value;
	v.index = index;
	v.n = n;
	v.nnz = nnz;
	v.idx = (void *)(uintptr_t)idx;
	v.val = (void *)(uintptr_t)val;
	return v;
}

/* Computes *result = x . y, the sum of x_i y_i over the entries of x. *result has the type of the
 * values.
 * Accuracy: |error| <= gamma(k) sum |x_i y_i|, where k is the number of entries of x (gamma as for
 * ek_spmv), barring underflow. Bits: "dot_dense.serial" adds the products in order.
 * "dot_dense.lanes" cuts x into pieces whose lengths depend on nnz only, adds product k of a piece
 * to sum k mod 16, adds these sums in pairs, and then those of the pieces in order. So neither
 * depends on the threads or on the instruction set.
 * Cost: one read of x, and of y at its entries. Source: Liu 2015, section 2.3.1. */
ek_status ek_sparse_dot_dense(ek_context *ctx, const ek_array_options *options, const ek_sparse *x,
                              const ek_dense *y, void *result);

/* Computes *result = x . y, the sum of x_i y_i over the indices at which both vectors have an
 * entry. x and y have the same length and the same types.
 * Accuracy: |error| <= gamma(k) sum |x_i y_i|, where k is the number of common indices. Bits:
 * "dot.serial" adds the products in ascending order of their indices, beginning with 0. The other
 * methods add pieces in this way, cut at places that depend on the two vectors only, and then the
 * sums of the pieces in order. So no method depends on the threads or on the instruction set.
 * Cost: one read of both vectors; O(small log large) if one has far fewer entries. Source: Liu
 * 2015, section 2.3.1 (the intersection of two sets). */
ek_status ek_sparse_dot(ek_context *ctx, const ek_array_options *options, const ek_sparse *x,
                        const ek_sparse *y, void *result);

/* Computes y = y + alpha x for a dense y. Only the entries of y at which x has an entry are read
 * and written. With alpha = 0 the values of x are not read and y is not changed.
 * Accuracy and bits: one multiplication and one addition for each entry, each rounded.
 * Cost: one read of x, one read and one write of y at its entries. Source: Liu 2015, section
 * 2.3.1. */
ek_status ek_sparse_axpy(ek_context *ctx, const ek_array_options *options, double alpha,
                         const ek_sparse *x, const ek_dense *y);

/* Gather: copy entries of the dense vector y to the values of x, x->val[k] = y[x->idx[k]]. The
 * indices of x are read, its values only written. ek_gather_zero also sets these entries of y to 0.
 * Bits are copied. Cost: one read of the indices and of y at these places, one write of the
 * values. Source: Dodson, Grimes and Lewis 1991 (GTHR, GTHRZ). */
ek_status ek_gather(ek_context *ctx, const ek_array_options *options, const ek_dense *y,
                    const ek_sparse *x);
ek_status ek_gather_zero(ek_context *ctx, const ek_array_options *options, const ek_dense *y,
                         const ek_sparse *x);

/* Scatter: copies the values of x to the dense vector y, y[x->idx[k]] = x->val[k]. Other entries of
 * y are neither read nor written. Cost: as for ek_gather. Source: Dodson, Grimes and Lewis 1991
 * (SCTR). */
ek_status ek_scatter(ek_context *ctx, const ek_array_options *options, const ek_sparse *x,
                     const ek_dense *y);

/* Computes z = alpha x + beta y, all three sparse. x, y and z have the same length and the same
 * types. z has an entry wherever x or y has one, even if its value or a factor is 0, and its
 * indices ascend.
 *   z      space for the result: z->nnz is the number of entries that fit, at least x->nnz + y->nnz
 *   count  gets the number of entries of the result, the first *count entries of z
 * Entries of z after the first *count may be overwritten.
 * Bits: one multiplication for each entry of x and of y, and one addition where both have an entry,
 * each rounded; so all methods give the same bits for any number of threads and any instruction set
 * (which NaN results from two is not promised).
 * Methods: "add.spa" works in tiles of a dense vector; options->block is the number of indices in a
 * tile (0: 4096). With a block of at least n indices it is the method as published, with memory for
 * a value at each index from the first to the last. "add.heap" uses options->arity and
 * options->counts. "add.bound" chooses by x->nnz + y->nnz as Liu does: up to 32 "add.heap", up to
 * 512 "add.esc", else "add.merge". The library itself chooses by predicted time.
 * On a device: "add.merge.gpu", the default there, "add.esc.gpu" and "add.heap.gpu", which has
 * heaps of up to 17 entries, one for each work-item, with 4 children for each node, and uses
 * neither arity nor counts. *count is always in memory of the host. So a call waits until the
 * number of entries is known; the rest of the work may still be in the queue when it returns.
 * Cost: one read of x and y, one write of z. Source: Liu 2015, chapter 7. */
ek_status ek_sparse_add(ek_context *ctx, const ek_array_options *options, double alpha,
                        const ek_sparse *x, double beta, const ek_sparse *y, int64_t *count,
                        const ek_sparse *z);

/* Computes y = alpha A x + beta y for a dense matrix A, a sparse x and a dense y.
 *   A   a block with x->n columns, row- or column-major, with any leading dimension. For the
 *       product with the transpose, give the same memory as a block of the other order
 *   y   as many entries as A has rows; must not overlap A or x
 * Columns of A in which x has no entry are not read. With alpha = 0, neither A nor the values of x
 * are read; with beta = 0, y is only written.
 * Accuracy: |error of y_i| <= gamma(k + 2) (|alpha| (|A||x|)_i + |beta||y_i|), where k is the
 * number of entries of x (gamma as for ek_spmv). Bits: the products of a row are added to 0 in the
 * order of the entries of x, each rounded; so all methods give the same bits for any number of
 * threads and any instruction set, and for both orders of A.
 * Methods: "gemvi.columns" adds up columns, for column-major A; "gemvi.rows" forms dot products of
 * rows, for row-major A. Both accept either order; the library chooses by the order.
 * Cost: one read of those columns of A in which x has an entry. Source: Liu 2015, section 2.3.2. */
ek_status ek_gemvi(ek_context *ctx, const ek_array_options *options, double alpha,
                   const ek_dense *A, const ek_sparse *x, double beta, const ek_dense *y);

/* Computes y = alpha op(A) x for sparse vectors x and y. The plan must be made for EK_SPMSPV, with
 * hints.op as the op of A. A may be in any format; those other than csr and csc are copied.
 * hints.format may be "csr" or "csc", and A is copied if it is in another.
 *   x      as long as op(A) has columns; indices ascend strictly (EK_ERANGE otherwise)
 *   y      as long as op(A) has rows; space for the result: y->nnz is the number of entries that
 *          fit. Must not overlap x or the arrays of A
 *   count  gets the number of entries of the result, the first *count entries of y
 * Values have the type of A, indices the width of the column indices of A (EK_INT64 for EK_I64,
 * else EK_INT32).
 *
 * Result: the indices of y ascend strictly. y has an entry exactly where a row of op(A) and x have
 * an entry in the same column, even if its value or alpha is 0. Entries of y after the first *count
 * may be overwritten.
 *
 * What is read: with alpha = 0, the values of A and x are not read, and those of y are +0. Entries
 * that are not stored are never multiplied. There is no beta: ek_sparse_add adds sparse vectors.
 *
 * Accuracy: |error of y_i| <= gamma(k + 2) |alpha| (|A||x|)_i, where k is the number of products
 * that are added up (gamma as for ek_spmv), barring underflow. Bits: the products of a row are
 * added to 0 one after the other, in the order of the columns, and the sum is multiplied by alpha.
 * So all methods give the same bits, for any number of threads and any instruction set.
 *
 * Methods: "spmspv.csr.switch" chooses between masked, spa and buckets for each x, by nnz(x) and
 * the number of products. ek_plan_explain says up to how many products it goes by columns.
 * "spmspv.csr.switch" keeps a transposed copy of A. "spmspv.csr.masked" and "spmspv.csr.intersect"
 * go by rows, "spmspv.csr.spa" and "spmspv.csr.buckets" by columns; they keep a transposed copy if
 * A is not stored that way. If only a few calls are expected (hints.calls), the library chooses a
 * method that makes no copy.
 *
 * Errors: EK_EINVAL (as above; y->nnz is too small: the message has the number that would do, and y
 * and *count are untouched), EK_ERANGE, EK_ENOMEM (new values, or more threads than before).
 *
 * Cost: by columns O(nnz(x) + products), where the products are the entries of A in the columns in
 * which x has an entry; by rows that of ek_spmv. Besides transposed copies a plan holds arrays as
 * long as x and y and, for buckets, arrays with room for all products of a run.
 *
 * Thread safety: any number of threads may run one plan at the same time, each with its own y.
 *
 * Source: Liu 2015, section 2.3.2; Azad and Buluc 2017 (buckets). */
ek_status ek_spmspv(ek_plan *plan, double alpha, const ek_sparse *x, int64_t *count,
                    const ek_sparse *y);

/* Says how many entries a result of ek_spmspv has; either pointer may be NULL. *most is an upper
 * bound: the number of products or, if that is smaller, of rows of op(A). Finding it takes one look
 * at each column of op(A) in which x has an entry. If the plan has op(A) by rows only, all entries
 * of A count in place of the products. *exact is the number itself; finding it takes as long as a
 * run. Only the indices of x are read. Errors as for ek_spmspv. */
ek_status ek_spmspv_size(ek_plan *plan, const ek_sparse *x, int64_t *most, int64_t *exact);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
