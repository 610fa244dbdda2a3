# SPDX-License-Identifier: MIT
"""Bytes are never copied to or from elements that are Python objects."""

import numpy as np
import pytest

import treadle

WITH_OBJECTS = {
    "objects": lambda: np.array([None, None], object),
    "records": lambda: np.zeros(2, [("n", "i4"), ("Other", "f4"), ("o", object)]),
    "records with dates": lambda: np.zeros(2, [("t", "M8[s]"), ("o", object)]),
    "names with colons": lambda: np.zeros(2, [("a:b", object)]),
}
if hasattr(getattr(np, "dtypes", None), "StringDType"):
    WITH_OBJECTS["texts"] = lambda: np.zeros(2, np.dtypes.StringDType())


def objects(kind):
    return WITH_OBJECTS[kind]()


@pytest.fixture(params=list(WITH_OBJECTS))
def host(request):
    return objects(request.param)


def refused(call):
    with pytest.raises((TypeError, treadle.Error), match="(?i)object|dtype|element type"):
        call()


def test_native_copies(host):
    device = treadle.find_device("cpu")
    buffer, stream = treadle.Buffer(device, 256), device.default_stream()
    for call in (
        lambda: buffer.copy_to(host),
        lambda: buffer.copy_from(host),
        lambda: stream.copy_in(buffer, host),
        lambda: stream.copy_out(host, buffer),
        lambda: stream.fill(buffer, host),
        lambda: treadle.Buffer(device, host),
        lambda: treadle.numpy.zeros(2).get(out=host),
        lambda: treadle.numpy.zeros(2).set(host),
        lambda: treadle.numpy.asarray(host),
    ):
        refused(call)


def test_pycuda_copies(context, host):
    import pycuda.driver as drv
    from pycuda import gpuarray, tools

    memory = drv.mem_alloc(256)
    stream = drv.Stream()
    for call in (
        lambda: drv.memcpy_dtoh(host, memory),
        lambda: drv.memcpy_htod(memory, host),
        lambda: drv.memcpy_dtoh_async(host, memory, stream),
        lambda: drv.memcpy_htod_async(memory, host, stream),
        lambda: drv.to_device(host),
        lambda: drv.from_device_like(memory, host),
        lambda: drv.from_device(memory, 2, host.dtype),
        lambda: drv.pagelocked_empty(2, host.dtype),
        lambda: drv.pagelocked_zeros(2, host.dtype),
        lambda: drv.aligned_empty(2, host.dtype),
        lambda: drv.managed_empty(2, host.dtype, mem_flags=drv.mem_attach_flags.GLOBAL),
        lambda: drv.register_host_memory(host),
        lambda: tools.PageLockedMemoryPool().allocate(2, host.dtype),
        lambda: gpuarray.to_gpu(host),
        lambda: gpuarray.empty(2, host.dtype),
        lambda: drv.Memcpy2D().set_src_host(host),
        lambda: drv.Memcpy2D().set_dst_host(host),
    ):
        refused(call)


@pytest.mark.parametrize("wrapper", ["In", "Out", "InOut"])
def test_pycuda_arguments(build, host, wrapper):
    import pycuda.driver as drv

    kernel = build("__global__ void k(int *x) { x[0] = 1; }").get_function("k")
    refused(lambda: kernel(getattr(drv, wrapper)(host), block=(1, 1, 1)))


def test_dates_have_no_format_and_are_bytes_all_the_same():
    buffer = treadle.Buffer(treadle.find_device("cpu"), 16)
    dates = np.array(["2020-01-01", "2021-01-01"], "M8[D]")
    buffer.copy_from(dates)
    back = np.zeros_like(dates)
    buffer.copy_to(back)
    assert (back == dates).all()
