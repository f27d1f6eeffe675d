/* SPDX-License-Identifier: BSD-3-Clause
 * Intel's x86-simd-sort, from the headers in NumPy: sort, sort with values, selection. One thread
 * sorts an array. OpenMP distributes lists over threads, and selection works on a copy of a list,
 * since the input must not change. The module is compiled for AVX-512 and works only on processors
 * that have it. */
#include <cstdint>

#include <x86simdsort-static-incl.h>

#include "lists.hpp"

namespace
{

using problem = ek_peer_problem;
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
	return select_in_lists<T>(p, [&p](T *first, T *) {
		x86simdsortStatic::qselect(first, static_cast<size_t>(p.k - 1),
		                           static_cast<size_t>(p.n));
	});
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

int prepare(const problem *p, void **state)
{
	*state = const_cast<problem *>(p);
	return 0;
}

int run(void *state, int64_t calls)
{
	const problem &p = *static_cast<const problem *>(state);
	once_fn *once = find(p);
	int failed = 0;

	for (; calls > 0; calls--)
		failed |= once(p);
	return failed;
}

void release(void *)
{
}

const char *error()
{
	return "out of memory";
}

const ek_peer simdsort = {
	EK_PEER("simdsort", "x86-simd-sort: qsort, keyvalue_qsort, qselect",
                EK_PEER_OF(EK_SORT) | EK_PEER_OF(EK_KSELECT), version),
	EK_PEER_CALLS(supports, prepare, run, nullptr, release, error),
};

} // namespace

const ek_peer *const *ek_peer_list(void)
{
	static const ek_peer *const list[] = {&simdsort, nullptr};

	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
	                       __builtin_cpu_supports("avx512bw") &&
	                       __builtin_cpu_supports("avx512vl")
	               ? list
	               : nullptr;
}
