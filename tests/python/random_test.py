# SPDX-License-Identifier: MIT
"""Random numbers of every device, beside Philox written with NumPy."""

import copy
import math
import pathlib
import sys
import threading

import numpy as np
import pytest

import treadle
from treadle._core.random import RandomDraw, RandomGenerator, RandomState, fill

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from philox_words import philox  # noqa: E402

DEVICES = [device.id for device in treadle.devices()]


@pytest.fixture(params=DEVICES)
def device(request):
    return treadle.find_device(request.param)


def drawn(device, draw, state, count, dtype):
    buffer = treadle.Buffer(device, count * np.dtype(dtype).itemsize)
    fill(buffer, draw, state)
    numbers = np.empty(count, dtype)
    buffer.copy_to(numbers)
    return numbers


def test_words_are_those_of_philox(device):
    state = RandomState(seed=0x123456789ABCDEF, stream=2**40 + 5, position=2**32 - 100)
    words = philox(state.seed, state.stream, state.position, 250)
    got = drawn(device, RandomDraw.words(np.uint32), state, 999, np.uint32)
    assert np.array_equal(got, words[:999])
    assert state.position == 2**32 + 150


def test_numbers_are_made_of_words(device):
    words = philox(7, 0, 0, 1000)
    pairs = words[0::2].astype(np.uint64) | words[1::2].astype(np.uint64) << np.uint64(32)
    got = drawn(device, RandomDraw.uniform("f4"), RandomState(7), 4000, "f4")
    assert np.array_equal(got, (words >> 8) * np.float32(2**-24))
    got = drawn(device, RandomDraw.uniform("f4", with_high=True), RandomState(7), 4000, "f4")
    assert np.array_equal(got, ((words >> 8) + 1) * np.float32(2**-24))
    got = drawn(device, RandomDraw.integers("i4", -5, 1000), RandomState(7), 2000, "i4")
    assert got.tolist() == [-5 + (int(word) * 1005 >> 64) for word in pairs]
    got = drawn(device, RandomDraw.integers("u8", 3, 2**64), RandomState(7), 2000, "u8")
    assert got.tolist() == [3 + (int(word) * (2**64 - 3) >> 64) for word in pairs]
    if device.traits.fp64:
        got = drawn(device, RandomDraw.uniform("f8"), RandomState(7), 2000, "f8")
        assert np.array_equal(got, (pairs >> np.uint64(11)) * 2.0**-53)


def test_normal_numbers_are_those_of_box_and_muller(device):
    words = philox(7, 0, 0, 1000).astype(float)
    got = drawn(device, RandomDraw.normal("f4", 2, 0.5), RandomState(7), 4000, "f4")
    radius = np.sqrt(-2 * np.log((words[0::2] + 0.5) * 2.0**-32))
    angle = words[1::2] * 2.0**-31 * math.pi
    expected = 2 + 0.5 * np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).ravel()
    assert np.allclose(got, expected, rtol=0, atol=2e-6)


def test_states_are_copied_whole():
    state = RandomState(2**64 - 1, 5, 17, RandomGenerator.threefry)
    state.spawn(3)
    other = copy.deepcopy(state)
    assert other == state and other.spawned == 3
    other.advance(1)
    assert other.position == 18 and other != state
    assert state.jumped(2) == RandomState(2**64 - 1, 7, 0, RandomGenerator.threefry)


def test_children_draw_other_numbers(device):
    state = RandomState(1)
    draws = [
        drawn(device, RandomDraw.words("u4"), each, 100, "u4").tobytes()
        for each in [*state.spawn(3), *state.spawn(1), state.jumped(), RandomState(1)]
    ]
    assert len(set(draws)) == 6


def test_threads_that_share_a_state_draw_different_numbers(device):
    state, results = RandomState(3), []
    draw = RandomDraw.words("u4")
    threads = [
        threading.Thread(target=lambda: results.append(drawn(device, draw, state, 4000, "u4")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    got = sorted(result.tobytes() for result in results)
    expected = np.split(philox(3, 0, 0, 8000), 8)
    assert got == sorted(part.tobytes() for part in expected)


def test_what_is_refused_draws_nothing():
    device, state = treadle.find_device(DEVICES[0]), RandomState()
    with pytest.raises(OverflowError, match="above int32"):
        RandomDraw.integers("i4", 0, 2**31 + 1)
    with pytest.raises(OverflowError, match="below uint64"):
        RandomDraw.integers("u8", -1, 5)
    with pytest.raises(treadle.InvalidArgument, match="empty"):
        RandomDraw.integers("i4", 5, 5)
    with pytest.raises(treadle.DTypeError):
        RandomDraw.uniform("f2")
    with pytest.raises(treadle.InvalidArgument, match="no whole number"):
        fill(treadle.Buffer(device, 6), RandomDraw.words("u4"), state)
    with pytest.raises(treadle.InvalidArgument, match="multiple of 4"):
        fill(treadle.Buffer(device, 8)[2:6], RandomDraw.words("u4"), state)
    assert state == RandomState()
