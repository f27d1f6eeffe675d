/* SPDX-License-Identifier: BSD-3-Clause
 * Devices: what runs kernels beside the processor. One text of a kernel (a .cl file behind
 * prelude.cl) is compiled at run time by the driver of the context's device; drivers are tables of
 * functions, filled by dlopen of the vendor's library, so that nothing of it is needed to build,
 * to start, or to run without a device.
 *
 *   device.c    the context's device, its name, what `ek list devices` tells
 *   memory.c    buffers, mirrors of host arrays, memory that both sides see
 *   program.c   compiled programs, kept in memory, and on disk by program_cache.c
 *   launch.c    what a plan on a device has, and the way of a run: vectors in, kernels, vectors out
 *   opencl.c    driver; cuda.c and nvrtc.c the other one
 *
 * A device has one queue, in order; contexts that want several open several. */
#ifndef EK_GPU_GPU_H
#define EK_GPU_GPU_H

#include <pthread.h>
#include <string.h>

#include "core/ek_core.h"

/* How an array that host and device use is held. */
typedef enum eki_memory {
	EKI_MEMORY_COPY = 1,   /* two copies, the device's in its own memory */
	EKI_MEMORY_MAPPED = 2, /* one, which one side at a time may touch: coarse-grained SVM */
	EKI_MEMORY_SHARED = 3 /* one, which both may touch: fine-grained SVM, CUDA managed memory */
} eki_memory;

/* Memory that kernels take. */
typedef struct eki_buffer {
	void *device; /* what the driver gives to kernels: a pointer, or an OpenCL buffer */
	void *host;   /* where the host finds it, or its copy; NULL: nowhere */
	int64_t bytes;
	eki_memory memory; /* COPY: `device` is memory of the device alone */
	bool foreign;      /* belongs to the caller, or to the heap of the context */
	bool mapped;       /* MAPPED: the host has it now */
} eki_buffer;

typedef struct eki_device eki_device;
typedef struct eki_driver eki_driver;
typedef struct eki_gpu eki_gpu;

/* An argument of a kernel, in the order of its parameters. */
typedef struct eki_arg {
	const eki_buffer *buffer; /* NULL: a number of `size` bytes */
	size_t size;
	union {
		int32_t i32;
		int64_t i64;
		float f32;
		double f64;
	} u;
} eki_arg;

static inline eki_arg eki_arg_buffer(const eki_buffer *b)
{
	return (eki_arg){.buffer = b};
}
static inline eki_arg eki_arg_i32(int32_t v)
{
	return (eki_arg){.size = sizeof v, .u.i32 = v};
}
static inline eki_arg eki_arg_i64(int64_t v) /* ek_i64 of the kernel */
{
	return (eki_arg){.size = sizeof v, .u.i64 = v};
}
static inline eki_arg eki_arg_val(ek_value value, double v) /* VAL of the kernel */
{
	return value == EK_F32 ? (eki_arg){.size = sizeof(float), .u.f32 = (float)v}
	                       : (eki_arg){.size = sizeof(double), .u.f64 = v};
}

/* What a driver does. Handles are its own. All may be called by several threads at once, apart
 * from those on one kernel. Errors are EK_EDEVICE, or EK_ENOMEM for memory of the device, with the
 * name of the call that failed and its code. When work in the queue has failed, launch, read, map
 * and wait fail from then on, in all threads. */
struct eki_driver {
	const char *name; /* "opencl": devices are "opencl:0", "opencl:1", ... */
	unsigned backend; /* EKI_OPENCL or EKI_CUDA */
	/* Loads the library, once, and counts devices. EK_EDEVICE says what is missing. */
	ek_status (*count)(int *count);
	ek_status (*info)(int k, ek_device_info *info); /* all but size, name and backend */
	/* Fills the rest of a device, which is zero but for ctx, driver, number, info, memory. */
	ek_status (*open)(eki_device *device);
	void (*close)(eki_device *device);

