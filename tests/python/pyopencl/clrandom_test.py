# SPDX-License-Identifier: MIT
"""pyopencl.clrandom: random numbers in arrays of OpenCL."""

import sys
from pathlib import Path

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pyopencl.clrandom as clrandom
import pytest
from pyopencl import cltypes

sys.path.insert(0, str(Path(__file__).parents[1]))
from philox_words import philox  # noqa: E402

FLOATS = [np.float32, np.float64]
VECTORS = [f"{name}{width}" for name in ("float", "double") for width in (2, 3, 4, 8)]
GENERATORS = [clrandom.PhiloxGenerator, clrandom.ThreefryGenerator]


@pytest.fixture(params=GENERATORS, ids=lambda kind: kind.header_name)
def kind(request):
    return request.param


def lanes_of(array):
    """The floats of an array of vectors, padding included, in a last axis."""
    host = array.get()
    scalar, _ = cltypes.vec_type_to_scalar_and_count[host.dtype]
    return host.view(scalar).reshape(*host.shape, -1)


# --- generators -----------------------------------------------------------------------------------


def test_names():
    assert all(hasattr(clrandom, name) for name in clrandom.__all__)
    assert cl.clrandom is clrandom
    philox, threefry = GENERATORS
    assert (philox.header_name, philox.generator_name, philox.key_length) == (
        "philox", "philox4x32", 2)  # fmt: skip
    assert (threefry.header_name, threefry.generator_name, threefry.key_length) == (
        "threefry", "threefry4x32", 4)  # fmt: skip
    assert all(issubclass(one, clrandom.Random123GeneratorBase) for one in GENERATORS)


@pytest.mark.parametrize("dtype", FLOATS)
def test_uniform_numbers(kind, context, queue, dtype):
    x = kind(context, seed=1).uniform(queue, (300, 400), dtype)
    assert isinstance(x, cl_array.Array) and (x.shape, x.dtype) == ((300, 400), dtype)
    values = x.get()
    assert values.min() >= 0 and values.max() < 1
    assert abs(values.mean() - 1 / 2) < 0.004
    assert abs(values.var() - 1 / 12) < 0.001
    values = kind(context, seed=1).uniform(queue, 100_000, dtype, a=-3, b=7.5).get()
    assert -3 <= values.min() < -2.99 and 7.49 < values.max() < 7.5
    assert abs(values.mean() - 2.25) < 0.05


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("count", [50_000, 50_001])
def test_normal_numbers(kind, context, queue, dtype, count):
    generator = kind(context, seed=1)
    values = generator.normal(queue, count, dtype).get()
    assert values.dtype == dtype and values.shape == (count,)
    assert abs(values.mean()) < 0.02 and abs(values.std() - 1) < 0.02
    assert abs((np.abs(values) < 1).mean() - 0.6827) < 0.01
    values = generator.normal(queue, count, dtype, mu=10, sigma=3).get()
    assert abs(values.mean() - 10) < 0.06 and abs(values.std() - 3) < 0.06


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integers_lie_in_the_interval(kind, context, queue, dtype):
    values = kind(context, seed=1).uniform(queue, 30_000, dtype, a=-2, b=4).get()
    assert values.dtype == dtype
    assert sorted(set(values.tolist())) == [-2, -1, 0, 1, 2, 3]
    assert np.bincount(values + 2).min() > 4500
    info = np.iinfo(dtype)
    wide = kind(context, seed=1).uniform(queue, 1000, dtype, a=info.min, b=int(info.max) + 1).get()
    assert wide.min() < info.min / 2 and wide.max() > info.max / 2


@pytest.mark.parametrize("name", VECTORS)
def test_every_lane_of_a_vector_is_filled(kind, context, queue, name):
    dtype = getattr(cltypes, name)
    generator = kind(context, seed=1)
    lanes = lanes_of(generator.uniform(queue, 20_000, dtype, a=1, b=2))
    assert lanes.min() >= 1 and lanes.max() < 2
    np.testing.assert_allclose(lanes.mean(axis=0), 1.5, atol=0.01)
    assert np.all(np.abs(np.corrcoef(lanes.T) - np.eye(lanes.shape[1])) < 0.04)
    lanes = lanes_of(generator.normal(queue, (100, 200), dtype, mu=5, sigma=2)).reshape(20_000, -1)
    np.testing.assert_allclose(lanes.mean(axis=0), 5, atol=0.08)
    np.testing.assert_allclose(lanes.std(axis=0), 2, atol=0.08)


