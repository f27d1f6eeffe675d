/* SPDX-License-Identifier: BSD-3-Clause
 * evenkeel for C++17: handles that destroy themselves, arrays that know their length and type, and
 * errors as exceptions or as statuses. The header needs nothing but ek.h, the standard library and
 * the library itself. What each function computes, costs and refuses is said in ek.h, under the
 * name with the prefix ek_.
 *
 *	ek::context ctx;
 *	ek::matrix A = ek::matrix::csr(ctx, rows, cols, row_ptr, col_idx, val);
 *	ek::plan plan(EK_SPMV, A);
 *	plan.spmv(1, x, 0, y);
 *
 * Arrays: where a function takes ek::in or ek::out, give it a std::vector, std::array, std::span, a
 * plain array, or a column vector or matrix of Eigen. Nothing is copied. The arrays of a matrix are
 * borrowed unless the flags say EK_COPY, so temporary containers are refused.
 *
 * Lifetimes: context, matrix and plan can be moved, not copied, and destroyed in any order: a plan
 * keeps its matrix alive, a matrix its context. Borrowed arrays must live as long as the last plan.
 *
 * Errors: a function that fails throws ek::error with the text of ek_error_text. If its last
 * argument is a pointer to an ek_status, it sets that and throws nothing; what it returns is
 * then empty. Without exceptions in the compiler (-fno-exceptions), a failure that is not asked
 * for in this way prints the text and ends the program. Lengths and types of containers, which ek.h
 * cannot see, are checked here: ek_error_text then still has the text of an earlier failure. */
