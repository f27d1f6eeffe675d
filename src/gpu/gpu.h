/* SPDX-License-Identifier: BSD-3-Clause
 * Devices, such as GPUs, which run kernels in place of the processor. A kernel has one source text
 * for all drivers: prelude.cl followed by a .cl file. The driver of the context's device compiles
 * it at run time. A driver is a table of functions that call the vendor's library. That library is
 * loaded by dlopen, so nothing from the vendor is needed to build this library, to start it, or to
 * run it without a device.
 *
 *   device.c    the context's device: finding it by its name, opening and closing it
 *   memory.c    buffers, mirrors of host arrays, memory that host and device share (memory.h)
 *   blocks.c    finds the block of such memory that an address is in
 *   program.c   compiled programs, cached in memory, and on disk by program_cache.c
 *   job.c       work that no plan has prepared: kernels by name, and temporary buffers (job.h)
 *   launch.c    preparation of a step that runs on a device
 *   run.c       the course of a run: copying vectors in, launching kernels, copying y out
 *   record.c    runs that are repeated: their commands are recorded
 *   opencl.c    the OpenCL driver; cuda.c and nvrtc.c are the CUDA driver
 *
 * A device has one in-order queue and belongs to one context. An application that wants several
 * queues opens several contexts. Methods may put copies into a second queue, but finish or order
 * them before their runs return (`follow` in the table of functions). */
#ifndef EK_GPU_GPU_H
#define EK_GPU_GPU_H

#include <pthread.h>
#include <string.h>

#include "gpu/memory.h"
#include "gpu/record.h"

typedef struct eki_driver eki_driver;
typedef struct eki_gpu eki_gpu;

/* One argument of a kernel. Arrays of arguments are in the order of the kernel's parameters. */
typedef struct eki_arg {
	const eki_buffer *buffer; /* NULL if the argument is a number, which has `size` bytes */
	size_t size;
	bool local; /* `size` bytes of local memory for each group */
	union {
		int32_t i32;
		int64_t i64;
		float f32;
		double f64;
	} u;
} eki_arg;

/* Make an argument for a kernel parameter. The four functions are for the types pointer, int,
 * ek_i64 and VAL, in this order. */
static inline eki_arg eki_arg_buffer(const eki_buffer *b)
{
	return (eki_arg){.buffer = b};
}
static inline eki_arg eki_arg_i32(int32_t v)
{
	return (eki_arg){.size = sizeof v, .u.i32 = v};
}
static inline eki_arg eki_arg_i64(int64_t v)
{
	return (eki_arg){.size = sizeof v, .u.i64 = v};
}
static inline eki_arg eki_arg_val(ek_value value, eki_scalar v)
{
	return value == EK_F32     ? (eki_arg){.size = sizeof(float), .u.f32 = (float)v.re}
	       : value == EK_F64   ? (eki_arg){.size = sizeof(double), .u.f64 = v.re}
	       : value == EK_INT32 ? eki_arg_i32((int32_t)v.re)
	                           : eki_arg_i64((int64_t)v.re);
}
/* Makes the argument for EK_LOCAL_PARAMETER, of which a kernel has at most one: `bytes` bytes of
 * local memory for each group. Unlike arrays that a kernel declares, it may be as large as
 * info.local_most minus these arrays. */
static inline eki_arg eki_arg_local(int64_t bytes)
{
	return (eki_arg){.size = (size_t)bytes, .local = true};
}

/* The functions of a driver. Handles that it returns as void * are opaque to all other code.
 * Several threads may call these functions at once, but not with the same kernel. A function that
 * fails returns EK_EDEVICE, or EK_ENOMEM if the device has too little memory. The message has the
 * name and the error code of the call that failed. Once work in the queue has failed, the functions
 * launch, read, map and wait fail in all threads. */
struct eki_driver {
	const char *name; /* name of the driver; devices of "opencl" are "opencl:0", ... */
	unsigned backend; /* EKI_OPENCL or EKI_CUDA */
	/* Counts the devices. The first call loads the vendor's library. If that fails, returns
	 * EK_EDEVICE; the message says what is missing. */
	ek_status (*count)(int *count);
	/* Describes device k: fills in all members of *info except size and name. */
	ek_status (*info)(int k, ek_device_info *info);
	/* Opens a device and sets device->own. The members ctx, driver, number, info and memory are
	 * already set. */
	ek_status (*open)(eki_device *device);
	void (*close)(eki_device *device);

