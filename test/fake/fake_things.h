/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of the fake share: the things that live in it, and its checks. */
#ifndef TEST_FAKE_THINGS_H
#define TEST_FAKE_THINGS_H

#include <pthread.h>
#include <stddef.h>

#include "fake/fake_cuda.h"
#include "gpu/cuda_api.h"

enum { INVALID_VALUE = 1, MEMORY_OUT = 2, INVALID_IMAGE = 200, INVALID_CONTEXT = 201 };
enum { INVALID_HANDLE = 400, NOT_FOUND = 500, UNKNOWN = 999 };
enum kind { CONTEXT = 1, STREAM, EVENT, MODULE, FUNCTION, MEMORY };
enum { DEPTH = 8 };

/* A thing that lives; what a handle points to. Memory has its address beside it. */
typedef struct thing {
	struct thing *next;
	enum kind kind;
	int device; /* whose context it belongs to */
	int count;  /* CONTEXT: retained; EVENT: recorded */
	char *data; /* MEMORY; MODULE: the image */
	size_t bytes;
	struct thing *module; /* FUNCTION */
	struct {              /* STREAM: a copy to the host that is still to be made */
		void *to;
		const void *from;
		size_t bytes;
	} copy;
	char name[64];
} thing;

#define DECLARE(name, parameters) int name parameters;
EKI_CUDA_FUNCTIONS(DECLARE)

extern struct fake_cuda fake_cuda;
extern pthread_mutex_t fake_lock;
extern thing *fake_things;
extern int fake_started;

/* Notes the first misuse; gives `error`. */
int fake_misuse(int error, const char *format, ...);
/* Is it this call's turn to fail? Then `error`, else 0. */
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
/* The current context; NULL, a misuse, if there is none. */
thing *fake_current(const char *call);
/* 0 if it is a handle of that kind, in the current context. */
int fake_check(const char *call, const void *handle, enum kind kind);
/* The same for a stream that gets more to do, or that is waited for: makes the copy it has. */
int fake_stream(const char *call, void *stream);

#endif
