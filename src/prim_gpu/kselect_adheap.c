/* SPDX-License-Identifier: BSD-3-Clause
 * Batch k-selection by ad-heaps: d-heaps that the device and the processor update together. The
 * device makes the heaps. The processor compares the entries of a list with the root, and asks for
 * an update if an entry is less. The device finds the largest child level by level, together, and
 * writes no node. It collects the pairs of nodes and new keys in local memory, and dumps them as
 * the bridge, one piece at the beginning of the heap. The processor crosses the bridge: it writes
 * the pairs to the nodes, one after the other, and knows the new root. One group of work-items has
 * a heap, so all lists are in flight at once.
 *
 * There are two ways for both sides to meet.
 *
 * If the context's arrays are in memory that both use at once, and the device has such memory in
 * which atomic operations of both order their accesses (EKI_MEMORY_ATOMIC), heaps and requests are
 * in that. The processor leaves a request there, and a group that is running finds it. A group may
 * wait for the host only for a bounded number of looks, and then ends. The host looks for answers
 * for a bounded time as well, then waits for the queue in the driver, which frees its processor for
 * devices that need it, and launches the groups again. So nothing depends on whether groups and
 * host really run at the same time: each launch answers all requests that were made before it, and
 * if one does not, the call fails.
 *
 * Otherwise each launch answers one request for each list, and the host waits for it. Requests and
 * roots are copied, and the device crosses the bridges itself at the next launch, since the
 * processor cannot write to the heap.
 *
 * Cost: for an update of all h levels h d/w + (2h + 1)/w transactions of w words on the device
 * instead of h (d/w + 1), and a message in each direction. Liu 2015, section 4.6.2, Algorithms
 * 21 to 23. */
#include <sched.h>
#include <stdatomic.h>

#include "prim_gpu/heaps.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_kselect_adheap, "prim_gpu/kselect_adheap.cl");

/* LEVELS: maximum levels of a heap. LOOKS: how often a group looks for a request. TURNS: how often
 * the host looks for answers before it waits in the driver. */
enum { LEVELS = 64, LOOKS = 2000, TURNS = 200 };
enum { IDLE, ASKED, DONE }; /* as in kselect_adheap.cl */

/* What the processor knows of a list: the next entry to compare, and the root. */
typedef struct list {
	int64_t at, root;
} list;

typedef struct adheap {
	eki_gpu_arrays *on;
	const eki_array *a;
	eki_adheap_shape shape;
	eki_pair_at in; /* the lists, in memory of the host */
	eki_pair_kind kind;
	bool both; /* whether host and device work at once, in memory of kind EKI_MEMORY_ATOMIC */
	eki_buffer heaps, state, key, root, *counts;
	list *of;
	int32_t *states; /* copies of `state`, `key` and `root` on the host, or these themselves */
	char *keys, *roots;
	int64_t left; /* lists that are not done */
} adheap;

/* ---- The processor's part -------------------------------------------------------------------- */

static int64_t order_at(const adheap *h, const void *keys, int64_t i)
{
	const eki_pair_kind raw = {.key = h->kind.key};

	return eki_key_at((eki_pair_at){(void *)(uintptr_t)keys, NULL}, i, raw);
}

static void order_put(const adheap *h, void *keys, int64_t i, int64_t order)
{
	if (h->kind.key == 4)
		((int32_t *)keys)[i] = (int32_t)order;
	else
		((int64_t *)keys)[i] = order;
}

/* Looks for the next entry of list j that is less than the root. Asks for an update, or says that
 * there is none. */
static void ask(adheap *h, int64_t j)
{
	const int64_t end = (j + 1) * h->a->n, root = h->of[j].root;
	int64_t i = h->of[j].at, order = root;

	while (i < end && (order = eki_key_at(h->in, i, h->kind)) >= root)
		i++;
	h->of[j].at = i + 1;
	if (i < end)
		order_put(h, h->keys, j, order);
	h->left -= i == end;
	atomic_store_explicit((_Atomic int32_t *)&h->states[j], i < end ? ASKED : DONE,
	                      memory_order_seq_cst);
}