	/* Allocates memory; `bytes` must be greater than 0. Sets *device to the handle that kernels
	 * take, and *host to the host address, or to NULL for EKI_MEMORY_COPY. */
	ek_status (*alloc)(eki_device *, eki_memory memory, int64_t bytes, void **device,
	                   void **host);
	void (*free)(eki_device *, eki_memory memory, void *device);
	/* Copy between host memory and a buffer of kind EKI_MEMORY_COPY. Both functions return when
	 * the host memory may be used again. */
	ek_status (*write)(eki_device *, const eki_buffer *to, int64_t offset, const void *from,
	                   int64_t bytes);
	ek_status (*read)(eki_device *, const eki_buffer *from, int64_t offset, void *to,
	                  int64_t bytes);
	/* Put copies between host memory and a buffer of kind EKI_MEMORY_COPY into a second queue,
	 * which is in order, too, but runs beside the queue of all other commands. Both functions
	 * may return before the copy is done: until `wait` has returned, the host memory must stay
	 * as it is (send) or is not to be read (fetch). `follow` makes later commands of one queue
	 * wait for all earlier commands of the other; those that wait are copies if `copies` is
	 * true. Unless `beside` is true, what happens is undefined if one queue changes a buffer
	 * while the other uses it, even other bytes of it. */
	bool beside;
	ek_status (*send)(eki_device *, const eki_buffer *to, int64_t offset, const void *from,
	                  int64_t bytes);
	ek_status (*fetch)(eki_device *, const eki_buffer *from, int64_t offset, void *to,
	                   int64_t bytes);
	ek_status (*follow)(eki_device *, bool copies);
	/* `pin` keeps host memory in place, where that lets the host go on while the memory is
	 * copied. It fails if the memory is pinned already, or if it cannot be; copies from it are
	 * then correct, but may block. NULL if the driver needs no pinned memory. */
	ek_status (*pin)(eki_device *, void *host, int64_t bytes);
	void (*unpin)(eki_device *, void *host);
	/* Copies from one buffer to another, as a command in the queue. */
	ek_status (*copy)(eki_device *, const eki_buffer *to, int64_t to_offset,
	                  const eki_buffer *from, int64_t from_offset, int64_t bytes);
	/* Fills a buffer with zeros, as a command in the queue. */
	ek_status (*clear)(eki_device *, const eki_buffer *buffer);
	/* `map` waits until all earlier work in the queue is done, and then maps a buffer of kind
	 * EKI_MEMORY_MAPPED to the host. `unmap` ends the mapping. */
	ek_status (*map)(eki_device *, eki_buffer *buffer);
	ek_status (*unmap)(eki_device *, eki_buffer *buffer);

	/* Compiles `text`. If `binary` is not NULL, loads it instead; `save` must have returned it
	 * for the same device and text. Error messages contain `name` and quote the compiler's
	 * messages. */
	ek_status (*build)(eki_device *, const char *name, const char *text, const void *binary,
	                   size_t bytes, void **program);
	/* Writes the compiler's version and options to `text`. Like the device and its driver, they
	 * affect how a program is compiled. */
	ek_status (*compiler)(eki_device *, char *text, size_t size);
	/* Sets *binary to the compiled form of a program, allocated by eki_alloc. If there is none,
	 * sets *bytes to 0. */
	ek_status (*save)(eki_device *, void *program, void **binary, int64_t *bytes);
	void (*unload)(eki_device *, void *program);
	ek_status (*kernel)(eki_device *, void *program, const char *name, void **kernel);
	void (*drop)(eki_device *, void *kernel);
	/* Puts a launch of groups * group_size work-items into the queue. `groups` must be greater
	 * than 0. */
	ek_status (*launch)(eki_device *, void *kernel, int64_t groups, int group_size,
	                    const eki_arg *args, int count);
	/* `record` starts a recording: until `recorded`, this thread's launches, copies and clears
	 * go into it instead of the queue, and its calls of functions that wait, copy to or from
	 * the host, allocate or compile fail. `recorded` sets *commands to NULL if it fails.
	 * `replay` puts all commands of a recording into the queue; `erase` may be called before
	 * they are done. The buffers that they use must live longer. NULL if the driver has no
	 * recordings. */
	ek_status (*record)(eki_device *);
	ek_status (*recorded)(eki_device *, void **commands);
	ek_status (*replay)(eki_device *, void *commands);
	void (*erase)(eki_device *, void *commands);
	ek_status (*flush)(eki_device *); /* starts the work in both queues */
	ek_status (*wait)(eki_device *);  /* waits until all work in both queues is done */
	/* `mark` takes time stamp `which`, 0 or 1, from the device's clock when the queue reaches
	 * this point. `elapsed` waits for time stamp 1 and returns the seconds between the two time
	 * stamps. */
	ek_status (*mark)(eki_device *, int which);
	ek_status (*elapsed)(eki_device *, double *seconds);
};

