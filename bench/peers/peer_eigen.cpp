/* SPDX-License-Identifier: BSD-3-Clause
 * Eigen: y = A x with a row-major Map of the CSR arrays and Maps of vectors, or of blocks in their
 * order; sums of two such matrices, of which one may be transposed first; products of three,
 * P^T A P. Eigen runs y = A x on several threads, but neither y = A^T x nor operations with a
 * sparse result. The module is compiled for the machine that it is built on, as users of Eigen
 * do. */
#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdio>
#include <new>

#include "peer.h"

namespace
{

template <typename Value, int order>
using block = Eigen::Matrix<Value, Eigen::Dynamic, Eigen::Dynamic, order>;
template <typename Value> using vector = Eigen::Matrix<Value, Eigen::Dynamic, 1>;

/* The product of a problem. In is the type of x, Out that of y. */
template <typename Value, typename Index, typename In, typename Out> struct product {
	using matrix = Eigen::SparseMatrix<Value, Eigen::RowMajor, Index>;

	static void once(const ek_peer_problem &p)
	{
		Eigen::Map<const matrix> A(
			p.rows, p.cols, p.nnz, static_cast<const Index *>(p.row_ptr),
			static_cast<const Index *>(p.col_idx), static_cast<const Value *>(p.val));
		Eigen::Index in = p.transposed ? p.rows : p.cols;
		Eigen::Index out = p.transposed ? p.cols : p.rows;
		Eigen::Map<const In> x(static_cast<const Value *>(p.x), in, p.width);
		Eigen::Map<Out> y(static_cast<Value *>(p.y), out, p.width);
		Value alpha = static_cast<Value>(p.alpha);

		if (p.beta == 0)
			y.setZero();
		else if (p.beta != 1)
			y *= static_cast<Value>(p.beta);
		/* alpha = 1 is handled separately, since Eigen's products of row-major blocks take
		 * five times as long with a factor in the expression. */
		if (p.transposed && alpha == 1)
			y.noalias() += A.transpose() * x;
		else if (p.transposed)
			y.noalias() += alpha * (A.transpose() * x);
		else if (alpha == 1)
			y.noalias() += A * x;
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

/* Returns the function that multiplies with these types, for vectors or for the orders of x and
 * y. */
template <typename Value, typename Index> once_fn *find(const ek_peer_problem &p)
{
	using row = block<Value, Eigen::RowMajor>;
	using col = block<Value, Eigen::ColMajor>;
	static once_fn *const table[2][2] = {
		{product<Value, Index, col, col>::once, product<Value, Index, col, row>::once},
		{product<Value, Index, row, col>::once, product<Value, Index, row, row>::once}};

	return p.operation == EK_SPMM ? table[p.x_order == EK_ROW_MAJOR][p.y_order == EK_ROW_MAJOR]
	                              : product<Value, Index, vector<Value>, vector<Value>>::once;
}

int prepare(const ek_peer_problem *p, void **out)
{
	const bool wide = p->idx_bytes == 8;
	once_fn *once = p->value_bytes == 4
	                        ? (wide ? find<float, int64_t> : find<float, int32_t>)(*p)
	                        : (wide ? find<double, int64_t> : find<double, int32_t>)(*p);

	Eigen::setNbThreads(p->threads);
	*out = new (std::nothrow) state{p, once};
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

const ek_peer eigen = {
	EK_PEER("eigen", "Eigen, a row-major Map times a vector or block",
                EK_PEER_OF(EK_SPMV) | EK_PEER_OF(EK_SPMM), version),
	EK_PEER_CALLS(supports, prepare, run, nullptr, release, error),
};

/* An operation on sparse matrices, and its last result. */
struct sparse {
	virtual ~sparse() = default;
	virtual void once() = 0;
	virtual void fetch() = 0;
};

template <typename Value, typename Index> struct sparse_of : sparse {
	using matrix = Eigen::SparseMatrix<Value, Eigen::RowMajor, Index>;
	using view = Eigen::Map<const matrix>;

	const ek_peer_problem &p;
	view A, B;
	matrix C;

	static view map(const ek_peer_problem &p, int64_t cols, int64_t nnz, const void *ptr,
	                const void *idx, const void *val)
	{
		return view(p.rows, cols, nnz, static_cast<const Index *>(ptr),
		            static_cast<const Index *>(idx), static_cast<const Value *>(val));
	}
	explicit sparse_of(const ek_peer_problem &of)
	    : p(of), A(map(p, p.cols, p.nnz, p.row_ptr, p.col_idx, p.val)),
	      B(map(p, p.b_cols, p.b_nnz, p.b_row_ptr, p.b_col_idx, p.b_val))
	{
	}
	void once() override
	{
		C = matrix(); /* new memory, as for all entrants */
		if (p.operation == EK_TRIPLE)
			C = matrix(B.transpose()) * A * B;
		else if (p.transposed)
			C = A + matrix(B.transpose());
		else
			C = A + B;
	}
	void fetch() override
	{
		*p.result = {C.outerIndexPtr(), C.innerIndexPtr(), C.valuePtr(), p.ptr_bytes,
		             p.idx_bytes};
	}
};

int sparse_prepare(const ek_peer_problem *p, void **out)
{
	const bool wide = p->idx_bytes == 8;
	sparse *s = nullptr;

	if (p->value_bytes == 4)
		s = wide ? static_cast<sparse *>(new (std::nothrow) sparse_of<float, int64_t>(*p))
		         : new (std::nothrow) sparse_of<float, int32_t>(*p);
	else
		s = wide ? static_cast<sparse *>(new (std::nothrow) sparse_of<double, int64_t>(*p))
		         : new (std::nothrow) sparse_of<double, int32_t>(*p);
	*out = s;
	return s ? 0 : 1;
}

int sparse_run(void *data, int64_t calls)
{
	for (; calls > 0; calls--)
		static_cast<sparse *>(data)->once();
	return 0;
}

int sparse_fetch(void *data)
{
	static_cast<sparse *>(data)->fetch();
	return 0;
}

void sparse_release(void *data)
{
	delete static_cast<sparse *>(data);
}

const ek_peer eigen_sparse = {
	EK_PEER("eigen",
                "Eigen, A + B or P^T A P with row-major Maps; what is transposed is copied first",
                EK_PEER_OF(EK_SPADD) | EK_PEER_OF(EK_TRIPLE), version),
	EK_PEER_CALLS(supports, sparse_prepare, sparse_run, sparse_fetch, sparse_release, error),
};

} // namespace

const ek_peer *const *ek_peer_list(void)
{
	static const ek_peer *const list[] = {&eigen, &eigen_sparse, nullptr};

	return list;
}
