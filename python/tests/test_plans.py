# SPDX-License-Identifier: BSD-3-Clause
"""Plans, tables, errors, files, contexts."""

import gzip
import inspect
import logging
import os

import numpy as np
import pytest
import scipy.sparse as sp

import evenkeel as ek
from conftest import integers, random_matrix


@pytest.mark.parametrize("row", ek.methods("spmv"), ids=lambda row: row["name"])
def test_methods(row):
    """Every method of products on the processor, by name."""
    if row["device"] != "cpu":
        pytest.skip("it runs on a device")
    A = random_matrix(61, 47, 0.2)
    E, x = ek.matrix(A), integers(47)
    if "n" in row["supports"]:
        plan = E.plan(method=row["name"])
        assert plan.method == row["name"] and plan.method in plan.explain()
        np.testing.assert_array_equal(plan @ x, A @ x)
    if "t" in row["supports"]:
        np.testing.assert_array_equal(E.T.plan(method=row["name"]) @ (A @ x), A.T @ (A @ x))


def test_plan():
    A = random_matrix(61, 47, 0.2)
    E, x = ek.matrix(A), integers(47)
    plan = E.plan(calls=10, format="sell:c=4", budget=1 << 20)
    assert plan.format.startswith("sell:c=4") and plan.shape == (61, 47) and "sell" in repr(plan)
    y = np.ones(61)
    assert plan(x, out=y, alpha=2, beta=3) is y
    np.testing.assert_array_equal(y, 2 * (A @ x) + 3)
    assert plan.bytes > 0 and plan.memory > 0 and "t" not in plan.parameters
    assert E.plan().predict(calls=5)["run"] > 0
    strict = E.plan(reproducible=True)
    assert "n+strict" in next(r for r in ek.methods() if r["name"] == strict.method)["supports"]
    X = integers(47, 5)
    np.testing.assert_array_equal(E.plan("spmm", width=5) @ X, A @ X)
    np.testing.assert_array_equal(
        E.plan("dense_spmm", width=5) @ integers(5, 61), integers(5, 61) @ A.toarray()
    )
    single = ek.matrix(A.astype("f4")).plan()
    np.testing.assert_array_equal(single @ x.astype("i2"), (A @ x).astype("f4"))
    for refused, operand in ((single, x), (single, x.astype(int)), (plan, x * 1j)):
        with pytest.raises(TypeError, match="convert x"):
            refused @ operand
    for wrong in (
        lambda: plan(X),
        lambda: plan(np.float64(1)),
        lambda: E.plan("spmm") @ x,
        lambda: E.plan("transpose") @ x,
        lambda: E.plan("nothing"),
        lambda: plan(x[1:]),
    ):
        with pytest.raises(ValueError):
            wrong()


def test_plan_outlives():
    A = random_matrix(61, 47, 0.2)
    x, expected = integers(47), A @ integers(47)
    plan = ek.matrix(A.copy()).plan()
    transposed = ek.matrix(A.copy()).T
    np.testing.assert_array_equal(plan @ x, expected)
    np.testing.assert_array_equal(transposed @ expected, A.T @ expected)


def test_errors():
    A = random_matrix(6, 7, 0.5)
    E = ek.matrix(A)
    with pytest.raises(ek.errors.InvalidArgument, match="spmv.csr.serial") as caught:
        E.plan(method="nonsense")
    assert caught.value.status == -1 and isinstance(caught.value, (ek.Error, ValueError))
    bad = A.copy()
    bad.indices = np.full_like(bad.indices, 99)
    with pytest.raises(ek.errors.OutOfRange, match=r"col_idx\[0\] is 99|99"):
        ek.matrix(bad)
    with pytest.raises(ek.errors.LimitExceeded):
        ek.matrix(sp.csr_array(sp.eye(2000, format="csr"))[:, ::-1]).convert("dia", max_bytes=100)
    with pytest.raises(ek.errors.FileError, match="no_such_file"):
        ek.read("/no_such_file")
    with pytest.raises(IndexError):
        ek.matrix(bad)
    for where, name in (
        ((6, 0), "row 6"),
        ((-7, 0), "row -7"),
        ((0, 7), "column 7"),
        ((0, -9), "column -9"),
    ):
        with pytest.raises(IndexError, match=f"{name} "):
            E[where]
        with pytest.raises(IndexError, match=f"{name} "):
            E[where] = 1
    with pytest.raises(IndexError, match="row 6 is not one of 6"):
        E.T.T[6, 0]
    assert E[-1, -2] == A[5, 5] == E.T[-2, 5]
    for rows, cols in ((-1, 7), (6, -1)):
        for make in (
            lambda: ek.from_csr([], [], [], (rows, cols)),
            lambda: ek.from_csc(np.zeros(8, int), [], [], (rows, cols)),
            lambda: ek.from_coo([0], [0], [1.0], (rows, cols)),
        ):
            with pytest.raises(ek.errors.InvalidArgument, match="the shape is"):
                make()
    for wrong in (1, (1, 2, 3), (1,), (1.7, 0), slice(2), ("a", 0)):
        with pytest.raises(TypeError):
            E[wrong]
    with pytest.raises(TypeError):
        list(E)
    short = sp.csr_array(A)
    short.data = short.data[:-1]
    with pytest.raises(ValueError, match="last pointer"):
        ek.matrix(short)
    short = sp.csr_array(A)
    short.indptr = short.indptr[:-1]
    with pytest.raises(ValueError, match="pointers"):
        ek.matrix(short)
    with pytest.raises(TypeError, match="object"):
        ek.from_csr([0, 1], [0], np.array([object()]), (1, 1))
    with pytest.raises(TypeError, match="pointers"):
        ek.from_csr([0.0, 1.0], [0], [1.0], (1, 1))


