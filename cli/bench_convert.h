/* SPDX-License-Identifier: BSD-3-Clause
 * `ek bench convert`: bench_convert.c goes through the matrices and what can be made of them,
 * bench_convert_make.c measures, bench_convert_table.c shows. */
#ifndef EK_BENCH_CONVERT_H
#define EK_BENCH_CONVERT_H

#include "bench.h"

/* One thing that was made: a format, or what a method puts beside CSR. Numbers that do not apply
 * are NAN. */
struct conversion {
	char name[TOOL_FORMAT];    /* "sell:c=8", "spmv.csr.adaptive" */
	char format[TOOL_FORMAT];  /* with all parameters, once it was made */
	bool beside;               /* a method beside CSR */
	double coo_ms, csr_ms;     /* time of making it from COO, from CSR */
	double coo_cost, csr_cost; /* these over the time from COO to CSR in the same rounds */
	double calls, own_calls;   /* csr_ms in products of plain CSR, and of its own */
	double ms;                 /* its product */
	int64_t bytes;             /* of its arrays */
	double size;               /* over those of CSR */
	int rounds;
	double disturbed;
	bool refused, failed;
	char why[256];
};

struct convert_case {
	char matrix[256];
	const char *kind;
	int64_t rows, cols, nnz, row_max, csr_bytes;
	double row_mean;
	ek_value value;
	ek_index index;
	int group; /* group_of */
	struct conversion *made;
	int count;
};

struct convert_bench {
	const struct bench_options *options;
	ek_context *ctx;
	struct report report; /* where and when; without cases */
	struct convert_case *cases;
	int count;
};

/* Makes `c->name` of A, in CSR, checks that it goes back, and measures. Returns an exit code; what
 * is refused or does not go back says so in `c`. `csr_bytes`: of A's arrays. */
int convert_measure(const struct convert_bench *bench, const ek_matrix *A, int64_t csr_bytes,
                    double seconds, struct conversion *c);

char *convert_legend(void); /* on the heap; NULL: no memory */
void convert_table(const struct convert_case *c, FILE *out);
void convert_summary(const struct convert_bench *bench, FILE *out);
/* The tables of the groups that have matrices, and of all matrices. */
typedef void convert_show(void *to, const char *title, const struct tool_table *t);
void convert_groups(const struct convert_bench *bench, convert_show *show, void *to);
void convert_cases(const struct convert_bench *bench, convert_show *show, void *to);
/* The geometric mean of a figure over a group; NAN if there is none. */
enum convert_cost { COST_COO, COST_CSR, COST_CALLS, COST_OWN, COST_SIZE, COSTS };
double convert_mean(const struct convert_bench *bench, int group, const char *name,
                    enum convert_cost which);

int convert_html(const struct convert_bench *bench, const char *path); /* html_convert.c */

#endif
