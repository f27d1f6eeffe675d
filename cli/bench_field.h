/* SPDX-License-Identifier: BSD-3-Clause
 * One matrix and all who are timed on it: bench_enter.c prepares and checks them, bench_run.c lines
 * them up and writes the records. */
#ifndef EK_BENCH_FIELD_H
#define EK_BENCH_FIELD_H

#include "bench.h"

#define MAX_CONTENDER 300

struct field;

struct contender {
	struct record record;
	struct problem *problem;
	struct field *field;
	ek_plan *plan; /* ours */
	ek_dense x, y;
	bool on_device; /* x and y lie there */
	const ek_peer *peer;
	void *state; /* of the peer */
	ek_peer_problem peer_problem;
	bool hidden; /* runs only as the unit of the others */
};

/* What lies on the context's device (bench_device.c). */
struct device_side {
	ek_context *ctx; /* NULL: it has none */
	void *x, *y;     /* vectors of the problem; NULL: they stay with the processor */
	void *from, *to; /* for copies, which are the bound */
	int64_t bytes;   /* of each */
	ek_plan *holder; /* so that no preparation has the way of the CSR arrays to the device */
	bool failed;     /* a copy has */
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
	struct device_side device;
	int64_t probe_bytes; /* that one call of the probe reads, or reads and writes */
	struct bare_loop loop;
	double *overhead;
};

/* A method, or auto, with A in a format (NULL: as the method wants). Returns an exit code; one that
 * cannot do this matrix is refused. `hidden`: not shown. (bench_enter.c) */
int enter_ours(struct field *f, const char *name, const char *format, bool hidden);
int refuse(struct field *f, const char *name, const char *format, const char *why);
void enter_peer(struct field *f, const ek_peer *peer);
/* Has a format (NULL: any) methods for where the measurement takes place? */
bool has_methods(const struct field *f, const char *format);
/* Prepares and checks what --method and --peers ask for, and plain CSR. Returns an exit code; what
 * cannot do this matrix is left out. */
int enter_all(struct field *f);
/* One run on a fresh y, compared with the reference; keeps the largest error. */
bool contender_check(struct contender *c);
void run_ours(void *contender, int64_t calls);
void run_peer(void *contender, int64_t calls);
/* The method that is the unit of the ratios: spmv.csr.rows, or one of the device's. */
const char *plain_csr(const struct field *f);

/* ---- On a device (bench_device.c) ------------------------------------------------------------ */

/* Vectors and the buffers of the probe. Nothing if the context has no device. An exit code. */
int device_make(struct field *f);
void device_free(struct field *f);
/* y of the problem to the device before a run that is checked, and back after it. */
bool device_load(struct field *f);
bool device_fetch(struct field *f);
/* For struct candidate. */
double device_clocked_ours(void *contender, int64_t calls);
double device_clocked_peer(void *contender, int64_t calls);
double device_clocked_copy(void *field, int64_t calls);
void device_run_copy(void *field, int64_t calls);

#endif