	/* bytes > 0. For EKI_MEMORY_COPY *host becomes NULL, else where the host sees it. */
	ek_status (*alloc)(eki_device *, eki_memory memory, int64_t bytes, void **device,
	                   void **host);
	void (*free)(eki_device *, eki_memory memory, void *device);
	/* Between a buffer's memory on the device and the host, COPY only; they return when the
	 * host's memory may be used again. */
	ek_status (*write)(eki_device *, const eki_buffer *to, int64_t offset, const void *from,
	                   int64_t bytes);
	ek_status (*read)(eki_device *, const eki_buffer *from, int64_t offset, void *to,
	                  int64_t bytes);
	/* From the beginning of one buffer to that of another, in order with the queue. */
	ek_status (*copy)(eki_device *, const eki_buffer *to, const eki_buffer *from,
	                  int64_t bytes);
	/* Zeros, in order with the queue. */
	ek_status (*clear)(eki_device *, const eki_buffer *buffer);
	/* MAPPED: hands the memory to the host, all before it in the queue being done, and back. */
	ek_status (*map)(eki_device *, eki_buffer *buffer);
	ek_status (*unmap)(eki_device *, eki_buffer *buffer);

	/* Compiles `text`, or takes `binary` (what save gave for the same device and text; NULL:
	 * none). `name` is for messages, which hold the compiler's. */
	ek_status (*build)(eki_device *, const char *name, const char *text, const void *binary,
	                   size_t bytes, void **program);
	/* All that decides, beside device and driver, what becomes of a text: the compiler's version
	 * and its options. */
	ek_status (*compiler)(eki_device *, char *text, size_t size);
	/* The compiled form, from eki_alloc; *bytes = 0 if there is none. */
	ek_status (*save)(eki_device *, void *program, void **binary, int64_t *bytes);
	void (*unload)(eki_device *, void *program);
	ek_status (*kernel)(eki_device *, void *program, const char *name, void **kernel);
	void (*drop)(eki_device *, void *kernel);
	/* Puts a launch into the queue: groups * group_size work-items, groups > 0. */
	ek_status (*launch)(eki_device *, void *kernel, int64_t groups, int group_size,
	                    const eki_arg *args, int count);
	ek_status (*flush)(eki_device *); /* starts what is in the queue */
	ek_status (*wait)(eki_device *);  /* all in the queue is done */
	/* Notes the time on the device, which = 0 or 1, in order with the queue; then, when 1 has
	 * passed, the seconds between. */
	ek_status (*mark)(eki_device *, int which);
	ek_status (*elapsed)(eki_device *, double *seconds);
};

extern const eki_driver eki_opencl, eki_cuda;

/* An open device, of one context. */
struct eki_device {
	const ek_context *ctx;
	const eki_driver *driver;
	int number;
	ek_device_info info;
	eki_memory memory;               /* of arrays that both sides use */
	void *own;                       /* the driver's */
	pthread_mutex_t lock, heap_lock; /* of mirrors and programs; of blocks */
	struct eki_mirror *mirrors;
	struct eki_block *blocks; /* shared memory that the context's heap handed out */
	struct eki_program *programs;
	_Atomic bool timing; /* the timer runs */
	struct {
		_Atomic int64_t to_device, from_device, launches, compiled, loaded;
	} counted;
};

/* ---- device.c -------------------------------------------------------------------------------- */

/* The device that `name` asks for, open; NULL for "cpu". */
ek_status eki_device_open(const ek_context *ctx, const char *name, int memory, eki_device **device);
/* Ends all of it but the struct itself, which lies in the default heap; NULL is fine. */
void eki_device_close(eki_device *device);
/* Nothing in the device's queue reads the heap of the context any more: before the host changes
 * values there. Without shared memory, nothing does. */
ek_status eki_device_settle(const ek_context *ctx);
/* Are pointers of the device addresses, which can be compared, and not handles? */
bool eki_device_addresses(const ek_context *ctx);
/* Can the context run a method: on the processor always, else if its device is of that kind. */
bool eki_can_run(const ek_context *ctx, const ek_method *method);
/* Is the device a processor? NULL is none. */
static inline bool eki_device_is_processor(const eki_device *device)
{
	return device && strcmp(device->info.kind, "cpu") == 0;
}
/* A buffer around what ek_device_alloc gave. */
eki_buffer eki_device_memory(const eki_device *device, const void *data, int64_t bytes);

/* ---- memory.c -------------------------------------------------------------------------------- */

