/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench kselect --model: enters the parts of ad-heaps as candidates, which are timed in the same
 * rounds as the methods, and computes from their times what an ad-heap would take on a processor
 * and a device that meet as cheaply as by a queue in memory:
 *     comparisons with roots + heapify + max(T_cc + T_cq, T_gc)
 * T_cc and T_cq are times of the processor, T_gc of the device. As in the source, both sides work
 * at the same time, and neither copies nor launches count. T_gc is the time of a replay without
 * that of heapify, which a replay begins with.
 *
 * The baseline is the "optimal scheduling": the fastest d-heap of the processor and that of the
 * device, at the same time and each with a share of the lists such that both end together.
 *
 * Liu 2015, sections 4.6.2 and 4.6.3. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adheap.h"

/* The parts. Those without an arity are the same for all. */
enum part { COMPARE, QUEUE, HEAPIFY, CROSS, REPLAY, PARTS };
static const struct {
	const char *name;
	bool each; /* once for each arity */
	enum value value;
} part_of[PARTS] = {[COMPARE] = {"part.compare", false, V_COMPARE_MS},
                    [QUEUE] = {"part.queue", false, V_T_CQ},
                    [HEAPIFY] = {"part.heapify", true, V_HEAPIFY_MS},
                    [CROSS] = {"part.cross", true, V_T_CC},
                    [REPLAY] = {"part.replay", true, V_T_GC}};

/* A part that is a candidate. */
struct timed_part {
	struct model *m;
	const struct adheap *heap; /* NULL for parts that are the same for all arities */
	enum part part;
};

/* ---- Options --------------------------------------------------------------------------------- */

void model_options(struct bench_options *o)
{
	static const struct list arities = {.value = {2, 8, 16, 32, 64}, .count = 5};

	if (o->type.count != 1 || o->type.value[0] != EK_INT32)
		tool_usage("--model is for --type i32");
	if (!o->common.method)
		o->common.method = "heap,heap.gpu,adheap.gpu,sample,radix.gpu";
	if (!o->arity.count)
		o->arity = arities;
	if (!o->n.count)
		o->n = (struct list){.value = {1 << 25}, .count = 1};
}

void model_need(struct job *job)
{
	const double share = (double)job->k / (double)job->length, arities = job->o->arity.count;
	/* The number of records of random entries after the first k. */
	const double updates = (double)job->n * share * log(1 / share);

	job->need += updates * (4 + 2 * 8 * arities) + 3 * job->bytes * share;
}

/* ---- Running parts --------------------------------------------------------------------------- */

static ek_status replay(const struct timed_part *p, ek_heap_counts *counts)
{
	const struct model *m = p->m;
	const struct job *job = m->job;
	const ek_array_options o = {
		.size = sizeof o, .arity = p->heap->arity, .counts = counts, .where = EK_ON_DEVICE};

	return ek_adheap_replay(job->ctx, &o, EK_INT32, job->batch, job->length, job->k,
	                        array_there(job, job->in), p->part == REPLAY ? m->updates : 0,
	                        m->first_there, p->heap->path_there);
}

static void run_there(void *entrant, int64_t calls)
{
	struct entrant *e = entrant;

	for (; calls > 0; calls--)
		if (replay(e->own, NULL) != EK_OK)
			e->record.failed = true;
}

static double run_here(void *entrant, int64_t calls)
{
	struct entrant *e = entrant;
	const struct timed_part *p = e->own;
	double all = 0;

	for (; calls > 0; calls--) {
		const double seconds = p->part == COMPARE ? model_compare(p->m)
		                       : p->part == QUEUE ? model_queue(p->m)
		                                          : model_cross(p->m, p->heap);

		if (seconds < 0) {
			e->record.failed = true;
			e->record.why = "it did other work than the selection";
		}
		all += fabs(seconds);
	}
	return all;
}

/* Tells whether the updates that were counted, without heapify, are those of the selection. */
static bool same_updates(const ek_heap_counts *got, const ek_heap_counts *made)
{
	return got->update_key - got->heapify_update_key == made->update_key &&
	       got->find_maxchild - got->heapify_find_maxchild == made->find_maxchild &&
	       got->compare - got->heapify_compare == made->compare &&
	       got->swap - got->heapify_swap == made->swap;
}

/* Tells whether the selection that was made in advance is that of kselect.heap. */
static bool is_selection(const struct timed_part *p)
{
	const struct job *job = p->m->job;
	ek_heap_counts got = {.size = sizeof got};
	const ek_array_options o = {.size = sizeof o,
	                            .method = "kselect.heap",
	                            .arity = p->heap->arity,
	                            .counts = &got};

	return ek_kselect(job->ctx, &o, EK_INT32, job->batch, job->length, job->k, job->in,
	                  job->p.out, NULL) == EK_OK &&
	       same_updates(&got, &p->heap->counts);
}

