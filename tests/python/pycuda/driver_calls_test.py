# SPDX-License-Identifier: MIT
"""Calls of pycuda.driver, compiler and tools that programs make seldom."""

import os
import stat

import numpy as np
import pycuda._pvt_struct as pvt_struct
import pycuda.compiler as compiler
import pycuda.driver as cuda
import pycuda.tools as tools
import pytest

# --- memory ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "array", [np.zeros(100, "f4"), np.zeros(1), np.zeros(2, "i4"), np.zeros(0)]
)
def test_an_array_of_the_host_is_no_pointer(context, build, array):
    if array.nbytes == 8 and not cuda.Context.get_device()._target().startswith("cpu"):
        pytest.skip("a GPU's driver tells the sizes of parameters, not which are pointers")
    kernel = build("__global__ void k(float* a) { a[threadIdx.x] += 1; }").get_function("k")
    with pytest.raises(cuda.Error, match="array of the host, of") as caught:
        kernel(array, block=(1, 1, 1))
    assert "InOut" in caught.value.hint


def test_an_array_may_hold_an_address_or_a_struct(context, build):
    source = """struct Pair { float a, b; };
      __global__ void k(float* out, Pair pair) { out[0] = pair.a + 10 * pair.b; }"""
    kernel, out = build(source).get_function("k"), cuda.mem_alloc(4)
    kernel(np.array(int(out), np.uintp), np.array([1, 2], "f4"), block=(1, 1, 1))
    assert cuda.from_device(out, (), "f4") == 21


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("memset_d8_async", "u1"), ("memset_d16_async", "u2"), ("memset_d32_async", "u4")],
)
def test_fills_on_a_stream(context, name, dtype):
    memory, stream = cuda.mem_alloc(64), cuda.Stream()
    cuda.memset_d8(memory, 0, 64)
    count = 32 // np.dtype(dtype).itemsize
    getattr(cuda, name)(dest=memory, data=200, size=count, stream=stream)
    stream.synchronize()
    found = cuda.from_device(memory, 2 * count, dtype)
    assert found.tolist() == [200] * count + [0] * count


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("memset_d2d8_async", "u1"), ("memset_d2d16_async", "u2"), ("memset_d2d32_async", "u4")],
)
def test_fills_of_rows_on_a_stream(context, name, dtype):
    size, stream = np.dtype(dtype).itemsize, cuda.Stream()
    memory, pitch = cuda.mem_alloc_pitch(3 * size, 4, 4)
    cuda.memset_d8(memory, 0, 4 * pitch)
    getattr(cuda, name)(dest=memory, pitch=pitch, data=7, width=2, height=3, stream=stream)
    stream.synchronize()
    found = cuda.from_device(memory, (4, pitch // size), dtype)
    assert found[:, :3].tolist() == [[7, 7, 0]] * 3 + [[0, 0, 0]]
    assert found.sum() == 7 * 6


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("aligned_empty_like", cuda.AlignedHostAllocation),
        ("aligned_zeros_like", cuda.AlignedHostAllocation),
        ("managed_empty_like", cuda.ManagedAllocation),
        ("managed_zeros_like", cuda.ManagedAllocation),
        ("pagelocked_empty_like", cuda.HostAllocation),
        ("pagelocked_zeros_like", cuda.HostAllocation),
    ],
)
def test_host_arrays_like_others(context, name, base, order):
    model = np.ones((3, 4), np.float64, order=order)
    keywords = {"mem_flags": cuda.mem_attach_flags.GLOBAL} if "managed" in name else {}
    array = getattr(cuda, name)(model, **keywords)
    assert (array.shape, array.dtype, array.strides) == (model.shape, model.dtype, model.strides)
    assert isinstance(array.base, base)
    assert "zeros" not in name or not array.any()
    with pytest.raises(ValueError, match="could not detect array order"):
        getattr(cuda, name)(np.ones((4, 4))[::2, ::2], **keywords)


def test_other_names_of_classes(context):
    assert cuda.HostAllocation is cuda.PagelockedHostAllocation
    assert cuda.ManagedAllocationOrStub is cuda.ManagedAllocation
    assert cuda.direction_vector_set.SCRAMBLED_VECTOR_64 == 104


def test_the_base_of_pointer_holders_has_no_address(context):
    class Hollow(cuda.PointerHolderBase):
        pass

    for call in (cuda.PointerHolderBase().get_pointer, Hollow().get_pointer, Hollow().__int__):
        with pytest.raises(TypeError, match="must define get_pointer"):
            call()


# --- structured copies ----------------------------------------------------------------------------


def rows_of(memory, pitch, rows):
    return cuda.from_device(memory, (rows, pitch), np.uint8)