/* Memory of the device; `both`: the host uses it too, by eki_buffer_host and eki_buffer_device
 * (then it is held as device->memory says, and with COPY there is a copy in host memory). */
ek_status eki_buffer_alloc(eki_device *, int64_t count, size_t size, bool both, eki_buffer *out);
void eki_buffer_free(eki_device *, eki_buffer *buffer);
/* Waits for the device, then buffer->host holds what it left there, and is the host's until
 * eki_buffer_device. With `SHARED` they cost a wait and nothing; with COPY, a copy each. */
ek_status eki_buffer_host(eki_device *, eki_buffer *buffer);
ek_status eki_buffer_device(eki_device *, eki_buffer *buffer);
/* From an array of the host to all of a buffer, and back. */
ek_status eki_buffer_write(eki_device *, const eki_buffer *to, const void *from, int64_t bytes);
ek_status eki_buffer_read(eki_device *, const eki_buffer *from, void *to, int64_t bytes);
/* A buffer around memory of the context's heap that both sides see, if `array` lies there. */
bool eki_buffer_around(eki_device *, const void *array, int64_t bytes, eki_buffer *out);
/* Heap of a context whose device shares memory: `options.alloc` is not the caller's. */
void *eki_shared_alloc(eki_device *, size_t bytes);
bool eki_shared_free(eki_device *, void *block); /* false: not one of these */
/* Forgets blocks that a caller kept: their memory goes with the driver's. */
void eki_shared_close(eki_device *);

/* A host array as the device sees it; one for all plans that use the same array. Shared memory is
 * not copied. `state`: of the values; an array whose state is another one is copied again. */
ek_status eki_mirror_get(eki_device *, const void *array, int64_t bytes, uint64_t state,
                         const eki_buffer **buffer);
ek_status eki_mirror_renew(eki_device *, const eki_buffer *buffer, uint64_t state);
void eki_mirror_put(eki_device *, const eki_buffer *buffer); /* one user less */

/* ---- program.c ------------------------------------------------------------------------------- */

/* The text of the .cl file beside a .c file, put into the library by the assembler. `name` becomes
 * a string that is visible in the library only. CMakeLists.txt lets X.c depend on X.cl. */
#ifndef EK_KERNEL_DIR
#define EK_KERNEL_DIR "src" /* the plain build runs in the root */
#endif
#define EKI_KERNEL_TEXT(name, file)                                 \
	__asm__(".pushsection .rodata\n"                            \
	        ".globl " #name "\n.hidden " #name "\n" #name ":\n" \
	        ".incbin \"" EK_KERNEL_DIR "/" file "\"\n"          \
	        ".byte 0\n.popsection\n");                          \
	extern const char name[]

/* The program of prelude.cl, `defines` (lines of "#define X y\n") and `text`, compiled, kept, or
 * found in the cache. It lives as long as the device. */
ek_status eki_program_get(eki_device *, const char *name, const char *defines, const char *text,
                          void **program);
void eki_programs_free(eki_device *);
/* The whole text, from eki_alloc, of *bytes bytes with the final 0. */
ek_status eki_program_text(const ek_context *, const char *defines, const char *text, char **full,
                           int64_t *bytes);
/* Two texts as one, likewise. */
ek_status eki_program_join(const ek_context *, const char *first, const char *second, char **joint,
                           int64_t *bytes);
/* Lines that define VAL, PTR and IDX. */
void eki_program_types(ek_value value, ek_index index, char *defines, size_t size);

/* ---- program_cache.c ------------------------------------------------------------------------- */

/* What the driver saved for this text, from eki_alloc; *binary stays as it is if there is nothing.
 */
void eki_cache_load(eki_device *, const char *text, void **binary, int64_t *bytes);
void eki_cache_store(eki_device *, const char *text, const void *binary, int64_t bytes);

/* ---- launch.c: methods on a device ----------------------------------------------------------- */

enum { EKI_GPU_BUFFERS = 24, EKI_GPU_KERNELS = 8 };

