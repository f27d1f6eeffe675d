# SPDX-License-Identifier: BSD-3-Clause
"""Products with dense vectors and blocks: what is not the fast way of Plan.product."""

import ctypes

import numpy as np

from . import _arrays
from ._lib import api, real

WIDTHS = (2, 4, 8, 16, 32, 64)  # plans for blocks are made for one of these, the next above
RUN = {"spmv": api.ek_spmv, "spmm": api.ek_spmm, "dense_spmm": api.ek_dense_spmm}


def width_class(columns):
    """The width for which the plan of a block is made."""
    return next((width for width in WIDTHS if width >= columns), WIDTHS[-1])


def target(shape, dtype, out, beta, order="C"):
    """The array for a result: `out`, or a new one."""
    if out is None:
        if beta:
            raise ValueError("beta is not 0, and there is no out to which it applies")
        return np.empty(shape, dtype, order)
    if not isinstance(out, np.ndarray) or out.dtype != dtype or out.shape != tuple(shape):
        kind = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise ValueError(f"out is {kind}; an ndarray of {dtype} {tuple(shape)} is expected")
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    return out


def call(plan, alpha, x, beta, y, view):
    """Runs a plan with the view x, into the ndarray y or, if it has no view, by way of a copy."""
    alpha, beta = real(alpha, "alpha"), real(beta, "beta")
    at, to = y, view(y)
    if to is None:
        at = _arrays.copies.add(y.copy())
        to = view(at)
    RUN[plan.operation](plan.handle().pointer, alpha, ctypes.byref(x), beta, ctypes.byref(to))
    if at is not y:
        y[...] = at
    return y


def plan_for(matrix, shape):
    """The plan for a Matrix times an operand of this shape."""
    if len(shape) == 1:
        return matrix.core.plan("spmv", matrix.transposed)
    if len(shape) != 2:
        raise ValueError(f"the operand has {len(shape)} dimensions; one or two are expected")
    return matrix.core.plan("spmm", matrix.transposed, width_class(shape[1]))


def result_shape(plan, shape):
    """The shape of what a plan computes of an operand of this shape."""
    if plan.operation not in RUN:
        raise ValueError(f"a plan for {plan.operation} does not multiply dense arrays")
    is_vector = plan.operation == "spmv"
    if len(shape) != (1 if is_vector else 2):
        wanted = "one dimension" if is_vector else "two dimensions"
        raise ValueError(
            f"x has {len(shape)} dimensions; a plan for {plan.operation} takes {wanted}"
        )
    if plan.operation == "dense_spmm":
        return shape[0], plan.shape[1]
    return plan.shape[:1] + tuple(shape[1:])


def run_vector(plan, x, out, alpha, beta):
    """y = alpha op(A) x + beta y for an ndarray of one dimension."""
    x = _arrays.as_type(x, plan.dtype)
    y = target(result_shape(plan, x.shape), plan.dtype, out, beta)
    return call(plan, alpha, _arrays.vector(x), beta, y, _arrays.vector)


def run_block(plan, X, out, alpha, beta):
    """Y = alpha op(A) X + beta Y, or X op(A), for an ndarray of two dimensions."""
    X, x = _arrays.as_block(X, plan.dtype)
    by_columns = X.flags.f_contiguous and not X.flags.c_contiguous
    shape = result_shape(plan, X.shape)
    Y = target(shape, plan.dtype, out, beta, "F" if by_columns else "C")
    return call(plan, alpha, x, beta, Y, _arrays.block)


def run_kept(matrix, plan, X, out, alpha, beta):
    """run_block by the fast way that the matrix keeps for such blocks, which else is made."""
    if X.dtype != plan.dtype:
        X = _arrays.as_type(X, plan.dtype)
    core, transposed = matrix.core, matrix.transposed
    Y = core.block(plan.operation, transposed, X, out, alpha, beta)
    if Y is None:
        Y = run_block(plan, X, out, alpha, beta)
        core.keep_block(plan, transposed, X)
    return Y


