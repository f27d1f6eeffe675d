# SPDX-License-Identifier: BSD-3-Clause
"""python -m evenkeel.bench [FILE or GENERATOR...]: times products against scipy's, and those of
sparse_dot_mkl and cupy where they are installed.

Each number is a ratio of times, another's over ours, so more than 1 means that evenkeel is faster.
All are timed in turn, in rounds, so that a busy machine disturbs all alike; the best time of each
counts. Our plan for SpMV and SpMM is made before, and the column "prepare" has the time of the
first product, which makes it, in products. SpGEMM makes a plan in each call. sparse_dot_mkl makes
and destroys a handle of MKL in each call, so this is a comparison with sparse_dot_mkl, and not with
MKL. It and scipy leave the rows of a sparse product unsorted, while ours are sorted (without
--unsorted), and those of "mkl-sorted", too. cupy has A and X on its device before, and leaves the
result there. Ours are products of the processor or, with --device, go to that device and back; on
one of CUDA they are cupy's, too.
Without arguments, the matrices are those of the folder EK_MATRICES, or three generated ones.
"""

import argparse
import math
import os
import pathlib
import time

import numpy as np

import evenkeel as ek

MOST_PRODUCTS = 10**8  # of a sparse product that is timed
GENERATED = ("poisson3d7:nx=60,ny=60,nz=60", "powerlaw", "random")


def best_times(calls, seconds):
    """The best time of each function of a dict, called in turn in rounds for about this long."""
    repeat = {}
    for name, call in calls.items():
        call()
        begin = time.perf_counter()
        call()
        repeat[name] = max(1, int(2e-3 / max(time.perf_counter() - begin, 1e-7)))
    best = dict.fromkeys(calls, math.inf)
    end = time.perf_counter() + seconds
    rounds = 0
    while rounds < 5 or time.perf_counter() < end:
        for name, call in calls.items():
            begin = time.perf_counter()
            for _ in range(repeat[name]):
                call()
            best[name] = min(best[name], (time.perf_counter() - begin) / repeat[name])
        rounds += 1
    return best


def with_scipy(S, X):
    """The product by scipy."""
    return lambda: S @ X


def mkl_peers():
    """Functions as with_scipy for sparse_dot_mkl; the one that sorts rows is None for dense
    operands."""
    from sparse_dot_mkl import dot_product_mkl

    def with_sorted_rows(S, X):
        if isinstance(X, np.ndarray):
            return None
        return lambda: dot_product_mkl(S, X, reorder_output=True)

    return {"mkl": lambda S, X: lambda: dot_product_mkl(S, X), "mkl-sorted": with_sorted_rows}


def cupy_peer():
    """A function as with_scipy for cupy, None for sparse operands."""
    import cupy
    import cupyx.scipy.sparse as on_device

    cupy.cuda.runtime.getDeviceCount()

    def with_cupy(S, X):
        if not isinstance(X, np.ndarray):
            return None
        A, on_card = on_device.csr_matrix(S), cupy.asarray(X)

        def product():
            A @ on_card
            cupy.cuda.get_current_stream().synchronize()

        return product

    return with_cupy


def peers():
    """By name, functions that prepare a product S @ X by another library, and give a function of no
    arguments for it."""
    found = {"scipy": with_scipy}
    for module, make in (
        ("sparse_dot_mkl", mkl_peers),
        ("cupy", lambda: {"cupy": cupy_peer()}),
    ):
        try:
            found |= make()
        except Exception as problem:  # what they load may fail in many ways
            print(f"left out: {module} ({problem})".splitlines()[0])
    return found


def products(S):
    """Number of multiplications in S @ S."""
    return int(np.diff(S.indptr).astype(np.int64)[S.indices].sum())


def operand_for(operation, S, columns):
    """What a matrix is multiplied by."""
    if operation == "spgemm":
        return S
    shape = (S.shape[1], columns) if operation == "spmm" else S.shape[1]
    return np.random.default_rng(1).standard_normal(shape).astype(S.dtype)


def ours(S, operation, X, context, unsorted=False):
    """Our product as a function of no arguments, with X on the device if that is one of CUDA."""
    A = ek.matrix(S, context=context)
    if operation == "spmv.t":
        A = A.T
    if context is not None and context.device["name"].startswith("cuda") and operation != "spgemm":
        import cupy

        X = cupy.asarray(X)
    if operation == "spgemm" and unsorted:
        return lambda: A.multiply_sparse(X, unsorted=True)
    return lambda: A @ X