def test_vectors_of_integers_are_uniform(kind, context, queue):
    for dtype in (cltypes.int2, cltypes.int3, cltypes.long4):
        lanes = lanes_of(kind(context, seed=1).uniform(queue, 5000, dtype, a=-1, b=3))
        assert set(lanes.ravel().tolist()) == {-1, 0, 1, 2}
        np.testing.assert_allclose(lanes.mean(axis=0), 0.5, atol=0.08)


def test_filling_vectors_changes_nothing_beside_them(kind, context, queue):
    x = cl_array.zeros(queue, (5, 6), cltypes.float3)
    kind(context, seed=4).fill_uniform(x[1:4, ::2], 1, 2).wait()
    lanes = lanes_of(x)
    assert lanes[1:4, ::2].min() >= 1
    lanes[1:4, ::2] = 0
    assert not lanes.any()
    with pytest.raises(TypeError, match="random numbers of int32: .* and vectors of them"):
        kind(context, seed=4).normal(queue, 4, cltypes.int4)


def test_fill_draws_what_a_new_array_gets(kind, context, queue):
    for dtype in (*FLOATS, np.int32):
        options = {"a": 3, "b": 100}
        made = kind(context, seed=4).uniform(queue, (5, 7), dtype, **options)
        filled = cl_array.zeros(queue, (5, 7), dtype)
        event = kind(context, seed=4).fill_uniform(filled, **options)
        assert isinstance(event, cl.Event) and event in filled.events
        assert made.get().tobytes() == filled.get().tobytes()
    made = kind(context, seed=4).normal(queue, 9, np.float32, mu=1, sigma=2)
    filled = cl_array.zeros(queue, 9, np.float32)
    kind(context, seed=4).fill_normal(filled, 1, 2).wait()
    assert np.array_equal(made.get(), filled.get())


# --- keys, counters, seeds ------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_sequence(kind, context, queue):
    draws = [
        [generator.uniform(queue, 10, np.float32).get() for _ in range(2)]
        for generator in (kind(context, seed=7), kind(context, seed=7), kind(context, seed=8))
    ]
    assert np.array_equal(draws[0], draws[1])
    assert not np.array_equal(draws[0], draws[2])
    assert not np.array_equal(*draws[0])
    first, second = (kind(context).uniform(queue, 10, np.float32).get() for _ in range(2))
    assert not np.array_equal(first, second)


def test_the_numbers_are_philox_of_key_and_counter(context, queue):
    generator = clrandom.PhiloxGenerator(context, key=[-1], counter=[5, 1, 9, -2])
    assert (generator.key, generator.counter) == ([-1], [5, 1, 9, -2])
    assert generator.context is context
    words = philox(0xFFFFFFFF, 9 | 0xFFFFFFFE << 32, 5 | 1 << 32, 8)
    ours = generator.uniform(queue, 32, np.float32).get()
    assert np.array_equal(ours, (words >> 8) * 2.0**-24)


def test_every_word_of_key_and_counter_counts(kind, context, queue):
    key, counter = [1] * (kind.key_length - 1), [2] * 4
    base = kind(context, key, counter).uniform(queue, 8, np.float32).get()
    assert np.array_equal(kind(context, key, counter).uniform(queue, 8, np.float32).get(), base)
    for words, at in [(key, i) for i in range(len(key))] + [(counter, i) for i in range(4)]:
        words[at] = 77
        changed = kind(context, key, counter).uniform(queue, 8, np.float32).get()
        assert not np.array_equal(changed, base)
        words[at] = 1 if words is key else 2


