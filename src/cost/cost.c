/* SPDX-License-Identifier: BSD-3-Clause
 * The building blocks of the methods' cost functions. They predict times from the bytes that are
 * moved, from the work of the cores, and from the description of the processor. Only the order of
 * the predictions matters, not their absolute values. */
#include <math.h>

#include "cost/cost.h"

/* Returns the bandwidth of one thread while all threads of the product read: `one`, or its share of
 * `all`, the bandwidth of all of them, which may be unknown (0). */
static double bandwidth(const eki_features *f, double one, double all)
{
	return all > 0 && all < one * f->threads ? all / f->threads : one;
}

static double from_memory(const eki_features *f)
{
	return bandwidth(f, f->machine->memory_gbps, f->machine->memory_all_gbps);
}

double eki_held(double bytes, double size)
{
	/* A second-level cache of 2 MiB holds all of 1.25 MiB, 0.84 of 1.75, 0.65 of 2, 0.38 of
	 * 2.5, 0.15 of 3 and nothing of 3.5 MiB (Xeon, measured). Last-level caches are taken to do
	 * the same. */
	return fmin(1, fmax(0, (1.65 - bytes / size) / 0.95));
}

/* Predicts the time for moving `bytes` bytes, added up over all threads, if the run before moved
 * the same. Strict methods are compared as if all came from memory, since caches differ. */
static double move_time(const eki_features *f, double bytes)
{
	const eki_machine *m = f->machine;
	const double core = f->strict ? 0 : eki_held(bytes, m->core_bytes * f->threads);
	const double cache = f->strict ? 0 : eki_held(bytes, m->cache_bytes);
	const double from_cache = bandwidth(f, m->cache_gbps, m->cache_all_gbps);

	return bytes * (core / m->core_gbps +
	                (1 - core) * (cache / from_cache + (1 - cache) / from_memory(f)));
}

/* Returns the share of random accesses to a vector of `bytes` bytes that miss a core's own cache.
 * The vector is taken to have half of it, since the matrix streams through it. On Zen 3 (512 KiB,
 * 32 MiB) random accesses to 128 KiB, 512 KiB, 2 MiB, 8 MiB and 32 MiB took SELL, which did not
 * fetch ahead, 0.4, 1.4, 1.9, 7 and 8 ns more than such to 64 KiB. */
static double miss_core(const eki_machine *m, double bytes)
{
	return fmax(0, 1 - m->core_bytes / 2 / bytes);
}

double eki_miss_cache(const eki_machine *m, double bytes)
{
	return fmax(0, 1 - m->x_share * m->cache_bytes / bytes);
}

double eki_far(const eki_machine *m, double bytes)
{
	return m->far[0] * miss_core(m, bytes) + m->far[1] * eki_miss_cache(m, bytes);
}

/* Predicts how long a product waits for far entries of x. A core works on some entries at a
 * time, and waits as long for the memory if one of them is far as if all are: on Zen 3 SELL, when
 * it did not fetch x ahead, waited 3 ns for each far entry if all are far, and 14 ns if a tenth
 * are. If x is fetched ahead, there is no such wait, but each far entry moves a line of 64
 * bytes. */
static double wait_for_x(const eki_features *f)
{
	const eki_machine *m = f->machine;
	const int at_a_time = 8;
	const double bytes = (double)f->stats.cols * (double)ek_value_size(f->value);
	const double share = f->in_order ? f->far_share : 1 - pow(1 - f->lost_share, at_a_time);
	double memory = m->far[1] * share;

	if (f->fetched)
		memory = fmin(memory, 64 / from_memory(f) * f->lost_share);
	return (double)f->stats.nnz *
	       (m->far[0] * miss_core(m, bytes) * f->far_share + eki_miss_cache(m, bytes) * memory);
}

double eki_cost(const eki_features *f, double bytes, double work)
{
	const eki_machine *m = f->machine;
	double move = move_time(f, bytes);
	double longer = move > work ? move : work, shorter = move > work ? work : move;

	return (longer + m->overlap * shorter + wait_for_x(f)) / f->threads +
	       (f->threads > 1 ? m->wake : 0);
}

const eki_speed *eki_loop_speed(const eki_features *f, eki_loop loop)
{
	const int value = eki_value_types[f->value].matrix - 1;

	return &f->machine->speed[loop][value][eki_isa_row(f->isa)];
}

double eki_work(const eki_features *f, eki_loop loop, double rows, double entries)
{
	const eki_speed *s = eki_loop_speed(f, loop);
	const bool by_vectors = loop == EKI_LOOP_GATHER || loop == EKI_LOOP_STREAM ||
	                        loop == EKI_LOOP_STRICT; /* which ends its rows nearly so */
	const double share = by_vectors ? f->unforeseen_steps : f->unforeseen_share;
	const double learned = f->machine->learned_rows, all = (double)f->stats.rows;
	const double missed = learned > 0 ? share * all / (all + learned) : f->mixed_share;

	return s->row * rows + s->entry * entries + s->miss * missed * rows;
}

double eki_first_share(double n, double places)
{
	return n > 0 ? places / n * -expm1(-n / places) : 1;
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

double eki_convert_share(const eki_features *f, const ek_format *format, double plain)
{
	return (format->convert.products * plain + 1e3 * format->convert.us) / (double)f->calls;
}

bool eki_convert_worthwhile(const eki_features *f, const ek_format *format)
{
	/* Smallest number of expected calls for a conversion that takes as long as one product. A
	 * longer conversion needs proportionally more calls. */
	const double least = 8;

	return format->convert.products > 0 &&
	       least * format->convert.products <= (double)f->announced;
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
