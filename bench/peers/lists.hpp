// SPDX-License-Identifier: BSD-3-Clause
// Selection in many lists, for libraries that select in place. OpenMP distributes the lists over
// threads. Each list is copied first, since the input must not change.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>

#include "peer.h"

// Stores the k-th smallest entry of each list in p.out. kth(first, end) must move the k-th smallest
// entry of a list to first[p.k - 1]. Returns 1 if there was not enough memory, else 0.
template <typename T, typename Select> int select_in_lists(const ek_peer_problem &p, Select &&kth)
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
			kth(copy, copy + p.n);
			out[list] = copy[p.k - 1];
		}
		if (!copy)
#pragma omp atomic write
			failed = true;
		delete[] copy;
	}
	return failed;
}
