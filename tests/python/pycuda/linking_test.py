# SPDX-License-Identifier: MIT
"""pycuda.driver.Linker, DynamicModule and DynamicSourceModule: texts that use each other."""

import gc
import weakref

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda.compiler import DynamicModule, DynamicSourceModule, SourceModule, compile

KERNEL = """
extern __device__ float twice(float);
__global__ void apply(float *a) { a[threadIdx.x] = twice(a[threadIdx.x]); }
"""
FUNCTION = "__device__ float twice(float x) { return 2 * x; }"
RELOCATABLE = ["-rdc=true"]


def _applied(module):
    a = np.arange(8, dtype=np.float32)
    module.get_function("apply")(cuda.InOut(a), block=(8, 1, 1))
    return a.tolist()


DOUBLED = [2.0 * i for i in range(8)]


@pytest.fixture
def said():
    return []


def test_sources_are_linked(context, said):
    module = DynamicModule(message_handler=lambda *message: said.append(message))
    assert module.module is None
    with pytest.raises(cuda.LogicError, match=r"not linked yet: call link\(\) first"):
        module.get_function("apply")
    assert module.add_source(KERNEL, nvcc_options=RELOCATABLE) is module
    module.add_source(FUNCTION, nvcc_options=RELOCATABLE, name="twice.ptx")
    assert module.link() is module
    assert _applied(module) == DOUBLED
    assert module.linker is None and isinstance(module.module, cuda.Module)
    assert len(said) == 1 and said[0][0] is True
    with pytest.raises(cuda.LogicError, match="is linked"):
        module.add_source(FUNCTION)


def test_code_and_files_are_linked(context, tmp_path):
    file = tmp_path / "twice.ptx"
    file.write_bytes(compile(FUNCTION, options=RELOCATABLE, target="ptx"))
    module = DynamicModule()
    module.add_data(
        compile(KERNEL, options=RELOCATABLE, target="ptx"), cuda.jit_input_type.PTX, "kernel"
    )
    module.add_file(str(file), cuda.jit_input_type.PTX)
    assert _applied(module.link()) == DOUBLED


def test_a_linker_makes_a_module(context):
    linker = cuda.Linker(None, [(cuda.jit_option.OPTIMIZATION_LEVEL, 3)], True)
    for text in (KERNEL, FUNCTION):
        linker.add_data(compile(text, options=RELOCATABLE, target="ptx"), cuda.jit_input_type.PTX)
    module = linker.link_module()
    assert isinstance(module, cuda.Module)
    assert _applied(module) == DOUBLED
    with pytest.raises(cuda.LogicError, match="make another one"):
        linker.link_module()


def test_each_failing_step_is_told(context, said):
    linker = cuda.Linker(lambda *message: said.append(message))
    with pytest.raises(cuda.Error, match="such/file"):
        linker.add_file("/no/such/file.ptx", cuda.jit_input_type.PTX)
    assert [message[0] for message in said] == [False]
    module = DynamicModule(message_handler=lambda *message: said.append(message))
    module.add_source(KERNEL, nvcc_options=RELOCATABLE)
    with pytest.raises(cuda.Error, match="twice"):
        module.link()
    assert [message[0] for message in said] == [False, False]
    assert "twice" in said[1][2]


def test_a_handler_may_refer_to_its_linker(context):
    class Owner:
        def __init__(self):
            self.linker = cuda.Linker(self.told)

        def told(self, *message):
            pass

    gone = weakref.ref(Owner())
    gc.collect()
    assert gone() is None


