// SPDX-License-Identifier: BSD-3-Clause
// Uses the header for C++17 as programs do: products of vectors and blocks, results as matrices,
// errors as exceptions and as statuses, handles that move. With EK_TEST_EIGEN, Eigen's types, too.
#include <evenkeel/ek.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#ifdef EK_TEST_EIGEN
#include <Eigen/Sparse>
#endif

#define EXPECT(condition) expect(condition, #condition, __LINE__)

static void expect(bool holds, const char *text, int line)
{
	if (holds)
		return;
	std::printf("line %d: not so: %s\n", line, text);
	std::exit(1);
}

// A = (1 0 2; 0 0 0; 0 3 0), with indices of two widths.
static const std::vector<std::int32_t> row_ptr{0, 2, 2, 3}, col_idx{0, 2, 1};
static const std::vector<std::int64_t> row_ptr64{0, 2, 2, 3}, col_idx64{0, 2, 1};
static const std::vector<double> entries{1, 2, 3};

static void vectors(const ek::context &ctx)
{
	const ek::matrix A = ek::matrix::csr(ctx, 3, 3, row_ptr, col_idx, entries);
	const std::array<double, 3> x{4, 5, 6};
	std::vector<double> y{7, 7, 7}, z{7, 7, 7};
	ek::plan plan(EK_SPMV, A);

	plan.spmv(1, x, 0, y);
	EXPECT((y == std::vector<double>{16, 0, 15}));
	plan.spmv(2, x, 1, y);
	EXPECT((y == std::vector<double>{48, 0, 45}));
	plan.spmv_add(1, x, -1, x, z);
	EXPECT((z == std::vector<double>{12, -5, 9}));
	EXPECT(!plan.method().empty() && plan.explain().find(plan.method()) != std::string::npos);
	EXPECT(plan.bytes() > 0);

	ek::hints h;
	h.op = EK_OP_T;
	ek::plan transposed(EK_SPMV, A, h);
	const double plain[] = {4, 5, 6};
	transposed.spmv(1, plain, 0, y);
	EXPECT((y == std::vector<double>{4, 18, 8}));

	EXPECT(A.rows() == 3 && A.cols() == 3 && A.nnz() == 3 && A.at(0, 2) == 2);
	const auto columns = A.array<std::int32_t>("col_idx");
	EXPECT(columns.data() == col_idx.data() && columns.size() == 3 && columns[1] == 2);
	EXPECT(A.stats().empty_rows == 1);
}

// Each pair of index types, float, base 1, CSC and coordinates.
static void types(const ek::context &ctx)
{
	const std::vector<std::int32_t> ptr1{1, 3, 3, 4}, idx1{1, 3, 2}, rows{2, 0, 0},
		cols{1, 2, 0};
	const std::vector<float> single{1, 2, 3}, mixed{3, 2, 1}, x{4, 5, 6};
	const std::vector<float> want{16, 0, 15}, want_t{4, 18, 8};
	ek::matrix all[] = {
		ek::matrix::csr(ctx, 3, 3, row_ptr, col_idx, single),
		ek::matrix::csr(ctx, 3, 3, row_ptr64, col_idx, single),
		ek::matrix::csr(ctx, 3, 3, row_ptr64, col_idx64, single),
		ek::matrix::csr(ctx, 3, 3, ptr1, idx1, single, EK_BASE1),
		ek::matrix::coo(ctx, 3, 3, rows, cols, mixed),
		ek::matrix::csc(ctx, 3, 3, row_ptr, col_idx, single),
	};

	for (const ek::matrix &A : all) {
		std::vector<float> y(3, 7);

		ek::plan(EK_SPMV, A).spmv(1, x, 0, y);
		EXPECT(y == (&A == &all[5] ? want_t : want));
	}
}

// Arrays of different kinds, whose sizes are signed or not.
static void mixed(const ek::context &ctx)
{
	const std::array<double, 3> values{1, 2, 3}, x{4, 5, 6};
	const std::int32_t numbers[] = {0, 0, 2};
	const ek::span<const std::int32_t> columns(col_idx), pointers(row_ptr), rows(numbers);
	std::vector<double> y(3, 7);

	ek::plan(EK_SPMV, ek::matrix::csr(ctx, 3, 3, row_ptr, columns, values)).spmv(1, x, 0, y);
	EXPECT((y == std::vector<double>{16, 0, 15}));
	ek::plan(EK_SPMV, ek::matrix::csc(ctx, 3, 3, pointers, col_idx, values)).spmv(1, x, 0, y);
	EXPECT((y == std::vector<double>{4, 18, 8}));
	ek::plan(EK_SPMV, ek::matrix::coo(ctx, 3, 3, rows, columns, entries)).spmv(1, x, 0, y);
	EXPECT((y == std::vector<double>{16, 0, 15}));
	std::array<std::int32_t, 4> at{2, 0, 0, 0};
	const ek::span<std::int32_t> place(at.data(), 1), room(at);
	EXPECT(ek::sparse_in(3, place, std::array<double, 1>{5}).get()->nnz == 1);
	EXPECT(ek::sparse_out(3, room, y).get()->nnz == 3);
}

