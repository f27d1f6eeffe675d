# SPDX-License-Identifier: BSD-3-Clause
"""Plans: an operation on a matrix, prepared once and run many times."""

import ctypes
import threading
from typing import Any, Callable

import numpy as np

from . import _arrays, _dlpack, _fast, _products
from ._context import Context, allowed, state
from ._lib import Handle, api, as_dict, choice, constants, header, made, new, whole

OPERATIONS = {
    name.decode(): number for number in range(1, 64) if (name := api.ek_operation_name(number))
}
MOST_BLOCKS = 64  # shapes of blocks for which a matrix keeps the fast way
OP = (constants.EK_OP_N, constants.EK_OP_T)


def _not_yet(_x, _y=None, _alpha=1.0, _beta=0.0):
    """Stands for the fast product until the first product."""
    return None


class Core:
    """A matrix of the library with what every view of it shares, such as its plans."""

    __slots__ = (
        "handle",
        "context",
        "shape",
        "dtype",
        "calls",
        "is_array",
        "lock",
        "plans",
        "fast",
        "blocks",
        "wide",
        "own",
        "canonical",
    )

    def __init__(
        self,
        context: Context,
        function: Callable[..., Any],
        *arguments: Any,
        calls: int = 0,
        is_array: bool = True,
        keep: "tuple[Any, ...]" = (),
    ) -> None:
        """Has a function make the matrix, which uses what is in `keep` for as long as it lives."""
        self.handle = made(api.ek_matrix_destroy, (context.handle, *keep), function, *arguments)
        info = new("ek_matrix_info")
        api.ek_matrix_get_info(self.handle.pointer, ctypes.byref(info))
        self.context = context
        self.shape: "tuple[int, int]" = (info.rows, info.cols)
        self.dtype: np.dtype = _arrays.DTYPE[info.value]
        self.calls, self.is_array = calls, is_array
        self.lock = threading.Lock()
        self.plans: "dict[tuple, Plan]" = {}
        # Plan.product of the products with vectors, plain and transposed
        self.fast: "list[Callable[..., Any]]" = [_not_yet, _not_yet]
        # The same with blocks, by operation, whether A is transposed, and shape
        self.blocks: "dict[tuple, Any]" = {}
        self.wide: "Core | None" = None
        # Why no array of the caller has the values; None if one has.
        self.own: "str | None" = "the matrix has values of its own: change them by set_values"
        # Whether scipy takes its arrays for canonical; None until that is asked. The pattern stays.
        self.canonical: "bool | None" = None

    def derived(self, function: Callable[..., Any], *arguments: Any) -> "Core":
        """The core of a matrix that a function makes of this one, in the same context."""
        return Core(self.context, function, *arguments, calls=self.calls, is_array=self.is_array)

    def plan(self, operation: str, transposed: bool, width: int = 0) -> "Plan":
        """The plan that products of this kind share, made when it is first needed."""
        key = operation, transposed, width
        found = self.plans.get(key)
        if found is None:
            with self.lock:
                found = self.plans.get(key)
                if found is None:
                    found = Plan(self, operation, transposed, calls=self.calls, width=width)
                    self.plans[key] = found
        return found

    def block(self, operation: str, transposed: bool, X: Any, *rest: Any) -> Any:
        """The product with a block in the fast way, or None where the general one has to be."""
        found = self.blocks.get((operation, transposed, X.shape)) if type(X) is np.ndarray else None
        return None if found is None else found(X, *rest)

    def keep_block(self, plan: "Plan", transposed: bool, X: np.ndarray) -> None:
        """Makes the fast way for blocks like X, which has just been multiplied in the general way.

        Columns alone stay there: without `out` they are products with vectors.
        """
        if X.dtype is not self.dtype or not X.flags.c_contiguous or X.shape[1] == 1:
            return
        key = plan.operation, transposed, X.shape
        found = self.blocks.get(key)
        if found is None or found.limit != state.limit:
            if len(self.blocks) >= MOST_BLOCKS:
                self.blocks.clear()
            made = _fast.block(plan, X.shape)
            if made is not None:
                self.blocks[key] = made


