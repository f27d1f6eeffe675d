/* SPDX-License-Identifier: BSD-3-Clause
 * Decides which rows of a product are the device's and which are the processor's.
 *
 * First each side multiplies the whole matrix, and the times of both are measured, with the copies
 * of x and y that the device needs. If few runs are expected, the cost functions of the methods
 * predict the products instead, and only the copies are measured. Then the rows are cut where both
 * sides would need the same time; the copies of x that the rows above a cut need are counted in
 * lines (lines.c). If both together are not predicted to be faster than the faster side alone, that
 * side gets all. Otherwise the pieces are made, and a few runs measure what they really take: both
 * sides want the same memory or, if the device is a processor, the same cores. If that is not
 * faster, the faster side gets all, too. So the plan is never much slower than the better of both,
 * and the text of ek_plan_explain says which it is.
 *
 * The device may do its rows in chunks, so that copies run beside kernels (cut.c). If both together
 * do not pay with the chunks that the rule expects to help, they are tried without.
 *
 * A plan keeps its cut, so that its runs give the same bits. With hints.measure, there are some
 * small pieces around the cut, which runs move from one side to the other (balance.c). */
#include "base/pool.h"
#include "both/both.h"

#ifndef EK_NO_GPU

enum { TIMED_RUNS = 3, ALL = 1000 };

/* ---- Times ----------------------------------------------------------------------------------- */

/* Returns the seconds since `start`, or what a test says that method `m` took. */
static double since(const eki_step *step, const ek_method *m, int64_t start)
{
	return 1e-9 * eki_balance_timed(step, m, false, eki_now_ns() - start);
}

/* Runs the step with `first` pieces on the device, and sets *best to the seconds of the fastest of
 * TIMED_RUNS runs. The run before these does not count. Times are those of method `as`. */
static ek_status time_runs(const eki_step *step, int first, const ek_method *as, const eki_run *v,
                           double *best)
{
	eki_both *s = step->state;
	const bool moves = s->moves;
	ek_status status = EK_OK;

	s->first = first;
	s->moves = false; /* these runs must all be alike */
	for (int k = 0; k <= TIMED_RUNS; k++) {
		const int64_t start = eki_now_ns();
		double seconds;

		EK_TRY(eki_both_run(step, v));
		seconds = since(step, as, start);
		*best = k <= 1 || seconds < *best ? seconds : *best;
	}
done:
	s->moves = moves;
	return status;
}

/* Measures a copy of all of x to the device, and one of all of y back. */
static ek_status time_copies(const eki_step *step, const eki_run *v, eki_speeds *speeds)
{
	eki_device *dev = step->gpu->device;
	const eki_buffer *x = &step->gpu->x, *y = &step->gpu->y;

	for (int k = 0; k <= TIMED_RUNS; k++) {
		const int64_t start = eki_now_ns();
		double to, back;

		EK_RETURN_IF(eki_buffer_write(dev, x, v->x.data, x->bytes));
		EK_RETURN_IF(dev->driver->wait(dev));
		const int64_t middle = eki_now_ns();

		EK_RETURN_IF(eki_buffer_read(dev, y, v->y.data, y->bytes));
		to = 1e-9 * (double)(middle - start);
		back = 1e-9 * (double)(eki_now_ns() - middle);
		speeds->to = k <= 1 || to < speeds->to ? to : speeds->to;
		speeds->back = k <= 1 || back < speeds->back ? back : speeds->back;
	}
	return EK_OK;
}

/* Predicts the seconds of a product in batches: as long as A is on its way to the device, if all of
 * it goes like the values of the first batch. */
static ek_status predict_batches(const eki_step *child, double *seconds)
{
	const eki_both_batches *b = child->state;
	const ek_store *A = child->in[0];
	const int64_t entries = b->entries < A->nnz ? b->entries : A->nnz;
	const int64_t bytes = entries * (int64_t)ek_value_size(A->value);
	eki_device *dev = child->gpu->device;

	for (int k = 0; k <= TIMED_RUNS; k++) {
		const int64_t start = eki_now_ns();
		double all;

		EK_RETURN_IF(eki_buffer_write(dev, b->val[0], A->array[CSR_VAL], bytes));
		EK_RETURN_IF(dev->driver->wait(dev));
		all = 1e-9 * (double)(eki_now_ns() - start) * (double)eki_store_bytes(A) /
		      (double)bytes;
		*seconds = k <= 1 || all < *seconds ? all : *seconds;
	}
	return EK_OK;
}

