# SPDX-License-Identifier: MIT
"""pyfft's plans on both faces, beside NumPy."""

import numpy as np
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def drawn(rng, shape, dtype):
    x = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def expect(got, expected):
    bound = 1.1e-6 if got.dtype.itemsize <= 8 and got.dtype.char in "fF" else 1e-11
    assert np.abs(got - expected).mean() < bound * np.abs(expected).mean()


SHAPES = [16, (8, 32), (4, 8, 16)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_interleaved_data_of_cuda(context, rng, shape, dtype):
    import pycuda.gpuarray as gpuarray
    from pyfft.cuda import Plan

    full = (3, shape) if isinstance(shape, int) else (3, *shape)
    axes = tuple(range(1, len(full)))
    x = drawn(rng, full, dtype)
    plan = Plan(shape, dtype, scale=2.0)
    data = gpuarray.to_gpu(x)
    out = gpuarray.empty(full, dtype)
    assert plan.execute(data, out, batch=3) is None
    expect(out.get(), 2 * np.fft.fftn(x, axes=axes))
    assert (data.get() == x).all()  # is preserved
    plan.execute(out.gpudata, inverse=True, batch=3)  # in place, by its address
    expect(out.get(), x)


def test_streams_of_cuda(context, rng):
    import pycuda.driver as driver
    import pycuda.gpuarray as gpuarray
    from pyfft.cuda import Plan

    x = drawn(rng, 64, np.complex64)
    stream = driver.Stream()
    data = gpuarray.to_gpu(x)
    plan = Plan(64, normalize=False, stream=stream)
    assert plan.execute(data) is stream
    stream.synchronize()
    expect(data.get(), np.fft.fft(x))
    assert plan.execute(data, inverse=True, wait_for_finish=True) is None
    expect(data.get(), 64 * x)
    waiting = Plan(64, context=driver.Context.get_current())
    assert waiting.execute(data) is None
    returned = waiting.execute(data, inverse=True, wait_for_finish=False)
    returned.synchronize()
    expect(data.get(), 64 * x)


def test_split_data_of_cuda(context, rng):
    import pycuda.gpuarray as gpuarray
    from pyfft.cuda import Plan

    x = drawn(rng, (2, 8, 4), np.complex128)
    re, im = (gpuarray.to_gpu(np.ascontiguousarray(part)) for part in (x.real, x.imag))
    plan = Plan((8, 4), dtype=np.float64)
    plan.execute(re, im, batch=2)
    expect(re.get() + 1j * im.get(), np.fft.fftn(x, axes=(1, 2)))
    back_re, back_im = gpuarray.empty_like(re), gpuarray.empty_like(im)
    plan.execute(re, im, back_re, back_im, True, 2)
    expect(back_re.get() + 1j * back_im.get(), x)
    with pytest.raises(ValueError, match="data_out_im"):
        plan.execute(re, im, back_re)


@pytest.fixture
def queue():
    cl = pytest.importorskip("pyopencl")
    try:
        devices = [d for p in cl.get_platforms() for d in p.get_devices()]
    except cl.Error:
        devices = []
    if not devices:
        pytest.skip("no OpenCL device")
    return cl.CommandQueue(cl.Context(devices[:1]))


def test_buffers_of_opencl(queue, rng):
    import pyopencl.array as cl_array
    from pyfft.cl import Plan

    x = drawn(rng, (2, 16, 8), np.complex64)
    data = cl_array.to_device(queue, x)
    out = cl_array.empty_like(data)
    plan = Plan((16, 8), queue=queue)
    assert plan.execute(data.data, out.data, batch=2) is queue
    expect(out.get(), np.fft.fftn(x, axes=(1, 2)))
    assert plan.execute(out.data, inverse=True, batch=2, wait_for_finish=True) is None
    expect(out.get(), x)
    own = Plan((16, 8), context=queue.context)
    assert own.execute(data.data, batch=2) is None
    expect(data.get(), np.fft.fftn(x, axes=(1, 2)))


@pytest.mark.parametrize(
    ("shape", "dtype", "text"),
    [
        ([16], np.complex64, r"shape=\[16\]"),
        ("16", np.complex64, "shape='16'"),
        ((2, 2, 2, 2), np.complex64, "one to three"),
        (12, np.complex64, "power of two"),
        ((1 << 16, 1 << 16), np.complex64, "2\\*\\*31"),
        (16, np.int32, "dtype="),
    ],
)
def test_wrong_plans(context, shape, dtype, text):
    from pyfft.cuda import Plan

    with pytest.raises(ValueError, match=text):
        Plan(shape, dtype)
    with pytest.raises(TypeError):
        Plan(16, strange=True)


def test_plans_of_opencl_need_a_queue_or_a_context():
    from pyfft.cl import Plan

    with pytest.raises(ValueError, match="queue"):
        Plan(16)
