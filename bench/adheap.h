/* SPDX-License-Identifier: BSD-3-Clause
 * The simulator of the ad-heap for `ek bench kselect --model` (Liu 2015, section 4.6.2). A
 * selection is made in advance, by d-heaps on the processor, which tells how many operations there
 * are and in which nodes (adheap_trace.c). Then exactly that work is done again in parts, each of
 * which is timed alone: what the processor does (adheap_parts.c), and what the device does
 * (ek_adheap_replay). adheap_model.c enters the parts and computes the time of the whole,
 * adheap_show.c prints it.
 */
#ifndef EK_BENCH_ADHEAP_H
#define EK_BENCH_ADHEAP_H

#include "array.h"

/* Heaps of one arity, and all updates of the selection with them. */
struct adheap {
	int arity, bits; /* bits of a path that say which child is next */
	/* A heap has `room` places: a head, in which the bridge is, and k nodes on `levels`
	 * levels. */
	int64_t levels, head, room;
	ek_heap_counts counts; /* of the updates, without heapify */
	int64_t *path;         /* of each update, as ek_adheap_replay takes it ... */
	void *path_there;      /* ... and in the device's memory */
};

/* The updates of list j are first[j] to first[j + 1] - 1. The root of its heap before its update u
 * is root[j + u]. */
struct model {
	struct job *job;
	int64_t updates, *first;
	int32_t *root;
	void *first_there;
	int32_t *heaps; /* memory for a heap of each list, of any of the arities */
	struct adheap *heap;
	int arities, users; /* users: entrants that have not been released yet */
};

/* Fills in the shape of a heap. */
void adheap_shape(struct adheap *h, int arity, int64_t nodes);
/* Counts the updates, and allocates and fills `first` and `root`. */
void model_count(struct model *m);
/* Makes the selection with heaps of an arity, whose shape is known: allocates and fills `path`, and
 * counts. */
void model_trace(const struct model *m, struct adheap *h);
/* Return how many transactions of w words with global memory an update makes that goes through all
 * levels: those of an ad-heap, and those of a d-heap. */
int64_t adheap_transactions(int64_t levels, int64_t d, int64_t w);
int64_t dheap_transactions(int64_t levels, int64_t d, int64_t w);

/* The parts of the processor. Each does its work once with all threads of the job, and returns the
 * seconds, or -1 if it did other work than the selection. */
double model_compare(const struct model *m);
double model_cross(const struct model *m, const struct adheap *h);
double model_queue(const struct model *m);

/* Checks the options of kselect, and fills in the defaults of a model. */
void model_options(struct bench_options *o);
/* Adds the bytes of memory that the model of a case needs to job->need. */
void model_need(struct job *job);
void model_enter(struct field *f);
int model_finish(struct bench *bench, struct bench_case *c);
void model_end(const struct bench *bench, FILE *out);

#endif
