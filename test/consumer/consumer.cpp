// SPDX-License-Identifier: BSD-3-Clause
// A user's program in C++: handles in smart pointers, arrays in vectors.
#include <evenkeel/ek.h>

#include <cstdio>
#include <memory>
#include <vector>

template <typename T, void (*destroy)(T *)> struct deleter {
	void operator()(T *p) const
	{
		destroy(p);
	}
};
using context = std::unique_ptr<ek_context, deleter<ek_context, ek_context_destroy>>;
using matrix = std::unique_ptr<ek_matrix, deleter<ek_matrix, ek_matrix_destroy>>;
using plan = std::unique_ptr<ek_plan, deleter<ek_plan, ek_plan_destroy>>;

int main()
{
	const std::vector<int32_t> row_ptr{0, 2, 2, 3}, col_idx{0, 2, 1};
	const std::vector<double> val{1, 2, 3}, x{4, 5, 6}, want{16, 0, 15};
	std::vector<double> y(3);
	ek_context *c = nullptr;
	ek_matrix *a = nullptr;
	ek_plan *p = nullptr;

	if (ek_context_create(nullptr, &c) != EK_OK)
		return 1;
	context ctx(c);
	if (ek_matrix_from_csr(c, EK_F64, EK_I32, 3, 3, row_ptr.data(), col_idx.data(), val.data(),
	                       EK_BORROW, &a) != EK_OK)
		return 1;
	matrix A(a);
	if (ek_plan_create(EK_SPMV, a, nullptr, &p) != EK_OK)
		return 1;
	plan P(p);
	const ek_dense vx = ek_vector(EK_F64, 3, x.data()), vy = ek_vector(EK_F64, 3, y.data());
	if (ek_spmv(p, 1, &vx, 0, &vy) != EK_OK)
		return 1;
	std::printf("evenkeel %s, %s: %g %g %g\n", ek_version(), ek_plan_method(p), y[0], y[1],
	            y[2]);
	return y != want;
}