/* Crosses the bridge of list j, in memory that the processor shares: Algorithm 22. */
static void cross(adheap *h, int64_t j)
{
	char *base = (char *)h->heaps.host + j * h->shape.room * h->kind.key;
	const int64_t pairs = order_at(h, base, 0);

	for (int64_t p = 0; p < pairs && p < h->shape.levels; p++)
		order_put(h, base, h->shape.head + order_at(h, base, 2 * p + 1),
		          order_at(h, base, 2 * p + 2));
	h->of[j].root = order_at(h, base, 2);
}

/* Takes the answers that are there, and asks on. Returns how many there were. */
static int64_t take_answers(adheap *h)
{
	int64_t answers = 0;

	for (int64_t j = 0; j < h->a->lists; j++) {
		if (atomic_load_explicit((_Atomic int32_t *)&h->states[j], memory_order_seq_cst) !=
		    IDLE)
			continue;
		if (h->both)
			cross(h, j);
		else
			h->of[j].root = order_at(h, h->roots, j);
		ask(h, j);
		answers++;
	}
	return answers;
}

/* ---- The device's part ----------------------------------------------------------------------- */

bool eki_gpu_adheaps_at_once(const eki_device *dev)
{
	return dev->memory == EKI_MEMORY_SHARED && dev->info.atomics;
}

ek_status eki_gpu_adheaps_use(eki_job *job, ek_value type)
{
	char defines[EKI_GPU_WORDS];

	eki_gpu_pairs(type, 0, defines, sizeof defines);
	if (eki_gpu_adheaps_at_once(job->device))
		strcat(defines, EKI_HOST_ATOMICS);
	eki_gpu_word(defines, "EK_WG", eki_gpu_heap_group(job->device));
	eki_gpu_word(defines, "LEVELS", LEVELS);
	return eki_job_program(job, "kselect_adheap", defines, eki_cl_kselect_adheap);
}

ek_status eki_gpu_adheaps_make(eki_job *job, const eki_array *a, const eki_adheap_shape *shape,
                               const eki_buffer *in, const eki_buffer *heaps,
                               const eki_buffer *root, const eki_buffer *counts)
{
	const eki_arg args[] = {
		eki_arg_i64(a->n),        eki_arg_i64(a->k),        eki_arg_i32(a->arity),
		eki_arg_i64(shape->head), eki_arg_i64(shape->room), eki_arg_buffer(in),
		eki_arg_buffer(heaps),    eki_arg_buffer(root),     eki_arg_buffer(counts)};

	return eki_job_launch(job, "adheap_make", a->lists, eki_gpu_heap_group(job->device), args,
	                      EKI_COUNT(args));
}

static ek_status serve(const adheap *h)
{
	const eki_array *a = h->a;
	const eki_arg args[] = {eki_arg_i64(a->k),
	                        eki_arg_i32(a->arity),
	                        eki_arg_i32((int32_t)h->shape.levels),
	                        eki_arg_i64(h->shape.head),
	                        eki_arg_i64(h->shape.room),
	                        eki_arg_i32(h->both ? LOOKS : 1),
	                        eki_arg_i32(!h->both),
	                        eki_arg_buffer(&h->heaps),
	                        eki_arg_buffer(&h->state),
	                        eki_arg_buffer(&h->key),
	                        eki_arg_buffer(&h->root),
	                        eki_arg_buffer(h->counts)};

	EK_RETURN_IF(eki_job_launch(&h->on->job, "adheap_serve", a->lists,
	                            eki_gpu_heap_group(h->on->job.device), args, EKI_COUNT(args)));
	return h->on->job.device->driver->flush(h->on->job.device);
}

static ek_status no_answer(const adheap *h)
{
	return eki_fail(EK_EDEVICE, "method kselect.adheap.gpu: device %s did not answer",
	                h->on->job.device->info.name);
}