static void matrices(const ek::context &ctx)
{
	const ek::matrix A = ek::matrix::csr(ctx, 3, 3, row_ptr, col_idx, entries);
	ek::matrix C, T;
	ek::hints h;

	h.B = A.get();
	ek::plan product(EK_SPGEMM, A, h);
	product.spgemm(1, 0, C); // (1 6 2; 0 0 0; 0 0 0)
	EXPECT(C.nnz() == 3 && C.at(0, 0) == 1 && C.at(0, 1) == 6 && C.at(0, 2) == 2);
	const double *values = C.array<double>("val").data();
	product.spgemm(2, 0, C);
	EXPECT(C.at(0, 1) == 12 && C.array<double>("val").data() == values);
	std::vector<double> own(3);
	product.result_values(1, 0, C, 3, own.data());
	EXPECT((own == std::vector<double>{1, 6, 2}) && C.at(0, 1) == 12);
	product.result_values(3, 0, C, own);
	EXPECT((own == std::vector<double>{3, 18, 6}) && C.at(0, 1) == 12);
	std::vector<float> narrow(6, 7);
	std::vector<double> few(2, 7);
	ek_status status = EK_OK;
	product.result_values(1, 0, C, narrow, &status);
	EXPECT(status == EK_EINVAL && narrow == std::vector<float>(6, 7));
	product.result_values(1, 0, C, few, &status);
	EXPECT(status == EK_EINVAL && few == std::vector<double>(2, 7));
	ek::plan(EK_TRANSPOSE, A).transpose(T);
	EXPECT(T.at(2, 0) == 2 && T.at(1, 2) == 3 && T.nnz() == 3);
	ek::matrix sum;
	ek::plan(EK_SPADD, A, h).spadd(1, 1, sum);
	EXPECT(sum.at(2, 1) == 6);
	EXPECT(std::string(A.convert("csr5").info().format) == "csr5");

	const std::vector<double> X{1, 2, 3, 4, 5, 6}; // three rows of two
	std::vector<double> Y(6, 7);
	ek::plan(EK_SPMM, A)
		.spmm(1, ek_block(EK_F64, 3, 2, 2, EK_ROW_MAJOR, X.data()), 0,
	              ek::block(Y.data(), 3, 2, 2, EK_ROW_MAJOR));
	EXPECT((Y == std::vector<double>{11, 14, 0, 0, 9, 12}));

	const std::vector<std::int32_t> at{2};
	const std::vector<double> one{5};
	ek::plan sparse(EK_SPMSPV, A);
	const ek::sparse_in x = ek::sparse_in(3, at, one);
	std::vector<std::int32_t> y_at(static_cast<std::size_t>(sparse.spmspv_size(x)));
	std::vector<double> y_val(y_at.size());
	EXPECT(sparse.spmspv(1, x, ek::sparse_out(3, y_at, y_val)) == 1);
	EXPECT(y_at[0] == 0 && y_val[0] == 10);
}

static void statuses(const ek::context &ctx)
{
	ek_status status = EK_OK;
	const std::vector<std::int32_t> too_far{0, 9, 1};
	ek::matrix bad = ek::matrix::csr(ctx, 3, 3, row_ptr, too_far, entries, EK_BORROW, &status);

	EXPECT(status == EK_ERANGE && !bad);
	EXPECT(std::string(ek_error_text()).find("9") != std::string::npos);
	const std::vector<double> one{1};
	bad = ek::matrix::csr(ctx, 3, 3, row_ptr, col_idx, one, EK_BORROW, &status);
	EXPECT(status == EK_EINVAL && !bad);
	bad = ek::matrix::generate(ctx, "no such thing", EK_F64, EK_I32, &status);
	EXPECT(status != EK_OK && !bad);
	const ek::matrix A =
		ek::matrix::csr(ctx, 3, 3, row_ptr, col_idx, entries, EK_BORROW, &status);
	EXPECT(status == EK_OK && A);
	EXPECT(A.array<float>("val", &status).size() == 0 && status == EK_EINVAL);
	EXPECT(A.array<float>("col_idx", &status).size() == 0 && status == EK_EINVAL);
	ek::matrix own = ek::matrix::csr(ctx, 3, 3, row_ptr, col_idx, entries, EK_COPY);
	own.set_values(std::vector<float>{4, 5, 6}, &status);
	EXPECT(status == EK_EINVAL && own.at(0, 0) == 1);
	own.set_values(std::vector<double>{4, 5, 6}, &status);
	EXPECT(status == EK_OK && own.at(0, 0) == 4);
	ek::matrix empty;
	empty.set_values(std::vector<double>{4}, &status);
	EXPECT(status == EK_EINVAL);
	EXPECT(own.convert("bcsr").array<std::uint8_t>("mask").size() > 0);
	EXPECT(own.array<std::uint16_t>("val", &status).size() == 0 && status == EK_EINVAL);
	bad = ek::matrix::csr(ctx, 3, 3, row_ptr, col_idx, entries, EK_ADOPT, &status);
	EXPECT(status == EK_EINVAL && !bad);
	const std::vector<double> room{1, 2, 3, 0, 0};
	EXPECT(ek::matrix::csr(ctx, 3, 3, row_ptr, col_idx, room).nnz() == 3);
	ek::hints no_method;
	no_method.method = "no such method";
	const ek::plan none(EK_SPMV, A, no_method, &status);
	EXPECT(status != EK_OK && !none && none.method().empty() && none.parameters().empty());
	const std::vector<std::int32_t> place{2};
	ek::plan sparse(EK_SPMSPV, A);
	EXPECT(sparse.spmspv_size(ek::sparse_in(3, place, entries), &status) == 0 &&
	       status != EK_OK);
	std::vector<double> y{7, 7}, x{1, 2, 3};
	ek::plan(EK_SPMV, A).spmv(1, x, 0, y, &status);
	EXPECT(status == EK_EINVAL && y[0] == 7 && y[1] == 7);
}

