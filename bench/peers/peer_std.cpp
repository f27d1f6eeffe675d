/* SPDX-License-Identifier: BSD-3-Clause
 * The C++ standard library without execution policies, as anybody would use it. A single array is
 * processed by one thread; OpenMP distributes many merges and many lists over threads. Selection
 * works on a copy of the list, since the input must not change. Lists are copied one at a time, so
 * that the copy is in the cache. */
#include <algorithm>
#include <cstdio>
#include <new>
#include <numeric>

#include "lists.hpp"

namespace
{

using problem = ek_peer_problem;
using once_fn = int(const problem &);

template <typename T> struct calls {
	static int reduce(const problem &p)
	{
		const T *in = static_cast<const T *>(p.in);

		*static_cast<T *>(p.out) = std::accumulate(in, in + p.n, T(0));
		return 0;
	}

	static int scan(const problem &p)
	{
		const T *in = static_cast<const T *>(p.in);
		T *out = static_cast<T *>(p.out);

		if (p.kind == EK_INCLUSIVE)
			std::inclusive_scan(in, in + p.n, out);
		else
			std::exclusive_scan(in, in + p.n, out, T(0));
		return 0;
	}

	static int sort(const problem &p)
	{
		T *key = static_cast<T *>(p.key);

		std::sort(key, key + p.n);
		return 0;
	}

	static int merge(const problem &p)
	{
		const T *a = static_cast<const T *>(p.in), *b = static_cast<const T *>(p.in_b);
		T *out = static_cast<T *>(p.key);

#pragma omp parallel for num_threads(p.threads)
		for (int64_t k = 0; k < p.batch; k++)
			std::merge(a + k * p.n, a + (k + 1) * p.n, b + k * p.n, b + (k + 1) * p.n,
			           out + 2 * k * p.n);
		return 0;
	}

	static int nth(const problem &p)
	{
		return select_in_lists<T>(p, [&p](T *first, T *last) {
			std::nth_element(first, first + p.k - 1, last);
		});
	}

	static int partial(const problem &p)
	{
		return select_in_lists<T>(p, [&p](T *first, T *last) {
			std::partial_sort(first, first + p.k, last);
		});
	}
};

once_fn *const reduce_by[] = {calls<float>::reduce, calls<double>::reduce, calls<int32_t>::reduce,
                              calls<int64_t>::reduce};
once_fn *const scan_by[] = {calls<float>::scan, calls<double>::scan, calls<int32_t>::scan,
                            calls<int64_t>::scan};
once_fn *const sort_by[] = {calls<float>::sort, calls<double>::sort, calls<int32_t>::sort,
                            calls<int64_t>::sort};
once_fn *const merge_by[] = {calls<float>::merge, calls<double>::merge, calls<int32_t>::merge,
                             calls<int64_t>::merge};
once_fn *const nth_by[] = {calls<float>::nth, calls<double>::nth, calls<int32_t>::nth,
                           calls<int64_t>::nth};
once_fn *const partial_by[] = {calls<float>::partial, calls<double>::partial,
                               calls<int32_t>::partial, calls<int64_t>::partial};

/* Returns the function for an operation, or a null pointer. Sums are of floats only, since sums of
 * integers would overflow. */
once_fn *find(const problem &p)
{
	bool floats = p.type == EK_F32 || p.type == EK_F64, keys = p.value_size == 0;
	int type = p.type - EK_F32;

	switch (p.operation) {
	case EK_REDUCE: return floats && p.op == EK_SUM ? reduce_by[type] : nullptr;
	case EK_SCAN: return floats && p.op == EK_SUM ? scan_by[type] : nullptr;
	case EK_SORT: return keys ? sort_by[type] : nullptr;
	case EK_MERGE: return keys ? merge_by[type] : nullptr;
	case EK_KSELECT: return nth_by[type];
	default: return nullptr;
	}
}

const char *version()
{
	static char text[48];

#if defined(__GLIBCXX__)
	snprintf(text, sizeof text, "libstdc++ %d", _GLIBCXX_RELEASE);
#else
	snprintf(text, sizeof text, "libc++ %d", _LIBCPP_VERSION);
#endif
	return text;
}

int supports(const problem *p)
{
	return find(*p) != nullptr;
}

/* A problem, and the function that is called for it. */
struct state {
	const problem *p;
	once_fn *once;
};

int prepare(const problem *p, void **out)
{
	return !(*out = new (std::nothrow) state{p, find(*p)});
}

int run(void *data, int64_t calls)
{
	const state *s = static_cast<const state *>(data);
	int failed = 0;

	for (; calls > 0; calls--)
		failed |= s->once(*s->p);
	return failed;
}

void release(void *data)
{
	delete static_cast<state *>(data);
}

const char *error()
{
	return "out of memory";
}

int partial_prepare(const problem *p, void **out)
{
	return !(*out = new (std::nothrow) state{p, partial_by[p->type - EK_F32]});
}

const ek_peer standard = {
	EK_PEER("std", "std::accumulate, inclusive_scan, sort, merge, nth_element",
                EK_PEER_OF(EK_REDUCE) | EK_PEER_OF(EK_SCAN) | EK_PEER_OF(EK_SORT) |
                        EK_PEER_OF(EK_MERGE) | EK_PEER_OF(EK_KSELECT),
                version),
	EK_PEER_CALLS(supports, prepare, run, nullptr, release, error),
};
const ek_peer partial_sort = {
	EK_PEER("std.partial_sort", "std::partial_sort", EK_PEER_OF(EK_KSELECT), version),
	EK_PEER_CALLS(supports, partial_prepare, run, nullptr, release, error),
};

} // namespace

const ek_peer *const *ek_peer_list(void)
{
	static const ek_peer *const list[] = {&standard, &partial_sort, nullptr};

	return list;
}
