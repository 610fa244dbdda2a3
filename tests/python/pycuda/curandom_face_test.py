# SPDX-License-Identifier: MIT
"""pycuda.curandom: random numbers in GPUArrays, made by the host. Those that kernels make by
<curand_kernel.h> are in curand_test.py."""

import sys
from pathlib import Path

import numpy as np
import pycuda.curandom as curandom
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from philox_words import philox  # noqa: E402

pytestmark = pytest.mark.usefixtures("context")

FLOATS = [np.float32, np.float64]
WORDS = [np.int32, np.uint32]
OTHERS = [np.int8, np.float16, np.int64, np.uint64, np.complex64, np.bool_]
Philox = curandom.Philox4_32_10RandomNumberGenerator


def seeded(*words):
    """A seed_getter."""
    return lambda count: gpuarray.to_gpu(np.array(words, np.int32))


def words_of(seed, count):
    return philox(seed, 0, 0, -(-count // 4))[:count]


# --- rand() ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS)
def test_rand_is_uniform_from_0_to_below_1(dtype):
    x = curandom.rand((400, 500), dtype)
    assert isinstance(x, gpuarray.GPUArray) and (x.shape, x.dtype) == ((400, 500), dtype)
    values = x.get()
    assert values.min() >= 0 and values.max() < 1
    assert abs(values.mean() - 1 / 2) < 0.003
    assert abs(values.var() - 1 / 12) < 0.001
    assert np.histogram(values, 10, (0, 1))[0].min() > 19000
    assert len(np.unique(values)) > 0.99 * values.size


def test_rand_is_of_float32_by_default_and_takes_any_spelling():
    assert curandom.rand(7).dtype == np.float32
    assert curandom.rand((2, 3), "f8").dtype == np.float64
    assert curandom.rand(4, dtype=np.dtype(np.int32)).dtype == np.int32


@pytest.mark.parametrize("dtype", WORDS)
def test_rand_of_integers_has_all_bits(dtype):
    bits = curandom.rand(20000, dtype).get().view(np.uint32)
    for bit in range(32):
        assert abs((bits >> np.uint32(bit) & np.uint32(1)).mean() - 0.5) < 0.02


def test_numpys_seed_makes_rand_reproducible():
    draws = []
    for seed in (5, 5, 6):
        np.random.seed(seed)
        draws.append((curandom.rand(100).get(), curandom.rand(100).get()))
    assert np.array_equal(draws[0], draws[1])
    assert not np.array_equal(draws[0], draws[2])
    assert not np.array_equal(*draws[0])


def test_rand_is_philox():
    np.random.seed(5)
    seed = np.random.randint(2**31 - 1)
    np.random.seed(5)
    assert np.array_equal(curandom.rand(1000).get(), (words_of(seed, 1000) >> 8) * 2.0**-24)


@pytest.mark.parametrize("dtype", OTHERS)
def test_other_dtypes_are_refused(dtype):
    random, data = Philox(), gpuarray.zeros(10, dtype)
    for call in (
        lambda: curandom.rand(10, dtype),
        lambda: random.fill_uniform(data),
        lambda: random.gen_uniform(10, dtype),
        lambda: random.fill_normal(data),
        lambda: random.gen_normal(10, dtype),
        lambda: random.fill_log_normal(data, 0, 1),
        lambda: random.gen_log_normal(10, dtype, 0, 1),
    ):
        with pytest.raises(NotImplementedError, match=f"{np.dtype(dtype)}.*float32"):
            call()
    assert not data.get().any()


def test_empty_arrays():
    assert curandom.rand((3, 0)).shape == (3, 0)
    assert Philox().gen_normal(0, np.float32).size == 0


# --- seeds ----------------------------------------------------------------------------------------


def test_seed_getters():
    uniform, unique = curandom.seed_getter_uniform(50), curandom.seed_getter_unique(50)
    for seeds in (uniform, unique):
        assert isinstance(seeds, gpuarray.GPUArray) and (seeds.shape, seeds.dtype) == ((50,), "i4")
    assert len(np.unique(uniform.get())) == 1
    assert len(np.unique(unique.get())) == 50
    for getter in (curandom.seed_getter_uniform, curandom.seed_getter_unique):
        random = Philox(getter)
        assert not np.array_equal(
            random.gen_uniform(9, np.float32).get(), Philox(getter).gen_uniform(9, np.float32).get()
        )


def test_a_seed_gives_the_words_of_philox():
    seed = 0xFFFFFFFB_00000007
    words = words_of(seed, 100)
    assert np.array_equal(Philox(seeded(7, -5)).gen_uniform(100, np.uint32).get(), words)
    ours = Philox(seeded(7, -5)).gen_uniform(100, np.float32).get()
    assert np.array_equal(ours, ((words >> 8) + 1) * 2.0**-24)


def test_without_a_getter_numpy_gives_the_seed():
    draws = []
    for _ in range(2):
        np.random.seed(3)
        draws.append(Philox().gen_uniform(10, np.float32).get())
    assert np.array_equal(*draws)
    assert not np.array_equal(draws[0], Philox().gen_uniform(10, np.float32).get())


@pytest.mark.parametrize(
    "given",
    [
        lambda n: np.zeros(n, np.int32),
        lambda n: gpuarray.zeros(n, np.int64),
        lambda n: gpuarray.zeros(n + 1, np.int32),
        lambda n: 5,
    ],
)
def test_other_seeds_are_refused(given):
    with pytest.raises(TypeError, match=r"seed_getter\(2\) gave .* GPUArray of two int32"):
        Philox(given)


# --- the generator --------------------------------------------------------------------------------


def test_attributes():
    assert (Philox.generator_bits, Philox.has_box_muller) == (32, True)
    assert curandom.get_curand_version() >= (3, 2, 0)
    assert all(hasattr(curandom, name) for name in curandom.__all__)


@pytest.mark.parametrize("dtype", FLOATS)
def test_uniform_numbers_are_from_above_0_to_1(dtype):
    values = Philox().gen_uniform(200_000, dtype).get()
    assert values.dtype == dtype
    assert values.min() > 0 and values.max() <= 1
    assert abs(values.mean() - 1 / 2) < 0.003
    assert abs(values.var() - 1 / 12) < 0.001


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("count", [100_000, 100_001])
def test_normal_numbers(dtype, count):
    values = Philox().gen_normal(count, dtype).get()
    assert values.dtype == dtype and values.shape == (count,)
    assert abs(values.mean()) < 0.015
    assert abs(values.std() - 1) < 0.01
    assert abs((values**4).mean() - 3) < 0.2
    assert abs((np.abs(values) < 1).mean() - 0.6827) < 0.01


@pytest.mark.parametrize("dtype", FLOATS)
def test_log_normal_numbers(dtype):
    values = Philox().gen_log_normal((200, 500), dtype, 1.5, 0.25).get()
    assert values.dtype == dtype and values.shape == (200, 500) and values.min() > 0
    assert abs(np.log(values).mean() - 1.5) < 0.01
    assert abs(np.log(values).std() - 0.25) < 0.005
    normal = Philox(seeded(1, 2)).gen_normal(1000, dtype).get()
    ours = Philox(seeded(1, 2)).gen_log_normal(1000, dtype, 0, 1).get()
    np.testing.assert_allclose(ours, np.exp(normal), rtol=8 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", [*FLOATS, *WORDS])
def test_fill_draws_what_gen_gives(dtype):
    names = {"uniform": ()}
    if dtype in FLOATS:
        names |= {"normal": (), "log_normal": (0.5, 2)}
    for name, parameters in names.items():
        data = gpuarray.zeros((3, 7), dtype)
        assert getattr(Philox(seeded(1, 2)), f"fill_{name}")(data, *parameters) is None
        made = getattr(Philox(seeded(1, 2)), f"gen_{name}")((3, 7), dtype, *parameters)
        assert np.array_equal(data.get(), made.get())


def test_calls_go_on_in_the_sequence():
    random = Philox(seeded(1, 2))
    parts = [random.gen_uniform(count, np.uint32).get() for count in (8, 4, 20)]
    assert np.array_equal(np.concatenate(parts), words_of(1 | 2 << 32, 32))
    assert not np.array_equal(
        random.gen_normal(9, np.float32).get(), random.gen_normal(9, np.float32).get()
    )


def test_views_are_filled_and_nothing_beside_them():
    data = gpuarray.zeros((8, 9), np.float32)
    Philox(seeded(1, 2)).fill_uniform(data[2:6, 1::3])
    values = data.get()
    dense = Philox(seeded(1, 2)).gen_uniform((4, 3), np.float32).get()
    assert np.array_equal(values[2:6, 1::3], dense)
    values[2:6, 1::3] = 0
    assert not values.any()
    in_columns = gpuarray.GPUArray((4, 3), np.float32, order="F")
    Philox(seeded(1, 2)).fill_uniform(in_columns)
    assert np.array_equal(in_columns.get(), dense)


def test_what_waits_reads_the_numbers_from_before():
    data = gpuarray.zeros(100, np.float32)
    doubled = 2 * data + 1
    Philox().fill_uniform(data)
    assert np.array_equal(doubled.get(), np.ones(100))
    assert data.get().min() > 0


def test_subclasses_and_arrays_of_allocators_are_filled():
    class Mine(gpuarray.GPUArray):
        pass

    sizes = []

    def allocator(size):
        sizes.append(size)
        return cuda.mem_alloc(size)

    data = Mine((10,), np.float32, allocator=allocator)
    address = data.ptr
    Philox().fill_normal(data)
    assert type(data) is Mine and data.ptr == address and sizes == [40]
    assert data.get().any()


def test_numbers_are_drawn_on_the_stream():
    stream = cuda.Stream()
    random = Philox(seeded(1, 2))
    data = gpuarray.zeros(1000, np.float32)
    random.fill_uniform(data, stream)
    random.fill_uniform(data, stream=stream)
    on_host = data.get_async(stream)
    stream.synchronize()
    other = Philox(seeded(1, 2))
    other.call_skip_ahead(1000)
    assert np.array_equal(on_host, other.gen_uniform(1000, np.float32, stream).get())
    for made in (
        curandom.rand(10, np.float32, stream),
        random.gen_normal(10, np.float64, stream=stream),
        random.gen_log_normal(10, np.float32, 0, 1, stream),
    ):
        assert np.isfinite(made.get()).all()


def test_skipping():
    words = words_of(1 | 2 << 32, 64)
    for skip, first in ((0, 0), (1, 4), (4, 4), (13, 16)):
        random = Philox(seeded(1, 2))
        random.call_skip_ahead(skip)
        assert np.array_equal(random.gen_uniform(8, np.uint32).get(), words[first : first + 8])
        random = Philox(seeded(1, 2), offset=skip)
        assert np.array_equal(random.gen_uniform(8, np.uint32).get(), words[first : first + 8])
    random = Philox(seeded(1, 2))
    random.call_skip_ahead_sequence(3)
    expected = philox(1 | 2 << 32, 3, 0, 2)
    assert np.array_equal(random.gen_uniform(8, np.uint32).get(), expected)
    for skip in (random.call_skip_ahead, random.call_skip_ahead_sequence):
        with pytest.raises(ValueError, match="skip by -1"):
            skip(-1)
        with pytest.raises(TypeError):
            skip(1.5)


def test_skips_in_arrays_have_one_integer_for_the_one_generator():
    random, other = Philox(seeded(1, 2)), Philox(seeded(1, 2))
    assert random.block_count * random.generators_per_block == 1
    random.call_skip_ahead_array(gpuarray.to_gpu(np.array([8], np.int64)))
    other.call_skip_ahead(8)
    random.call_skip_ahead_sequence_array(gpuarray.to_gpu(np.array([3], np.uint32)))
    other.call_skip_ahead_sequence(3)
    assert np.array_equal(random.gen_uniform(8, np.uint32).get(),
                          other.gen_uniform(8, np.uint32).get())  # fmt: skip
    for wrong in (3, gpuarray.zeros(1, np.float32), gpuarray.zeros(2, np.int32)):
        with pytest.raises(TypeError, match="a GPUArray of one integer"):
            random.call_skip_ahead_array(wrong)


@pytest.mark.parametrize("name", ["state", "state_type", "generators", "module", "skip_ahead"])
def test_what_lies_on_the_device_in_pycuda_is_said_to_be_nowhere(name):
    random = Philox(seeded(1, 2))
    with pytest.raises(AttributeError, match=f"{name} is not part of Treadle.*call_skip_ahead"):
        getattr(random, name)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        random.nonsense  # noqa: B018


@pytest.mark.parametrize("mean", [0.5, 9, 80])
def test_poisson_numbers_of_one_mean(mean):
    random = Philox(seeded(1, 2))
    x = random.gen_poisson((500, 200), np.uint32, mean)
    assert isinstance(x, gpuarray.GPUArray) and x.dtype == np.uint32
    assert abs(x.get().mean() - mean) < 5 * np.sqrt(mean / x.size)
    assert abs(x.get().var() - mean) < 5 * np.sqrt((2 * mean**2 + mean) / x.size)
    y = gpuarray.zeros((500, 200), np.uint32)
    Philox(seeded(1, 2)).fill_poisson(y, mean, cuda.Stream())
    assert np.array_equal(x.get(), y.get())
    assert not np.array_equal(random.gen_poisson((500, 200), np.uint32, mean).get(), x.get())


@pytest.mark.parametrize("dtype", [np.uint32, np.float32, np.float64])
def test_poisson_numbers_of_the_means_in_an_array(dtype):
    means = np.repeat(np.array([3, 40], dtype), 20000)
    data = gpuarray.to_gpu(means)
    Philox(seeded(1, 2)).fill_poisson(data)
    for part, mean in zip(np.split(data.get(), 2), (3, 40), strict=True):
        assert abs(part.mean() - mean) < 5 * np.sqrt(mean / part.size)
        assert (part == np.floor(part)).all()
    same = Philox(seeded(1, 2)).gen_poisson(40000, np.uint32, 3)
    assert np.array_equal(same.get()[:20000], data.get()[:20000])


def test_poisson_numbers_of_other_dtypes_are_refused():
    random = Philox(seeded(1, 2))
    for dtype, mean in [(np.float32, 3.0), (np.int32, 3.0), (np.int32, None), (np.int64, None)]:
        with pytest.raises(NotImplementedError, match="Poisson numbers of"):
            random.fill_poisson(gpuarray.zeros(4, dtype), mean)
    with pytest.raises(NotImplementedError, match="uint32"):
        random.gen_poisson(4, np.float32, 3.0)
    with pytest.raises(ValueError, match="mean of -1"):
        random.gen_poisson(4, np.uint32, -1)
    assert np.array_equal(random.gen_uniform(4, np.uint32).get(), words_of(1 | 2 << 32, 4))


def test_a_negative_deviation_is_refused():
    random, data = Philox(seeded(1, 2)), gpuarray.zeros(4, np.float32)
    with pytest.raises(ValueError, match="deviation"):
        random.fill_log_normal(data, 0, -1)
    assert not data.get().any()
    assert np.array_equal(random.gen_uniform(4, np.uint32).get(), words_of(1 | 2 << 32, 4))


def test_texts_of_kernels_are_said_to_be_absent():
    with pytest.raises(AttributeError, match=r"md5_code is not part .*treadle\.random"):
        curandom.md5_code  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        curandom.no_such_name  # noqa: B018