#ifndef EVENKEEL_EK_HPP
#define EVENKEEL_EK_HPP
#include <evenkeel/ek.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace ek
{
/* Keeps functions apart that were compiled with and without exceptions. */
#if defined(__cpp_exceptions)
inline namespace throwing
#else
inline namespace ending
#endif
{
/* ---- Errors ---------------------------------------------------------------------------------- */

class error : public std::runtime_error
{
	ek_status status_;

public:
	explicit error(ek_status status, const char *text = ek_error_text())
	    : std::runtime_error(text), status_(status)
	{
	}
	ek_status status() const noexcept
	{
		return status_;
	}
};

/* Passes a status on: to *out, or, if out is null, as an exception unless it is EK_OK. */
inline void report(ek_status status, ek_status *out, const char *text = ek_error_text())
{
	if (out) {
		*out = status;
	} else if (status != EK_OK) {
#if defined(__cpp_exceptions)
		throw error(status, text);
#else
		std::fprintf(stderr, "evenkeel: %s\n", text);
		std::abort();
#endif
	}
}

/* Returns the version of the library in use. */
inline std::string version()
{
	return ek_version();
}

/* ---- Types of values and indices ------------------------------------------------------------- */

namespace detail
{
/* Whether there is an ek_value of T. */
template <class T>
inline constexpr bool has_value =
	std::is_same_v<std::remove_cv_t<T>, float> || std::is_same_v<std::remove_cv_t<T>, double> ||
	(std::is_integral_v<T> && std::is_signed_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
} // namespace detail

/* The ek_value of T, const or not. */
template <class T> constexpr ek_value value_of()
{
	using plain = std::remove_cv_t<T>;

	static_assert(detail::has_value<T>,
	              "values are float, double, or signed integers of 32 or 64 bits");
	return std::is_same_v<plain, float>    ? EK_F32
	       : std::is_same_v<plain, double> ? EK_F64
	       : sizeof(T) == 4                ? EK_INT32
	                                       : EK_INT64;
}
template <class T> inline constexpr ek_value value_v = value_of<T>();

namespace detail
{
/* Whether elements of an array, of type 0 if the type has no ek_value, can be those of T. */
template <class T> constexpr bool is_of(ek_value type)
{
	if constexpr (has_value<T>)
		return type == 0 || type == value_v<T>;
	else
		return type == 0;
}
} // namespace detail

/* The ek_index of a matrix whose row pointers are P and whose column indices are C. */
template <class P, class C> constexpr ek_index index_of()
{
	static_assert(
		std::is_integral_v<P> && std::is_integral_v<C> && std::is_signed_v<P> &&
			std::is_signed_v<C> && sizeof(C) <= sizeof(P) &&
			(sizeof(P) == 4 || sizeof(P) == 8) && sizeof(C) >= 4,
		"indices are int32_t or int64_t, and no column index is wider than a pointer");
	return sizeof(P) == 4 ? EK_I32 : sizeof(C) == 4 ? EK_I64_32 : EK_I64;
}

/* Structures of ek.h with `size` set and all else 0. */
template <class S> struct sized : S {
	sized() : S{}
	{
		this->size = sizeof(S);
	}
};
using options = sized<ek_options>;
using hints = sized<ek_hints>;
using read_options = sized<ek_read_options>;
using convert_options = sized<ek_convert_options>;
using array_options = sized<ek_array_options>;
using aggregation = sized<ek_aggregation>;
using matrix_info = sized<ek_matrix_info>;
using stats = sized<ek_stats>;
using prediction = sized<ek_prediction>;

/* ---- Arrays ---------------------------------------------------------------------------------- */

/* Arrays that somebody else owns. */
template <class T> class span
{
	T *data_ = nullptr;
	std::int64_t size_ = 0;

public:
	using element_type = T;
	span() = default;
	span(T *data, std::int64_t size) : data_(data), size_(size)
	{
	}
	template <class C,
	          class = std::enable_if_t<std::is_convertible_v<
			  std::remove_pointer_t<decltype(std::data(std::declval<C &>()))> (*)[],
			  T (*)[]>>>
	span(C &&array)
	    : data_(std::data(array)), size_(static_cast<std::int64_t>(std::size(array)))
	{
	}
	T *data() const
	{
		return data_;
	}
	std::int64_t size() const
	{
		return size_;
	}
	T &operator[](std::int64_t k) const
	{
		return data_[k];
	}
	T *begin() const
	{
		return data_;
	}
	T *end() const
	{
		return data_ + size_;
	}
};

namespace detail
{
/* The type of what an array of type C holds, const if it cannot be written. */
template <class C> using element = std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>;

/* How many elements an array has. Sizes of containers are unsigned, those of Eigen signed. */
template <class C> std::int64_t length(const C &array)
{
	return static_cast<std::int64_t>(std::size(array));
}
/* How many elements the shorter of two arrays has. */
template <class C, class D> std::int64_t shorter(const C &one, const D &other)
{
	return length(one) < length(other) ? length(one) : length(other);
}

template <class C, class = void> struct has_element_type : std::false_type {
};
template <class C>
struct has_element_type<C, std::void_t<typename C::element_type>> : std::true_type {
};

/* Tells whether C is a vector or a matrix of Eigen, or a block of one, or has the same members. */
template <class C, class = void> struct is_eigen : std::false_type {
};
template <class C>
struct is_eigen<C, std::void_t<decltype(C::IsRowMajor), decltype(C::IsVectorAtCompileTime),
                               decltype(std::declval<const C &>().outerStride())>>
    : std::true_type {
};

/* Tells whether C owns its elements, so that they end with it. Views give writable elements though
 * they are const, or say so by a member type (std::span), or are parts of what Eigen owns. */
template <class C> constexpr bool owns()
{
	using plain = std::remove_cv_t<std::remove_reference_t<C>>;

	if constexpr (is_eigen<plain>::value)
		return std::is_same_v<plain, typename plain::PlainObject>;
	else
		return !has_element_type<plain>::value && std::is_const_v<element<const plain>>;
}

/* Tells whether an array given as C && is still there after the call. */
template <class C> inline constexpr bool stays = std::is_lvalue_reference_v<C> || !owns<C>();

template <class C> ek_dense describe(C &array)
{
	using plain = std::remove_cv_t<C>;

	if constexpr (is_eigen<plain>::value) {
		static_assert(plain::InnerStrideAtCompileTime == 1,
		              "the values of a column (row-major: of a row) must be neighbours");
		static_assert(plain::RowsAtCompileTime != 1 || plain::ColsAtCompileTime == 1,
		              "a row vector is no vector: give its transpose(), or an ek::block");
		if constexpr (!plain::IsVectorAtCompileTime)
			return ek_block(value_v<element<C>>, array.rows(), array.cols(),
			                array.outerStride(),
			                plain::IsRowMajor ? EK_ROW_MAJOR : EK_COL_MAJOR,
			                array.data());
		else
			return ek_vector(value_v<element<C>>, array.size(), array.data());
	} else {
		return ek_vector(value_v<element<C>>, length(array), std::data(array));
	}
}
} // namespace detail

/* Dense operands: vectors, and blocks of columns. An `in` is read only, an `out` can be written. */
class in
{
protected:
	ek_dense dense_;

public:
	in(const ek_dense &dense) : dense_(dense)
	{
	}
	template <class C, class = detail::element<const C>>
	in(const C &array) : dense_(detail::describe(array))
	{
	}
	const ek_dense *get() const
	{
		return &dense_;
	}
};

class out : public in
{
public:
	out(const ek_dense &dense) : in(dense)
	{
	}
	/* Takes arrays whose elements are not const. Those that own them (std::vector) must be
	 * variables: what is written to a temporary would be lost. */
	template <class C, class = std::enable_if_t<
				   !std::is_const_v<detail::element<std::remove_reference_t<C>>> &&
				   !std::is_base_of_v<in, std::decay_t<C>>>>
	out(C &&array) : in(detail::describe(array))
	{
		static_assert(detail::stays<C>, "a temporary array is no place for a result");
	}
};

/* Describes a block in memory of the host: `cols` columns of `rows` values. */
template <class T, class = std::enable_if_t<!std::is_const_v<T>>>
out block(T *data, std::int64_t rows, std::int64_t cols, std::int64_t ld, int order = EK_COL_MAJOR)
{
	return ek_block(value_v<T>, rows, cols, ld, order, data);
}
template <class T>
in block(const T *data, std::int64_t rows, std::int64_t cols, std::int64_t ld,
         int order = EK_COL_MAJOR)
{
	return ek_block(value_v<T>, rows, cols, ld, order, data);
}

/* Sparse vectors of n values by the places (from 0) and values of their nonzeros: operands, and
 * room for results. An operand has as many places as values, else functions refuse it. */
class sparse_in
{
protected:
	ek_sparse sparse_;
	template <class I, class V>
	sparse_in(std::int64_t n, const I &idx, const V &val, std::int64_t nnz)
	    : sparse_(ek_sparse_vector(value_v<detail::element<const V>>,
	                               value_v<detail::element<const I>>, n, nnz, std::data(idx),
	                               std::data(val)))
	{
	}

public:
	template <class I, class V>
	sparse_in(std::int64_t n, const I &idx, const V &val)
	    : sparse_in(n, idx, val,
	                detail::length(idx) == detail::length(val) ? detail::length(val) : -1)
	{
	}
	const ek_sparse *get() const
	{
		return &sparse_;
	}
};

class sparse_out : public sparse_in
{
public:
	template <class I, class V>
	sparse_out(std::int64_t n, I &idx, V &val)
	    : sparse_in(n, idx, val, detail::shorter(idx, val))
	{
		static_assert(!std::is_const_v<detail::element<I>> &&
		                      !std::is_const_v<detail::element<V>>,
		              "the result is written to these arrays");
	}
};

/* ---- Handles --------------------------------------------------------------------------------- */

namespace detail
{
template <class T, void (*destroy)(T *)> struct destroyer {
	void operator()(T *object) const
	{
		destroy(object);
	}
};

/* Owns an object of the library. get() is what functions of ek.h take. */
template <class T, void (*destroy)(T *)> class handle
{
protected:
	std::unique_ptr<T, destroyer<T, destroy>> object_;

public:
	handle() = default;
	explicit handle(T *object) : object_(object)
	{
	}
	T *get() const
	{
		return object_.get();
	}
	T *release()
	{
		return object_.release();
	}
	explicit operator bool() const
	{
		return object_ != nullptr;
	}
};
} // namespace detail

class context : public detail::handle<ek_context, ek_context_destroy>
{
public:
	using handle::handle;
	explicit context(const ek_options &o = options(), ek_status *status = nullptr)
	{
		ek_context *ctx = nullptr;

		report(ek_context_create(&o, &ctx), status);
		object_.reset(ctx);
	}
	int threads() const
	{
		return ek_context_threads(get());
	}
};

class matrix : public detail::handle<ek_matrix, ek_matrix_destroy>
{
	template <class Call> static matrix make(ek_status *status, Call &&call)
	{
		ek_matrix *A = nullptr;

		report(call(&A), status);
		return matrix(A);
	}
	/* Reports EK_ADOPT, which is not for memory of containers; returns whether it is there. */
	static bool adopts(unsigned flags, ek_status *status)
	{
		if (flags & EK_ADOPT)
			report(EK_EINVAL, status,
			       "EK_ADOPT is for memory of the context's allocator, not of "
			       "containers");
		return (flags & EK_ADOPT) != 0;
	}
	/* Refuses what ek.h cannot see: arrays that are shorter than the last pointer says, and
	 * memory of containers that the library is to free. */
	template <class Make, class P, class C, class V>
	static matrix compressed(Make *from, std::int64_t lines, const context &ctx,
	                         std::int64_t rows, std::int64_t cols, P &&ptr, C &&idx, V &&val,
	                         unsigned flags, ek_status *status)
	{
		using pointer = std::remove_cv_t<detail::element<const std::remove_reference_t<P>>>;
		using column = std::remove_cv_t<detail::element<const std::remove_reference_t<C>>>;
		using value = detail::element<const std::remove_reference_t<V>>;
		const std::int64_t pointers = detail::length(ptr);
		const std::int64_t most = detail::shorter(idx, val);

		static_assert(detail::stays<P> && detail::stays<C> && detail::stays<V>,
		              "a matrix borrows its arrays, so temporary containers are refused");
		if (adopts(flags, status))
			return matrix();
		if (lines >= 0 && (pointers <= lines ||
		                   std::data(ptr)[lines] > most + ((flags & EK_BASE1) != 0))) {
			report(EK_EINVAL, status,
			       "the arrays of a matrix are shorter than its pointers and sizes "
			       "say");
			return matrix();
		}
		return make(status, [&](ek_matrix **A) {
			return from(ctx.get(), value_v<value>, index_of<pointer, column>(), rows,
			            cols, std::data(ptr), std::data(idx), std::data(val), flags, A);
		});
	}

public:
	using handle::handle;

	/* Makes a matrix from arrays in CSR: row_ptr has rows + 1 entries, col_idx and val have
	 * row_ptr[rows]. Arrays that are too short, and EK_ADOPT, give EK_EINVAL. */
	template <class P, class C, class V>
	static matrix csr(const context &ctx, std::int64_t rows, std::int64_t cols, P &&row_ptr,
	                  C &&col_idx, V &&val, unsigned flags = EK_BORROW,
	                  ek_status *status = nullptr)
	{
		return compressed(ek_matrix_from_csr, rows, ctx, rows, cols,
		                  std::forward<P>(row_ptr), std::forward<C>(col_idx),
		                  std::forward<V>(val), flags, status);
	}
	/* Makes a matrix from arrays in CSC: col_ptr has cols + 1 entries. */
	template <class P, class C, class V>
	static matrix csc(const context &ctx, std::int64_t rows, std::int64_t cols, P &&col_ptr,
	                  C &&row_idx, V &&val, unsigned flags = EK_BORROW,
	                  ek_status *status = nullptr)
	{
		return compressed(ek_matrix_from_csc, cols, ctx, rows, cols,
		                  std::forward<P>(col_ptr), std::forward<C>(row_idx),
		                  std::forward<V>(val), flags, status);
	}
	/* Makes a matrix from entries in any order. */
	template <class I, class V>
	static matrix coo(const context &ctx, std::int64_t rows, std::int64_t cols,
	                  const I &row_idx, const I &col_idx, const V &val,
	                  unsigned flags = EK_COPY, ek_status *status = nullptr)
	{
		using index = std::remove_cv_t<detail::element<const I>>;
		const std::int64_t entries = detail::length(val);

		if (detail::length(row_idx) < entries || detail::length(col_idx) < entries) {
			report(EK_EINVAL, status,
			       "there are fewer row or column indices than values");
			return matrix();
		}
		return make(status, [&](ek_matrix **A) {
			return ek_matrix_from_coo(ctx.get(), value_v<detail::element<const V>>,
			                          index_of<index, index>(), rows, cols, entries,
			                          std::data(row_idx), std::data(col_idx),
			                          std::data(val), flags, A);
		});
	}
	/* Borrows a compressed Eigen::SparseMatrix, row-major as CSR, column-major as CSC. */
	template <class S>
	static matrix eigen(const context &, const S &&, unsigned = EK_BORROW,
	                    ek_status * = nullptr) = delete;
	template <class S>
	static matrix eigen(const context &ctx, const S &M, unsigned flags = EK_BORROW,
	                    ek_status *status = nullptr)
	{
		using index = std::remove_cv_t<std::remove_pointer_t<decltype(M.innerIndexPtr())>>;
		using value = std::remove_cv_t<std::remove_pointer_t<decltype(M.valuePtr())>>;

		if (adopts(flags, status))
			return matrix();
		if (!M.isCompressed()) {
			report(EK_EINVAL, status,
			       "the matrix of Eigen is not compressed; call makeCompressed()");
			return matrix();
		}
		return make(status, [&](ek_matrix **A) {
			return (S::IsRowMajor ? ek_matrix_from_csr : ek_matrix_from_csc)(
				ctx.get(), value_v<value>, index_of<index, index>(), M.rows(),
				M.cols(), M.outerIndexPtr(), M.innerIndexPtr(), M.valuePtr(), flags,
				A);
		});
	}
	static matrix read(const context &ctx, const std::string &path, ek_value value = EK_F64,
	                   ek_index index = EK_I32, const ek_read_options &o = read_options(),
	                   ek_status *status = nullptr)
	{
		return make(status, [&](ek_matrix **A) {
			return ek_matrix_read(ctx.get(), path.c_str(), value, index, &o, A);
		});
	}
	static matrix generate(const context &ctx, const std::string &spec, ek_value value = EK_F64,
	                       ek_index index = EK_I32, ek_status *status = nullptr)
	{
		return make(status, [&](ek_matrix **A) {
			return ek_matrix_generate(ctx.get(), spec.c_str(), value, index, A);
		});
	}
	matrix convert(const std::string &format, const ek_convert_options &o = convert_options(),
	               ek_status *status = nullptr) const
	{
		return make(status, [&](ek_matrix **B) {
			return ek_matrix_convert(get(), format.c_str(), &o, B);
		});
	}
	/* Returns the matrices of smoothed aggregation: see ek_aggregate and ek_prolongator. */
	matrix aggregate(const ek_aggregation &o = ek::aggregation(),
	                 ek_status *status = nullptr) const
	{
		return make(status, [&](ek_matrix **T) { return ek_aggregate(get(), &o, T); });
	}
	matrix prolongator(const ek_aggregation &o = ek::aggregation(),
	                   ek_status *status = nullptr) const
	{
		return make(status, [&](ek_matrix **P) { return ek_prolongator(get(), &o, P); });
	}
	void write(const std::string &path, const char *form = nullptr,
	           ek_status *status = nullptr) const
	{
		report(ek_matrix_write(get(), path.c_str(), form), status);
	}
	matrix_info info(ek_status *status = nullptr) const
	{
		matrix_info i;

		report(ek_matrix_get_info(get(), &i), status);
		return i;
	}
	ek::stats stats(ek_status *status = nullptr) const
	{
		ek::stats s;

		report(ek_matrix_stats(get(), &s), status);
		return s;
	}
	std::int64_t rows() const
	{
		return info().rows;
	}
	std::int64_t cols() const
	{
		return info().cols;
	}
	std::int64_t nnz() const
	{
		return info().nnz;
	}
	/* Returns an array of the format, such as "col_idx". Elements of another type than T give
	 * EK_EINVAL. */
	template <class T> span<const T> array(const char *name, ek_status *status = nullptr) const
	{
		ek_view v{};

		v.size = sizeof v;
		const ek_status found = ek_matrix_array(get(), name, &v);

		if (found != EK_OK || (v.elem_size == sizeof(T) && detail::is_of<T>(v.type))) {
			report(found, status);
			return {static_cast<const T *>(v.data), found == EK_OK ? v.len : 0};
		}
		report(EK_EINVAL, status, "the elements of the array have another type");
		return {};
	}
	void check(ek_status *status = nullptr) const
	{
		report(ek_matrix_check(get()), status);
	}
	void values_changed(ek_status *status = nullptr)
	{
		report(ek_matrix_values_changed(get()), status);
	}
	template <class V> void set_values(const V &val, ek_status *status = nullptr)
	{
		ek_status found = EK_OK;
		const ek_value own = info(&found).value;

		if (found != EK_OK)
			return report(found, status);
		if (own != value_v<detail::element<const V>>)
			return report(EK_EINVAL, status,
			              "the values of the matrix have another type");
		report(ek_matrix_set_values(get(), detail::length(val), std::data(val)), status);
	}
	double at(std::int64_t i, std::int64_t j, ek_status *status = nullptr) const
	{
		double value = 0;

		report(ek_matrix_get(get(), i, j, &value), status);
		return value;
	}
};

class plan : public detail::handle<ek_plan, ek_plan_destroy>
{
	/* Runs a product that makes a new matrix, or fills that of an earlier run. */
	template <class Run> static void fill(matrix &C, ek_status *status, Run &&run)
	{
		ek_matrix *raw = C.release();
		const ek_status done = run(&raw);

		C = matrix(raw);
		report(done, status);
	}

public:
	using handle::handle;
	plan(ek_operation operation, const matrix &A, const ek_hints &h = hints(),
	     ek_status *status = nullptr)
	{
		ek_plan *p = nullptr;

		report(ek_plan_create(operation, A.get(), &h, &p), status);
		object_.reset(p);
	}
	/* y = alpha op(A) x + beta y */
	void spmv(double alpha, const in &x, double beta, const out &y, ek_status *status = nullptr)
	{
		report(ek_spmv(get(), alpha, x.get(), beta, y.get()), status);
	}
	/* z = alpha op(A) x + beta y */
	void spmv_add(double alpha, const in &x, double beta, const in &y, const out &z,
	              ek_status *status = nullptr)
	{
		report(ek_spmv_add(get(), alpha, x.get(), beta, y.get(), z.get()), status);
	}
	/* Y = alpha op(A) X + beta Y */
	void spmm(double alpha, const in &X, double beta, const out &Y, ek_status *status = nullptr)
	{
		report(ek_spmm(get(), alpha, X.get(), beta, Y.get()), status);
	}
	/* Y = alpha X op(A) + beta Y */
	void dense_spmm(double alpha, const in &X, double beta, const out &Y,
	                ek_status *status = nullptr)
	{
		report(ek_dense_spmm(get(), alpha, X.get(), beta, Y.get()), status);
	}
	/* Y = alpha op(A) + beta Y */
	void spadd_dense(double alpha, double beta, const out &Y, ek_status *status = nullptr)
	{
		report(ek_spadd_dense(get(), alpha, beta, Y.get()), status);
	}
	/* C = alpha op(A) op(B) + beta D. C is empty, or the result of an earlier run. */
	void spgemm(double alpha, double beta, matrix &C, ek_status *status = nullptr)
	{
		fill(C, status, [&](ek_matrix **c) { return ek_spgemm(get(), alpha, beta, c); });
	}
	/* C = alpha op(A) + beta op(B) */
	void spadd(double alpha, double beta, matrix &C, ek_status *status = nullptr)
	{
		fill(C, status, [&](ek_matrix **c) { return ek_spadd(get(), alpha, beta, c); });
	}
	void transpose(matrix &C, ek_status *status = nullptr)
	{
		fill(C, status, [&](ek_matrix **c) { return ek_transpose(get(), c); });
	}
	/* C = alpha P^T A P */
	void triple(double alpha, matrix &C, ek_status *status = nullptr)
	{
		fill(C, status, [&](ek_matrix **c) { return ek_triple(get(), alpha, c); });
	}
	/* Computes the values of C, the result of an earlier run, into an array of the caller. */
	template <class V, class = std::enable_if_t<
				   !std::is_const_v<detail::element<std::remove_reference_t<V>>>>>
	void result_values(double alpha, double beta, const matrix &C, V &&val,
	                   ek_status *status = nullptr)
	{
		static_assert(detail::stays<V>, "a temporary array is no place for a result");
		ek_status found = EK_OK;
		const ek_value own = C.info(&found).value;

		if (found != EK_OK)
			return report(found, status);
		if (own != value_v<detail::element<std::remove_reference_t<V>>>)
			return report(EK_EINVAL, status,
			              "the values of the matrix have another type");
		result_values(alpha, beta, C, detail::length(val), std::data(val), status);
	}
	/* The same for `count` values at an address, whose type nothing checks. */
	void result_values(double alpha, double beta, const matrix &C, std::int64_t count,
	                   void *val, ek_status *status = nullptr)
	{
		report(ek_result_values(get(), alpha, beta, C.get(), count, val), status);
	}
	/* y = alpha op(A) x for sparse x. Returns the number of entries of y, which needs room for
	 * them: see spmspv_size. */
	std::int64_t spmspv(double alpha, const sparse_in &x, const sparse_out &y,
	                    ek_status *status = nullptr)
	{
		std::int64_t count = 0;

		report(ek_spmspv(get(), alpha, x.get(), &count, y.get()), status);
		return count;
	}
	/* Returns an upper bound on the entries of y. */
	std::int64_t spmspv_size(const sparse_in &x, ek_status *status = nullptr)
	{
		std::int64_t most = 0;

		report(ek_spmspv_size(get(), x.get(), &most, nullptr), status);
		return most;
	}
	std::string method() const
	{
		return *this ? ek_plan_method(get()) : "";
	}
	std::string parameters() const
	{
		return *this ? ek_plan_parameters(get()) : "";
	}
	/* Returns why the library chose this method, as text for people. */
	std::string explain(ek_status *status = nullptr) const
	{
		std::string text(1 << 14, '\0');

		report(ek_plan_explain(get(), &text[0], text.size()), status);
		text.resize(std::char_traits<char>::length(text.c_str()));
		return text;
	}
	std::int64_t bytes() const
	{
		return ek_plan_bytes(get());
	}
	std::int64_t memory() const
	{
		return ek_plan_memory(get());
	}
};
} // namespace throwing or ending
} // namespace ek
#endif
