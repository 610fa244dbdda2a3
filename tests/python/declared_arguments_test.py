# SPDX-License-Identifier: MIT
"""What may be passed for the declarations of a user's kernel: the same calls are refused by kernels
of every family, through both faces and treadle's own, before anything runs."""

import numpy as np
import pycuda._pvt_struct
import pycuda.elementwise
import pycuda.gpuarray
import pycuda.reduction
import pycuda.scan
import pytest

import treadle
from treadle import numpy as tnp

N = 10
TEXT = "float *y, float a, float *x"
FOLD = "0", "a+b", "y[i] + a * x[i]"


def pycuda_elementwise(_):
    return pycuda.elementwise.ElementwiseKernel(TEXT, "y[i] = a * x[i]", "checked"), "yax"


def pycuda_reduction(_):
    return pycuda.reduction.ReductionKernel(np.float32, *FOLD, TEXT, "checked"), "yax"


def pycuda_scan(_):
    kernel = pycuda.scan.InclusiveScanKernel(np.float32, "a+b", name_prefix="checked")
    return lambda y, x, *more: kernel(x, y, *more), "yx"


def native_elementwise(_):
    return treadle.ElementwiseKernel(TEXT, "y[i] = a * x[i]", name="checked"), "yax"


def native_reduction(_):
    neutral, fold, map_ = FOLD
    kernel = treadle.ReductionKernel(
        "f4", neutral=neutral, reduce=fold, map=map_, arguments=TEXT, name="checked"
    )
    return kernel, "yax"


def opencl_elementwise(queue):
    from pyopencl.elementwise import ElementwiseKernel

    return ElementwiseKernel(queue.context, TEXT, "y[i] = a * x[i]", "checked"), "yax"


def opencl_reduction(queue):
    from pyopencl.reduction import ReductionKernel

    return ReductionKernel(queue.context, np.float32, *FOLD, TEXT, "checked"), "yax"


def opencl_scan(queue):
    from pyopencl.scan import GenericScanKernel

    kernel = GenericScanKernel(
        queue.context, np.float32, TEXT, "a * x[i]", "a+b", "0", "y[i] = item",
        name_prefix="checked",
    )  # fmt: skip
    return lambda *args: kernel(*args, size=N), "yax"


KERNELS = [
    pycuda_elementwise, pycuda_reduction, pycuda_scan, native_elementwise, native_reduction,
    opencl_elementwise, opencl_reduction, opencl_scan,
]  # fmt: skip


class Face:
    """One kernel, and how its face makes arrays."""

    def __init__(self, make):
        self.name = make.__name__.partition("_")[0]
        queue = self.queue() if self.name == "opencl" else None
        self.put = {
            "pycuda": pycuda.gpuarray.to_gpu,
            "native": tnp.array,
            "opencl": lambda values: self.to_device(queue, values),
        }[self.name]
        self.kernel, self.order = make(queue)
        self.is_native = self.name == "native"

    @staticmethod
    def queue():
        cl = pytest.importorskip("pyopencl")
        try:
            return cl.CommandQueue(cl.create_some_context(interactive=False))
        except cl.RuntimeError as error:
            pytest.skip(f"needs an OpenCL platform: {error}")

    @staticmethod
    def to_device(queue, values):
        import pyopencl.array

        return pyopencl.array.to_device(queue, values)

    def good(self):
        return {"y": self.floats(), "a": np.float32(2), "x": self.floats()}

    def floats(self, *shape, order="C"):
        return self.put(np.ones(shape or N, np.float32, order=order))

    def call(self, arguments, *more):
        return self.kernel(*(arguments[name] for name in self.order), *more)


def orders(face):
    return {"y": face.floats(2, 5), "x": face.floats(2, 5, order="F")}


def gaps(face):
    return {"x": face.floats(2 * N)[::2]}


def freed(face):
    if face.name != "pycuda":  # others keep the memory of an array as long as it lives
        return None
    x = face.floats()
    x.gpudata.free()
    return {"x": x}


# What takes the place of good arguments, and what is raised; None: the face has no such call.
CALLS = {
    "dtype": (lambda face: {"x": face.put(np.ones(N))}, TypeError),
    "integers": (lambda face: {"x": face.put(np.ones(N, np.int32))}, TypeError),
    "length": (lambda face: {"x": face.floats(N - 1)}, ValueError),
    "order": (lambda face: None if face.is_native else orders(face), ValueError),
    "gaps": (lambda face: None if face.is_native else gaps(face), RuntimeError),
    "reversed": (lambda face: None if face.is_native else {"x": face.floats()[::-1]}, RuntimeError),
    "freed": (freed, RuntimeError),
    "none": (lambda face: {"x": None}, (TypeError, AttributeError, AssertionError)),
    "number": (
        lambda face: {"x": 3.0},
        (TypeError, ValueError, AttributeError, AssertionError),
    ),
    "array": (lambda face: {"a": face.floats()}, (TypeError, ValueError, pycuda._pvt_struct.error)),
    "device": (
        lambda face: {"x": tnp.zeros(N, "f4", device="null")},
        (treadle.Error, TypeError, AttributeError, AssertionError),
    ),
}


@pytest.mark.parametrize("make", KERNELS, ids=lambda make: make.__name__)
def test_the_same_calls_are_refused_by_every_kernel(context, make):
    face = Face(make)
    face.call(face.good())
    for call, (change, errors) in CALLS.items():
        changed = change(face)
        if changed is None or not set(changed) <= set(face.order):
            continue
        arguments = face.good() | changed
        try:
            face.call(arguments)
        except errors:
            pass
        except Exception as error:  # noqa: BLE001 - the next line says which call it was
            pytest.fail(f"{call}: {type(error).__name__}: {error}, wanted: {errors}")
        else:
            pytest.fail(f"{call} was taken")
        if "y" not in changed:
            assert (arguments["y"].get() == 1).all(), call
    with pytest.raises((TypeError, ValueError, pycuda._pvt_struct.error)):
        face.call(face.good(), *[np.float32(1)] * 4)
    face.call(face.good())