/* Lets both sides work at once until all lists are done. */
static ek_status work_together(adheap *h)
{
	eki_device *dev = h->on->job.device;

	while (h->left > 0) {
		int64_t answers = 0, now;

		EK_RETURN_IF(serve(h));
		for (int idle = 0; idle < TURNS && h->left > 0; idle = now ? 0 : idle + 1) {
			now = take_answers(h);
			answers += now;
			if (!now)
				sched_yield();
		}
		if (h->left > 0) {
			EK_RETURN_IF(dev->driver->wait(dev));
			answers += take_answers(h);
			if (!answers)
				return no_answer(h);
		}
	}
	return dev->driver->wait(dev);
}

/* Lets both sides work in turn until all lists are done, and the last bridges crossed. */
static ek_status work_in_turn(adheap *h)
{
	eki_device *dev = h->on->job.device;
	const int64_t lists = h->a->lists, bytes = lists * (int64_t)sizeof *h->states;

	for (bool more = true; more;) {
		more = h->left > 0;
		EK_RETURN_IF(eki_buffer_write(dev, &h->state, h->states, bytes));
		EK_RETURN_IF(eki_buffer_write(dev, &h->key, h->keys, lists * h->kind.key));
		EK_RETURN_IF(serve(h));
		EK_RETURN_IF(eki_buffer_read(dev, &h->state, h->states, bytes));
		EK_RETURN_IF(eki_buffer_read(dev, &h->root, h->roots, lists * h->kind.key));
		if (!take_answers(h) && more)
			return no_answer(h);
	}
	return EK_OK;
}

/* ---- The call -------------------------------------------------------------------------------- */

/* Allocates the memory through which both sides meet. */
static ek_status meet(adheap *h)
{
	eki_device *dev = h->on->job.device;
	const int64_t lists = h->a->lists;
	const size_t size = (size_t)h->kind.key;
	const eki_memory memory = h->both ? EKI_MEMORY_ATOMIC : EKI_MEMORY_COPY;
	void *block;

	EK_RETURN_IF(
		eki_buffer_alloc_in(dev, memory, eki_times(lists, h->shape.room), size, &h->heaps));
	EK_RETURN_IF(eki_buffer_alloc_in(dev, memory, lists, sizeof(int32_t), &h->state));
	EK_RETURN_IF(eki_buffer_alloc_in(dev, memory, lists, size, &h->key));
	EK_RETURN_IF(eki_buffer_alloc_in(dev, memory, lists, size, &h->root));
	EK_RETURN_IF(eki_job_buffer(&h->on->job, 8 * lists, sizeof(int64_t), &h->counts));
	EK_RETURN_IF(eki_calloc(dev->ctx, lists, sizeof *h->of, &block));
	h->of = block;
	h->states = h->state.host;
	h->keys = h->key.host;
	h->roots = h->root.host;
	if (h->both)
		return EK_OK;
	EK_RETURN_IF(eki_calloc(dev->ctx, lists, sizeof *h->states, &block));
	h->states = block;
	EK_RETURN_IF(eki_calloc(dev->ctx, lists, size, &block));
	h->keys = block;
	EK_RETURN_IF(eki_calloc(dev->ctx, lists, size, &block));
	h->roots = block;
	return EK_OK;
}

static void part(adheap *h)
{
	eki_device *dev = h->on->job.device;
	const int64_t lists = h->a->lists;
	const size_t size = (size_t)h->kind.key;

	if (!h->both) {
		eki_free(dev->ctx, h->states, lists, sizeof *h->states);
		eki_free(dev->ctx, h->keys, lists, size);
		eki_free(dev->ctx, h->roots, lists, size);
	}
	eki_free(dev->ctx, h->of, lists, sizeof *h->of);
	eki_buffer_free(dev, &h->heaps);
	eki_buffer_free(dev, &h->state);
	eki_buffer_free(dev, &h->key);
	eki_buffer_free(dev, &h->root);
}

