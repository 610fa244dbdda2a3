# SPDX-License-Identifier: MIT
"""pycuda.curandom's generators with states in device memory. tests/python/curand_test.py holds the
numbers that kernels draw by <curand_kernel.h> against those of NVIDIA's own header; here they are
held against that header's."""

import numpy as np
import pycuda.curandom as curandom
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest
from pycuda.compiler import SourceModule

import treadle

pytestmark = pytest.mark.usefixtures("context")

SEEDED = {"XORWOW": 2**67, "MRG32k3a": 2**127}
SOBOL = ["Sobol32", "ScrambledSobol32", "Sobol64", "ScrambledSobol64"]
VECTORS = curandom.direction_vector_set


def class_of(name):
    return getattr(curandom, f"{name}RandomNumberGenerator")


def counting_seeds(count):
    return gpuarray.to_gpu(np.arange(count, dtype=np.int32) * 7 - 50)


@pytest.fixture
def generator(request):
    return class_of(request.param)()


every_kind = pytest.mark.parametrize("generator", [*SEEDED, *SOBOL], indirect=True)


@every_kind
def test_distributions_have_their_moments(generator):
    # Whole rounds of all states: 64 points of each dimension, which are even then.
    count = generator._threads * 64
    is_seeded = generator.has_box_muller
    for dtype in (np.float32, np.float64):
        x = generator.gen_uniform((count // 64, 64), dtype)
        assert isinstance(x, gpuarray.GPUArray) and (x.shape, x.dtype) == ((count // 64, 64), dtype)
        x = x.get()
        assert x.min() > 0 and x.max() <= 1
        assert abs(x.mean() - 0.5) < 0.02 and abs(x.var() - 1 / 12) < 0.01
        for size in (count, count - 1) if is_seeded else (count,):  # pairs, and one by one
            normal = generator.gen_normal(size, dtype).get()
            assert abs(normal.mean()) < 0.08 and abs(normal.std() - 1) < 0.06
        log_normal = np.log(generator.gen_log_normal(count, dtype, 0.5, 0.25).get())
        assert abs(log_normal.mean() - 0.5) < 0.02 and abs(log_normal.std() - 0.25) < 0.02
    for dtype in (np.int32, np.uint32):
        words = generator.gen_uniform(count, dtype).get().view(np.uint32)
        assert abs(words.astype(float).mean() / 2**32 - 0.5) < 0.02
    counts = generator.gen_poisson(count, np.uint32, 12.5).get()
    assert abs(counts.mean() - 12.5) < 0.3 and abs(counts.var() / 12.5 - 1) < 0.1
    for dtype in (np.uint32, np.float32, np.float64):
        means = gpuarray.to_gpu(np.full(count, 4, dtype))
        generator.fill_poisson(means)
        assert abs(means.get().astype(float).mean() - 4) < 0.15 and means.dtype == dtype


@every_kind
def test_views_are_filled_and_nothing_beside_them(generator):
    whole = gpuarray.zeros((10, 8), np.float32)
    generator.fill_uniform(whole[2:5])
    generator.fill_uniform(whole[:, 7])
    values = whole.get()
    assert (values[2:5] > 0).all() and (values[:, 7] > 0).all()
    values[2:5], values[:, 7] = 0, 0
    assert not values.any()
    generator.fill_uniform(gpuarray.zeros(0, np.float32))
    waiting = whole * 0 + 2
    generator.fill_uniform(whole)
    assert (waiting.get() == 2).all()  # of what was there before


@every_kind
def test_other_dtypes_are_refused(generator):
    others = [np.int8, np.float16, np.complex64]
    others += [] if generator.generator_bits == 64 else [np.int64, np.uint64]
    for dtype in others:
        with pytest.raises(NotImplementedError, match=np.dtype(dtype).name):
            generator.gen_uniform(3, dtype)
    for draw in (
        lambda: generator.gen_normal(3, np.int32),
        lambda: generator.gen_log_normal(3, np.uint32, 0, 1),
        lambda: generator.gen_poisson(3, np.float32, 5),
        lambda: generator.fill_poisson(gpuarray.zeros(3, np.int64)),
    ):
        with pytest.raises(NotImplementedError):
            draw()
    with pytest.raises(TypeError):
        generator.fill_uniform(np.zeros(3, np.float32))
    with pytest.raises(ValueError, match="deviation"):
        generator.gen_log_normal(3, np.float32, 0, -1)
    with pytest.raises(ValueError, match="skip by -1"):
        generator.call_skip_ahead(-1)
    with pytest.raises(TypeError, match="integers, one for each"):
        generator.call_skip_ahead_array(gpuarray.zeros(3, np.int32))


def test_integers_of_64_bits_are_sobol64s():
    generator = curandom.Sobol64RandomNumberGenerator()
    words = generator.gen_uniform(generator._threads * 2, np.uint64).get()
    vectors = generator_vectors(generator, VECTORS.VECTOR_64)
    assert (words[: len(vectors)] == 0).all()  # the origin
    assert np.array_equal(words[len(vectors) :], vectors[:, 0])
    assert generator.gen_uniform(3, np.int64).dtype == np.int64


def generator_vectors(generator, kind):
    return curandom.generate_direction_vectors(generator._threads, kind).get()


@every_kind
def test_attributes_are_pycudas(generator):
    device = cuda.Context.get_device()
    assert generator.block_count == device.multiprocessor_count
    assert 0 < generator.generators_per_block <= device.max_threads_per_block
    assert set(generator.generators) >= {"uniform_int", "uniform_float", "normal_double"}
    assert all(callable(kernel) for kernel in generator.generators.values())
    assert int(generator.state) != 0 and generator.state_type.startswith("curandState")
    assert generator.module.get_function("skip_ahead") and callable(generator.skip_ahead_array)
    is_seeded = isinstance(generator, curandom._PseudoRandomNumberGeneratorBase)
    assert generator.has_box_muller == is_seeded
    assert isinstance(generator, curandom._RandomNumberGeneratorBase)
    assert is_seeded != isinstance(generator, curandom._SobolRandomNumberGeneratorBase)


DRAWS = """
#include <curand_kernel.h>
__global__ void draw(const int* seeds, unsigned long long offset, unsigned int* words,
                     float2* pairs, int count) {
  const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int threads = gridDim.x * blockDim.x;
  STATE state;
  curand_init(seeds[thread], thread, offset, &state);
  for (int i = 0; i < count; ++i) words[i * threads + thread] = curand(&state);
  for (int i = 0; i < count; ++i) pairs[i * threads + thread] = curand_normal2(&state);
}
"""


@pytest.mark.parametrize("name", SEEDED)
def test_seeded_numbers_are_those_of_the_header_and_skips_pass_over_them(name):
    generator = class_of(name)(counting_seeds, offset=3)
    threads, shape = generator._threads, (2, generator._threads)
    draw = SourceModule(DRAWS.replace("STATE", generator.state_type)).get_function("draw")
    words, pairs = gpuarray.zeros(shape, np.uint32), gpuarray.zeros((*shape, 2), np.float32)
    grid = {
        "grid": (generator.block_count, 1),
        "block": (generator.generators_per_block, 1, 1),
    }
    draw(counting_seeds(threads), np.uint64(3), words, pairs, np.int32(2), **grid)
    assert np.array_equal(generator.gen_uniform(shape, np.uint32).get(), words.get())
    assert np.array_equal(generator.gen_normal((*shape, 2), np.float32).get(), pairs.get())
    # Skips of all states by one number, and of each by a number of its own.
    one, other = class_of(name)(counting_seeds), class_of(name)(counting_seeds)
    drawn = one.gen_uniform((4, threads), np.uint32).get()
    other.call_skip_ahead(1)
    assert np.array_equal(other.gen_uniform(threads, np.uint32).get(), drawn[1])
    steps = np.arange(threads) % 2
    other.call_skip_ahead_array(gpuarray.to_gpu(steps.astype(np.int32)))
    assert np.array_equal(
        other.gen_uniform(threads, np.uint32).get(), drawn[2 + steps, np.arange(threads)]
    )
    before = one.gen_uniform(threads, np.uint32).get()
    one.call_skip_ahead_sequence(1)
    one.call_skip_ahead_sequence_array(gpuarray.to_gpu(np.ones(threads, np.uint32)))
    assert (one.gen_uniform(threads, np.uint32).get() != before).mean() > 0.99
    if name == "MRG32k3a":
        one.call_skip_ahead_subsequence(2)
        one.call_skip_ahead_subsequence_array(gpuarray.to_gpu(np.ones(threads, np.int64)))


def sobol_words(vectors, shifts, first, count):
    """Points of Sobol sequences, a row for each."""
    rows = []
    for i in range(first, first + count):
        word, gray = shifts.copy(), i ^ i >> 1
        for bit in range(gray.bit_length()):
            if gray >> bit & 1:
                word ^= vectors[:, bit]
        rows.append(word)
    return np.array(rows)


@pytest.mark.parametrize("name", SOBOL)
def test_sobol_points_are_in_gray_code_order(name):
    is_scrambled, bits = name.startswith("Scrambled"), int(name[-2:])
    generator = class_of(name)(offset=5)
    threads = generator._threads
    kind = VECTORS[f"{'SCRAMBLED_' if is_scrambled else ''}VECTOR_{bits}"]
    vectors = generator_vectors(generator, kind)
    constants = getattr(curandom, f"generate_scramble_constants{bits}")(threads).get()
    shifts = constants if is_scrambled else np.zeros_like(constants)
    words = sobol_words(vectors, shifts, 5, 3) >> (bits - 32)
    assert np.array_equal(generator.gen_uniform((3, threads), np.uint32).get(), words)
    generator.call_skip_ahead(992)
    words = sobol_words(vectors, shifts, 1000, 1)[0] >> (bits - 32)
    assert np.array_equal(generator.gen_uniform(threads, np.uint32).get(), words)
    generator.call_skip_ahead_array(gpuarray.to_gpu(np.arange(threads, dtype=np.uint64)))
    first = int(generator.gen_uniform(threads, np.uint32).get()[1])
    assert first == sobol_words(vectors[1:2], shifts[1:2], 1002, 1)[0, 0] >> (bits - 32)
    given = [gpuarray.to_gpu(vectors[::-1].copy())]
    given += [gpuarray.to_gpu(shifts[::-1].copy())] if is_scrambled else []
    turned = class_of(name)(*given, offset=1000).gen_uniform(threads, np.uint32)
    assert np.array_equal(turned.get(), words[::-1])
    for wrong in (vectors[1:], vectors.astype(np.float64), vectors[:, 1:]):
        with pytest.raises(TypeError, match="dir_vector"):
            class_of(name)(gpuarray.to_gpu(np.ascontiguousarray(wrong)))
    if is_scrambled:
        with pytest.raises(TypeError, match="scramble_vector"):
            class_of(name)(None, gpuarray.to_gpu(shifts[1:].copy()))


def test_direction_vectors_are_joes_and_kuos():
    plain = curandom.generate_direction_vectors(20003, VECTORS.VECTOR_32)
    assert isinstance(plain, gpuarray.GPUArray)
    plain = plain.get()
    assert plain.shape == (20003, 32) and plain.dtype == np.uint32
    assert [hex(x) for x in plain[2, :5]] == [
        "0x80000000", "0xc0000000", "0x60000000", "0x90000000", "0xe8000000",
    ]  # fmt: skip
    assert np.array_equal(plain[20000:], plain[:3])
    wide = curandom.generate_direction_vectors(100, VECTORS.VECTOR_64).get()
    assert wide.shape == (100, 64) and np.array_equal(wide[:, :32] >> np.uint64(32), plain[:100])
    for kind, dtype in (("SCRAMBLED_VECTOR_32", np.uint32), ("SCRAMBLED_VECTOR_64", np.uint64)):
        scrambled = curandom.generate_direction_vectors(100, VECTORS[kind]).get()
        assert scrambled.dtype == dtype and len(np.unique(scrambled[:, 5])) == 100
    assert int(VECTORS.VECTOR_32) == 101 and int(VECTORS.SCRAMBLED_VECTOR_64) == 104
    assert len(np.unique(curandom.generate_scramble_constants32(1000).get())) == 1000
    assert curandom.generate_scramble_constants64(5).get().dtype == np.uint64
    with pytest.raises(TypeError, match="VECTOR_32"):
        curandom.generate_direction_vectors(5)
    with pytest.raises(ValueError):
        curandom.generate_direction_vectors(-1, VECTORS.VECTOR_32)


def test_seeds_are_of_the_getter_or_of_numpy():
    draws = []
    for seed in (5, 5, 6):
        np.random.seed(seed)
        draws.append(curandom.XORWOWRandomNumberGenerator().gen_uniform(50, np.float32).get())
    assert np.array_equal(draws[0], draws[1]) and not np.array_equal(draws[0], draws[2])
    for getter in (curandom.seed_getter_uniform, curandom.seed_getter_unique):
        made = curandom.MRG32k3aRandomNumberGenerator(getter).gen_uniform(50, np.float32).get()
        assert len(np.unique(made)) == 50
    for wrong in (
        lambda n: gpuarray.zeros(n, np.uint32),
        lambda n: gpuarray.zeros(n - 1, np.int32),
        lambda n: np.zeros(n, np.int32),
    ):
        with pytest.raises(TypeError, match="seed_getter"):
            curandom.XORWOWRandomNumberGenerator(wrong)


def test_numbers_are_drawn_on_the_stream():
    stream = cuda.Stream()
    generator = curandom.Sobol32RandomNumberGenerator()
    data = gpuarray.zeros(100, np.float32)
    generator.fill_uniform(data, stream)
    generator.call_skip_ahead(1, stream)
    stream.synchronize()
    assert data.get().max() > 0


@pytest.mark.parametrize("name", ["MRG32k3a", "ScrambledSobol64"])
def test_kernels_are_taken_by_nvrtc(name):
    texts = class_of(name)._texts()
    text = "\n".join(['extern "C" {', '#include "treadle/curand_fills.h"', *texts, "}"])
    try:
        result = treadle.compile_cuda(text, "sm_90")
    except treadle.LibraryNotFound:
        pytest.skip("NVRTC is not here")
    assert result.image.code and not result.log
