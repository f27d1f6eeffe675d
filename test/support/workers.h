/* SPDX-License-Identifier: BSD-3-Clause
 * Calls by several threads at the same time. The threads only count faults, because cmocka's checks
 * are for the main thread alone. */
#ifndef TEST_WORKERS_H
#define TEST_WORKERS_H

enum { WORKERS = 4 };

/* Calls work(0), work(1), ..., each in one of `count` threads (at most WORKERS), waits for all, and
 * stops the test if one of them counted a fault. */
void run_workers(int count, void (*work)(int number));
/* Counts a fault, and prints `what`, with the library's message, if it is the first. */
void worker_fault(const char *what);
void worker_faults_clear(void);
void worker_faults_none(void); /* stops the test if there was a fault */

#endif