// Destroys what a plan was made from before the plan runs.
static void lifetimes()
{
	std::vector<double> x{4, 5, 6}, y(3);
	ek::plan plan;
	{
		ek::context ctx;
		ek::matrix A = ek::matrix::csr(ctx, 3, 3, row_ptr, col_idx, entries, EK_COPY);
		ek::matrix moved = std::move(A);
		EXPECT(!A && moved);
		plan = ek::plan(EK_SPMV, moved);
	}
	plan.spmv(1, x, 0, y);
	EXPECT(y[0] == 16);
}

#if defined(__cpp_exceptions)
static void exceptions(const ek::context &ctx)
{
	const std::vector<std::int32_t> too_far{0, 9, 1};
	bool caught = false;

	try {
		ek::matrix::csr(ctx, 3, 3, row_ptr, too_far, entries);
	} catch (const ek::error &e) {
		caught = e.status() == EK_ERANGE && std::string(e.what()) == ek_error_text();
	}
	EXPECT(caught);
}
#endif

#ifdef EK_TEST_EIGEN
template <int order> static void eigen_order(const ek::context &ctx)
{
	Eigen::SparseMatrix<double, order> S(3, 3);
	Eigen::Matrix<double, 3, 2> X;
	Eigen::Matrix<double, 3, 2, Eigen::RowMajor> Y;
	Eigen::VectorXd x(3), y(3);
	ek_status status = EK_OK;

	S.insert(0, 0) = 1;
	S.insert(0, 2) = 2;
	S.insert(2, 1) = 3;
	if (!S.isCompressed())
		ek::matrix::eigen(ctx, S, EK_BORROW, &status);
	EXPECT(S.isCompressed() || status == EK_EINVAL);
	S.makeCompressed();
	EXPECT(!ek::matrix::eigen(ctx, S, EK_ADOPT, &status) && status == EK_EINVAL);
	const ek::matrix A = ek::matrix::eigen(ctx, S);
	x << 4, 5, 6;
	X << 1, 2, 3, 4, 5, 6;
	ek::plan(EK_SPMV, A).spmv(1, x, 0, y);
	EXPECT(y == S * x);
	ek::plan(EK_SPMM, A).spmm(1, X, 0, Y);
	EXPECT((Y == S * X));
	Y.setZero();
	auto left = Y.leftCols(1); // a block inside of Y
	ek::plan(EK_SPMM, A).spmm(1, X.leftCols(1), 0, left);
	EXPECT((Y.col(0) == S * X.col(0) && Y.col(1).isZero()));
	EXPECT(A.template array<double>("val").data() == S.valuePtr());
	const Eigen::VectorXd values = Eigen::Map<Eigen::VectorXd>(S.valuePtr(), S.nonZeros());
	EXPECT(ek::matrix::csr(ctx, 3, 3, row_ptr, col_idx, values).nnz() == 3);

	double raw[3] = {7, 7, 7}; // views may be temporaries
	ek::plan(EK_SPMV, A).spmv(1, x, 0, Eigen::Map<Eigen::VectorXd>(raw, 3));
	EXPECT(raw[0] == y[0] && raw[1] == y[1] && raw[2] == y[2]);
	Eigen::MatrixXd Z = Eigen::MatrixXd::Constant(3, 2, 7);
	ek::plan(EK_SPMV, A).spmv(1, x, 0, Z.col(1));
	EXPECT((Z.col(1) == y && Z(0, 0) == 7));
}
#endif

int main()
{
	const ek::context ctx;

	EXPECT(ctx.threads() >= 1 && ek::version() == ek_version());
	vectors(ctx);
	types(ctx);
	mixed(ctx);
	matrices(ctx);
	statuses(ctx);
	lifetimes();
#if defined(__cpp_exceptions)
	exceptions(ctx);
#endif
#ifdef EK_TEST_EIGEN
	eigen_order<Eigen::ColMajor>(ctx);
	eigen_order<Eigen::RowMajor>(ctx);
#endif
	std::puts("all is as it should be");
	return 0;
}