/* Checks that the device does as many operations as kselect.heap. */
static void check_replay(struct entrant *e)
{
	const struct timed_part *p = e->own;
	ek_heap_counts got = {.size = sizeof got};

	e->record.failed = !p->m->first_there || !p->heap->path_there || replay(p, &got) != EK_OK;
	if (e->record.failed)
		e->record.why = keep("%s", ek_error_text());
	else if (p->part == REPLAY && !(same_updates(&got, &p->heap->counts) && is_selection(p))) {
		e->record.failed = true;
		e->record.why = "the device did other work than kselect.heap";
	}
}

/* ---- Entering -------------------------------------------------------------------------------- */

static void release(void *own)
{
	const struct timed_part *p = own;
	struct model *m = p->m;

	if (--m->users)
		return;
	for (int k = 0; k < m->arities; k++) {
		free(m->heap[k].path);
		ek_device_free(m->job->ctx, m->heap[k].path_there);
	}
	ek_device_free(m->job->ctx, m->first_there);
	free(m->heap);
	free(m->first);
	free(m->root);
	free(m->heaps);
	free(m);
}

/* Returns a copy of an array on the device, or NULL if there is no room. */
static void *copied(const struct job *job, const void *from, int64_t bytes)
{
	void *to = NULL;

	if (ek_device_alloc(job->ctx, bytes, &to) != EK_OK)
		return NULL;
	if (ek_device_write(job->ctx, to, from, bytes) == EK_OK)
		return to;
	ek_device_free(job->ctx, to);
	return NULL;
}

/* Makes the selection in advance. */
static struct model *model_make(struct job *job)
{
	struct model *m = need(calloc(1, sizeof *m), job->line);
	const struct list *arity = &job->o->arity;
	int64_t room = 0;

	m->job = job;
	m->arities = arity->count;
	m->heap = need(calloc((size_t)m->arities, sizeof *m->heap), job->line);
	model_count(m);
	m->first_there = copied(job, m->first, (job->batch + 1) * (int64_t)sizeof *m->first);
	for (int k = 0; k < m->arities; k++) {
		struct adheap *h = &m->heap[k];

		adheap_shape(h, (int)arity->value[k], job->k);
		model_trace(m, h);
		h->path_there = copied(job, h->path, m->updates * (int64_t)sizeof *h->path);
		room = h->room > room ? h->room : room;
	}
	m->heaps = need(data_alloc(job->batch * room * (int64_t)sizeof *m->heaps, job->threads),
	                job->line);
	return m;
}

static void enter_part(struct field *f, struct model *m, enum part part, const struct adheap *h)
{
	const char *name = h ? keep("%s d=%d", part_of[part].name, h->arity) : part_of[part].name;
	struct entrant *e = entrant_add(f, RECORD_MODEL, "", name, sizeof(struct timed_part));
	double *v = e->record.v;

	*(struct timed_part *)e->own = (struct timed_part){m, h, part};
	m->users++;
	e->release = release;
	if (part == HEAPIFY || part == REPLAY) {
		e->calls.run = run_there;
		e->calls.clocked = device_clocked;
		e->record.device = m->job->device.name;
		check_replay(e);
	} else {
		e->calls.clocked = run_here;
		run_here(e, 1);
	}
	if (!h)
		return;
	v[V_ARITY] = h->arity;
	v[V_N_U] = (double)h->counts.update_key;
	v[V_N_F] = (double)h->counts.find_maxchild;
	v[V_N_C] = (double)h->counts.compare;
	v[V_N_S] = (double)h->counts.swap;
	v[V_LEVELS] = (double)h->levels;
}

void model_enter(struct field *f)
{
	struct job *job = f->problem;
	struct model *m = model_make(job);

	for (enum part part = 0; part < PARTS; part++)
		for (int k = 0; k < (part_of[part].each ? m->arities : 1); k++)
			enter_part(f, m, part, part_of[part].each ? &m->heap[k] : NULL);
}

/* ---- The times of the whole ------------------------------------------------------------------ */

/* Returns half of the distance of the percentiles of a record's time, 0 for NULL. */
static double half_of(const struct record *r)
{
	return r ? (r->v[V_MS_P90] - r->v[V_MS_P10]) / 2 : 0;
}

/* Sets the time of a record that is computed, with percentiles `half` apart to both sides, and what
 * follows from it. The parts of a time are measured each by itself, so their errors are
 * independent. */
