/* SPDX-License-Identifier: BSD-3-Clause
 * One matrix and all who are timed on it: bench_enter.c prepares and checks them, bench_run.c lines
 * them up and writes the records. */
#ifndef EK_BENCH_FIELD_H
#define EK_BENCH_FIELD_H

#include "bench.h"

#define MAX_CONTENDER 300

struct contender {
	struct record record;
	struct problem *problem;
	ek_plan *plan; /* ours */
	ek_dense x, y;
	const ek_peer *peer;
	void *state; /* of the peer */
	ek_peer_problem peer_problem;
	bool hidden; /* runs only as the unit of the others */
};

struct field {
	const struct bench_run *run;
	struct problem *problem;
	struct contender *contender; /* MAX_CONTENDER of them */
	struct candidate *candidate; /* contenders that passed, then bare loop and probe */
	struct contender **of;       /* of[k] is behind candidate[k] */
	int contenders, candidates;
	int csr, bare, probe; /* candidates; -1: none */
	struct read_probe read;
	struct bare_loop loop;
	double *overhead;
};

/* Prepares and checks what --method and --peers ask for, and plain CSR. Returns an exit code; what
 * cannot do this matrix is left out. */
int enter_all(struct field *f);
/* One run on a fresh y, compared with the reference; keeps the largest error. */
bool contender_check(struct contender *c);
void run_ours(void *contender, int64_t calls);
void run_peer(void *contender, int64_t calls);
/* The plain loop over rows that is the unit of the ratios. */
const char *plain_csr(const struct problem *p);

#endif