extern const eki_driver eki_opencl, eki_cuda;

/* An open device, which belongs to one context. */
struct eki_device {
	const ek_context *ctx;
	const eki_driver *driver;
	int number;
	ek_device_info info;
	eki_memory memory;               /* kind of memory for arrays used by host and device */
	void *own;                       /* the driver's own data */
	pthread_mutex_t lock, heap_lock; /* `lock` for mirrors and programs, heap_lock for blocks */
	struct eki_mirror *mirrors;
	struct eki_block *blocks; /* blocks that the context's shared heap has handed out */
	struct eki_program *programs;
	struct eki_job_code *job_programs; /* programs and kernels of jobs; guarded by `lock` */
	struct eki_temporary *temporaries; /* temporary buffers, in use or not; guarded by `lock` */
	pthread_mutex_t launch_lock;       /* held while arguments are set for kernels of jobs */
	_Atomic bool timing;               /* true while the timer is running */
	struct {
		_Atomic int64_t to_device, from_device, launches, compiled, loaded;
	} counted;
};

/* ---- device.c -------------------------------------------------------------------------------- */

/* Returns a buffer that describes memory from ek_device_alloc. */
eki_buffer eki_device_memory(const eki_device *device, const void *data, int64_t bytes);

/* ---- program.c ------------------------------------------------------------------------------- */

/* Embeds the text of a .cl file as the string `name`, which is visible only inside the library. The
 * assembler reads the file (.incbin), so compilers do not report it as a dependency. CMakeLists.txt
 * therefore makes X.c depend on X.cl. */
#ifndef EK_KERNEL_DIR
#define EK_KERNEL_DIR "src" /* without CMake, `make` runs in the root folder */
#endif
#define EKI_KERNEL_TEXT(name, file)                                 \
	__asm__(".pushsection .rodata\n"                            \
	        ".globl " #name "\n.hidden " #name "\n" #name ":\n" \
	        ".incbin \"" EK_KERNEL_DIR "/" file "\"\n"          \
	        ".byte 0\n.popsection\n");                          \
	extern const char name[]

/* A line of `defines` by which EK_SYSTEM_READ and EK_SYSTEM_SET of the program order accesses of
 * device and host in memory of kind EKI_MEMORY_ATOMIC. Only for devices with info.atomics. */
#define EKI_HOST_ATOMICS "#define EK_HOST_ATOMICS 1\n"

/* Gets the program whose text is `defines` (lines of "#define X y\n"), prelude.cl and `text`. Takes
 * the program from memory or from the cache on disk, or compiles it if it is in neither. The
 * program lives as long as the device. */
ek_status eki_program_get(eki_device *, const char *name, const char *defines, const char *text,
                          void **program);
void eki_programs_free(eki_device *);
/* Returns the whole text of a program, allocated by eki_alloc. *bytes includes the final 0. */
ek_status eki_program_text(const ek_context *, const char *defines, const char *text, char **full,
                           int64_t *bytes);
/* Joins two texts into one, allocated by eki_alloc. *bytes includes the final 0. */
ek_status eki_program_join(const ek_context *, const char *first, const char *second, char **joint,
                           int64_t *bytes);
/* Writes the "#define" lines for VAL, PTR and IDX to `defines`. */
void eki_program_types(ek_value value, ek_index index, char *defines, size_t size);

/* ---- program_cache.c ------------------------------------------------------------------------- */

/* Loads the binary that eki_cache_store saved for this text, into memory from eki_alloc. If there
 * is no such binary, leaves *binary unchanged. */
