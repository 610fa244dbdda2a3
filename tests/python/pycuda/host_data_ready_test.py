# SPDX-License-Identifier: MIT
"""When data are on the host: behind a kernel that runs until the host lets it, every copy of
PyCUDA's that is to have copied when it returns has, and those that need not wait do not."""

import threading

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import gpuarray
from pycuda.compiler import SourceModule

COUNT = 100
TEXT = """
__global__ void open_late(volatile int *gate, int *out)
{
    while (*gate == 0) {}
    out[threadIdx.x] = 7;
}
__global__ void next(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x] + 1; }
"""


class Gate:
    """Keeps a kernel that writes 7 everywhere from ending, until the host or a timer opens it."""

    def __init__(self, seconds):
        self._flag = cuda.pagelocked_zeros(1, np.int32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
        self._timer = threading.Timer(seconds, self.open)

    @property
    def is_open(self):
        return self._flag[0] != 0

    def open(self):
        self._flag[0] = 1

    def hold(self, module, array, stream):
        kernel = module.get_function("open_late")
        kernel(
            np.uintp(self._flag.base.get_device_pointer()),
            array.gpudata,
            block=(COUNT, 1, 1),
            stream=stream,
        )
        self._timer.start()

    def end(self):
        self.open()
        self._timer.cancel()
        self._timer.join()
        cuda.Context.synchronize()


@pytest.fixture
def module(context):
    return SourceModule(TEXT)


def pageable():
    return np.zeros(COUNT, np.int32)


def copied_by(copy, host, array, stream):
    copy(host, array.gpudata, stream)
    return host


def dtoh(host, device, stream):
    if stream is not None:
        stream.synchronize()
    cuda.memcpy_dtoh(host, device)


def structured(make, host, array, stream):
    copy = make()
    copy.set_src_device(array.gpudata)
    copy.set_dst_host(host)
    copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = host.nbytes
    copy.height = copy.depth = copy.src_height = copy.dst_height = 1
    if stream is None:
        copy(aligned=True) if make is cuda.Memcpy2D else copy()
    else:
        copy(stream)
    return host


def out_of_kernel(module, array, stream):
    host = pageable()
    kernel = module.get_function("next")
    kernel(array, cuda.Out(host), block=(COUNT, 1, 1), stream=stream)
    return host - 1


# Of a module, an array and a stream, an array of the host. The driver gives pageable memory its
# bytes before it returns, asynchronous or not.
READS = {
    "get": lambda _, a, s: a.get(stream=s),
    "get into ary": lambda _, a, s: a.get(pageable(), stream=s),
    "get page-locked": lambda _, a, s: a.get(pagelocked=True, stream=s),
    "get async_": lambda _, a, s: a.get(async_=True, stream=s),
    "get_async": lambda _, a, s: a.get_async(stream=s),
    "get_async of a view": lambda _, a, s: np.repeat(a[::2].get_async(stream=s), 2),
    "get_async into ary": lambda _, a, s: a.get_async(stream=s, ary=pageable()),
    "memcpy_dtoh": lambda _, a, s: copied_by(dtoh, pageable(), a, s),
    "memcpy_dtoh_async": lambda _, a, s: copied_by(cuda.memcpy_dtoh_async, pageable(), a, s),
    "from_device": lambda _, a, s: cuda.from_device(a.gpudata, COUNT, np.int32),
    "Memcpy2D": lambda _, a, s: structured(cuda.Memcpy2D, pageable(), a, s),
    "Memcpy3D": lambda _, a, s: structured(cuda.Memcpy3D, pageable(), a, s),
    "Out": out_of_kernel,
    "element": lambda _, a, s: np.full(COUNT, a[3].get(stream=s)),
    "int()": lambda _, a, s: np.full(COUNT, int(a[3].get(stream=s))),
}


@pytest.mark.parametrize("has_stream", [False, True])
def test_reads_into_pageable_memory_have_read_when_they_return(module, has_stream):
    for name, read in READS.items():
        stream = cuda.Stream() if has_stream else None
        array, gate = gpuarray.zeros(COUNT, np.int32), Gate(0.02)
        cuda.Context.synchronize()
        gate.hold(module, array, stream)
        try:
            values = np.array(read(module, array, stream))
        finally:
            gate.end()
        assert np.array_equal(values, np.full(COUNT, 7)), name


LATE_READS = {
    "get_async": lambda a, host, s: a.get_async(stream=s, ary=host),
    "get": lambda a, host, s: a.get(host, async_=True, stream=s),
    "memcpy_dtoh_async": lambda a, host, s: copied_by(cuda.memcpy_dtoh_async, host, a, s),
}


@pytest.mark.parametrize("has_stream", [False, True])
def test_asynchronous_reads_into_page_locked_memory_do_not_wait(module, has_stream):
    kept = []  # to free page-locked memory is to wait
    for name, read in LATE_READS.items():
        stream = cuda.Stream() if has_stream else None
        array, gate = gpuarray.zeros(COUNT, np.int32), Gate(20)
        host = cuda.pagelocked_zeros(COUNT, np.int32)
        cuda.Context.synchronize()
        gate.hold(module, array, stream)
        try:
            values = read(array, host, stream)
            has_waited = gate.is_open
        finally:
            gate.end()
        kept += [gate, host, values]
        assert not has_waited, name
        assert np.array_equal(values, np.full(COUNT, 7)), name
        assert array.get()[0] == 7  # what the copy kept is let go by the next one


WRITES = {
    "set": lambda a, host, s: a.set(host, stream=s),
    "set async_": lambda a, host, s: a.set(host, async_=True, stream=s),
    "set_async": lambda a, host, s: a.set_async(host, stream=s),
    "set_async of a view": lambda a, host, s: a[::2].set_async(host[::2], stream=s),
    "to_gpu_async": lambda a, host, s: gpuarray.to_gpu_async(host, stream=s),
    "to_gpu": lambda a, host, s: gpuarray.to_gpu(host),
    "memcpy_htod_async": lambda a, host, s: cuda.memcpy_htod_async(a.gpudata, host, s),
    "memcpy_htod": lambda a, host, s: cuda.memcpy_htod(a.gpudata, host),
    "to_device": lambda a, host, s: cuda.to_device(host),
}


@pytest.mark.parametrize("has_stream", [False, True])
def test_pageable_memory_may_be_written_when_a_write_from_it_returns(module, has_stream):
    for name, write in WRITES.items():
        stream = cuda.Stream() if has_stream else None
        array, gate = gpuarray.zeros(COUNT, np.int32), Gate(0.02)
        host = np.full(COUNT, 3, np.int32)
        cuda.Context.synchronize()
        gate.hold(module, array, stream)
        try:
            made = write(array, host, stream)
            host[:] = 99
        finally:
            gate.end()
        if name == "to_device":
            values = cuda.from_device(made, COUNT, np.int32)
        else:
            values = (array if made is None else made).get()
        assert np.array_equal(values[::2], np.full(COUNT // 2, 3)), name
