/* SPDX-License-Identifier: BSD-3-Clause
 * What the operations with sparse results show for people: the title of a case, and the columns of
 * tables and pages. */
#include <math.h>

#include "sparse.h"

const char *sparse_title(const struct bench *b, const struct bench_case *c)
{
	const double *v = c->v;
	const char *work = isnan(v[V_PRODUCTS])
	                           ? keep("%s nonzeros", text_count(v[V_RESULT_NNZ]))
	                           : keep("%s products, %s nonzeros, %.2f products for each",
	                                  text_count(v[V_PRODUCTS]), text_count(v[V_RESULT_NNZ]),
	                                  v[V_COMPRESSION]);

	(void)b;
	return keep("%s  %s; %s: %s\n%s", c->matrix, text_matrix(c), c->what, work, text_run(c));
}

const struct column sparse_columns[] = {
	{"method", SUM | PAGE_SUM | LEFT | SWATCH, VALUES, "name", NULL, NULL},
	{"method", BLOCK | PAGE | LEFT | SWATCH, VALUES, NULL, cell_method,
         "after ->, the method that auto chose; \"again\" replaces the values of an existing C; "
         "the others make it, in new memory"},
	{"ms", BLOCK | PAGE | LESS, V_MS, NULL, NULL, "median time of a call"},
	INTERVAL_COLUMN(BLOCK | PAGE | LESS),
	{"GFlop/s", BLOCK | SUM | PAGE | PRODUCTS, V_GFLOPS, "%.2f", NULL, "two for each product"},
	{"device ms", BLOCK | PAGE | LESS | SOME, V_DEVICE_MS, NULL, NULL,
         "the same by the clock of the device: between the first and the last command of a call"},
	{"device GFlop/s", BLOCK | PAGE | PRODUCTS | SOME, V_DEVICE_GFLOPS, "%.2f", NULL,
         "two for each product, over that time"},
	{"temporary", BLOCK | PAGE | PRODUCTS | LESS | SOME, V_TEMPORARY, ",", NULL,
         "bytes of temporary rows of the run that made C"},
	{"uncapped", BLOCK | PAGE | PRODUCTS | LESS | SOME, V_TEMPORARY_UNCAPPED, ",", NULL,
         "the same if rows grew beyond their bounds"},
	{"bound", BLOCK | PAGE | PRODUCTS | LESS | SOME, V_TEMPORARY_BOUND, ",", NULL,
         "bytes of temporary rows with room for the bounds of all rows"},
	{"precise", BLOCK | PAGE | PRODUCTS | LESS | SOME, V_TEMPORARY_PRECISE, ",", NULL,
         "temporary bytes of the precise method"},
	{"GB/s", BLOCK | SUM | PAGE | SUMS | TRIPLES, V_RATE, "%.2f", NULL, ""},
	{"vs textbook", BLOCK | SUM | PAGE | PAGE_SUM | RATIO | PRODUCTS, V_VS_CSR, "%.2f", NULL,
         "speed divided by that of spgemm.csr.textbook"},
	{"vs serial", BLOCK | SUM | PAGE | PAGE_SUM | RATIO | SUMS, V_VS_CSR, "%.2f", NULL,
         "speed divided by that of the plain method with one thread"},
	{"vs left", BLOCK | SUM | PAGE | PAGE_SUM | RATIO | TRIPLES, V_VS_CSR, "%.2f", NULL,
         "speed divided by that of (P^T A) P in two products"},
	{"vs best peer", BLOCK | SUM | PAGE | PAGE_SUM | RATIO | PEERS, V_VS_PEER, "%.2f", NULL,
         "speed divided by that of the fastest other library"},
	{"harmonic", SUM, V_HARMONIC, "%.2f", NULL, NULL},
	{"harmonic GFlop/s", SUM | PRODUCTS, V_HARMONIC_GFLOPS, "%.2f", NULL, NULL},
	{"plan ms", BLOCK | PAGE | LESS, V_PREPARE_MS, NULL, NULL,
         "time to make the plan, which the time of a call includes"},
	{"plan bytes", BLOCK | PAGE | LESS, V_BYTES, ",", NULL, "bytes that the plan holds"},
	{"error", BLOCK | PAGE | LESS, V_ERROR, "%.3f", NULL,
         "largest difference from the serial method over twice the proven bound"},
	PARAMETERS_COLUMN(BLOCK | PAGE),
	{"", BLOCK | LEFT, VALUES, NULL, cell_best, "* the fastest of ours; or FAILED"},
	{.head = NULL}};