def measure(S, operation, others, given, context=None):
    """Best times by name, and our preparation in products."""
    if operation == "spgemm" and (S.shape[0] != S.shape[1] or products(S) > MOST_PRODUCTS):
        return None
    matrix = S.T if operation == "spmv.t" else S
    X = operand_for(operation, matrix, given.columns)
    calls = {"evenkeel": ours(S, operation, X, context, given.unsorted)}
    begin = time.perf_counter()
    calls["evenkeel"]()
    first = time.perf_counter() - begin
    for name, make in others.items():
        if product := make(matrix, X):
            calls[name] = product
    times = best_times(calls, given.seconds)
    return times, first / times["evenkeel"]


def wrapper():
    """Seconds of A @ x for a tiny matrix, ours and scipy's: almost all of it is Python."""
    import scipy.sparse as sp

    S, x, y = sp.csr_array(np.eye(2)), np.ones(2), np.empty(2)
    A = ek.matrix(S)
    return best_times(
        {
            "A @ x": lambda: A @ x,
            "A.matmul(x, out=y)": lambda: A.matmul(x, out=y),
            "A.T @ x": lambda: A.T @ x,
            "A.rmatvec(x)": lambda: A.rmatvec(x),
            "scipy": lambda: S @ x,
            "empty call": lambda: None,
        },
        1.0,
    )


def matrices(names, largest):
    """Pairs of a name and a matrix of scipy in CSR, smallest file first."""
    if not names:
        folder = os.environ.get("EK_MATRICES")
        files = pathlib.Path(folder).glob("*.mtx*") if folder else []
        names = sorted(files, key=lambda path: path.stat().st_size) or GENERATED
    for name in names:
        is_file = os.path.exists(name)
        try:
            A = ek.read(name) if is_file else ek.generate(str(name))
        except ek.Error as problem:
            print(f"left out: {name} ({problem})")
            continue
        if A.nnz <= largest:
            yield pathlib.Path(name).name.split(".mtx")[0] if is_file else name, A.tocsr(copy=True)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("matrices", nargs="*", help="files, or texts for evenkeel.generate")
    parser.add_argument("--operations", default="spmv,spmv.t,spmm,spgemm")
    parser.add_argument("--threads", type=int, default=0, help="threads of all libraries (0: all)")
    parser.add_argument("--columns", type=int, default=8, help="columns of X for spmm")
    parser.add_argument("--seconds", type=float, default=0.3, help="time for each measurement")
    parser.add_argument("--least", type=int, default=20000, help="entries that count for the means")
    parser.add_argument("--largest", type=int, default=10**8, help="entries of the largest matrix")
    parser.add_argument("--dtype", default="float64", choices=("float32", "float64"))
    parser.add_argument(
        "--unsorted",
        action="store_true",
        help="leave rows of our sparse products unsorted, as scipy's and MKL's are",
    )
    parser.add_argument("--device", help='device of our products, such as "cuda" (none)')
    given = parser.parse_args(arguments)
    ek.set_threads(given.threads)
    if given.threads:
        for variable in ("MKL_NUM_THREADS", "OMP_NUM_THREADS"):
            os.environ[variable] = str(given.threads)
    others = peers()
    context = ek.Context(device=given.device) if given.device else None
    info = ek.build()
    print(
        f"evenkeel {info['version']} {info['commit']}, {info['isa_here']}, {ek.threads()} threads, "
        f"profile {ek.profile()['name']}, {context.device['text'] if context else 'no device'}"
    )
    for name, seconds in wrapper().items():
        print(f"one call with 2 x 2: {name:20} {seconds * 1e9:6.0f} ns")
    operations = given.operations.split(",")
    ratios = {(operation, other): [] for operation in operations for other in others}
    for name, S in matrices(given.matrices, given.largest):
        S = S.astype(given.dtype)
        for operation in operations:
            result = measure(S, operation, others, given, context)
            if result is None:
                continue
            times, prepare = result
            line = f"{name[:28]:28} {S.nnz:10} {operation:7} {times['evenkeel'] * 1e6:11.1f} us"
            for other in others:
                if other in times:
                    ratio = times[other] / times["evenkeel"]
                    line += f"  {other} {ratio:6.2f}"
                    if S.nnz > given.least:
                        ratios[operation, other].append((ratio, name))
            print(f"{line}  prepare {prepare:6.1f}", flush=True)
    for (operation, other), found in ratios.items():
        if found:
            mean = math.exp(sum(math.log(ratio) for ratio, _ in found) / len(found))
            least = min(found)
            print(
                f"{operation} against {other}: {mean:.2f} in the geometric mean of {len(found)} "
                f"matrices, least {least[0]:.2f} ({least[1]})"
            )


if __name__ == "__main__":
    main()