@pytest.mark.parametrize("kind", [cuda.Memcpy2D, cuda.Memcpy3D, cuda.Memcpy3DPeer])
def test_copies_by_addresses_and_memory_types(context, kind):
    source = cuda.to_device(np.arange(32, dtype=np.uint8))
    target = cuda.to_device(np.zeros(32, np.uint8))
    copy = kind()
    assert int(copy.src_memory_type) == copy.src_device == 0
    copy.src_device, copy.dst_device = int(source), target
    copy.src_memory_type = copy.dst_memory_type = cuda.memory_type.DEVICE
    assert (copy.src_device, copy.dst_device) == (int(source), int(target))
    copy.src_pitch = copy.dst_pitch = 8
    copy.src_y, copy.dst_x_in_bytes = 1, 4
    copy.width_in_bytes, copy.height = 4, 2
    if kind is not cuda.Memcpy2D:
        copy.depth = 1
        copy.src_height = copy.dst_height = 4
        copy.src_lod = copy.dst_lod = 0
        assert (copy.src_lod, copy.dst_lod) == (0, 0)
        copy()
    else:
        copy(True)
    cuda.Context.synchronize()
    expected = np.zeros((4, 8), np.uint8)
    expected[:2, 4:] = np.arange(32).reshape(4, 8)[1:3, :4]
    assert (rows_of(target, 8, 4) == expected).all()


@pytest.mark.parametrize("kind", [cuda.Memcpy2D, cuda.Memcpy3D, cuda.Memcpy3DPeer])
def test_copies_of_memory_with_one_address(context, kind):
    source = cuda.managed_empty((2, 8), np.uint8, mem_flags=cuda.mem_attach_flags.GLOBAL)
    target = cuda.managed_zeros((2, 8), np.uint8, mem_flags=cuda.mem_attach_flags.GLOBAL)
    source[:] = np.arange(16).reshape(2, 8)
    copy = kind()
    copy.set_src_unified(source)
    copy.set_dst_unified(target)
    assert copy.src_memory_type == copy.dst_memory_type == cuda.memory_type.UNIFIED
    copy.src_pitch = copy.dst_pitch = copy.width_in_bytes = 8
    copy.height = 2
    if kind is not cuda.Memcpy2D:
        copy.src_height = copy.dst_height = 2
        copy.depth = 1
    if kind is cuda.Memcpy3DPeer:
        copy.set_src_context(cuda.Context.get_current())
        copy.set_dst_context(cuda.Context.get_current())
        with pytest.raises(TypeError):
            copy.set_src_context(None)
    stream = cuda.Stream()
    copy(stream)
    stream.synchronize()
    assert (target == source).all()
    with pytest.raises((TypeError, BufferError, ValueError)):
        copy.set_dst_unified(np.zeros((4, 4))[:, ::2])


# --- contexts and devices -------------------------------------------------------------------------


def test_a_device_is_no_peer_of_itself(context):
    own = cuda.Context.get_current()
    assert cuda.Context.get_device().can_access_peer(cuda.Context.get_device()) is False
    with pytest.raises(cuda.LogicError):
        cuda.Context.enable_peer_access(peer=own, flags=0)
    with pytest.raises(cuda.LogicError):
        cuda.Context.disable_peer_access(peer=own)
    with pytest.raises(cuda.LogicError):
        cuda.Context.enable_peer_access(own, flags=8)
    with pytest.raises(TypeError):
        cuda.Context.enable_peer_access(5)


def test_peers_use_each_others_memory(context):
    own = cuda.Context.get_device()
    others = [cuda.Device(i) for i in range(cuda.Device.count())]
    others = [d for d in others if d != own and own.can_access_peer(d)]
    if not others:
        pytest.skip("needs two GPUs that are peers")
    there = others[0].make_context()
    try:
        memory = cuda.to_device(np.arange(4, dtype=np.int32))
    finally:
        there.pop()
    cuda.Context.enable_peer_access(there)
    with pytest.raises(cuda.LogicError):
        cuda.Context.enable_peer_access(there)
    here = cuda.mem_alloc(16)
    cuda.memcpy_dtod(here, memory, 16)
    assert cuda.from_device(here, 4, np.int32).tolist() == [0, 1, 2, 3]
    cuda.Context.disable_peer_access(there)
    memory.free()
    there.detach()


# --- arguments and launches -----------------------------------------------------------------------

STORE = """
__global__ void store(float *out, float value) { out[blockIdx.x] = value; }
__global__ void count(int *out)
{
    extern __shared__ int scratch[];
    scratch[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) *out = scratch[blockDim.x - 1];
}
"""


def test_handlers_travel_by_their_own_calls(context):
    array = np.arange(4, dtype=np.int32)
    plain = cuda.ArgumentHandler(array)
    assert plain.array is array
    assert plain.dev_alloc is None
    memory = plain.get_device_alloc()
    assert plain.get_device_alloc() is memory is plain.dev_alloc
    plain.pre_call(None)
    both = cuda.InOut(array)
    both.pre_call(None)
    assert cuda.from_device_like(both.get_device_alloc(), array).tolist() == [0, 1, 2, 3]
    cuda.memset_d32(both.get_device_alloc(), 5, 4)
    both.post_call(None)
    assert array.tolist() == [5, 5, 5, 5]
    assert not hasattr(cuda.In(array), "post_call")
    with pytest.raises(TypeError, match="could not determine array length of int"):
        cuda.ArgumentHandler(5).get_device_alloc()