class Plan:
    """An operation prepared for a matrix: `plan @ x`, or `plan(x, out=y)`. Matrix.plan makes it.

    It may be used by any number of threads, and lives on when the matrix is gone. set_values and
    values_changed of the matrix must not run beside it.
    """

    __slots__ = (
        "operation",
        "shape",
        "dtype",
        "_number",
        "_matrix",
        "context",
        "_options",
        "_keep",
        "_handles",
        "_lock",
        "_runs",
    )

    def __init__(
        self,
        core: Core,
        operation: str,
        transposed: bool,
        *,
        calls: int = 0,
        method: "str | None" = None,
        format: "str | None" = None,
        reproducible: bool = False,
        budget: int = 0,
        width: int = 0,
        threads: int = 0,
        measure: bool = False,
        unsorted: bool = False,
        B: "Core | None" = None,
        D: "Core | None" = None,
        B_transposed: bool = False,
        index: int = 0,
    ) -> None:
        self._number = choice(OPERATIONS, operation, "operation")
        self.operation = operation
        self.shape = core.shape[::-1] if transposed else core.shape
        self.dtype = core.dtype
        self._matrix, self.context = core.handle, core.context
        self._keep = core.handle, *(other.handle for other in (B, D) if other)
        self._options = {
            "method": method,
            "format": format,
            "calls": calls,
            "memory": budget,
            "width": width,
            "threads": threads,
            "measure": int(measure),
            "unsorted": int(unsorted),
            "op": OP[transposed],
            "index": index,
            "op_b": OP[1] if B_transposed else None,
            "B": B and B.handle.pointer,
            "D": D and D.handle.pointer,
            "reproducible": constants.EK_REPRO_STRICT if reproducible else constants.EK_REPRO_RUN,
        }
        self._handles: "dict[int, Handle]" = {}
        self._runs: "dict[int, Callable[..., Any]]" = {}
        self._lock = threading.Lock()
        self.handle()

    def handle(self, limit: "int | None" = None) -> Handle:
        """The plan of the library for a limit of threads: the one in force, unless one is given."""
        limit = state.limit if limit is None else limit
        found = self._handles.get(limit)
        if found is None:
            with self._lock:
                found = self._handles.get(limit)
                if found is None:
                    found = self._handles[limit] = self._make(limit)
        return found

    def product(self) -> Callable[..., Any]:
        """The fast function for plan @ x under the limit of threads that is in force."""
        found = self._runs.get(state.limit)
        if found is None:
            found = _fast.product(self)
            self._runs[found.limit] = found
        return found

    def _make(self, limit):
        hints = new("ek_hints", **self._options)
        hints.threads = allowed(self.context, hints.threads, limit)
        return made(
            api.ek_plan_destroy,
            self._keep,
            api.ek_plan_create,
            self._number,
            self._matrix.pointer,
            ctypes.byref(hints),
        )

    def __matmul__(self, x: Any) -> Any:
        return self(x)

    def __call__(self, x: Any, out: Any = None, alpha: float = 1.0, beta: float = 0.0) -> Any:
        """Computes alpha op(A) x + beta out for a vector or, if the plan is for "spmm", a block.

        x and out may be arrays of torch, cupy and others as those of Matrix.matmul may.
        """
        if self.operation == "spmv":
            y = self.product()(x, out, alpha, beta)
            if y is not None:
                return y
        if _dlpack.is_on_device(x, out):
            return _dlpack.run(self, x, out, alpha, beta)
        if _dlpack.is_foreign(x, out):
            return _dlpack.on_host(self, x, out, alpha, beta)
        return _products.run_dense(self, x, out, alpha, beta)

    matvec = matmat = dot = __call__

    @property
    def method(self) -> str:
        """Name of the method that was chosen."""
        return api.ek_plan_method(self.handle().pointer).decode()

    @property
    def format(self) -> str:
        """Format of the matrix that the plan multiplies with, and its parameters."""
        return api.ek_plan_format(self.handle().pointer).decode()

    @property
    def parameters(self) -> str:
        """Parameters of the method, "" if there are none."""
        return api.ek_plan_parameters(self.handle().pointer).decode()

    @property
    def bytes(self) -> int:
        """A lower bound on the bytes that one run moves."""
        return api.ek_plan_bytes(self.handle().pointer)

    @property
    def memory(self) -> int:
        """Bytes that the plan takes in addition to the matrix."""
        return api.ek_plan_memory(self.handle().pointer)

    @header("ek_plan_explain")
    def explain(self) -> str:
        """Some lines that say which method and format were chosen, and why."""
        text = ctypes.create_string_buffer(16384)
        api.ek_plan_explain(self.handle().pointer, text, len(text))
        return text.value.decode(errors="replace")

    @header("ek_plan_predict")
    def predict(self, calls: int = 0) -> dict:
        """The predicted seconds of one of `calls` runs: "run", and "convert" for the format."""
        prediction = new("ek_prediction")
        api.ek_plan_predict(self.handle().pointer, whole(calls, "calls"), ctypes.byref(prediction))
        return as_dict(prediction)

    def __repr__(self) -> str:
        rows, cols = self.shape
        return f"<evenkeel.Plan {self.operation} {rows} x {cols}, {self.method} in {self.format}>"
