/* SPDX-License-Identifier: BSD-3-Clause
 * One case and all who are timed on it: bench_array_enter.c prepares and checks them, bench_array.c
 * lines them up and writes the records. */
#ifndef EK_BENCH_ARRAY_FIELD_H
#define EK_BENCH_ARRAY_FIELD_H

#include "bench_array.h"

#define MAX_CONTENDER 128

struct array_contender {
	struct array_record record;
	struct array_job *job;
	ek_array_options options; /* ours */
	const ek_array_peer *peer;
	void *state; /* of the peer */
	struct copy_probe copy;
	struct read_probe read;
	bool hidden; /* runs only as the unit of the others */
};

struct array_field {
	struct array_bench *bench;
	struct array_job *job;
	struct array_contender contender[MAX_CONTENDER];
	struct candidate candidate[MAX_CONTENDER];
	struct array_contender *of[MAX_CONTENDER]; /* of[k] is behind candidate[k] */
	int contenders, candidates;
	int serial, bound; /* candidates; -1: none */
};

/* Prepares and checks what --method and --peers ask for, the plain method and the bounds. Returns
 * an exit code. */
int array_enter(struct array_field *f);
/* One run whose result is looked at; keeps the largest error. */
bool array_check(struct array_contender *c);
/* The plain method of an operation, the first in the table; NULL: it has none. */
const char *array_plain(ek_operation operation);
/* For struct candidate. */
void array_run_ours(void *contender, int64_t calls);
void array_run_peer(void *contender, int64_t calls);
void array_run_copy(void *contender, int64_t calls);
void array_run_read(void *contender, int64_t calls);
void array_before(void *contender, int64_t calls);

#endif
