/* SPDX-License-Identifier: BSD-3-Clause
 * Recordings of runs that are repeated (record.c). */
#ifndef EK_GPU_RECORD_H
#define EK_GPU_RECORD_H

#include "plan/plan.h"

/* The arguments of a run, how often it was done, the number of its last run among all of the step,
 * and its recorded commands, or NULL. */
enum { EKI_RECORDED = 4 };
typedef struct eki_recorded {
	eki_dense x, y;
	int64_t width;
	eki_scalar alpha, beta;
	int64_t runs, last;
	int launches; /* among the commands */
	void *commands;
} eki_recorded;

/* Runs a step whose lock the caller holds, by its recorded commands if it has any for these
 * arguments. */
ek_status eki_gpu_repeat(const eki_step *step, eki_run *v);
void eki_gpu_forget(struct eki_gpu *g); /* erases all recordings */
/* What this thread records. Drivers count commands, run.c launches. */
typedef struct eki_recording_state {
	bool on;
	int commands, launches;
} eki_recording_state;
extern _Thread_local eki_recording_state eki_recording;
/* Fails while this thread records, without a message. */
ek_status eki_not_recording(void);

#endif