def test_coordinates():
    row, col, val = np.array([1, 0, 1]), np.array([0, 1, 0]), np.array([1.0, 2, 3])
    np.testing.assert_array_equal(ek.from_coo(row, col, val, (2, 2)).toarray(), [[0, 2], [4, 0]])
    last = ek.from_coo(row, col, val, (2, 2), duplicates="last")
    np.testing.assert_array_equal(last.toarray(), [[0, 2], [3, 0]])
    with pytest.raises(ek.errors.OutOfRange):
        ek.from_coo(row, col, val, (2, 2), duplicates="error")
    for kind in (np.uint8, np.int16, np.uint32, np.uint64, ">i4", ">i8", ">u4"):
        made = ek.from_coo(row.astype(kind), col.astype("i4"), val, (2, 2))
        np.testing.assert_array_equal(made.toarray(), [[0, 2], [4, 0]])
    for kind in (np.uint32, np.uint64, ">i8"):
        with pytest.raises(ek.errors.OutOfRange):  # 32 bits would turn some of them into 1
            wrong = np.array([1, 2**32 + 1 if np.dtype(kind).itemsize == 8 else 2**32 - 1, 1])
            ek.from_coo(wrong.astype(kind), col.astype("i4"), val, (2, 2))
    ordered = ek.from_coo(row[:2], col[:2], val[:2], (2, 2), keep_order=True)
    ordered.set_values([5, 6])
    np.testing.assert_array_equal(ordered.toarray(), [[0, 6], [5, 0]])


def test_files(tmp_path, caplog):
    A = random_matrix(20, 30, 0.2)
    for name in ("a.mtx", "a.mtx.gz", "a.ekm"):
        if name.endswith("ekm") and ek.features().get("xxhash") is None:
            continue
        path = tmp_path / name
        ek.write(path, A)
        np.testing.assert_array_equal(ek.read(path).toarray(), A.toarray())
        np.testing.assert_array_equal(ek.read(path, dtype="f4", index="64").toarray(), A.toarray())
    ek.matrix(A).T.write(tmp_path / "t.mtx")
    np.testing.assert_array_equal(ek.read(str(tmp_path / "t.mtx")).toarray(), A.T.toarray())
    with gzip.open(tmp_path / "a.mtx.gz", "rt") as file:
        assert file.readline().startswith("%%MatrixMarket")
    (tmp_path / "cut.mtx").write_text(
        "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n"
    )
    with pytest.raises(ek.errors.FileTruncated, match="cut.mtx"):
        ek.read(tmp_path / "cut.mtx")
    (tmp_path / "tiny.mtx").write_text(
        "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e-999\n"
    )
    with caplog.at_level(logging.WARNING, "evenkeel"):
        ek.read(tmp_path / "tiny.mtx")
    assert "tiny.mtx" in caplog.text
    with pytest.raises(ek.errors.LimitExceeded):
        ek.read(tmp_path / "a.mtx.gz", progress=lambda done, total: True, max_bytes=10)
    with pytest.raises(ValueError, match="sum, last, error"):
        ek.read(tmp_path / "a.mtx", duplicates="first")


@pytest.mark.parametrize("problem", [KeyError("name"), KeyboardInterrupt(), ek.Error("mine")])
def test_progress_raises(tmp_path, problem):
    """What the function for progress raises comes out of the call, and stops it."""
    path, calls = tmp_path / "large.mtx", []
    ek.write(path, ek.generate("poisson2d5:nx=300,ny=300"))

    def progress(done, total):
        calls.append(done)
        raise problem

    with pytest.raises(type(problem)) as caught:
        ek.read(path, progress=progress)
    assert caught.value is problem and len(calls) == 1
    seen = []
    ek.read(path, progress=lambda done, total: seen.append(total))
    assert seen and set(seen) == {path.stat().st_size}


