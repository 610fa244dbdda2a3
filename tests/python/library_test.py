# SPDX-License-Identifier: MIT
"""treadle.cuda: libraries, and what the driver says of a kernel's occupancy."""

import numpy as np
import pytest

import treadle
import treadle.cuda as cuda

TEXT = """
__device__ int calls;
__managed__ int all_calls;
template <class T> __global__ void scale(T *values, T factor)
{
    values[threadIdx.x] *= factor;
    if (threadIdx.x == 0) { atomicAdd(&calls, 1); atomicAdd(&all_calls, 1); }
}
extern "C" __global__ void put(int *out, int value) { out[threadIdx.x] = value; }
"""


@pytest.fixture(scope="module")
def image():
    target = cuda.default_device().target
    return treadle.compile_cuda(TEXT, target, name_expressions=["scale<float>"]).image


@pytest.fixture
def library(image):
    if cuda.default_driver().version() < 12040:
        pytest.skip("the driver has no libraries")
    with cuda.Context.make_current(cuda.default_device()):
        yield cuda.Library(image)


def test_kernels_are_launched_in_any_context(library):
    put = library.kernel("put")
    assert (put.name, put.symbol, put.library) == ("put", "put", library)
    other = cuda.Context.create(cuda.default_device())
    for value in (1, 2):
        memory = cuda.DeviceMemory(32)
        put.function()(memory, np.int32(value), grid=(1,), block=(8,))
        host = np.zeros(8, np.int32)
        memory.copy_to(host)
        assert (host == value).all()
        del memory
        if value == 1:
            other.push()
    cuda.Context.pop()
    other.detach()
    assert [p.size for p in put.parameters] == [8, 4]
    assert put == library.kernel("put") and hash(put) == hash(library.kernel("put"))


def test_names_and_variables(library):
    assert library.kernel("scale<float>").name == "scale<float>"
    assert "put" in library.kernel_names
    memory = cuda.DeviceMemory(32)
    memory.fill8(0)
    library.kernel("scale<float>").function()(memory, np.float32(2), grid=(1,), block=(8,))
    assert library.variable("calls").size_bytes == 4
    cuda.Context.current().synchronize()
    assert library.managed("all_calls").size_bytes == 4
    assert library.module().function("put").name == "put"
    with pytest.raises(treadle.DeviceError, match='no kernel "putt"'):
        library.kernel("putt")
    with pytest.raises(treadle.DeviceError):
        library.unified_function("put")


def test_files_and_bytes(library, image, tmp_path):
    path = tmp_path / "code"
    path.write_bytes(image.code)
    assert "put" in cuda.Library.load_file(path).kernel_names
    assert "put" in cuda.Library(image.code).kernel_names
    with pytest.raises(treadle.DeviceError, match="no/such/file"):
        cuda.Library.load_file("no/such/file")
    with pytest.raises(treadle.DeviceError):
        cuda.Library(b"no code at all").module()  # the driver may look at it only now


def test_attributes_are_of_a_device(library):
    put, device = library.kernel("put"), cuda.default_device()
    attribute = cuda.FunctionAttribute.max_dynamic_shared_size_bytes
    put.set_attribute(attribute, 2048, device)
    assert put.attribute(attribute, device) == 2048
    assert put.function().max_dynamic_shared_size_bytes == 2048
    put.set_cache_config(cuda.CacheConfig.prefer_l1, device)


def test_blocks_that_fill_the_device(library):
    put = library.kernel("put").function()
    shape = cuda.suggest_block(put)
    assert 32 <= shape.block_threads <= put.max_threads_per_block
    assert shape.grid_blocks >= 1
    assert cuda.max_active_blocks(put, shape.block_threads) >= 1
    assert cuda.suggest_block(put, 0, 128).block_threads <= 128
    asked = []
    by_size = cuda.suggest_block(put, lambda threads: asked.append(threads) or 8 * threads)
    assert by_size.block_threads in asked
    assert cuda.available_shared_bytes(put, 2, 64) > 0
    with pytest.raises(ZeroDivisionError):
        cuda.suggest_block(put, lambda threads: threads // 0)
    with pytest.raises(treadle.InvalidArgument, match="block_threads is 0"):
        cuda.max_active_blocks(put, 0)
    with pytest.raises(TypeError, match="function is a Function"):
        cuda.max_active_blocks(3, 64)