def test_a_seed_draws_what_is_not_given(kind, context):
    both = kind(context, seed=3)
    assert len(both.key) == kind.key_length - 1 and len(both.counter) == 4
    assert all(-(2**31) <= word < 2**31 for word in both.key + both.counter)
    some = kind(context, counter=[1, 2, 3, 4], seed=3)
    assert (some.key, some.counter) == (both.key, [1, 2, 3, 4])
    assert kind(context, key=both.key, seed=3).key == both.key


def test_wrong_seeds_are_refused(kind, context):
    key = [1] * (kind.key_length - 1)
    with pytest.raises(TypeError, match="a seed draws .* leave it out"):
        kind(context, key=key, counter=[1, 2, 3, 4], seed=5)
    for wrong in ([1, 2, 3], [1] * 5, [1, 2, 3, 2**32], [0, 0, 0, -(2**31) - 1]):
        with pytest.raises(ValueError, match="counter=.* 4 integers of 32 bits"):
            kind(context, counter=wrong)
    with pytest.raises(ValueError, match=f"key=.* {len(key)} integers"):
        kind(context, key=[*key, 1])
    with pytest.raises(TypeError):
        kind(context, counter=[1, 2, 3, 4.5])


# --- dtypes and intervals that are refused --------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.int8, np.uint32, np.float16, np.complex64])
def test_other_dtypes_are_refused(context, queue, dtype):
    generator, x = clrandom.PhiloxGenerator(context, seed=1), cl_array.zeros(queue, 4, dtype)
    for call in (
        lambda: generator.fill_uniform(x, 0, 5),
        lambda: generator.fill_normal(x),
        lambda: generator.uniform(queue, 4, dtype, a=0, b=5),
        lambda: clrandom.rand(queue, 4, dtype),
        lambda: clrandom.fill_rand(x),
    ):
        with pytest.raises(TypeError, match="random numbers of .*: there are float32, float64"):
            call()
    assert not any(x.get().tobytes())


def test_integers_are_not_normal(context, queue):
    for dtype in (np.int32, np.int64):
        with pytest.raises(TypeError, match="int.*: there are float32, float64"):
            clrandom.PhiloxGenerator(context).normal(queue, 4, dtype)


def test_intervals_that_are_none_are_refused(context, queue):
    generator, x = clrandom.PhiloxGenerator(context), cl_array.zeros(queue, 4, np.int32)
    with pytest.raises(ValueError, match="empty"):
        generator.fill_uniform(x, 5, 5)
    with pytest.raises(TypeError, match="low is an integer"):
        generator.fill_uniform(x, 0.5, 5)
    with pytest.raises(OverflowError):
        generator.fill_uniform(x, 0, 2**40)
    with pytest.raises(ValueError, match="deviation"):
        generator.normal(queue, 4, np.float32, sigma=-1)
    assert not x.get().any()


# --- arrays and queues ----------------------------------------------------------------------------


def test_array_arguments(context, queue):
    generator = clrandom.PhiloxGenerator(context, seed=1)
    pool = cl.tools.MemoryPool(cl.tools.ImmediateAllocator(queue))
    x = generator.uniform(queue, (3, 4), np.float32, order="F", allocator=pool)
    assert x.flags.f_contiguous and x.allocator is pool and pool.active_blocks == 1
    dense = clrandom.PhiloxGenerator(context, seed=1).uniform(queue, (3, 4), np.float32)
    assert np.array_equal(x.get(), dense.get())
    assert generator.normal(cq=queue, shape=5, dtype=np.float64).shape == (5,)
    assert generator.normal(queue, (0, 3), np.float32).shape == (0, 3)


def test_views_and_subclasses_are_filled(context, queue):
    class Mine(cl_array.Array):
        pass

    generator = clrandom.PhiloxGenerator(context, seed=1)
    mine = Mine(queue, (6, 6), np.float32)
    mine.fill(0)
    generator.fill_uniform(mine[1:4], 1, 2)
    values = mine.get()
    assert type(mine) is Mine and values[1:4].min() >= 1
    values[1:4] = 0
    assert not values.any()
    generator.fill_uniform(mine[:, 2], 1, 2)
    assert mine.get()[:, 2].min() >= 1 and not mine.get()[4:, 3:].any()


