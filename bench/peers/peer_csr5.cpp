/* SPDX-License-Identifier: BSD-3-Clause
 * CSR5 by its authors: y = A x of doubles with 32-bit indices by their published code for AVX2 or
 * AVX-512 (CSR5_AVX512), from the folder EK_CSR5_SOURCE, a variable of the build. The code
 * rearranges arrays in place, so it gets copies; making them is part of its preparation, as it
 * would be for a caller who keeps CSR. Three properties of the code are worked around here, at no
 * cost to its products: it prints during the conversion, one version clears its carries only then,
 * and it reads 64 bytes at a time whatever the alignment. sigma is the constant of the authors' own
 * program. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>
#include <omp.h>

#define VALUE_TYPE double
#define NUM_RUN    1
#define private public
#define printf(...) static_cast<void>(0)
#ifdef CSR5_AVX512
#include <immintrin.h>
/* Intrinsics that have these names only in Intel's compiler. */
#define _mm512_i32logather_pd(index, base, scale) \
	_mm512_i32gather_pd(_mm512_castsi512_si256(index), base, scale)
#define _mm512_mask_i32loscatter_pd(base, mask, index, value, scale) \
	_mm512_mask_i32scatter_pd(base, mask, _mm512_castsi512_si256(index), value, scale)
#define _mm512_permute4f128_epi32(v, order) _mm512_shuffle_i32x4(v, v, order)
#define _mm512_permutevar_epi32(order, v)   _mm512_permutexvar_epi32(order, v)
#include "anonymouslib_avx512.h"
#define NAME "csr5_avx512"
#define TEXT "CSR5 by its authors, AVX-512"
#else
#include "anonymouslib_avx2.h"
#define NAME "csr5_avx2"
#define TEXT "CSR5 by its authors, AVX2"
#endif
#undef printf
#undef private

#include "peer.h"

namespace
{

struct state {
	const ek_peer_problem *problem;
	anonymouslibHandle<int, unsigned, double> handle;
	int *row_ptr, *col_idx;
	double *val;

	explicit state(const ek_peer_problem *p)
	    : problem(p), handle(static_cast<int>(p->rows), static_cast<int>(p->cols)),
	      row_ptr(nullptr), col_idx(nullptr), val(nullptr)
	{
	}
};

const char *error()
{
	return "out of memory, or the conversion failed";
}

const char *version()
{
	return CSR5_VERSION;
}

int supports(const ek_peer_problem *p)
{
	/* The code needs at least one tile of entries, and computes with beta = 0 only. */
	return p->value_bytes == 8 && p->ptr_bytes == 4 && p->idx_bytes == 4 && !p->transposed &&
	       p->alpha == 1 && p->beta == 0 &&
	       p->nnz > 2 * ANONYMOUSLIB_CSR5_OMEGA * ANONYMOUSLIB_CSR5_SIGMA;
}

template <typename T> T *copy(const void *from, int64_t count)
{
	const size_t bytes = static_cast<size_t>(count) * sizeof(T);
	void *to = std::aligned_alloc(64, (bytes + 127) / 64 * 64);

	if (to)
		std::memcpy(to, from, bytes);
	return static_cast<T *>(to);
}

void release(void *data)
{
	state *s = static_cast<state *>(data);

	if (!s)
		return;
	if (s->handle._format == ANONYMOUSLIB_FORMAT_CSR5)
		s->handle.destroy();
	std::free(s->row_ptr);
	std::free(s->col_idx);
	std::free(s->val);
	delete s;
}

int prepare(const ek_peer_problem *p, void **out)
{
	state *s = new (std::nothrow) state(p);

	if (!s)
		return 1;
	omp_set_num_threads(p->threads);
	std::cout.setstate(std::ios::failbit);
	s->handle._format = ANONYMOUSLIB_FORMAT_CSR;
	s->row_ptr = copy<int>(p->row_ptr, p->rows + 1);
	s->col_idx = copy<int>(p->col_idx, p->nnz);
	s->val = copy<double>(p->val, p->nnz);
	bool bad = !s->row_ptr || !s->col_idx || !s->val;
	if (!bad) {
		s->handle.inputCSR(static_cast<int>(p->nnz), s->row_ptr, s->col_idx, s->val);
		s->handle.setX(static_cast<double *>(const_cast<void *>(p->x)));
		s->handle.setSigma(ANONYMOUSLIB_CSR5_SIGMA);
		bad = s->handle.asCSR5() != ANONYMOUSLIB_SUCCESS;
	}
	std::cout.clear();
	if (bad) {
		release(s);
		return 1;
	}
	*out = s;
	return 0;
}

int run(void *data, int64_t calls)
{
	state *s = static_cast<state *>(data);

	omp_set_num_threads(s->problem->threads);
	for (; calls > 0; calls--) {
		std::memset(s->handle._temp_calibrator, 0,
		            static_cast<size_t>(s->problem->threads) * ANONYMOUSLIB_X86_CACHELINE);
		if (s->handle.spmv(1.0, static_cast<double *>(s->problem->y)) !=
		    ANONYMOUSLIB_SUCCESS)
			return 1;
	}
	return 0;
}

/* Sets y to 0, since the code does not write rows without entries. */
int load(void *data)
{
	const ek_peer_problem *p = static_cast<state *>(data)->problem;

	std::memset(p->y, 0, static_cast<size_t>(p->rows) * sizeof(double));
	return 0;
}

int fetch(void *)
{
	return 0;
}

const ek_peer csr5 = {
	.abi = EK_PEER_ABI,
	.operations = EK_PEER_OF(EK_SPMV),
	.name = NAME,
	.text = TEXT,
	.version = version,
	.supports = supports,
	.prepare = prepare,
	.run = run,
	.load = load,
	.fetch = fetch,
	.release = release,
	.error = error,
};

} // namespace

const ek_peer *const *ek_peer_list(void)
{
	static const ek_peer *const list[] = {&csr5, nullptr};

	return list;
}
