/* SPDX-License-Identifier: BSD-3-Clause
 * The C++ standard library without execution policies: what anybody would write. One thread for one
 * array; many merges and many lists are handed out to threads by OpenMP. Selections work on a copy
 * of the list, since the input must stay as it is; the copies are made one list at a time, in
 * cache. */
#include <algorithm>
#include <cstdio>
#include <new>
#include <numeric>

#include "array_peer.h"

namespace
{

using problem = ek_array_peer_problem;
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

	template <typename Select> static int select(const problem &p, Select &&kth)
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
				kth(copy, copy + p.k, copy + p.n);
				out[list] = copy[p.k - 1];
			}
			if (!copy)
#pragma omp atomic write
				failed = true;
			delete[] copy;
		}
		return failed;
	}

	static int nth(const problem &p)
	{
		return select(
			p, [](T *first, T *k, T *last) { std::nth_element(first, k - 1, last); });
	}

	static int partial(const problem &p)
	{
		return select(p,
		              [](T *first, T *k, T *last) { std::partial_sort(first, k, last); });
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

/* By operation: what the peer "std" calls. Integers would overflow, so sums are of floats. */
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

int partial_supports(const problem *p)
{
	return p->operation == EK_KSELECT;
}

int partial_run(void *, const problem *p)
{
	return partial_by[p->type - EK_F32](*p);
}

const ek_array_peer standard = {EK_ARRAY_PEER_ABI,
                                "std",
                                "std::accumulate, inclusive_scan, sort, merge, nth_element",
                                version,
                                supports,
                                prepare,
                                run,
                                release};
const ek_array_peer partial_sort = {EK_ARRAY_PEER_ABI,   "std.partial_sort",
                                    "std::partial_sort", version,
                                    partial_supports,    prepare,
                                    partial_run,         release};

} // namespace

const ek_array_peer *const *ek_array_peer_list(void)
{
	static const ek_array_peer *const list[] = {&standard, &partial_sort, nullptr};

	return list;
}