def test_tables():
    assert {"csr", "csc", "coo", "sell"} <= {row["name"] for row in ek.formats()}
    names = [row["name"] for row in ek.methods()]
    assert len(names) == len(set(names)) and "spmv.csr.merge" in names
    assert {row["operation"] for row in ek.methods()} <= {row["name"] for row in ek.operations()}
    for row in ek.generators():
        assert row["example"].startswith(row["name"])
    assert any(row["name"] == "webbase-1M" for row in ek.twins())
    assert set(ek.features()) >= {"zlib"} and ek.profile()["name"] and ek.drivers()
    assert ek.Context(device="cpu").profile == ek.profile()
    assert isinstance(ek.devices(), list)


def test_generated():
    A = ek.generate("poisson2d5:nx=20,ny=30")
    S = A.tocsr()
    x = integers(600)
    np.testing.assert_array_equal(A @ x, S @ x)
    assert A.stats()["symmetric"] == 1 and A.stats()["row_max"] == 5 and A.nnz == S.nnz
    A.check()
    assert ek.generate("poisson2d5:nx=20,ny=30", dtype="f4", index="64").info["index"] == "64"


def test_context():
    one = ek.Context(threads=1, isa="scalar")
    assert one.threads == 1 and one.isa == "scalar" and one.device is None
    A = ek.matrix(random_matrix(20, 30, 0.2), context=one)
    assert A.context is one and (A @ np.ones(30)).shape == (20,)
    assert (A.T @ A).context is one
    with pytest.raises(ek.errors.InvalidArgument):
        A + ek.generate("poisson2d5:nx=5,ny=4").T
    with pytest.raises(ek.errors.DeviceError):
        ek.Context(device="cuda:99")
    with pytest.raises(ValueError, match="avx2"):
        ek.Context(isa="mmx")


def test_wisdom(tmp_path):
    """Names of files as str, path and bytes."""
    context = ek.Context()
    for name in (str(tmp_path / "a"), tmp_path / "b", os.fsencode(tmp_path / "c")):
        context.save_wisdom(name)
        context.load_wisdom(name)
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "c"]


def test_null_characters(tmp_path):
    """A null character does not end a text in its middle, and no other file is read or written."""
    E, path, name = ek.matrix(random_matrix(20, 30, 0.2)), tmp_path / "a.mtx", str(tmp_path / "b")
    E.write(path)
    for wrong in (
        lambda: ek.read(f"{path}\0.txt"),
        lambda: ek.read(os.fsencode(path) + b"\0"),
        lambda: ek.write(f"{name}.mtx\0.txt", E),
        lambda: E.write(name, "mtx\0"),
        lambda: ek.Context().save_wisdom(name + "\0"),
        lambda: ek.Context().load_wisdom(f"{path}\0"),
        lambda: ek.Context(device="cpu\0"),
        lambda: ek.generate("poisson2d5:nx=3,ny=3\0,bad"),
        lambda: E.plan(method="csr.serial\0"),
        lambda: E.plan(format="csr\0"),
        lambda: E.convert("sell\0"),
        lambda: ek.primitives.sort(np.ones(3), method="merge\0"),
    ):
        with pytest.raises(ValueError, match="null"):
            wrong()
    assert os.listdir(tmp_path) == ["a.mtx"]


def test_of_matrix():
    """A Matrix that is made of a Matrix."""
    A = random_matrix(20, 30, 0.2)
    E, x = ek.matrix(A, calls=3), integers(30)
    assert ek.matrix(E) is E and ek.matrix(E, calls=3, context=E.context) is E
    for M in (E, E.T, E.convert("csc"), E.convert("sell")):
        C = ek.matrix(M, copy=True, calls=9)
        assert C.core.calls == 9 and C.shape == M.shape and C.format.split(":")[0] in M.format
        np.testing.assert_array_equal(C.toarray(), M.toarray())
    C = ek.matrix(E, copy=True)
    A.data[:] = 0
    assert C.core.calls == 3 and abs(C @ x).sum() > 0
    for options in ({"calls": 4}, {"context": ek.Context()}, {"context": ek.Context(), "copy": 1}):
        with pytest.raises(ValueError, match="is a Matrix"):
            ek.matrix(E, **options)