/* Predicts the seconds of a product by a side, with vectors that are there. */
static ek_status predict(const eki_step *step, int side, double *seconds)
{
	const eki_both *s = step->state;
	const eki_step *child = s->piece[0].step[side];
	double run, share;

	if (side == EKI_DEVICE_SIDE && s->streams)
		return predict_batches(child, seconds);
	EK_RETURN_IF(eki_predict(child, child->in[0], &run, &share));
	*seconds = 1e-9 * run;
	return EK_OK;
}

/* Makes a vector of zeros that is copied, as those of most programs are. */
static ek_status make_vector(const eki_step *step, int64_t count, size_t size, void **out)
{
	if (step->ctx->device->memory != EKI_MEMORY_SHARED)
		return eki_calloc(step->ctx, count, size, out);
	*out = (uint64_t)count <= PTRDIFF_MAX / size ? eki_bare_alloc((size_t)count * size) : NULL;
	if (!*out)
		return eki_fail(EK_ENOMEM, "no memory for %lld values", (long long)count);
	memset(*out, 0, (size_t)count * size);
	return EK_OK;
}

static void free_vector(const eki_step *step, void *vector, int64_t count, size_t size)
{
	if (step->ctx->device->memory == EKI_MEMORY_SHARED)
		eki_bare_free(vector);
	else
		eki_free(step->ctx, vector, count, size);
}

/* Makes vectors, or blocks, and scratch for runs that are timed. */
static ek_status trial_run(const eki_step *step, eki_run *v)
{
	const int64_t width = eki_gpu_width(step);
	const size_t size = ek_value_size(step->in[0]->value);
	void *scratch;

	*v = (eki_run){.width = width, .alpha = eki_real(1)};
	EK_RETURN_IF(make_vector(step, step->x_len * width, size, &v->x.data));
	EK_RETURN_IF(make_vector(step, step->y_len * width, size, &v->y.data));
	EK_RETURN_IF(eki_alloc(step->ctx, step->plan->scratch_bytes, 1, &scratch));
	eki_scratch_clear(step->plan, scratch);
	v->scratch = scratch;
	v->x.row = v->y.row = width;
	v->x.col = v->y.col = 1;
	v->y0 = v->y;
	return EK_OK;
}

static void trial_free(const eki_step *step, const eki_run *v, int64_t scratch_bytes)
{
	const int64_t width = eki_gpu_width(step);
	const size_t size = ek_value_size(step->in[0]->value);

	free_vector(step, v->x.data, step->x_len * width, size);
	free_vector(step, v->y.data, step->y_len * width, size);
	eki_free(step->ctx, v->scratch, scratch_bytes, 1);
}

/* Finds the times of both sides alone. */
static ek_status find_alone(const eki_step *step, eki_times_found *t)
{
	const eki_both *s = step->state;
	const int64_t bytes = step->plan->scratch_bytes;
	eki_run v = {0};
	ek_status status;

	EK_TRY(trial_run(step, &v));
	EK_TRY(time_copies(step, &v, &t->speeds));
	if (t->measured) {
		EK_TRY(time_runs(step, 0, s->piece[0].step[EKI_HOST_SIDE]->method, &v, &t->host));
		EK_TRY(time_runs(step, 1, s->piece[0].step[EKI_DEVICE_SIDE]->method, &v,
		                 &t->device));
		t->speeds.device = t->device - t->speeds.to - t->speeds.back;
		t->speeds.device = t->speeds.device > 0 ? t->speeds.device : 0;
	} else {
		EK_TRY(predict(step, EKI_HOST_SIDE, &t->host));
		EK_TRY(predict(step, EKI_DEVICE_SIDE, &t->speeds.device));
		t->device = t->speeds.to + t->speeds.device + t->speeds.back;
	}
	t->speeds.host = t->host;
done:
	trial_free(step, &v, bytes);
	return status;
}

