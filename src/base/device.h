/* SPDX-License-Identifier: BSD-3-Clause
 * Functions that contexts, matrices and plans call for the context's device. src/gpu implements
 * them, or gpu/none.c in a build without devices. Part of base/base.h. */
#ifndef EK_BASE_DEVICE_H
#define EK_BASE_DEVICE_H

typedef struct eki_device eki_device; /* defined in gpu/gpu.h */

enum { /* backends on which a method can run, as bits */
       EKI_CPU = 1,
       EKI_OPENCL = 2,
       EKI_CUDA = 4
};

/* Opens the device called `name` as ctx->device, or no device if `name` is NULL or "cpu". The name
 * "cpu+NAME" opens NAME, and lets one call use the processor too (ctx->together). If the device
 * shares memory with the host, and the caller gave no allocation functions, the context allocates
 * from the device's heap from then on. */
ek_status eki_device_attach(ek_context *ctx, const char *name);
/* Closes the context's device, if there is one, and gives the context the library's own heap
 * again. */
void eki_device_detach(ek_context *ctx);
/* Waits until no command in the device's queue reads the context's heap. Must be called before the
 * host changes values in that heap. Does nothing if the device does not share memory with the
 * host. */
ek_status eki_device_settle(const ek_context *ctx);
/* Tells whether device pointers are addresses, which can be compared, and not handles. */
bool eki_device_addresses(const ek_context *ctx);
/* Returns the backend of the context's device, EKI_OPENCL or EKI_CUDA. Returns 0 if there is no
 * device, or if the device cannot compute with values of type `value`. */
unsigned eki_device_backend(const ek_context *ctx, ek_value value);
/* Tells whether the context has a device and this device is a processor. */
bool eki_device_is_processor(const ek_context *ctx);
/* Returns the name of the context's device, or "" if the context has none. */
const char *eki_device_name(const ek_context *ctx);
/* Waits until all commands in the device's queues are done, so that what follows can be timed. Does
 * nothing if there is no device. */
ek_status eki_device_finish(const ek_context *ctx);
/* Compiling by the thread that calls. As long as `may` is false, a program that is neither in
 * memory nor in the cache on disk is refused with EK_ELIMIT, and `refused` becomes true. `ns`
 * counts the nanoseconds that compiling took. */
typedef struct eki_compiling {
	bool may, refused;
	int64_t ns;
} eki_compiling;
/* Returns those of this thread. A thread begins with true, false and 0. */
eki_compiling *eki_device_compiling(void);
/* Writes a text that names driver, kind of memory and device, with a hash of these, of the
 * driver's version and of the number of compute units in front of the device: processors with 2 and
 * with 64 cores may have the same name. Writes "" if there is no device. */
void eki_device_identity(const ek_context *ctx, char *text, size_t size);

#endif
