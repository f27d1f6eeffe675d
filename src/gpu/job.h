/* SPDX-License-Identifier: BSD-3-Clause
 * Jobs: work on a device that no plan has prepared (job.c). */
#ifndef EK_GPU_JOB_H
#define EK_GPU_JOB_H

#include "gpu/gpu.h"

/* Work on a device: launches of kernels, with buffers that live until the job ends. A primitive on
 * arrays is a job; a run of a plan that needs temporary memory has one. The queue is in order, so a
 * buffer that one job gives back serves the next one at once, without a wait. */
typedef struct eki_job {
	eki_device *device;
	const struct eki_job_code *program; /* program of the next launches */
	struct eki_temporary *temporaries;  /* those that the job holds */
	int64_t bytes, most;                /* bytes of these now, and at most so far */
	bool frees; /* whether buffers that are given back are freed, not kept for other jobs */
} eki_job;

enum { EKI_JOB_LEAST = 1024 }; /* bytes of the smallest buffer */

void eki_job_begin(eki_device *, eki_job *job);
/* Begins a job of a step. Where hints.memory is a limit for its plan, nothing is kept for other
 * jobs. */
void eki_job_begin_for(const eki_step *step, eki_job *job);
/* Makes the kernels of `text` those of the next launches. `defines` is as for eki_program_get;
 * `text` must be a constant made by EKI_KERNEL_TEXT. The program lives as long as the device. */
ek_status eki_job_program(eki_job *, const char *name, const char *defines, const char *text);
/* Takes a buffer of `count` elements of `size` bytes in the device's memory, whose contents are
 * undefined. The buffer belongs to the job until eki_job_drop or eki_job_end. */
ek_status eki_job_buffer(eki_job *, int64_t count, size_t size, eki_buffer **out);
/* Sets *buffer to memory of the device for `bytes` bytes of a host array: the array itself if
 * device and host share it, which makes buffer->foreign true, else a buffer of the job. Copies
 * nothing. */
ek_status eki_job_place(eki_job *, const void *array, int64_t bytes, eki_buffer *buffer);
/* Gives a buffer back before the job ends. `buffer` may be NULL. */
void eki_job_drop(eki_job *, eki_buffer *buffer);
/* Puts a launch into the queue. Does nothing if `groups` is 0. Any number of threads may do so. */
ek_status eki_job_launch(eki_job *, const char *kernel, int64_t groups, int group_size,
                         const eki_arg *args, int count);
/* Gives the buffers back. Does not wait. */
void eki_job_end(eki_job *);
/* Frees what jobs have left for the next ones. */
void eki_jobs_free(eki_device *);
/* Frees the temporary buffers that no job uses. Tells whether there were any. */
bool eki_jobs_trim(eki_device *);

#endif
