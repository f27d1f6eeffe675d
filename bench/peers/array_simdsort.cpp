/* SPDX-License-Identifier: BSD-3-Clause
 * Intel's x86-simd-sort, the headers that NumPy carries: sort, sort with values, selection. One
 * thread for an array; lists are handed out to threads by OpenMP and selected from a copy, since
 * the input must stay as it is. Compiled for AVX-512 alone, so this module works only where the
 * processor has it. */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <new>

#include <x86simdsort-static-incl.h>

#include "array_peer.h"

namespace
{

using problem = ek_array_peer_problem;
using once_fn = int(const problem &);

template <typename T> int sort(const problem &p)
{
	x86simdsortStatic::qsort(static_cast<T *>(p.key), static_cast<size_t>(p.n));
	return 0;
}

template <typename T, typename V> int sort_pairs(const problem &p)
{
	x86simdsortStatic::keyvalue_qsort(static_cast<T *>(p.key), static_cast<V *>(p.value),
	                                  static_cast<size_t>(p.n));
	return 0;
}

template <typename T> int select(const problem &p)
{
	const T *in = static_cast<const T *>(p.in);
	T *out = static_cast<T *>(p.out);
	bool failed = false;

#pragma omp parallel num_threads(p.threads)
	{
		T *copy = new (std::nothrow) T[static_cast<size_t>(p.n)];

#pragma omp for
		for (int64_t list = 0; list < p.batch; list++) {
			if (!copy)
				continue;
			std::copy(in + list * p.n, in + (list + 1) * p.n, copy);
			x86simdsortStatic::qselect(copy, static_cast<size_t>(p.k - 1),
			                           static_cast<size_t>(p.n));
			out[list] = copy[p.k - 1];
		}
		if (!copy)
#pragma omp atomic write
			failed = true;
		delete[] copy;
	}
	return failed;
}

once_fn *find(const problem &p)
{
	static once_fn *const sort_by[] = {sort<float>, sort<double>, sort<int32_t>, sort<int64_t>};
	static once_fn *const pairs4_by[] = {
		sort_pairs<float, uint32_t>, sort_pairs<double, uint32_t>,
		sort_pairs<int32_t, uint32_t>, sort_pairs<int64_t, uint32_t>};
	static once_fn *const pairs8_by[] = {
		sort_pairs<float, uint64_t>, sort_pairs<double, uint64_t>,
		sort_pairs<int32_t, uint64_t>, sort_pairs<int64_t, uint64_t>};
	static once_fn *const select_by[] = {select<float>, select<double>, select<int32_t>,
	                                     select<int64_t>};
	int type = p.type - EK_F32;

	if (p.operation == EK_KSELECT)
		return select_by[type];
	if (p.operation != EK_SORT)
		return nullptr;
	return (p.value_size == 0 ? sort_by : p.value_size == 4 ? pairs4_by : pairs8_by)[type];
}

const char *version()
{
	return PEER_VERSION;
}

int supports(const problem *p)
{
	return find(*p) != nullptr;
}

int prepare(const problem *, void **state)
{
	*state = nullptr;
	return 0;
}

int run(void *, const problem *p)
{
	return find(*p)(*p);
}

void release(void *)
{
}

const ek_array_peer simdsort = {EK_ARRAY_PEER_ABI,
                                "simdsort",
                                "x86-simd-sort: qsort, keyvalue_qsort, qselect",
                                version,
                                supports,
                                prepare,
                                run,
                                release};

} // namespace

const ek_array_peer *const *ek_array_peer_list(void)
{
	static const ek_array_peer *const list[] = {&simdsort, nullptr};

	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
	                       __builtin_cpu_supports("avx512bw") &&
	                       __builtin_cpu_supports("avx512vl")
	               ? list
	               : nullptr;
}