/* Selects, with the lists on both sides: h->in and `in`. */
static ek_status select_all(adheap *h, const eki_buffer *in)
{
	eki_device *dev = h->on->job.device;

	EK_RETURN_IF(eki_gpu_adheaps_make(&h->on->job, h->a, &h->shape, in, &h->heaps, &h->root,
	                                  h->counts));
	if (h->both)
		EK_RETURN_IF(dev->driver->wait(dev));
	else
		EK_RETURN_IF(eki_buffer_read(dev, &h->root, h->roots, h->root.bytes));
	h->left = h->a->lists;
	for (int64_t j = 0; j < h->a->lists; j++) {
		h->of[j] = (list){j * h->a->n + h->a->k, order_at(h, h->roots, j)};
		ask(h, j);
	}
	return h->both ? work_together(h) : work_in_turn(h);
}

/* Writes the results, whose memory on the device is `kth` and `smallest`. */
static ek_status results(const adheap *h, const eki_buffer *kth, const eki_buffer *smallest)
{
	const eki_array *a = h->a;
	const int group = eki_gpu_heap_group(h->on->job.device);
	const eki_arg args[] = {eki_arg_i64(a->lists), eki_arg_i64(h->shape.head),
	                        eki_arg_i64(h->shape.room), eki_arg_buffer(&h->heaps),
	                        eki_arg_buffer(kth)};

	EK_RETURN_IF(eki_job_launch(&h->on->job, "adheap_roots", eki_groups(a->lists, group), group,
	                            args, EKI_COUNT(args)));
	if (a->smallest)
		EK_RETURN_IF(eki_gpu_heaps_nodes(&h->on->job, a, h->shape.head, h->shape.room,
		                                 &h->heaps, smallest));
	return eki_gpu_heaps_count(h->on, h->counts);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	const int64_t size = (int64_t)ek_value_size(a->type), bytes = a->lists * a->n * size;
	eki_buffer in, kth, smallest = {0};
	eki_gpu_arrays on;
	adheap h = {.on = &on,
	            .a = a,
	            .shape = eki_adheap_shape_of(a->k, a->arity),
	            .kind = {.key = size, .flip = a->type == EK_F32 || a->type == EK_F64},
	            .in = {(void *)(uintptr_t)a->in, NULL}};
	void *copy = NULL;
	ek_status status;

	if (size == 4 && a->k > INT32_MAX)
		return eki_fail(EK_EUNSUPPORTED,
		                "method %s: k is %lld; the bridge has nodes up to 2^31 - 1 with "
		                "numbers of 4 bytes",
		                step->method->name, (long long)a->k);
	if (a->replay)
		return eki_gpu_adheaps_replay(step, a);
	eki_gpu_arrays_begin(step, a, &on);
	h.both = eki_gpu_adheaps_at_once(on.job.device);
	EK_TRY(eki_gpu_adheaps_use(&on.job, a->type));
	EK_TRY(eki_gpu_array_in(&on, a->in, bytes, &in));
	EK_TRY(eki_gpu_array_out(&on, a->out, a->lists * size, &kth));
	if (a->smallest)
		EK_TRY(eki_gpu_array_out(&on, a->smallest, a->lists * a->k * size, &smallest));
	if (a->where && on.job.device->memory != EKI_MEMORY_SHARED) {
		EK_TRY(eki_alloc(step->ctx, bytes, 1, &copy));
		EK_TRY(eki_buffer_read(on.job.device, &in, copy, bytes));
		h.in.key = copy;
	}
	EK_TRY(meet(&h));
	EK_TRY(select_all(&h, &in));
	EK_TRY(results(&h, &kth, &smallest));
done:
	status = eki_gpu_arrays_end(&on, status);
	/* Work in the queue uses the memory that is freed now. */
	if (status == EK_OK && a->where)
		status = on.job.device->driver->wait(on.job.device);
	part(&h);
	eki_free(step->ctx, copy, bytes, 1);
	return status;
}

const ek_method ek_kselect_gpu_adheap = {
	.name = "kselect.adheap.gpu",
	.text = "heaps that the device searches and the processor writes (ad-heap)",
	.source = "Liu 2015, section 4.6.2",
	.operation = EK_KSELECT,
	.backend = EKI_GPU,
	.run = run,
};

#endif
