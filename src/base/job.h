/* SPDX-License-Identifier: BSD-3-Clause
 * The jobs of the pool of threads: their parts, and the doors through which threads join. The idea
 * is in base/pool.c. */
#ifndef EK_BASE_JOB_H
#define EK_BASE_JOB_H

#include <semaphore.h>

#include "base/pool.h"

enum {
	EKI_WORKERS = 1023, /* most workers; each has a place in static memory */
	EKI_JOBS = 64,      /* most jobs at a time; further callers work alone */
	EKI_LOOKS = 16,     /* looks at a word between two looks at the clock */
	EKI_LINE = 128      /* bytes that processors fetch together */
};

/* The door of a job: how many may still join, how many are inside, and flags. */
#define EKI_ROOM   0x00000fffu
#define EKI_INSIDE 0x00fff000u
#define EKI_ONE_IN 0x00001000u
#define EKI_OPEN   0x01000000u
#define EKI_TAKEN  0x02000000u /* a caller uses the job */
#define EKI_SLEEPS 0x04000000u /* the caller sleeps until nobody is inside */

typedef struct eki_job {
	_Alignas(EKI_LINE) _Atomic uint32_t door;
	_Alignas(EKI_LINE) int threads; /* also the number of lanes */
	int parts;
	_Atomic int cpu;         /* the caller's processor, or -1 */
	_Atomic uint32_t number; /* counts the jobs that were at this place */
	eki_part_fn *fn;
	void *arg;
	sem_t empty;
	/* lane[w] counts those of the parts w, w + threads, ... that have begun. */
	_Alignas(EKI_LINE) _Atomic int lane[EKI_WORKERS + 1];
} eki_job;

extern eki_job eki_jobs[EKI_JOBS];
extern _Atomic int eki_jobs_used; /* the jobs from this number on were never used */

/* Takes a job that no caller uses, or returns NULL. */
eki_job *eki_job_take(void);
/* Opens the door of a job that was taken, for up to `room` other threads. */
void eki_job_open(eki_job *j, int room, int parts, eki_part_fn *fn, void *arg);
/* Enters a job. Returns false if its door is closed, or if there is no room. */
bool eki_job_enter(eki_job *j);
/* Takes the next part of a lane. Returns -1 if all have begun. */
int eki_job_own(eki_job *j, int lane);
/* Takes the lowest part that nobody has begun. Returns -1 if all have begun. */
int eki_job_lowest(eki_job *j);
void eki_job_close(eki_job *j);
void eki_job_leave(eki_job *j);
/* Waits until nobody is inside the job, whose door is closed, and gives the job back. */
void eki_job_wait(eki_job *j);

/* Sleeps until another thread posts. A signal may interrupt a thread, but does not end this. */
void eki_sleep_on(sem_t *s);
/* Returns the number of the processor that this thread runs on, or -1. */
int eki_this_cpu(void);

#endif
