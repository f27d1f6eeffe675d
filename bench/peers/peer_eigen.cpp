/* SPDX-License-Identifier: BSD-3-Clause
 * Eigen: y = A x on a Map of the CSR arrays, row-major, which Eigen runs on threads; the transposed
 * product it does not. Compiled for the machine it is built on, as users of Eigen do. */
#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdio>
#include <new>

#include "peer.h"

namespace
{

template <typename Value, typename Index> struct product {
	using matrix = Eigen::SparseMatrix<Value, Eigen::RowMajor, Index>;
	using vector = Eigen::Matrix<Value, Eigen::Dynamic, 1>;

	static void once(const ek_peer_problem &p)
	{
		Eigen::Map<const matrix> A(
			p.rows, p.cols, p.nnz, static_cast<const Index *>(p.row_ptr),
			static_cast<const Index *>(p.col_idx), static_cast<const Value *>(p.val));
		Eigen::Index in = p.transposed ? p.rows : p.cols;
		Eigen::Index out = p.transposed ? p.cols : p.rows;
		Eigen::Map<const vector> x(static_cast<const Value *>(p.x), in);
		Eigen::Map<vector> y(static_cast<Value *>(p.y), out);
		Value alpha = static_cast<Value>(p.alpha);

		if (p.beta == 0)
			y.setZero();
		else if (p.beta != 1)
			y *= static_cast<Value>(p.beta);
		if (p.transposed)
			y.noalias() += alpha * (A.transpose() * x);
		else
			y.noalias() += alpha * (A * x);
	}
};

using once_fn = void(const ek_peer_problem &);

struct state {
	const ek_peer_problem *problem;
	once_fn *once;
};

const char *error()
{
	return "out of memory";
}

const char *version()
{
	static char text[32];

	snprintf(text, sizeof text, "%d.%d.%d", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
	         EIGEN_MINOR_VERSION);
	return text;
}

int supports(const ek_peer_problem *p)
{
	return p->ptr_bytes == p->idx_bytes;
}

int prepare(const ek_peer_problem *p, void **out)
{
	static once_fn *const table[2][2] = {
		{product<float, int32_t>::once, product<float, int64_t>::once},
		{product<double, int32_t>::once, product<double, int64_t>::once}};

	Eigen::setNbThreads(p->threads);
	*out = new (std::nothrow) state{p, table[p->value_bytes == 8][p->idx_bytes == 8]};
	return *out ? 0 : 1;
}

int run(void *data, int64_t calls)
{
	const state *s = static_cast<const state *>(data);

	for (; calls > 0; calls--)
		s->once(*s->problem);
	return 0;
}

void release(void *data)
{
	delete static_cast<state *>(data);
}

const ek_peer eigen = {EK_PEER_ABI, "eigen",  "Eigen, a row-major Map times a vector",
                       version,     supports, prepare,
                       run,         nullptr,  nullptr,
                       release,     error,    0,
                       nullptr};

} // namespace

const ek_peer *const *ek_peer_list(void)
{
	static const ek_peer *const list[] = {&eigen, nullptr};

	return list;
}