static void set_ms(const struct bench_case *c, struct record *r, double ms, double half)
{
	r->version = ek_version();
	r->v[V_MS] = ms;
	r->v[V_MS_P10] = ms * exp(-half / ms);
	r->v[V_MS_P90] = ms * exp(half / ms);
	r->v[V_MKEYS] = 1e-3 * c->v[V_N] / ms;
	r->v[V_GBPS] = 1e-6 * c->bytes / ms;
}

/* Returns the record of the fastest of our methods called `name` followed by an arity, or NULL. */
static const struct record *best_heap(const struct bench_case *c, const char *name)
{
	const struct record *best = NULL;

	for (const struct record *r = c->record; r < c->record + c->count; r++)
		if (strcmp(r->method, name) == 0 && !isnan(r->v[V_MS]) &&
		    (!best || r->v[V_MS] < best->v[V_MS]))
			best = r;
	return best;
}

/* Adds what the fastest d-heaps of both sides would take at the same time. Returns that time, or
 * NAN if one of them was not measured. */
static double add_scheduling(struct bench_case *c)
{
	const struct record *here = best_heap(c, "kselect.heap"),
			    *there = best_heap(c, "kselect.heap.gpu");
	struct record r = record_start(RECORD_MODEL, "model.", "scheduling");

	if (!here || !there)
		return NAN;
	r.name = "scheduling";
	r.device = there->device;
	const double ms = 1 / (1 / here->v[V_MS] + 1 / there->v[V_MS]);

	r.v[V_DISTURBED] = fmax(here->v[V_DISTURBED], there->v[V_DISTURBED]);
	set_ms(c, &r, ms,
	       hypot(half_of(here) * pow(ms / here->v[V_MS], 2),
	             half_of(there) * pow(ms / there->v[V_MS], 2)));
	record_add(c, &r);
	return r.v[V_MS];
}

/* Adds the model of an ad-heap of an arity, unless one of its parts failed. */
static void add_model(struct bench_case *c, int arity, double scheduling)
{
	enum { W = 32 }; /* words of a transaction: what a group of the device reads at once */
	struct record r = record_start(RECORD_MODEL, "model.", "adheap");
	const struct record *replayed = NULL;
	double *v = r.v, half[PARTS];

	for (enum part part = 0; part < PARTS; part++) {
		const struct record *p = case_record(
			c, part_of[part].each ? keep("%s d=%d", part_of[part].name, arity)
					      : part_of[part].name);

		v[part_of[part].value] = p ? p->v[V_MS] : NAN;
		half[part] = half_of(p);
		v[V_DISTURBED] = p ? fmax(v[V_DISTURBED], p->v[V_DISTURBED]) : v[V_DISTURBED];
		replayed = part == REPLAY ? p : replayed;
	}
	v[V_T_GC] = fmax(v[V_T_GC] - v[V_HEAPIFY_MS], 0);
	const double here = v[V_T_CC] + v[V_T_CQ],
		     ms = v[V_COMPARE_MS] + v[V_HEAPIFY_MS] + (here > v[V_T_GC] ? here : v[V_T_GC]);
	/* The replay, from which T_gc follows, begins with heapify. */
	const double slower = here > v[V_T_GC]
	                              ? hypot(half[HEAPIFY], hypot(half[CROSS], half[QUEUE]))
	                              : half[REPLAY];

	if (isnan(ms))
		return;
	r.name = keep("adheap.model d=%d", arity);
	r.device = replayed->device;
	for (enum value k = V_N_U; k <= V_LEVELS; k++)
		v[k] = replayed->v[k];
	v[V_ARITY] = arity;
	v[V_TRANSACTIONS] = (double)adheap_transactions((int64_t)v[V_LEVELS], arity, W);
	v[V_DHEAP_TRANSACTIONS] = (double)dheap_transactions((int64_t)v[V_LEVELS], arity, W);
	v[V_VS_SCHEDULING] = scheduling / ms;
	set_ms(c, &r, ms, hypot(half[COMPARE], slower));
	record_add(c, &r);
}

int model_finish(struct bench *b, struct bench_case *c)
{
	const int count = c->count;
	const double scheduling = add_scheduling(c);
	int kept = 0;

	for (int k = 0; k < b->o.arity.count; k++)
		add_model(c, (int)b->o.arity.value[k], scheduling);
	for (int k = 0; k < c->count; k++)
		if (k >= count || c->record[k].kind != RECORD_MODEL || c->record[k].failed)
			c->record[kept++] = c->record[k];
	c->count = kept;
	return TOOL_OK;
}
