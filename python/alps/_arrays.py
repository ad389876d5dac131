"""What callers hand in, as the library takes it: float32 or uint8, contiguous, in this machine's memory. NumPy arrays and
whatever speaks DLPack (torch, JAX) are taken where they are, without a copy, if they have that form already."""

from typing import Any

import numpy as np
import numpy.typing as npt

from alps._native import core
from alps.errors import UsageError


def as_numpy(values: Any, what: str) -> np.ndarray:
    if isinstance(values, np.ndarray):
        return values
    try:
        if hasattr(values, "__dlpack__"):
            return np.from_dlpack(values)
        return np.asarray(values)
    except Exception as error:  # the libraries raise all kinds of things
        raise UsageError(f"{what}: cannot be read as an array ({error}); give an array in the memory of the CPU, "
                              "without a gradient") from error


def rows_of(values: Any, shape: tuple[int, ...], what: str, keep_bytes: bool = False) -> tuple[np.ndarray, bool]:
    """`values` as (n, *shape), and whether they were a batch; `keep_bytes`: uint8 stays uint8"""
    array = as_numpy(values, what)
    batch = array.ndim == len(shape) + 1
    if array.shape[-len(shape):] != shape or not (batch or array.ndim == len(shape)):
        one = str(shape) if len(shape) > 1 else f"({shape[0]},)"
        raise UsageError(f"{what}: shape {array.shape}; this run takes {one}, or (n, {', '.join(map(str, shape))})")
    if array.dtype.kind not in "fiub":
        raise UsageError(f"{what}: type {array.dtype}; numbers are expected")
    dtype: npt.DTypeLike = np.uint8 if keep_bytes and array.dtype == np.uint8 else np.float32
    array = np.ascontiguousarray(array, dtype)
    return (array if batch else array[np.newaxis]), batch
