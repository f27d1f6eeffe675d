/* SPDX-License-Identifier: BSD-3-Clause
 * Declarations that the files of the fake libcuda.so.1 share: live things and checks. */
#ifndef TEST_FAKE_THINGS_H
#define TEST_FAKE_THINGS_H

#include <pthread.h>
#include <stddef.h>

#include "fake/fake_cuda.h"
#include "gpu/cuda_api.h"

enum { INVALID_VALUE = 1, MEMORY_OUT = 2, INVALID_IMAGE = 200, INVALID_CONTEXT = 201 };
enum { INVALID_HANDLE = 400, NOT_FOUND = 500, ALREADY_PINNED = 712 };
enum { CAPTURE_INVALIDATED = 901, UNKNOWN = 999 };
enum kind { CONTEXT = 1, STREAM, EVENT, MODULE, FUNCTION, MEMORY, PINNED, GRAPH, EXECUTABLE };
enum { DEPTH = 8 };

/* A live thing, to which a handle points. Memory has no handle: its address is `data`. */
typedef struct thing {
	struct thing *next;
	enum kind kind;
	int device; /* number of the device to whose context the thing belongs */
	/* how often a CONTEXT was retained, or an EVENT was recorded; launches in a GRAPH, in an
	 * EXECUTABLE, or captured by a STREAM */
	int count;
	int capturing; /* whether a STREAM captures; negative if that has failed */
	char *data; /* the bytes of MEMORY, or the image of a MODULE */
	size_t bytes;
	void *pinned;         /* the host memory of PINNED */
	struct thing *module; /* the module of a FUNCTION */
	int local;            /* most dynamic shared memory of a FUNCTION, if it was set */
	struct {              /* pending copy to the host of a STREAM */
		void *to;
		const void *from;
		size_t bytes;
	} copy;
	char name[64];
} thing;

#define DECLARE(name, parameters) int name parameters;
EKI_CUDA_FUNCTIONS(DECLARE)
EKI_CUDA_GRAPHS(DECLARE)

extern struct fake_cuda fake_cuda;
extern pthread_mutex_t fake_lock;
extern thing *fake_things;
extern int fake_started;

/* Records the text of the first misuse. Returns `error`. */
int fake_misuse(int error, const char *format, ...);
/* Counts the call `name`. Returns `error` if it is this call's turn to fail, else 0. */
int fake_fails(const char *name, int error);
#define TURN(error)                                                          \
	do {                                                                 \
		if (fake_fails(__func__, (error)) != 0)                      \
			return (error);                                      \
		if (!fake_started)                                           \
			return fake_misuse(3, "%s before cuInit", __func__); \
	} while (0)

thing *fake_make(enum kind kind, int device);
void fake_destroy(thing *t);
/* Returns the current context. If there is none, records a misuse and returns NULL. */
thing *fake_current(const char *call);
/* Returns 0 if `handle` is live, has the given kind and belongs to the current context. Otherwise
 * records a misuse and returns an error. */
int fake_check(const char *call, const void *handle, enum kind kind);
/* Checks a handle as fake_check does, and destroys its thing. */
int fake_drop(const char *call, void *handle, enum kind kind);
/* Checks the handle of a stream as fake_check does, then makes the stream's pending copy to the
 * host. Called when the stream gets a command or is waited for. */
int fake_stream(const char *call, void *stream);
extern int fake_capturing; /* number of streams that capture */
/* fake_captures tells whether a stream captures; then fake_capture takes a command with that number
 * of launches, unless it is its turn to fail. */
int fake_captures(const char *call, const void *stream);
int fake_capture(void *stream, int launches);

#endif
