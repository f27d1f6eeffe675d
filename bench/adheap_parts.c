/* SPDX-License-Identifier: BSD-3-Clause
 * What the processor does for ad-heaps, in parts that are timed alone (adheap.h). Lists are shared
 * among all threads.
 *
 * The comparisons with the roots: entries are compared 32 at a time with the root of their list,
 * which changes as it did in the selection.
 *
 * T_cc, crossing the bridges: all pairs of a node and a key are read, and the keys written to the
 * nodes. Bridges are made for a few updates at a time, which is not timed, so they come from the
 * cache of a core. A device without a cache in common with the processor delivers them more slowly.
 *
 * T_cq, the messages: threads in pairs push and pop packets of 64 bytes, through a queue in each
 * direction. One thread is the processor's, which is timed, the other one stands in for the device.
 * A packet has two flags of 4 bytes and seven of 8, into which a task is packed and from which it
 * is unpacked. One packet serves 16 groups. A queue is a ring in which producers take turns by an
 * atomic counter, and a flag of each packet says whose turn it is (Vyukov's bounded queue), so
 * several groups may push at once; one thread pops.
 *
 * Liu 2015, section 4.6.2, the simulation stage. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "adheap.h"

/* ---- Comparisons with the roots -------------------------------------------------------------- */

/* Compares the entries of a list after the first k. Returns the number of updates. */
static int64_t compare_list(const int32_t *in, int64_t n, const int32_t *root)
{
	enum { EACH = 32 };
	int64_t updates = 0;

	for (int64_t i = 0; i < n; i += EACH) {
		const int64_t end = i + EACH < n ? i + EACH : n;
		int32_t now = root[updates];
		int less = 0;

		for (int64_t e = i; e < end; e++)
			less |= in[e] < now;
		for (int64_t e = i; less && e < end; e++)
			if (in[e] < now)
				now = root[++updates];
	}
	return updates;
}

double model_compare(const struct model *m)
{
	const struct job *job = m->job;
	const int32_t *in = job->in;
	const double start = tool_seconds();
	int64_t updates = 0;

#pragma omp parallel for num_threads(job->threads) schedule(dynamic) reduction(+ : updates)
	for (int64_t j = 0; j < job->batch; j++)
		updates += compare_list(in + j * job->length + job->k, job->length - job->k,
		                        m->root + m->first[j] + j);
	return updates == m->updates ? tool_seconds() - start : -1;
}

/* ---- Crossing the bridges -------------------------------------------------------------------- */

enum { BRIDGES = 256 }; /* made at a time, so that reading the clock does not count */

/* Writes the bridge of an update: the number of pairs, then nodes and keys. */
static void make_bridge(const struct adheap *h, int64_t path, int32_t *bridge)
{
	const int64_t sinks = path & 63, mask = (INT64_C(1) << h->bits) - 1;
	int64_t i = 0;

	bridge[0] = (int32_t)sinks + 1;
	path >>= 6;
	for (int64_t s = 0; s <= sinks; s++, path >>= h->bits) {
		bridge[2 * s + 1] = (int32_t)i;
		bridge[2 * s + 2] = (int32_t)(path + s);
		i = h->arity * i + 1 + (path & mask);
	}
}

/* Writes the keys of bridges to a heap. Returns how many there were. */
static int64_t cross_bridges(int32_t *node, const int32_t *bridge, int64_t words, int64_t count)
{
	int64_t written = 0;

	for (int64_t b = 0; b < count; b++, bridge += words) {
		for (int32_t p = 0; p < bridge[0]; p++)
			node[bridge[2 * p + 1]] = bridge[2 * p + 2];
		written += bridge[0];
	}
	return written;
}

/* Crosses all bridges of a list. Adds the time and the number of keys to *seconds and *written. */
static void cross_list(const struct model *m, const struct adheap *h, int64_t j, int32_t *bridge,
                       double *seconds, int64_t *written)
{
	const int64_t words = 2 * h->levels + 1, end = m->first[j + 1];
	int32_t *node = m->heaps + j * h->room + h->head;

	for (int64_t u = m->first[j]; u < end; u += BRIDGES) {
		const int64_t count = end - u < BRIDGES ? end - u : BRIDGES;

		for (int64_t b = 0; b < count; b++)
			make_bridge(h, h->path[u + b], bridge + b * words);
		const double start = tool_seconds();

		*written += cross_bridges(node, bridge, words, count);
		*seconds += tool_seconds() - start;
	}
}

double model_cross(const struct model *m, const struct adheap *h)
{
	const struct job *job = m->job;
	const size_t bytes = (size_t)(2 * h->levels + 1) * BRIDGES * sizeof(int32_t);
	int64_t written = 0;
	double longest = 0;

#pragma omp parallel num_threads(job->threads) reduction(+ : written) reduction(max : longest)
	{
		int32_t *bridge = need(malloc(bytes), job->line);

		double own = 0; /* the reduction begins with the least number, not with 0 */

#pragma omp for schedule(dynamic)
		for (int64_t j = 0; j < job->batch; j++)
			cross_list(m, h, j, bridge, &own, &written);
		longest = own > longest ? own : longest;
		free(bridge);
	}
	return written == h->counts.swap + h->counts.update_key ? longest : -1;
}

/* ---- Messages -------------------------------------------------------------------------------- */

enum { SLOTS = 64, SPINS = 100, GROUPS_OF_PACKET = 16 };

struct packet {
	_Atomic uint32_t turn; /* the ticket that may push here; the next one: that may pop */
	uint32_t kind;
	uint64_t word[7];
};
_Static_assert(sizeof(struct packet) == 64, "a packet is a line of the cache");