/* What a plan on a device holds, beside the state of the method; freed with the plan. */
struct eki_gpu {
	eki_device *device;
	void *program;
	void *scale;                             /* y = beta y */
	eki_buffer x, y;                         /* for vectors of the host */
	const eki_buffer *array[EKI_MAX_ARRAYS]; /* mirrors of the store's */
	eki_buffer buffer[EKI_GPU_BUFFERS];      /* of the method */
	void *kernel[EKI_GPU_KERNELS];
	int buffers, kernels;
	eki_transposed turned; /* op T: the transpose, in the method's format */
	bool turned_here;      /* it is freed with this, not with the plan's memory */
};

/* The first step of a prepare: op T becomes op N on a transposed copy, the program is built from
 * `defines`, which may be "", and `text`, room for vectors is made. Then plan->gpu is there. Where
 * `text` is NULL, or for another program, eki_gpu_program builds it later. */
ek_status eki_gpu_prepare(ek_plan *plan, const char *name, const char *defines, const char *text);
ek_status eki_gpu_program(ek_plan *plan, const char *name, const char *defines, const char *text);
/* Mirrors of all arrays of plan->store, in plan->gpu->array; the refresh that goes with it. */
ek_status eki_gpu_mirror(ek_plan *plan);
ek_status eki_gpu_refresh(ek_plan *plan);
/* Some of the arrays only: bit k for array k. */
ek_status eki_gpu_mirror_some(ek_plan *plan, unsigned arrays);
/* A buffer and a kernel of the plan. `from`: NULL, or what to copy into it. */
ek_status eki_gpu_buffer(ek_plan *plan, int64_t count, size_t size, bool both, const void *from,
                         eki_buffer **out);
ek_status eki_gpu_kernel(ek_plan *plan, const char *name, void **kernel);

/* A launch of the plan's program that is waited for, as preparations want it. */
ek_status eki_gpu_once(const ek_plan *plan, const char *name, int64_t groups, int group_size,
                       const eki_arg *args, int count);

/* The vectors of one run, as kernels take them. */
typedef struct eki_gpu_vectors {
	eki_buffer x, y;
	bool x_host, y_host; /* they came from the host: y goes back there */
} eki_gpu_vectors;
/* Start of a run: x, and y if beta is not 0, are on the device. */
ek_status eki_gpu_enter(const ek_plan *plan, const ek_args *args, eki_gpu_vectors *v);
ek_status eki_gpu_launch(const ek_plan *plan, void *kernel, int64_t groups, int group_size,
                         const eki_arg *args, int count);
/* Its end: y is where the caller wants it. With vectors of the device it may still be computed. */
ek_status eki_gpu_leave(const ek_plan *plan, const ek_args *args, const eki_gpu_vectors *v);
/* y = beta y on the device, within a run; and as a run, on the host if y lies there. */
ek_status eki_gpu_scale_there(const ek_plan *plan, double beta, const eki_buffer *y);
ek_status eki_gpu_scale(const ek_plan *plan, const ek_args *args);
/* y = y0, which lies on the same side, in order with the queue: before a run. */
ek_status eki_gpu_copy_y(const ek_plan *plan, const void *y0, const ek_args *args);
void eki_gpu_release(ek_plan *plan);
/* Bytes that the plan holds on the device, mirrors of the store included, and those of the transposed
 * store on the host. */
int64_t eki_gpu_bytes(const ek_plan *plan);
/* Predicted nanoseconds of a run on a device that moves `bytes` in `launches`, by kernels in which
 * work-items wait for each other. */
double eki_gpu_cost(const eki_features *f, double bytes, int launches);

/* Parameter k of the method, or `usual` where it was not given. */
static inline int64_t eki_gpu_param(const ek_plan *plan, int k, int64_t usual)
{
	return plan->param[k] ? plan->param[k] : usual;
}
/* EK_EINVAL if parameter k was given and is not a power of two. */
ek_status eki_gpu_power_of_two(const ek_plan *plan, int k);
/* EK_EUNSUPPORTED if a group of the method takes more local memory than the device has. */
ek_status eki_gpu_local(const ek_plan *plan, int64_t bytes);
/* Lanes for each of n things that share `entries`: as many as one has on average, rounded up to a
 * power of two; `least` and `most` are such powers. */
int eki_gpu_lanes(int64_t n, int64_t entries, int least, int most);

#define EKI_GPU          (EKI_OPENCL | EKI_CUDA)
#define EKI_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

#endif
