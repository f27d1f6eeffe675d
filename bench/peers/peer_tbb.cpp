/* SPDX-License-Identifier: BSD-3-Clause
 * The parallel algorithms of C++17 with std::execution::par_unseq, which libstdc++ runs on Intel's
 * TBB: reduce, inclusive_scan, exclusive_scan and sort. TBB has threads of its own, limited to the
 * number that other methods have. */
#include <algorithm>
#include <execution>
#include <cstdio>
#include <new>
#include <numeric>

#include <tbb/global_control.h>
#include <tbb/version.h>

#include "peer.h"

namespace
{

using problem = ek_peer_problem;
using once_fn = void(const problem &);

constexpr auto policy = std::execution::par_unseq;

template <typename T> struct calls {
	static void reduce(const problem &p)
	{
		const T *in = static_cast<const T *>(p.in);

		*static_cast<T *>(p.out) = std::reduce(policy, in, in + p.n, T(0));
	}

	static void scan(const problem &p)
	{
		const T *in = static_cast<const T *>(p.in);
		T *out = static_cast<T *>(p.out);

		if (p.kind == EK_INCLUSIVE)
			std::inclusive_scan(policy, in, in + p.n, out);
		else
			std::exclusive_scan(policy, in, in + p.n, out, T(0));
	}

	static void sort(const problem &p)
	{
		T *key = static_cast<T *>(p.key);

		std::sort(policy, key, key + p.n);
	}
};

/* Returns the function for an operation, or a null pointer. Sums are of floats only, since sums of
 * integers would overflow. */
once_fn *find(const problem &p)
{
	static once_fn *const reduce_by[] = {calls<float>::reduce, calls<double>::reduce};
	static once_fn *const scan_by[] = {calls<float>::scan, calls<double>::scan};
	static once_fn *const sort_by[] = {calls<float>::sort, calls<double>::sort,
	                                   calls<int32_t>::sort, calls<int64_t>::sort};
	bool sums = p.op == EK_SUM && (p.type == EK_F32 || p.type == EK_F64);
	int type = p.type - EK_F32;

	switch (p.operation) {
	case EK_REDUCE: return sums ? reduce_by[type] : nullptr;
	case EK_SCAN: return sums ? scan_by[type] : nullptr;
	case EK_SORT: return p.value_size == 0 ? sort_by[type] : nullptr;
	default: return nullptr;
	}
}

const char *version()
{
	static char text[48];

	snprintf(text, sizeof text, "libstdc++ %d, TBB %d.%d", _GLIBCXX_RELEASE, TBB_VERSION_MAJOR,
	         TBB_VERSION_MINOR);
	return text;
}

int supports(const problem *p)
{
	return find(*p) != nullptr;
}

struct state {
	const problem *p;
	tbb::global_control threads;

	explicit state(const problem *q)
	    : p(q),
	      threads(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(q->threads))
	{
	}
};

int prepare(const problem *p, void **out)
{
	return !(*out = new (std::nothrow) state(p));
}

int run(void *data, int64_t calls)
{
	const state *s = static_cast<const state *>(data);
	once_fn *once = find(*s->p);

	for (; calls > 0; calls--)
		once(*s->p);
	return 0;
}

void release(void *data)
{
	delete static_cast<state *>(data);
}

const char *error()
{
	return "out of memory";
}

const ek_peer tbb_peer = {
	EK_PEER("tbb", "std::reduce, inclusive_scan, sort with par_unseq over TBB",
                EK_PEER_OF(EK_REDUCE) | EK_PEER_OF(EK_SCAN) | EK_PEER_OF(EK_SORT), version),
	EK_PEER_CALLS(supports, prepare, run, nullptr, release, error),
};

} // namespace

const ek_peer *const *ek_peer_list(void)
{
	static const ek_peer *const list[] = {&tbb_peer, nullptr};

	return list;
}
