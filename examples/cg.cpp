// SPDX-License-Identifier: BSD-3-Clause
// Solves A x = b by conjugate gradients in C++17, where b = A (1, ..., 1): prints the number of
// steps, the residual and the error. A comes from a file or a generator and must be symmetric and
// positive definite.
//
//	cg A.mtx.gz
//	cg poisson2d5:nx=1000,ny=1000
#include <evenkeel/ek.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

using vector = std::vector<double>;

static double dot(const vector &a, const vector &b)
{
	return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// y = x + alpha y
static void update(const vector &x, double alpha, vector &y)
{
	for (std::size_t i = 0; i < x.size(); i++)
		y[i] = x[i] + alpha * y[i];
}

static void solve(const std::string &what)
{
	const ek::context ctx;
	const ek::matrix A =
		std::ifstream(what) ? ek::matrix::read(ctx, what) : ek::matrix::generate(ctx, what);
	ek::plan plan(EK_SPMV, A);
	const auto n = static_cast<std::size_t>(A.rows());
	const vector ones(n, 1.0);
	vector x(n), b(n), q(n);
	int steps = 0;

	plan.spmv(1, ones, 0, b);
	vector r = b, p = b;
	double rho = dot(r, r);
	const double enough = 1e-20 * rho;
	for (; steps < 10000 && rho > enough; steps++) {
		plan.spmv(1, p, 0, q);
		const double alpha = rho / dot(p, q);
		for (std::size_t i = 0; i < n; i++) {
			x[i] += alpha * p[i];
			r[i] -= alpha * q[i];
		}
		const double before = rho;
		rho = dot(r, r);
		update(r, rho / before, p);
	}
	double error = 0;
	for (double value : x)
		error = std::fmax(error, std::fabs(value - 1));
	std::printf("%s: %d steps by %s, residual %.1e, largest error %.1e\n", what.c_str(), steps,
	            plan.method().c_str(), std::sqrt(rho / dot(b, b)), error);
}

int main(int argc, char **argv)
{
	try {
		solve(argc > 1 ? argv[1] : "poisson2d5:nx=200,ny=200");
	} catch (const ek::error &e) {
		std::fprintf(stderr, "cg: %s\n", e.what());
		return 1;
	}
	return 0;
}
