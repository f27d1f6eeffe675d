/* SPDX-License-Identifier: BSD-3-Clause
 * The key of a pattern: a hash of sizes, format and all arrays except values, by which decisions
 * about a matrix are found again (plan/wisdom.c). All threads hash pieces of the arrays, whose
 * sizes do not depend on the number of threads, and the hashes of the pieces are added up, so their
 * order does not matter. One pass over the indices: as fast as memory delivers them.
 *
 * Source: each lane multiplies and rotates, as in the hashes of Appleby (MurmurHash, 2008); the
 * last step is the mixer of Steele, Lea and Flood 2014 (SplitMix). */
#include <string.h>

#include "base/mix.h"
#include "matrix/matrix.h"

enum { PIECE = 1 << 16, LANES = 8, PARALLEL = 1 << 20 /* bytes that make up for waking threads */ };

#define SECOND UINT64_C(0xd6e8feb86659fd93)

/* Takes a word into a lane. For each word this is one-to-one, so lanes that differ stay apart. */
static uint64_t stir(uint64_t h, uint64_t word)
{
	h ^= word;
	return (h << 29 | h >> 35) * SECOND;
}

/* Works in eight lanes, since a multiplication waits for the one before it in its lane. The last
 * words are filled with zeros. */
uint64_t eki_hash(const void *from, int64_t bytes, uint64_t seed)
{
	const char *data = from;
	uint64_t lane[LANES], word[LANES];
	int64_t at = 0;

	for (int k = 0; k < LANES; k++)
		lane[k] = seed ^ (uint64_t)(k + 1) * EKI_GOLDEN;
	for (; at + (int64_t)sizeof word <= bytes; at += (int64_t)sizeof word) {
		memcpy(word, data + at, sizeof word);
		for (int k = 0; k < LANES; k++)
			lane[k] = stir(lane[k], word[k]);
	}
	memset(word, 0, sizeof word);
	if (at < bytes)
		memcpy(word, data + at, (size_t)(bytes - at));
	for (int k = 0; k < LANES; k++)
		seed = eki_mix(seed + stir(lane[k], word[k]));
	return seed;
}

struct job {
	const ek_store *A;
	int array;
	int64_t bytes;
	int parts;
	_Atomic uint64_t sum;
};

static void hash_part(void *arg, int part)
{
	struct job *job = arg;
	const int64_t pieces = eki_groups(job->bytes, PIECE);
	const char *data = job->A->array[job->array];
	uint64_t sum = 0;

	for (int64_t k = eki_cut(pieces, job->parts, part),
	             end = eki_cut(pieces, job->parts, part + 1);
	     k < end; k++) {
		const int64_t begin = eki_group(job->bytes, PIECE, k);

		sum += eki_hash(data + begin, eki_group(job->bytes, PIECE, k + 1) - begin,
		                eki_mix((uint64_t)k * EKI_MAX_ARRAYS + (uint64_t)job->array));
	}
	atomic_fetch_add(&job->sum, sum);
}

static uint64_t find(const ek_matrix *A)
{
	const ek_store *s = &A->store;
	const int64_t head[] = {s->rows,   s->cols,   s->nnz,  s->dim[0],    s->dim[1],
	                        s->dim[2], s->dim[3], s->base, A->transposed};
	uint64_t key = eki_hash(head, sizeof head, EKI_GOLDEN);

	key = eki_hash(s->format->name, (int64_t)strlen(s->format->name), key);
	for (int k = 0; k < EKI_MAX_ARRAYS && s->format->array[k].name; k++) {
		const eki_elem elem = s->format->array[k].elem;
		struct job job = {.A = s,
		                  .array = k,
		                  .bytes = s->len[k] *
		                           (int64_t)eki_elem_size(elem, s->value, s->index)};

		if (elem == EKI_VALUE || !job.bytes)
			continue;
		job.parts = job.bytes >= PARALLEL ? A->ctx->threads : 1;
		eki_parallel(A->ctx, A->ctx->threads, job.parts, hash_part, &job);
		key = eki_mix(key ^ atomic_load(&job.sum));
	}
	return key ? key : 1;
}

uint64_t eki_matrix_pattern(const ek_matrix *A)
{
	ek_matrix *M = (ek_matrix *)(uintptr_t)A;
	uint64_t key = atomic_load(&M->pattern);

	if (!key) {
		key = find(A);
		atomic_store(&M->pattern, key);
	}
	return key;
}

bool eki_matrix_ascends(const ek_matrix *A, const ek_store *csr, bool columns)
{
	const bool own = A->store.format == &ek_format_csr && A->transposed == columns;
	ek_matrix *M = (ek_matrix *)(uintptr_t)A;

	if (own && atomic_load(&M->ascends))
		return true;
	if (!eki_ascends_strictly(A->ctx, csr))
		return false;
	if (own)
		atomic_store(&M->ascends, true);
	return true;
}
