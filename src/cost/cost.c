/* SPDX-License-Identifier: BSD-3-Clause
 * The building blocks of the methods' cost functions. They predict times from the bytes that are
 * moved, from the work of the cores, and from the description of the processor. Only the order of
 * the predictions matters, not their absolute values. */
#include "cost/cost.h"

/* Returns the bandwidth of one thread, in GB/s, while all threads of the product read from memory,
 * or from the last-level cache if the matrix fits into that. */
static double bandwidth(const eki_features *f)
{
	const eki_machine *m = f->machine;
	const double one = f->in_cache ? m->cache_gbps : m->memory_gbps;
	const double all = f->in_cache ? m->cache_all_gbps : m->memory_all_gbps;

	return all > 0 && all < one * f->threads ? all / f->threads : one;
}

/* A vector has half of the core's cache, since the matrix streams through it, and an eighth of the
 * last-level cache, which the cores share. Of what is longer than that, entries are as likely to be
 * there as any other: random entries of a vector of that length or twice and three times it take
 * 1, 1.6 and 2 ns more on a Zen 3 from the former, 5, 8 and 10 from the latter. */
double eki_far(const eki_machine *m, double bytes)
{
	const double outside = bytes - m->core_bytes / 2, beyond = bytes - m->cache_bytes / 8;
	const double shared = outside > 0 ? outside / bytes : 0;
	const double memory = beyond > 0 ? beyond / bytes : 0;

	return m->far[0] * shared + (m->far[1] - m->far[0]) * (memory < shared ? memory : shared);
}

double eki_cost(const eki_features *f, double bytes, double work)
{
	const eki_machine *m = f->machine;
	double x_bytes = (double)f->stats.cols * (double)ek_value_size(f->value);
	bool in_core = f->in_cache && bytes < m->core_bytes * f->threads;
	double move = bytes / (in_core ? m->core_gbps : bandwidth(f));
	double wait = eki_far(m, x_bytes) * f->far_share * (double)f->stats.nnz;
	double longer = move > work ? move : work, shorter = move > work ? work : move;

	return (longer + m->overlap * shorter + wait) / f->threads + (f->threads > 1 ? m->wake : 0);
}

double eki_work(const eki_features *f, eki_loop loop, double rows, double entries)
{
	const eki_speed *s =
		&f->machine->speed[loop][eki_value_types[f->value].matrix - 1][eki_isa_row(f->isa)];
	const double learned = f->machine->learned_rows, all = (double)f->stats.rows;
	const double missed =
		learned > 0 ? f->unforeseen_share * all / (all + learned) : f->mixed_share;

	return s->row * rows + s->entry * entries + s->miss * missed * rows;
}

double eki_work_csr(const eki_features *f, eki_loop loop)
{
	return eki_work(f, loop, (double)f->stats.rows, (double)f->stats.nnz);
}

/* Returns the size in bytes of `width` columns of x plus `width` columns of y. */
static double vector_bytes(const eki_features *f, int64_t width)
{
	return (double)width * (double)(f->stats.rows + f->stats.cols) *
	       (double)ek_value_size(f->value);
}

double eki_format_bytes(const eki_features *f)
{
	return f->store ? (double)eki_store_bytes(f->store) + vector_bytes(f, 1) : f->csr_bytes;
}

double eki_transposed_bytes(const eki_features *f)
{
	return f->csr_bytes - vector_bytes(f, f->width) +
	       (double)f->stats.nnz * (double)eki_ptr_size(f->index);
}

eki_features eki_transposed_features(const eki_features *f)
{
	eki_features t = *f;

	t.op = EK_OP_N;
	t.stats.rows = f->stats.cols;
	t.stats.cols = f->stats.rows;
	t.stats.row_mean = t.stats.rows ? (double)t.stats.nnz / (double)t.stats.rows : 0;
	return t;
}

double eki_transpose_share(const eki_features *f)
{
	return (f->machine->transpose_entry * (double)f->stats.nnz +
	        f->machine->transpose_column * (double)f->stats.cols) /
	       (double)f->calls;
}

double eki_places(const eki_features *f)
{
	const ek_store *s = f->store;
	double places = 0;

	if (!s)
		return (double)f->stats.nnz;
	for (int k = 0; k < EKI_MAX_ARRAYS && s->format->array[k].name; k++)
		if (s->format->array[k].elem == EKI_VALUE)
			places += (double)s->len[k];
	return places;
}
