# SPDX-License-Identifier: MIT
"""The native API: the words of C++, and no conversions behind the user's back."""

import gc

import numpy as np
import pytest

import treadle
from treadle import cuda

SOURCE = """
template <class T, int N>
__global__ void scale(T *a, T factor) { if (threadIdx.x < N) a[threadIdx.x] *= factor; }

extern "C" __global__ void add(int *a, int value) { a[threadIdx.x] += value; }
extern "C" __global__ void nothing() {}
extern "C" __global__ void meet(volatile int *arrived, int *seen) {
  if (threadIdx.x == 0) { atomicAdd((int *)arrived, 1); while (*arrived < gridDim.x) ; }
  __syncthreads();
  if (threadIdx.x == 31) seen[blockIdx.x] = *arrived;
}
__constant__ int table[4];
"""


@pytest.fixture
def current():
    with cuda.Context.make_current(cuda.default_device()) as context:
        yield context
    gc.collect()


@pytest.fixture
def module(current):
    program = treadle.compile_cuda(
        SOURCE, current.device.target, name_expressions=["scale<float, 4>"]
    )
    return cuda.Module(program.image)


def test_the_same_job_as_in_c_plus_plus(module):
    host = np.arange(8, dtype=np.int32)
    memory = cuda.DeviceMemory(host.nbytes)
    memory.copy_from(host)
    add = module.function("add")
    add(memory, np.int32(5), grid=(1,), block=(8,))
    back = np.empty_like(host)
    memory.copy_to(back)
    assert (back == host + 5).all()


def test_a_kernel_is_found_by_its_name_expression(module):
    host = np.arange(8, dtype=np.float32)
    memory = cuda.DeviceMemory(host.nbytes)
    stream = cuda.Stream(cuda.StreamFlags.non_blocking)
    memory.copy_from(host, stream)
    kernel = module.function("scale< float,4 >")
    kernel(memory, np.float32(3), grid=(1,), block=(8,), stream=stream)
    memory.copy_to(host, stream=stream)
    stream.synchronize()
    assert host.tolist() == [0, 3, 6, 9, 4, 5, 6, 7]


def test_an_unknown_kernel_is_an_error_with_near_names(module):
    with pytest.raises(treadle.DeviceError, match="add") as caught:
        module.function("ad")
    assert caught.value.code == 500
    assert caught.value.code_name == "CUDA_ERROR_NOT_FOUND"
    assert caught.value.call


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((np.intp(0), np.int64(5)), "8"),  # no width is converted here
        ((np.intp(0),), "2"),
        ((np.intp(0), np.int32(0), np.int32(0)), "2"),
    ],
)
def test_arguments_that_do_not_fit_are_value_errors(module, arguments, text):
    with pytest.raises(treadle.InvalidArgument, match=text):
        module.function("add")(*arguments, grid=(1,), block=(1,))
    with pytest.raises(ValueError):
        module.function("add")(*arguments, grid=(1,), block=(1,))


def test_a_launch_needs_both_shapes(module):
    with pytest.raises(TypeError, match="grid=.*block="):
        module.function("nothing")(block=(1,))
    with pytest.raises(TypeError, match="unknown keyword arguments: shared"):
        module.function("nothing")(grid=(1,), block=(1,), shared=4)


def test_blocks_of_a_cooperative_launch_wait_for_each_other(module):
    meet, seen = module.function("meet"), np.zeros(8, np.int32)
    memory = cuda.DeviceMemory(4 + seen.nbytes)
    memory.copy_from(np.zeros(9, np.int32))
    pointers = np.uint64(memory.address), np.uint64(memory.address + 4)
    meet(*pointers, grid=(8,), block=(32,), cooperative=True)
    back = np.zeros(9, np.int32)
    memory.copy_to(back)
    assert (back == 8).all()
    with pytest.raises(treadle.LaunchError, match="10000000 blocks, the device holds") as caught:
        meet(*pointers, grid=(10_000_000,), block=(32,), cooperative=True)
    assert caught.value.code == 720
    assert "grid 10000000x1x1, block 32x1x1, cooperative" in str(caught.value)


class NeitherTrueNorFalse:
    def __bool__(self):
        raise RuntimeError("undecided")


def test_whether_a_launch_is_cooperative_must_be_said_clearly(module):
    with pytest.raises(RuntimeError, match="undecided"):
        module.function("nothing")(grid=(1,), block=(1,), cooperative=NeitherTrueNorFalse())


def test_a_text_may_include_the_words_of_both_languages_twice():
    include = '#include "treadle/dialect.h"\n'
    text = f"{include}#define ONE 1\n{include} {include}"
    kernel_text = "TREADLE_KERNEL k(TREADLE_GLOBAL int *a) { a[0] = __LINE__; }"
    for device in treadle.devices():
        memory, found = treadle.Buffer(device, 4), np.zeros(1, np.int32)
        treadle.Program(device, text + kernel_text).kernel("k")(memory, groups=1, group_size=1)
        device.default_stream().synchronize()
        memory.copy_to(found)
        assert found[0] == 5