static ek_status find_both(const eki_step *step, int first, eki_times_found *t)
{
	const int64_t bytes = step->plan->scratch_bytes;
	eki_run v = {0};
	ek_status status;

	EK_TRY(trial_run(step, &v));
	EK_TRY(time_runs(step, first, step->method, &v, &t->both));
done:
	trial_free(step, &v, bytes);
	return status;
}

/* ---- Cuts ------------------------------------------------------------------------------------ */

/* Finds the lines of x that the parts read. */
static ek_status find_lines(eki_step *step, const int64_t *begin, int parts)
{
	eki_both *s = step->state;

	eki_lines_size(step, &s->lines);
	if (!s->lines.first)
		EK_RETURN_IF(eki_step_alloc(step, s->lines.count, sizeof *s->lines.first,
		                            &s->lines.first));
	eki_lines_find(step, step->in[0], begin, parts, &s->lines);
	return EK_OK;
}

/* Makes pieces around cut number `at`, above which there are `chunks` of them. */
static ek_status make_pieces(eki_step *step, const int64_t bound[EKI_SHARES + 1], int at,
                             int chunks)
{
	eki_both *s = step->state;
	int64_t begin[EKI_MOST_PIECES + 1];
	const int pieces =
		eki_balance_cut(bound, at, step->in[0]->rows, s->moves, chunks, begin, &s->balance);

	EK_RETURN_IF(eki_pieces_make(step, begin, pieces, chunks));
	EK_RETURN_IF(find_lines(step, begin, pieces));
	s->first = s->balance.now;
	s->chunks = chunks;
	return EK_OK;
}

/* ---- The choice ------------------------------------------------------------------------------ */

/* Gives all rows to the side that is faster alone. */
static ek_status one_side(eki_step *step, const eki_times_found *t)
{
	static const int64_t whole[] = {0};
	eki_both *s = step->state;
	const bool host = t->host <= t->device;

	if (s->pieces > 1)
		EK_RETURN_IF(eki_pieces_make(step, whole, 1, host ? 0 : 1));
	else if (!host)
		eki_pieces_drop_host(step);
	s->moves = false;
	s->first = !host;
	s->chunks = 0;
	EK_RETURN_IF(eki_step_say(step,
	                          "         the %s alone, since both together would not "
	                          "be faster\n",
	                          host ? "processor" : "device"));
	return eki_both_say_times(step, t);
}

/* Sets which numbers of chunks are possible. Nothing overlaps if there are no copies, or if these
 * take the cores that kernels use. In batches, copies of A overlap with kernels already. */
static void allow_chunks(const eki_step *step, eki_speeds *speeds)
{
	const eki_both *s = step->state;
	const bool overlap = step->ctx->device->memory != EKI_MEMORY_SHARED &&
	                     !eki_device_is_processor(step->ctx) && !s->streams;
	const int asked = (int)step->param[EKI_CHUNKS_PARAM];

	speeds->least = asked ? asked : 1;
	speeds->most = asked ? asked : overlap ? EKI_CHUNKS : 1;
}

/* Decides between both sides and the faster one alone, after each was alone. */
static ek_status decide(eki_step *step, eki_times_found *t)
{
	const double alone = t->host < t->device ? t->host : t->device;
	const double least = t->speeds.device * t->host / (t->speeds.device + t->host);
	const eki_both *s = step->state;
	int64_t bound[EKI_SHARES + 1];
	eki_above above[EKI_SHARES + 1];
	int at;

	/* Without any copies, both together would take `least` seconds. */
	t->both = least;
	if (!eki_both_pays(least, alone))
		return one_side(step, t);
	eki_partition_rows(step->in[0], EKI_SHARES, bound);
	EK_RETURN_IF(find_lines(step, bound, EKI_SHARES));
	eki_lines_above(&s->lines, step->in[0], bound, above);
	at = eki_best_cut(&t->speeds, above, &t->both);
	if (!eki_both_pays(t->both, alone))
		return one_side(step, t);
	EK_RETURN_IF(make_pieces(step, bound, at, eki_chunks(&t->speeds, above, at)));
	if (t->measured) {
		EK_RETURN_IF(find_both(step, s->first, t));
		t->both_measured = true;
		if (!eki_both_pays(t->both, alone) && s->chunks > t->speeds.least) {
			t->speeds.most = t->speeds.least;
			t->both_measured = false;
			return decide(step, t); /* once more, without chunks */
		}
		if (!eki_both_pays(t->both, alone))
			return one_side(step, t);
	}
	EK_RETURN_IF(eki_both_say_share(step, t->measured ? "by the speeds measured"
	                                                  : "by the speeds predicted"));
	return eki_both_say_times(step, t);
}