def test_a_fill_waits_for_events_of_the_array(context, queue):
    x = cl_array.zeros(queue, 100, np.float32)
    gate = cl.UserEvent(context)
    x.add_event(gate)
    event = clrandom.PhiloxGenerator(context).fill_uniform(x, 1, 2)
    assert event.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    event.wait()
    assert x.get().min() >= 1


def test_an_array_is_filled_by_another_queue(context, queue):
    generator = clrandom.PhiloxGenerator(context)
    other = cl.CommandQueue(context)
    x = cl_array.zeros(queue, 100, np.float32)
    x.finish()
    gate = cl.UserEvent(context)
    cl.enqueue_barrier(other, [gate])
    event = generator.fill_uniform(x, 1, 2, queue=other)
    assert event.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    assert (2 * x).get().min() >= 2  # on its own queue, after the other's
    without = cl_array.zeros(queue, 100, np.float32).with_queue(None)
    with pytest.raises(ValueError, match="no queue"):
        generator.fill_normal(without)
    clrandom.fill_rand(without, queue=other)
    assert without.get(other).any()


def test_events_do_not_pile_up(context, queue):
    generator, x = clrandom.PhiloxGenerator(context), cl_array.empty(queue, 10, np.float32)
    for _ in range(100):
        generator.fill_normal(x)
    assert len(x.events) <= 12


# --- old names ------------------------------------------------------------------------------------


def test_the_generator_of_2018(context, queue):
    with pytest.warns(DeprecationWarning, match="Philox's, not RANLUX's") as caught:
        generator = clrandom.RanluxGenerator(queue, 64, luxury=4, seed=7, max_work_items=128)
    assert [w.filename for w in caught] == [__file__]
    assert generator.synchronize() is generator.synchronize(queue) is None
    today = clrandom.PhiloxGenerator(context, seed=7)
    x = cl_array.empty(queue, 10, np.float32)
    for call, *args in [("uniform", 2, 3), ("normal", -5, 1e-3)]:
        first, second = (
            getattr(one, call)(queue, (3, 4), np.float32).get() for one in (generator, today)
        )
        assert np.array_equal(first, second)
        getattr(generator, f"fill_{call}")(x, *args, queue=queue)
        values = x.get()
        getattr(today, f"fill_{call}")(x, *args)
        assert np.array_equal(values, x.get())


# --- rand() and fill_rand() -----------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [*FLOATS, np.int32, np.int64])
def test_rand(queue, dtype):
    x = clrandom.rand(queue, (200, 100), dtype, a=2, b=12)
    assert isinstance(x, cl_array.Array) and (x.shape, x.dtype) == ((200, 100), dtype)
    values = x.get()
    assert values.min() >= 2 and values.max() < 12
    assert abs(values.mean() - (7 if np.dtype(dtype).kind == "f" else 6.5)) < 0.1
    assert not np.array_equal(values, clrandom.rand(queue, (200, 100), dtype, a=2, b=12).get())


def test_rand_is_from_0_to_below_1_by_default(queue):
    values = clrandom.rand(queue, 10_000, np.float32).get()
    assert 0 <= values.min() < 0.01 and 0.99 < values.max() < 1


def test_fill_rand(queue):
    x = cl_array.zeros(queue, 1000, np.float32)
    assert clrandom.fill_rand(x) is None
    first = x.get()
    clrandom.fill_rand(x, a=5, b=6)
    assert x.get().min() >= 5 and first.max() < 1 and first.any()


def test_luxury_is_ignored_with_a_warning(queue):
    with pytest.warns(UserWarning, match="luxury"):
        assert clrandom.rand(queue, 4, np.float32, 2).shape == (4,)


def test_a_context_has_one_generator_of_its_own(context):
    assert clrandom._get_generator(context) is clrandom._get_generator(context)
    other = cl.Context(context.devices)
    theirs = clrandom._get_generator(other)
    assert theirs is not clrandom._get_generator(context) and theirs.context is other
    assert isinstance(theirs, clrandom.PhiloxGenerator)
    cl.tools.clear_first_arg_caches()