def test_numbers_that_do_not_fit():
    """What ctypes would cut off or take for an address is refused, and by our exceptions."""
    A = random_matrix(3, 3, 0.9)
    E, x, far = ek.matrix(A), np.ones(3), 2**64 + 3
    arrays = A.indptr, A.indices, A.data
    for wrong in (
        lambda: ek.from_csr(*arrays, (3, far)),
        lambda: ek.from_csc(*arrays, (far, 3)),
        lambda: ek.from_coo([0], [0], [1.0], (far, 3)),
        lambda: ek.from_coo([0], [0], [1.0], (3, -far)),
        lambda: E.plan(calls=2**64),
        lambda: E.plan(budget=-(2**63) - 1),
        lambda: E.plan(threads=2**32 + 1),
        lambda: E.plan().predict(calls=2**64),
        lambda: E.convert("csr", max_bytes=2**63),
        lambda: ek.Context(threads=2**32 + 1),
        lambda: ek.SparseVector([0], [1.0], far),
    ):
        with pytest.raises(ek.errors.Overflow, match="are expected"):
            wrong()
    whole = ek.matrix(A, calls=np.int64(5)).plan(calls=np.int32(5), threads=np.int64(1))
    np.testing.assert_array_equal(whole @ x, A @ x)
    P = ek.SparseVector([0], [1.0], 3)
    for wrong in (
        lambda: ek.from_csr(*arrays, (3.5, 3)),
        lambda: E.plan(calls=2.5),
        lambda: E.plan(method=5),
        lambda: E.convert(7),
        lambda: ek.generate(7),
        lambda: E.matmul(x, alpha=2j),
        lambda: E.matmul(x, out=x, beta="2"),
        lambda: E.matmul(np.ones((3, 2)), alpha=np.complex64(2)),
        lambda: E.rmatmul(np.ones((2, 3)), alpha=[2]),
        lambda: E.plan()(x, alpha=2j),
        lambda: E.matmul(P, alpha=2j),
        lambda: P.axpy(x, alpha=2j),
        lambda: P.add(P, beta=2j),
        lambda: E.add(E, 2j),
        lambda: E.multiply_sparse(E, alpha=2j),
        lambda: E.galerkin(E, alpha=2j),
        lambda: E.__setitem__((0, 0), 2j),
        lambda: E.set_values(np.ones(A.nnz) * 1j),
        lambda: E.prolongator(2j),
    ):
        with pytest.raises(TypeError):
            wrong()
    for kind in ("f2", complex, int, "f16", "U3"):
        for wrong in (
            lambda: E.convert("csr", dtype=kind),
            lambda: E.astype(kind),
            lambda: ek.generate("poisson2d5:nx=5,ny=4", dtype=kind),
        ):
            with pytest.raises(ValueError, match="float64, float32 are expected"):
                wrong()
    with pytest.raises(ValueError, match="32, 64/32, 64 are expected"):
        E.convert("csr", index="16")
    for kind in ("f4", ">f4", np.float32, np.dtype("f4")):
        assert E.astype(kind).dtype == np.float32
    z = x + 1j  # complex operands take complex factors
    np.testing.assert_array_equal(E.matmul(z, alpha=2j), 2j * (A @ z))
    np.testing.assert_array_equal(E.matmul(x, alpha=np.float32(2)), 2 * (A @ x))


def test_wide_copy_goes_while_it_is_taken():
    """A thread that changes values forgets the copy in f64; one that multiplies keeps it."""
    E = ek.matrix(random_matrix(5, 4, 0.9, dtype=np.float32))

    class Forgetful:
        """A lock after which another thread has forgotten the copy."""

        def __enter__(self):
            pass

        def __exit__(self, *_):
            E.core.wide = None

    E.core.lock = Forgetful()
    assert E.for_operand(np.float64).dtype == np.float64


def public():
    """All public functions, and methods and operators of public classes."""
    found = {}
    things = {name: getattr(ek, name) for name in ek.__all__}
    for module in (ek.primitives, ek.vectors):
        for name, thing in vars(module).items():
            if name[0] != "_" and getattr(thing, "__module__", "") == module.__name__:
                things[f"{module.__name__}.{name}"] = thing
    for name, thing in things.items():
        if inspect.isfunction(thing):
            found[name] = thing
        for kind in inspect.getmro(thing) if inspect.isclass(thing) else ():
            for key, member in vars(kind).items() if kind.__module__[:8] == "evenkeel" else ():
                member = getattr(member, "fget", None) or getattr(member, "__func__", member)
                if inspect.isfunction(member) and (key[0] != "_" or key.startswith("__")):
                    found[f"{name}.{key}"] = member
    return found


def test_hints():
    """The file py.typed says that all of them have hints, for each argument and the result."""
    found = public()
    assert {"Matrix.__matmul__", "Plan.__call__", "evenkeel.primitives.scan"} <= set(found)
    bare = []
    for name, function in found.items():
        signature = inspect.signature(function)
        given = [p for p in list(signature.parameters.values()) if p.name != "self"]
        hints = [p.annotation for p in given] + [signature.return_annotation]
        if inspect.Signature.empty in hints:
            bare.append(name)
    assert bare == []