void eki_cache_load(eki_device *, const char *text, void **binary, int64_t *bytes);
/* Saves the binary of a program that was compiled from this text. */
void eki_cache_store(eki_device *, const char *text, void *program);

/* ---- launch.c, run.c: methods on a device --------------------------------------------------- */

/* Lists of the buffers and of the kernels of a step. */
typedef struct eki_gpu_buffers {
	eki_buffer buffer;
	struct eki_gpu_buffers *next;
} eki_gpu_buffers;
typedef struct eki_gpu_kernels {
	void *kernel;
	struct eki_gpu_kernels *next;
} eki_gpu_kernels;
typedef struct eki_gpu_pinned {
	void *host;
	struct eki_gpu_pinned *next;
} eki_gpu_pinned;

/* Data of a step that runs on a device, in addition to the method's own state. It is freed with the
 * plan. */
struct eki_gpu {
	eki_device *device;
	/* Lock that each run holds, since there is only one set of kernel arguments and buffers. */
	pthread_mutex_t lock;
	void *program;
	void *scale;                             /* kernel that computes y = beta y */
	eki_buffer x, y;                         /* device copies of the host's vectors or blocks */
	const eki_buffer *array[EKI_MAX_ARRAYS]; /* mirrors of the arrays of step->in[0] */
	/* mirrors of the arrays of all operands, for methods on several matrices, or the arrays
	 * themselves if only the device has them */
	const eki_buffer *operand[EKI_MAX_MATRICES][EKI_MAX_ARRAYS];
	eki_gpu_buffers *buffers;
	eki_gpu_kernels *kernels;
	eki_gpu_pinned *pinned;
	eki_transposed transposed; /* transposed copy for op T, in the method's format */
	bool transposed_here;      /* true if eki_gpu_release frees `transposed` */
	eki_recorded recorded[EKI_RECORDED];
	int64_t runs, attempts, replays; /* of the step, of recording it, of recorded runs */
	bool unrecorded;                 /* true if no runs are to be recorded any more */
	uint64_t values;                 /* the state of the values, as recordings know them */
};

/* Returns the number of columns of the step's buffers for blocks. Wider blocks on the host go
 * through these buffers piece by piece, so that the buffers stay small. */
static inline int64_t eki_gpu_width(const eki_step *step)
{
	enum { MOST = 32 };

	return step->problem->width < MOST ? step->problem->width : MOST;
}

/* Sets step->gpu, and checks that the device can compute with the values. eki_gpu_prepare does this
 * first; methods without vectors call only this function. */
ek_status eki_gpu_open(eki_step *step);
/* Does the first part of a method's preparation. Sets step->gpu, replaces op T by op N on a
 * transposed copy, builds the program from `defines` (may be "") and `text`, and allocates buffers
 * for x and y. A child of a step on the device uses its parent's buffers instead, so the parent
 * must set run->there. If `text` is NULL, or if the method needs another program, it calls
 * eki_gpu_program later. */
ek_status eki_gpu_prepare(eki_step *step, const char *name, const char *defines, const char *text);
/* Does the same but leaves A and op T as they are, for kernels that do both ops with one store. */
ek_status eki_gpu_prepare_as_is(eki_step *step, const char *name, const char *defines,
                                const char *text);
ek_status eki_gpu_program(eki_step *step, const char *name, const char *defines, const char *text);
/* eki_gpu_mirror makes mirrors of all arrays of step->in[0] and stores them in step->gpu->array.
 * eki_gpu_refresh copies changed values into these mirrors. */
ek_status eki_gpu_mirror(eki_step *step);
ek_status eki_gpu_refresh(eki_step *step);
/* Makes mirrors of some arrays only: array k gets a mirror if bit k of `arrays` is set. */
ek_status eki_gpu_mirror_some(eki_step *step, uint64_t arrays);
/* eki_gpu_mirror_operands makes mirrors of all arrays of all operands, in step->gpu->operand, and
 * eki_gpu_mirror_operand of those of operand m. eki_gpu_refresh_operands copies changed values into
 * them. */
ek_status eki_gpu_mirror_operands(eki_step *step);
ek_status eki_gpu_mirror_operand(eki_step *step, int m);
ek_status eki_gpu_refresh_operands(eki_step *step);
/* Tells whether step->gpu->operand[m][k] is a mirror. */
static inline bool eki_gpu_mirrors(const eki_step *step, int m, int k)
{
	return step->gpu->operand[m][k] && !(step->in[m]->there && step->in[m]->there[k]);
}
/* Make a buffer and a kernel, which are freed with the plan. `from` points to the initial contents
 * of the buffer; if it is NULL, the buffer is left uninitialised. */