def run_dense(plan, x, out, alpha, beta):
    """A product with a plan, which takes an ndarray of its own type or of a narrower one."""
    x = _arrays.unmasked(x)
    result_shape(plan, x.shape)
    if np.result_type(plan.dtype, x.dtype) != plan.dtype:
        raise TypeError(
            f"x is {x.dtype}, and the plan is for {plan.dtype}: convert x, or make the plan "
            "of a matrix with the wider type"
        )
    return (run_vector if x.ndim == 1 else run_block)(plan, x, out, alpha, beta)


def multiply(matrix, X, out, alpha, beta):
    """alpha op(A) X + beta out for a Matrix and an ndarray of one or two dimensions."""
    if X.dtype.kind == "c":
        return multiply_complex(matrix, X, out, alpha, beta)
    _arrays.expect_numbers(X.dtype, "the operand is")
    matrix = matrix.for_operand(X.dtype)
    if X.ndim == 1:
        plan = plan_for(matrix, X.shape)
        X = _arrays.as_type(X, plan.dtype)
        y = plan.product()(X, out, alpha, beta)
        return run_vector(plan, X, out, alpha, beta) if y is None else y
    if X.ndim == 2 and X.shape[1] == 1 and out is None:
        return multiply(matrix, X[:, 0], None, alpha, beta)[:, None]
    return run_kept(matrix, plan_for(matrix, X.shape), X, out, alpha, beta)


def multiply_left(matrix, X, out, alpha, beta):
    """alpha X op(A) + beta out for an ndarray and a Matrix."""
    if X.ndim != 2:  # a vector, or what multiply refuses
        return multiply(matrix.T, X, out, alpha, beta)
    if X.dtype.kind == "c":
        turned = getattr(out, "T", out)  # what is no array is refused
        result = multiply_complex(matrix.T, X.T, turned, alpha, beta)
        return result.T if out is None else out
    _arrays.expect_numbers(X.dtype, "the operand is")
    matrix = matrix.for_operand(X.dtype)
    plan = matrix.core.plan("dense_spmm", matrix.transposed, width_class(X.shape[0]))
    return run_kept(matrix, plan, X, out, alpha, beta)


def factor(value, dtype, argument):
    """A number in the complex type of a product, which it does not widen."""
    if isinstance(value, (str, bytes)) or np.ndim(value):
        raise TypeError(f"{argument} is {value!r}; a number is expected")
    return dtype.type(value)


def multiply_complex(matrix, X, out, alpha, beta):
    """The same for complex X, whose real and imaginary parts are columns side by side."""
    _arrays.expect_numbers(X.dtype, "the operand is")
    if X.ndim not in (1, 2):
        raise ValueError(f"the operand has {X.ndim} dimensions; one or two are expected")
    real = np.dtype(f"f{X.dtype.itemsize // 2}")
    matrix = matrix.for_operand(real)
    single = matrix.dtype == _arrays.F32
    X = np.ascontiguousarray(X, np.complex64 if single else np.complex128)
    alpha, beta = factor(alpha, X.dtype, "alpha"), factor(beta, X.dtype, "beta")
    if X.shape[0] != matrix.shape[1]:
        raise ValueError(f"the operand has {X.shape[0]} rows; {matrix.shape[1]} are expected")
    columns = 1 if X.ndim == 1 else X.shape[1]
    shape = (matrix.shape[0],) + X.shape[1:]
    if out is not None or beta:
        target(shape, X.dtype, out, beta)
    if alpha == 0:  # then X is not read, as ek.h says
        result = np.zeros(shape, X.dtype)
    else:
        parts = X.view(matrix.dtype).reshape(X.shape[0], 2 * columns)
        result = multiply(matrix, parts, None, 1.0, 0.0)
        result = np.ascontiguousarray(result).view(X.dtype).reshape(shape)
        if alpha != 1:
            result *= alpha
    if out is None:
        return result
    out[...] = result + beta * out if beta else result
    return out