def test_groups_meet_on_devices_that_can():
    text = "#include <treadle/dialect.h>\nTREADLE_KERNEL k(TREADLE_GLOBAL int *a) { a[0] = 1; }"
    for device in treadle.devices():
        kernel, memory = treadle.Program(device, text).kernel("k"), treadle.Buffer(device, 4)
        shape = {"groups": 2, "group_size": 4, "cooperative": True}
        assert device.traits.cooperative_launch == (device.language == treadle.Language.cuda_c)
        if not device.traits.cooperative_launch:
            with pytest.raises(treadle.NotSupported, match="groups on .* cannot meet"):
                kernel(memory, **shape)
            continue
        kernel(memory, **shape)
        device.default_stream().synchronize()
        assert device.last_launches()[0].cooperative


def test_freed_memory_and_left_contexts_are_invalid_states(current):
    memory = cuda.DeviceMemory(64)
    memory.free()
    assert memory.is_freed
    with pytest.raises(treadle.InvalidState):
        memory.free()
    with pytest.raises(treadle.InvalidState):
        memory.address  # noqa: B018
    other = cuda.Context.create(current.device)
    other.detach()
    with pytest.raises(treadle.InvalidState):
        other.synchronize()
    assert not other.is_valid


def test_exhausted_memory_is_a_memory_error(current):
    with pytest.raises(MemoryError) as caught:
        cuda.DeviceMemory(1 << 62)
    assert isinstance(caught.value, treadle.OutOfMemory)
    assert caught.value.code == 2


def test_a_copy_that_does_not_fit_names_both_sizes(current):
    memory = cuda.DeviceMemory(16)
    with pytest.raises(treadle.InvalidArgument, match="32.*16|16.*32"):
        memory.copy_from(np.zeros(32, np.uint8))


def test_variables_have_address_and_size(module):
    table = module.variable("table")
    assert (table.address > 0, table.size_bytes) == (True, 16)
    assert "add" in " ".join(module.function_names) or not module.function_names


def test_page_locked_and_managed_memory_become_arrays(current):
    for kind in (cuda.HostMemory, cuda.ManagedMemory):
        array = np.frombuffer(kind(64), np.float32)
        array[:] = 1
        assert array.sum() == 16


def test_devices_and_drivers_describe_themselves(current):
    device = current.device
    assert device.target == "cpu" or device.target.startswith("sm_")
    assert device.attribute(cuda.DeviceAttribute.warp_size) == 32
    assert device.compute_capability >= cuda.ComputeCapability(1, 0)
    assert str(cuda.ComputeCapability(9, 0)) == "9.0"
    assert len(device.uuid) == 16
    assert device.driver.provider in (cuda.Provider.nvidia, cuda.Provider.cpu)
    assert cuda.default_driver_reason()
    with pytest.raises(TypeError):
        device.attribute("nonsense")


def test_native_names_are_those_of_cplusplus(module):
    function = module.function("nothing")
    attribute = cuda.FunctionAttribute.max_threads_per_block
    assert function.attribute(attribute) == function.max_threads_per_block > 0
    assert function.raw > 0
    function.set_cache_config(cuda.CacheConfig.prefer_l1)
    with pytest.raises(TypeError, match="FunctionAttribute"):
        function.attribute("nonsense")
    public = [name for name in dir(cuda) if not name.startswith("_")]
    members = [(name, each) for name in public for each in dir(getattr(cuda, name))]
    assert [(name, each) for name, each in members if each.isupper()] == []


def test_numbers_that_belong_together_are_objects(current):
    memory = cuda.DeviceMemory(256)
    whole = cuda.address_range(memory)
    assert (whole.base, whole.size_bytes) == (memory.address, 256)
    assert 0 < current.memory_info.free_bytes <= current.memory_info.total_bytes
    assert current.stream_priorities.greatest <= 0 <= current.stream_priorities.least
    answer = cuda.occupancy(cuda.Multiprocessor(), 1024, registers_per_thread=32)
    assert answer.limited_by in [limit.by for limit in answer.limits]
    assert min(limit.blocks for limit in answer.limits) == answer.blocks


def test_compile_errors_carry_log_source_and_options(current):
    with pytest.raises(treadle.CompileError) as caught:
        treadle.compile_cuda("__global__ void k() { missing(); }", current.device.target)
    assert "missing" in caught.value.log
    assert "missing()" in caught.value.source
    assert isinstance(caught.value.options, list)


@pytest.mark.parametrize(
    "keywords", [{"output": "exe"}, {"toolchain": "gcc"}, {"flags": ["--no-such-option"]}]
)
def test_bad_options_are_value_errors(keywords):
    with pytest.raises(treadle.InvalidArgument):
        target = cuda.default_device().target
        treadle.compile_cuda("__global__ void k() {}", target, **keywords)
    with pytest.raises(treadle.InvalidArgument):
        treadle.compile.Target("nonsense")


def test_contexts_are_left_in_order(current):
    scope = cuda.Context.make_current(current.device)
    inner = scope.__enter__()
    assert cuda.Context.current() == inner
    other = cuda.Context.create(current.device)
    other.push()
    with pytest.raises(treadle.InvalidState):
        scope.__exit__(None, None, None)
    cuda.Context.pop()
    scope.__exit__(None, None, None)