struct queue {
	struct packet packet[SLOTS];
	_Atomic uint32_t pushed;
	char apart[60]; /* keeps the two ends in separate lines */
	uint32_t popped;
};

/* What a packet asks for: an update of a heap. */
struct task {
	uint32_t kind;
	int64_t list, nodes, arity, levels;
	const void *heap;
	int64_t key, number;
};

/* Two threads and their queues. */
struct pair {
	struct queue *to_device, *to_host;
	int64_t packets;
	_Atomic bool ready;
	int64_t sum; /* of the numbers of tasks that came back */
	double seconds;
};

static struct queue *queue_make(const char *what)
{
	struct queue *q = need(aligned_alloc(64, (sizeof *q + 63) / 64 * 64), what);

	memset(q, 0, sizeof *q);
	for (uint32_t k = 0; k < SLOTS; k++)
		atomic_init(&q->packet[k].turn, k);
	return q;
}

/* Lets others run if there has been nothing to do for a while. */
static void wait_for(int *idle)
{
	if (++*idle % SPINS == 0)
		sched_yield();
}

static void push(struct queue *q, const struct task *t)
{
	const uint32_t ticket = atomic_fetch_add_explicit(&q->pushed, 1, memory_order_relaxed);
	struct packet *p = &q->packet[ticket % SLOTS];

	for (int idle = 0; atomic_load_explicit(&p->turn, memory_order_acquire) != ticket;)
		wait_for(&idle);
	p->kind = t->kind;
	p->word[0] = (uint64_t)t->list;
	p->word[1] = (uint64_t)t->nodes;
	p->word[2] = (uint64_t)t->arity;
	p->word[3] = (uint64_t)t->levels;
	p->word[4] = (uint64_t)(uintptr_t)t->heap;
	p->word[5] = (uint64_t)t->key;
	p->word[6] = (uint64_t)t->number;
	atomic_store_explicit(&p->turn, ticket + 1, memory_order_release);
}

static bool pop(struct queue *q, struct task *t)
{
	struct packet *p = &q->packet[q->popped % SLOTS];

	if (atomic_load_explicit(&p->turn, memory_order_acquire) != q->popped + 1)
		return false;
	*t = (struct task){.kind = p->kind,
	                   .list = (int64_t)p->word[0],
	                   .nodes = (int64_t)p->word[1],
	                   .arity = (int64_t)p->word[2],
	                   .levels = (int64_t)p->word[3],
	                   .heap = (const void *)(uintptr_t)p->word[4],
	                   .key = (int64_t)p->word[5],
	                   .number = (int64_t)p->word[6]};
	atomic_store_explicit(&p->turn, q->popped + SLOTS, memory_order_release);
	q->popped++;
	return true;
}

/* Answers each packet. */
static void *be_device(void *of)
{
	struct pair *pair = of;
	struct task t;
	int idle = 0;

	atomic_store(&pair->ready, true);
	for (int64_t served = 0; served < pair->packets;) {
		if (!pop(pair->to_device, &t)) {
			wait_for(&idle);
			continue;
		}
		t.kind++;
		push(pair->to_host, &t);
		served++;
	}
	return NULL;
}

/* Pushes requests, as many as there are places, and pops the answers. */
static void *be_host(void *of)
{
	struct pair *pair = of;
	struct task answer;
	int64_t sent = 0, got = 0;
	int idle = 0;

	while (!atomic_load(&pair->ready))
		wait_for(&idle);
	const double start = tool_seconds();

	while (got < pair->packets) {
		if (pop(pair->to_host, &answer)) {
			pair->sum += answer.number;
			got++;
		} else if (sent < pair->packets && sent - got < SLOTS) {
			push(pair->to_device, &(struct task){.list = sent % 97, .number = sent});
			sent++;
		} else {
			wait_for(&idle);
		}
	}
	pair->seconds = tool_seconds() - start;
	return NULL;
}

/* Runs all pairs, and returns the time of the one that took longest. */
static double run_pairs(struct pair *pair, int pairs, const char *what)
{
	pthread_t *thread = need(calloc(2 * (size_t)pairs, sizeof *thread), what);
	double longest = 0;

	for (int k = 0; k < 2 * pairs; k++)
		need(pthread_create(&thread[k], NULL, k % 2 ? be_host : be_device, &pair[k / 2])
		             ? NULL
		             : thread,
		     "a thread");
	for (int k = 0; k < 2 * pairs; k++)
		pthread_join(thread[k], NULL);
	free(thread);
	for (int k = 0; k < pairs; k++) {
		const int64_t n = pair[k].packets;

		if (pair[k].sum != n * (n - 1) / 2)
			return -1;
		longest = pair[k].seconds > longest ? pair[k].seconds : longest;
	}
	return longest;
}

double model_queue(const struct model *m)
{
	const char *what = m->job->line;
	const int64_t packets = 2 * m->updates / GROUPS_OF_PACKET;
	const int pairs = m->job->threads > 1 ? m->job->threads / 2 : 1;
	struct pair *pair = need(calloc((size_t)pairs, sizeof *pair), what);
	double longest;

	for (int k = 0; k < pairs; k++) {
		pair[k].to_device = queue_make(what);
		pair[k].to_host = queue_make(what);
		pair[k].packets = packets * (k + 1) / pairs - packets * k / pairs;
	}
	longest = run_pairs(pair, pairs, what);
	for (int k = 0; k < pairs; k++) {
		free(pair[k].to_device);
		free(pair[k].to_host);
	}
	free(pair);
	return longest;
}