def test_handlers_of_programs_are_asked_before_and_after(build):
    calls = []

    class Filled(cuda.ArgumentHandler):
        def pre_call(self, stream):
            calls.append("before")

        def post_call(self, stream):
            calls.append("after")
            cuda.memcpy_dtoh(self.array, self.get_device_alloc())

    out = np.zeros(2, np.float32)
    build(STORE).get_function("store")(Filled(out), np.float32(2.5), block=(1, 1, 1), grid=(2, 1))
    assert calls == ["before", "after"]
    assert out.tolist() == [2.5, 2.5]


def test_launches_piece_by_piece(build):
    module, memory = build(STORE), cuda.to_device(np.zeros(4, np.float32))
    store = module.get_function("store")
    store._set_block_shape(1, 1, 1)
    store._param_set_size(12)
    store._param_setv(0, pvt_struct.pack("P", memory))
    store._param_setf(8, 1.5)
    store._launch()
    stream = cuda.Stream()
    store._param_setf(8, 2)
    assert cuda.from_device(memory, 4, np.float32).tolist() == [1.5, 0, 0, 0]
    store._launch_grid_async(3, 1, stream)
    stream.synchronize()
    assert cuda.from_device(memory, 4, np.float32).tolist() == [2, 2, 2, 0]
    count = module.get_function("count")
    count._set_block_shape(16, 1, 1)
    count._set_shared_size(64)
    count._param_set_size(8)
    count._param_setv(0, pvt_struct.pack("P", memory))
    count._launch_grid(1, 1)
    assert cuda.from_device(memory, 1, np.int32)[0] == 15
    for call in (
        lambda: store._param_setf(8, "text"),
        lambda: store._set_block_shape(1, 1),
        lambda: store._launch(1),
        lambda: store._launch_grid_async(1, 1, 7),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(cuda.LogicError):
        store._param_setf(1 << 20, 1.0)


# --- compiler and tools ---------------------------------------------------------------------------


def test_subclasses_of_modules_look_kernels_up(context):
    class Module(compiler.SourceModule):
        def get_function(self, name):
            return super().get_function(f"{name}e")

    module = Module(STORE)
    assert isinstance(module, compiler.CudaModule)
    assert module.get_function("stor").num_regs >= 0
    with pytest.raises(cuda.LogicError, match="not found"):
        module.get_function("nothing")


def nvcc_that(folder, commands):
    path = folder / "nvcc"
    path.write_text(f"#!/bin/sh\n{commands}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return os.fspath(path)


def test_texts_are_preprocessed_by_nvcc(tmp_path):
    source = "#define N 4\nint table[N];\n"
    nvcc = nvcc_that(tmp_path, 'echo "int from_$1[4]; // $3 and more than half of the text"')
    text = compiler.preprocess_source(source, ["-DX"], nvcc)
    assert "from_--preprocess[4]" in text
    assert "kernel.cu" not in text
    with pytest.raises(cuda.CompileError, match="preprocessing failed") as caught:
        compiler.preprocess_source(source, [], nvcc_that(tmp_path, "echo no >&2; exit 1"))
    assert "no" in caught.value.stderr
    with pytest.raises(cuda.CompileError):  # shorter than half of the text
        compiler.preprocess_source(source, [], nvcc_that(tmp_path, "echo x"))
    with pytest.raises(OSError, match="nvcc"):
        compiler.preprocess_source(source, [], os.fspath(tmp_path / "no-nvcc"))


def test_the_default_device_of_old_programs(context):
    with pytest.warns(DeprecationWarning, match="use make_default_context"):
        assert tools.get_default_device(default=0) == cuda.Device(0)


def test_helpers_of_tools(context):
    assert repr(tools.Argument(np.float32, "x")) == "Argument('x', float32)"
    assert tools.base_dtype_to_ctype(np.int32) == "int"
    tools._fill_dtype_registry(respect_windows=True)
    assert tools.dtype_to_ctype(np.int32) == "int"
    assert tools._exact_div(12, 4) == 3
    with pytest.raises(AssertionError):
        tools._exact_div(12, 5)
    assert [tools._int_ceiling(n, 8) for n in (0, 1, 8, 9)] == [0, 8, 8, 16]
    assert [tools._int_floor(n, 8) for n in (0, 7, 8, 17)] == [0, 0, 8, 16]
    data = tools.DeviceData(cuda.Context.get_device())
    assert data.align(bytes=65) == 128
    assert data.align_dtype(elements=17, dtype_size=4) == 32
    with pytest.raises(ValueError, match="words of 3 bytes"):
        data.align(5, word_size=3)