/* Cuts the rows so that the processor gets `share` thousandths of the work. */
static ek_status cut_as_asked(eki_step *step, int64_t share)
{
	const int chunks = step->param[EKI_CHUNKS_PARAM] ? (int)step->param[EKI_CHUNKS_PARAM] : 1;
	const ek_store *A = step->in[0];
	const int64_t all = A->rows + A->nnz;
	const int64_t above = all - (int64_t)((double)all * (double)share / ALL);
	int64_t bound[EKI_SHARES + 1] = {0}, entry;

	for (int k = 1; k <= chunks; k++)
		eki_merge_search(A, (int64_t)((double)above * k / chunks), &bound[k], &entry);
	EK_RETURN_IF(make_pieces(step, bound, chunks, chunks));
	return eki_both_say_share(step, "as asked for");
}

static ek_status choose(eki_step *step)
{
	static const int64_t whole[] = {0};
	eki_both *s = step->state;
	eki_times_found t = {.measured = step->problem->calls >= EKI_TRIAL_CALLS};

	if (step->param[EKI_SIDE_PARAM]) {
		EK_RETURN_IF(eki_pieces_make(step, whole, 1, step->param[EKI_SIDE_PARAM] == 1));
		s->first = step->param[EKI_SIDE_PARAM] == 1;
		return eki_both_say_methods(step);
	}
	if (step->param[EKI_SHARE_PARAM]) {
		EK_RETURN_IF(cut_as_asked(step, step->param[EKI_SHARE_PARAM]));
		return eki_both_say_methods(step);
	}
	s->moves = step->problem->balances && t.measured;
	EK_RETURN_IF(eki_pieces_make(step, whole, 1, 0));
	if (step->in[0]->nnz == 0) { /* runs do nothing, or only scale y */
		s->moves = false;
		return eki_both_say_methods(step);
	}
	EK_RETURN_IF(find_alone(step, &t));
	allow_chunks(step, &t.speeds);
	EK_RETURN_IF(decide(step, &t));
	return eki_both_say_methods(step);
}

/* Leaves the parameters that make the choice: the side that does all, or the processor's share and
 * the chunks of the device's. */
static void note(eki_step *step)
{
	const eki_both *s = step->state;
	const ek_store *A = step->in[0];
	const bool device = s->first == s->pieces, host = s->first == 0;
	const eki_step *first = s->piece[0].step[EKI_DEVICE_SIDE];
	int64_t share = step->param[EKI_SHARE_PARAM];

	if (!device && !host && !share) {
		const int64_t row = s->piece[s->first].begin;

		share = ALL - ALL * (row + eki_ptr_at(A, row)) / (A->rows + A->nnz);
		share = share < 1 ? 1 : share >= ALL ? ALL - 1 : share;
	}
	step->param[EKI_SHARE_PARAM] = device || host ? 0 : share;
	step->param[EKI_SIDE_PARAM] = device ? 1 : host ? 2 : 0;
	if (device || host)
		step->param[EKI_CHUNKS_PARAM] = 0;
	else if (s->chunks > 1)
		step->param[EKI_CHUNKS_PARAM] = s->chunks;
	step->param[EKI_BATCH_PARAM] = s->streams && first && !host ? first->param[0] : 0;
}

ek_status eki_share_choose(eki_step *step)
{
	EK_RETURN_IF(choose(step));
	note(step);
	return EK_OK;
}

#endif