ek_status eki_gpu_buffer(eki_step *step, int64_t count, size_t size, bool both, const void *from,
                         eki_buffer **out);
ek_status eki_gpu_kernel(eki_step *step, const char *name, void **kernel);
/* Pins host memory that the step's runs copy and that lives longer than the plan's steps, if the
 * driver has a use for that and can do it. The memory is unpinned with the plan. */
ek_status eki_gpu_pin(eki_step *step, void *host, int64_t bytes);

/* Launches a kernel of the step's program once and waits until the kernel is done. Meant for use
 * during preparation. */
ek_status eki_gpu_once(const eki_step *step, const char *name, int64_t groups, int group_size,
                       const eki_arg *args, int count);

/* The vectors of one run, in the form that kernels take. */
typedef struct eki_gpu_vectors {
	eki_buffer x, y;
	bool x_host, y_host; /* whether x and y are on the host; if y is, it is copied back */
	/* Positions of the first entries of x and y in their buffers, for methods that multiply
	 * blocks; 0 for others. */
	int64_t x_at, y_at;
} eki_gpu_vectors;
/* Starts a run: copies x from the host to the device where needed, and y too unless beta is 0. If
 * the parent of the step has already done so, this only returns the parent's vectors, and
 * eki_gpu_leave does nothing. */
ek_status eki_gpu_enter(const eki_step *step, const eki_run *v, eki_gpu_vectors *on);
ek_status eki_gpu_launch(const eki_step *step, void *kernel, int64_t groups, int group_size,
                         const eki_arg *args, int count);
/* Ends a run: copies y back if it is on the host. If y is on the device, the device may still be
 * computing it. */
ek_status eki_gpu_leave(const eki_step *step, const eki_run *v, const eki_gpu_vectors *on);
/* Launches the kernel that computes y = beta y, as part of a run. */
ek_status eki_gpu_scale_there(const eki_step *step, eki_scalar beta, const eki_buffer *y);
/* Predicts the time, in nanoseconds, of a run on a device that moves `bytes` bytes in `launches`
 * launches of kernels with barriers. */
double eki_gpu_cost(const eki_features *f, double bytes, int launches);
/* Predicts the time of one launch of a kernel without barriers, on a processor that serves as the
 * device. */
double eki_gpu_loop_cost(const eki_features *f, double bytes);
/* Predicts the time of a run with a format other than CSR. `least`: the bytes of the format divided
 * by those of CSR, used while the matrix is not in the format. `slow`: the time of a run divided by
 * that of a copy of as many bytes, from the speeds in bench/results/2026-11-22-devices-h100.md.
 * `chain`: the number of entries that one lane multiplies one after the other. On that device, no
 * format was faster than spmv.csr.classes.gpu. So where few matrices were measured, the numbers are
 * such that least * slow exceeds 1, and the format is not chosen. */
double eki_gpu_format_cost(const eki_features *f, double least, double slow, int launches,
                           double chain);

/* Returns parameter k of the method, or `usual` if it was not given. */
static inline int64_t eki_gpu_param(const eki_step *step, int k, int64_t usual)
{
	return step->param[k] ? step->param[k] : usual;
}
/* Returns EK_EINVAL if parameter k was given and is not a power of two. */
ek_status eki_gpu_power_of_two(const eki_step *step, int k);
/* Returns EK_EUNSUPPORTED if `bytes`, the local memory that a work-group needs, is more than the
 * device has. */
ek_status eki_gpu_local(const eki_step *step, int64_t bytes);
/* Does the same where most of these bytes are given by the launch (eki_arg_local). */
ek_status eki_gpu_local_most(const eki_step *step, int64_t bytes);
/* Returns the number of lanes to use for each of n parts that have `entries` entries in all. It is
 * the average number of entries of a part, rounded up to a power of two, but at least `least` and
 * at most `most`, which are powers of two. */
int eki_gpu_lanes(int64_t n, int64_t entries, int least, int most);

#define EKI_GPU          (EKI_OPENCL | EKI_CUDA)
#define EKI_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

#endif