REFUSED = {
    "no code": (TypeError, lambda linker: linker.add_data("text", cuda.jit_input_type.PTX)),
    "no kind": (TypeError, lambda linker: linker.add_data(b"x", "ptx")),
    "empty": (cuda.LogicError, lambda linker: linker.add_data(b"", cuda.jit_input_type.PTX)),
    "nonsense": (cuda.Error, lambda linker: linker.add_data(b"Z" * 99, cuda.jit_input_type.CUBIN)),
    "no options": (TypeError, lambda linker: cuda.Linker(None, 7)),
    "a log": (
        cuda.LogicError,
        lambda linker: cuda.Linker(None, [(cuda.jit_option.INFO_LOG_BUFFER, 1)]),
    ),
    "negative": (
        OverflowError,
        lambda linker: cuda.Linker(None, [(cuda.jit_option.MAX_REGISTERS, -1)]),
    ),
    "a log of a module": (
        cuda.LogicError,
        lambda linker: cuda.module_from_buffer(b"x", [(cuda.jit_option.WALL_TIME, 1)]),
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_wrong_is_refused(context, what):
    kind, call = REFUSED[what]
    with pytest.raises(kind):
        call(cuda.Linker())


def test_a_library_that_is_missing_is_an_oserror(on_gpu, tmp_path):
    with pytest.raises(OSError, match="libcudadevrt.a"):
        DynamicModule(cuda_libdir=tmp_path).add_stdlib("cudadevrt")


def test_the_device_runtime_is_not_needed_on_the_cpu(on_cpu, tmp_path):
    module = DynamicModule(cuda_libdir=tmp_path).add_stdlib("cudadevrt")
    module.add_source(KERNEL).add_source(FUNCTION)  # relocatable without being told
    assert _applied(module.link()) == DOUBLED


NESTED = """
__global__ void inner(float *a) { a[threadIdx.x] *= 2; }
__global__ void apply(float *a) { if (threadIdx.x == 0) inner<<<1, 8>>>(a); }
"""


def test_kernels_launch_kernels(context):
    try:
        module = DynamicSourceModule(NESTED)
    except OSError as error:
        pytest.skip(str(error))
    assert _applied(module) == DOUBLED


# A launch sorts one part: it puts what is less than a pivot to the left, what is more to the right,
# and launches itself for both, in streams of its own, which need not wait for each other.
QUICKSORT = """
#define SMALL 96
#define DEEPEST 20

__device__ void sort_by_rank(float *data, float *scratch, int count)
{
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        int rank = 0;
        for (int j = 0; j < count; j++) rank += data[j] < data[i] || (data[j] == data[i] && j < i);
        scratch[rank] = data[i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) data[i] = scratch[i];
}

__device__ int launches;

__global__ void quicksort(float *data, float *scratch, int count, int depth)
{
    if (threadIdx.x == 0) atomicAdd(&launches, 1);
    if (count <= SMALL || depth == DEEPEST) {
        sort_by_rank(data, scratch, count);
        return;
    }
    __shared__ int less, more;
    float pivot = data[count / 2];
    if (threadIdx.x == 0) less = more = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        float x = data[i];
        if (x < pivot) scratch[atomicAdd(&less, 1)] = x;
        else if (x > pivot) scratch[count - 1 - atomicAdd(&more, 1)] = x;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        data[i] = i < less || i >= count - more ? scratch[i] : pivot;
    __syncthreads();
    if (threadIdx.x != 0) return;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (less > 0) quicksort<<<1, blockDim.x, 0, stream>>>(data, scratch, less, depth + 1);
    cudaStreamDestroy(stream);
    int from = count - more;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (more > 0)
        quicksort<<<1, blockDim.x, 0, stream>>>(data + from, scratch + from, more, depth + 1);
    cudaStreamDestroy(stream);
}
"""


def test_quicksort_launches_itself(context):
    try:
        module = DynamicSourceModule(QUICKSORT)
    except OSError as error:
        pytest.skip(str(error))
    launches_before = 0
    for values in (
        np.random.default_rng(4).normal(size=20_000),
        np.random.default_rng(5).integers(0, 50, 5_000),  # many equal ones
        np.arange(3_000)[::-1],
        np.zeros(1_000),
    ):
        a = values.astype(np.float32)
        scratch = cuda.mem_alloc(a.nbytes)
        memory = cuda.to_device(a)
        module.get_function("quicksort")(
            memory, scratch, np.int32(a.size), np.int32(0), block=(128, 1, 1)
        )
        np.testing.assert_array_equal(cuda.from_device_like(memory, a), np.sort(a))
        launches = np.zeros(1, np.int32)
        cuda.memcpy_dtoh(launches, module.get_global("launches")[0])
        assert (launches[0] - launches_before > 1) == (a.max() > 0)
        launches_before = launches[0]


def test_a_source_that_launches_none_runs_everywhere(context):
    try:
        module = DynamicSourceModule(KERNEL + FUNCTION)
    except OSError as error:
        pytest.skip(str(error))
    assert _applied(module) == DOUBLED


def test_a_relocatable_source_that_is_whole_is_a_module(on_cpu):
    assert _applied(SourceModule(KERNEL + FUNCTION, options=RELOCATABLE)) == DOUBLED
