# SPDX-License-Identifier: MIT
"""treadle.random.Generator on every device, beside Philox written with NumPy."""

import copy
import math
import pathlib
import pickle
import sys
import threading

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.random import Generator, RandomDraw, RandomGenerator, RandomState, default_rng

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from philox_words import philox  # noqa: E402

IDS = [device.id for device in treadle.devices()]


@pytest.fixture(params=IDS)
def device(request):
    with treadle.find_device(request.param) as device:
        yield device


def pairs_of(words):
    return words[0::2].astype(np.uint64) | words[1::2].astype(np.uint64) << np.uint64(32)


def test_draws_are_made_of_philox_words(device):
    words = philox(42, 0, 0, 1000)
    rng = default_rng(42)
    assert np.array_equal(
        rng.random((10, 100), "f4").get(), (words[:1000] >> 8).reshape(10, 100) * 2.0**-24
    )
    small = rng.integers(-5, 1000, 300, dtype=np.int16).get()
    assert small.dtype == np.int16
    assert small.tolist() == [-5 + (int(w) * 1005 >> 64) for w in pairs_of(words[1000:1600])]
    assert rng.state == RandomState(42, position=400)
    if device.traits.fp64:
        expected = (pairs_of(words[1600:1620]) >> np.uint64(11)) * 2.0**-53
        assert np.array_equal(rng.random(10).get(), expected)


def test_all_devices_draw_the_same():
    draws = []
    for name in IDS:
        device = treadle.find_device(name)
        rng = Generator(7, device=device)
        float_dtype = "f8" if device.traits.fp64 else "f4"
        results = [
            rng.random((3, 5), "f4"),
            rng.uniform(-3, 1e6, 1001, "f4"),
            rng.integers(10, size=1001),
            rng.integers(0, 2**64, 77, "u8"),
            rng.integers(2, size=50, dtype=bool),
            rng.standard_normal(1001, "f4"),
            rng.normal(3, 0.5, 999, float_dtype),
        ]
        assert all(x.device == device for x in results)
        draws.append(([x.get() for x in results], device.traits))
    for results, traits in draws[1:]:
        for got, expected in zip(results, draws[0][0], strict=True):
            if got.dtype.kind != "f" or (traits.exact_division and traits.fp64):
                assert got.tobytes() == expected.tobytes()


def test_scalars_are_pythons_numbers_and_those_of_arrays(device):
    rng, same = default_rng(3), default_rng(3)
    for draw, kind in [
        (lambda rng, size: rng.random(size, "f4"), float),
        (lambda rng, size: rng.uniform(1, 2, size, "f4"), float),
        (lambda rng, size: rng.normal(1, 2, size, "f4"), float),
        (lambda rng, size: rng.exponential(2, size, "f4"), float),
        (lambda rng, size: rng.lognormal(0, 1, size, "f4"), float),
        (lambda rng, size: rng.integers(-9, 9, size), np.int64),
        (lambda rng, size: rng.integers(2**63, 2**64, size, "u8"), np.uint64),
        (lambda rng, size: rng.integers(0, 2, size, bool), bool),
    ]:
        number, array = draw(rng, None), draw(same, ())
        assert type(number) is kind
        assert array.shape == () and array.item() == number
    assert rng.state == same.state


def test_integers_take_numpys_arguments(device):
    rng = default_rng(1)
    drawn = rng.integers(3, size=1000).get()
    assert drawn.dtype == np.int64 and set(drawn) == {0, 1, 2}
    assert set(rng.integers(3, 4, 10).get()) == {3}
    assert set(rng.integers(-1, 1, 1000, endpoint=True).get()) == {-1, 0, 1}
    for dtype in "bhilBHILq":
        info = np.iinfo(dtype)
        whole = rng.integers(info.min, info.max, 4000, dtype, endpoint=True).get()
        assert whole.dtype == np.dtype(dtype)
        quarter = (info.max - info.min) / 4
        assert whole.min() < info.min + quarter and whole.max() > info.max - quarter
        assert rng.integers(info.max, info.max, (), dtype, True).item() == info.max
    assert set(rng.integers(0, 1, 100, bool, endpoint=True).get()) == {False, True}
    assert rng.integers(1e6).dtype == np.int64
    assert rng.integers(np.int32(5), np.uint8(6)) == 5


def test_out_is_filled(device):
    rng, same = default_rng(9), default_rng(9)
    all_of_it = tnp.zeros((4, 6), "f4")
    seen = all_of_it + 1
    assert rng.random(out=all_of_it) is all_of_it
    assert np.array_equal(seen.get(), np.ones((4, 6)))  # what was there before
    assert np.array_equal(all_of_it.get(), same.random((4, 6), "f4").get())
    columns = all_of_it[:, ::2]
    rng.normal(5, 0.1, (4, 3), out=columns)
    expected = same.normal(5, 0.1, (4, 3), "f4").get()
    assert np.array_equal(all_of_it.get()[:, ::2], expected)
    rng.exponential(np.float32([1, 10, 100]), out=columns)
    expected = same.exponential(tnp.array(np.float32([1, 10, 100])), (4, 3), "f4").get()
    assert np.array_equal(all_of_it.get()[:, ::2], expected)
    small = tnp.zeros(5, "i1")
    rng.integers(100, out=small)
    assert np.array_equal(small.get(), same.integers(100, size=5, dtype="i1").get())


def test_any_distribution_is_drawn(device):
    rng, words = default_rng(9), philox(9, 0, 0, 101)
    assert np.array_equal(rng.draw(RandomDraw.words("i4"), 400).get(), words[:400].view("i4"))
    assert rng.draw(RandomDraw.words("u4")) == words[400]
    x = tnp.zeros((2, 3), "f4")
    high = RandomDraw.uniform("f4", 0, 1, with_high=True)
    assert rng.draw(high, out=x) is x
    assert np.array_equal(x.get().ravel(), ((philox(9, 0, 101, 2)[:6] >> 8) + 1) * 2.0**-24)
    with pytest.raises(TypeError, match="float32.*int32"):
        rng.draw(high, out=tnp.zeros(2, "i4"))


def test_parameters_are_arrays_too(device):
    loc = np.arange(3, dtype="f4")[:, None]
    scale = tnp.array(np.float32([0.5, 2]))
    got = default_rng(2).normal(loc, scale, dtype="f4")
    assert got.shape == (3, 2)
    standard = default_rng(2).standard_normal((3, 2), "f4").get()
    assert np.array_equal(got.get(), loc + scale.get() * standard)
    low, high = tnp.array(np.float32([0, -10, 5])), 6
    got = default_rng(2).uniform(low, high, (1000, 3), "f4").get()
    assert (got >= low.get()).all() and (got < 6).all()
    got = default_rng(2).normal([1, 2], (3, 4), dtype="f4")
    standard = default_rng(2).standard_normal(2, "f4").get()
    assert np.array_equal(got.get(), np.float32([1, 2]) + np.float32([3, 4]) * standard)
    assert default_rng(2).exponential(np.ones(4, "i4"), dtype="f4").dtype == np.float32


def moments(x, mean, deviation, kurtosis):
    """Mean and variance within five standard errors."""
    x, n = x.get().astype(float), x.size
    assert abs(x.mean() - mean) < 5 * deviation / math.sqrt(n)
    assert abs(x.var() - deviation**2) < 5 * deviation**2 * math.sqrt((kurtosis - 1) / n)


def test_distributions_have_their_moments(device):
    rng, n = default_rng(4), 200_000
    moments(rng.random(n, "f4"), 0.5, math.sqrt(1 / 12), 1.8)
    moments(rng.uniform(-4, 8, n, "f4"), 2, 12 * math.sqrt(1 / 12), 1.8)
    moments(rng.normal(-3, 2.5, n, "f4"), -3, 2.5, 3)
    moments(rng.exponential(2, n, "f4"), 2, 2, 9)
    moments(rng.integers(0, 1000, n), 499.5, math.sqrt((1000**2 - 1) / 12), 1.8)
    s = 0.25
    variance = math.expm1(s * s) * math.exp(2 + s * s)
    kurtosis = sum(k * math.exp(j * s * s) for j, k in [(4, 1), (3, 2), (2, 3)]) - 3
    moments(rng.lognormal(1, s, n, "f4"), math.exp(1 + s * s / 2), math.sqrt(variance), kurtosis)


def test_poissons_numbers(device):
    if not device.traits.fp64:
        pytest.skip("no float64")
    rng, n = default_rng(10), 200_000
    for lam in (0.5, 9, 12, 5000):
        x = rng.poisson(lam, n)
        assert x.dtype == np.int64
        moments(x, lam, math.sqrt(lam), 3 + 1 / lam)
    lam = np.array([[0.5], [200]])
    many = rng.poisson(lam, (2, n), "u4")
    assert many.dtype == np.uint32
    for row, mean in zip(many, lam[:, 0], strict=True):
        moments(row, mean, math.sqrt(mean), 3 + 1 / mean)
    assert rng.poisson([0, 0]).tolist() == [0, 0]
    again = default_rng(11)
    assert default_rng(11).poisson(7) == again.poisson(7, ()).item()
    assert type(again.poisson()) is np.int64
    x = tnp.array(np.float32([3, 1000]))
    assert again.draw(RandomDraw.poisson("f4"), out=x) is x
    expected = default_rng(11)
    expected.random(8, "f4")
    assert x.tolist() == expected.poisson([3, 1000], dtype="f4").tolist()


def test_poissons_numbers_are_the_same_on_all_devices():
    draws = []
    for name in IDS:
        device = treadle.find_device(name)
        if device.traits.fp64:
            rng = Generator(7, device=device)
            draws.append([rng.poisson(lam, 5000).get().tolist() for lam in (3.3, 11, 1e6)])
    assert all(draw == draws[0] for draw in draws)


def test_integers_come_equally_often(device):
    counts = np.bincount(default_rng(6).integers(0, 64, 1 << 18, "u1").get(), minlength=64)
    expected = (1 << 18) / 64
    chi_square = ((counts - expected) ** 2 / expected).sum()
    assert abs(chi_square - 63) < 5 * math.sqrt(2 * 63)


def test_states_are_kept_copied_and_pickled(device):
    rng = default_rng(5)
    rng.random(10, "f4")
    state = rng.state
    others = [copy.copy(rng), copy.deepcopy(rng), pickle.loads(pickle.dumps(rng))]
    expected = rng.random(100, "f4").get()
    for other in others:
        assert np.array_equal(other.random(100, "f4").get(), expected)
    assert rng.state != state
    rng.state = state
    assert np.array_equal(rng.random(100, "f4").get(), expected)
    assert rng.state == pickle.loads(pickle.dumps(rng)).state
    here = Generator(RandomState(1, 2, 3, RandomGenerator.threefry), device=device)
    assert copy.copy(here).device == device and copy.deepcopy(here).device == device
    assert repr(here) == "Generator(threefry, seed=1, stream=2, position=3)"


def test_children_and_streams_draw_other_numbers(device):
    rng = Generator(1, device=device)
    all_of_them = [*rng.spawn(3), *rng.spawn(1), rng.jumped(), rng.jumped(2), rng]
    draws = [each.integers(0, 2**32, 100, "u4").get() for each in all_of_them]
    assert len({draw.tobytes() for draw in draws}) == 7
    for i in range(7):
        for j in range(i):
            correlation = np.corrcoef(draws[i], draws[j])[0, 1]
            assert abs(correlation) < 0.5
    assert rng.jumped(3).state == RandomState(1, stream=3)
    assert rng.jumped().device == device and rng.spawn(1)[0].device == device
    words = philox(1, 2, 0, 100)
    got = rng.jumped(2).integers(0, 2**32, 100, "u4").get()
    assert got.tolist() == words[1:200:2].tolist()  # the upper half of each pair


def test_threads_that_share_one_draw_different_numbers(device):
    rng, results = default_rng(3), []

    def draw():
        with device:
            results.extend(rng.random(4, "f4").get().tobytes() for _ in range(50))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = default_rng(3).random((200, 4), "f4").get()
    assert sorted(results) == sorted(row.tobytes() for row in expected)


def test_seeds():
    assert default_rng(5).state == default_rng(np.int64(5)).state == RandomState(5)
    assert default_rng().state != default_rng().state
    rng = default_rng(2**64 - 1)
    assert tnp.random.default_rng(rng) is rng  # its other name
    sequence = np.random.SeedSequence(2**100)
    assert default_rng(2**100).state.seed == int(sequence.generate_state(1, np.uint64)[0])
    assert default_rng(np.random.SeedSequence(2**100)).state == default_rng(2**100).state
    assert default_rng([1, 2]).state != default_rng([2, 1]).state
    with pytest.raises(OverflowError, match="-1"):
        default_rng(-1)
    with pytest.raises(OverflowError, match="above uint64"):
        Generator(2**64)
    with pytest.raises(TypeError, match="seed is an integer"):
        Generator("5")


def test_bytes_are_the_words():
    rng = default_rng(8)
    assert rng.bytes(10) == philox(8, 0, 0, 1).tobytes()[:10]
    assert rng.bytes(0) == b"" and rng.state.position == 1


def test_what_is_refused_draws_nothing(device):
    rng, x = default_rng(1), tnp.zeros(3, "f4")
    refusals = [
        (ValueError, "low is 5, high 5", lambda: rng.integers(5, 5)),
        (ValueError, "empty", lambda: rng.integers(0, size=3)),
        (OverflowError, "-1.*below uint8", lambda: rng.integers(-1, 5, dtype="u1")),
        (OverflowError, "299.*above uint8", lambda: rng.integers(0, 300, dtype="u1")),
        (OverflowError, "2.*above bool", lambda: rng.integers(0, 3, dtype=bool)),
        (TypeError, "'float32'", lambda: rng.integers(0, 3, dtype="f4")),
        (TypeError, "high is an integer, not 2.5", lambda: rng.integers(2.5)),
        (TypeError, "integer", lambda: rng.integers(np.array([1.5, 2.5]), 7)),
        (TypeError, "'float16'", lambda: rng.random(3, "f2")),
        (TypeError, "'int32'", lambda: rng.normal(0, 1, 3, "i4")),
        (ValueError, "deviation of -1", lambda: rng.normal(0, -1, 3, "f4")),
        (ValueError, "deviation of -1", lambda: rng.normal(x, -1)),
        (ValueError, "mean of -1", lambda: rng.poisson(-1, 3)),
        (ValueError, "2.30", lambda: rng.poisson(2e9, 3)),
        (TypeError, "'int16'", lambda: rng.poisson(1, 3, "i2")),
        (ValueError, "scale of -2", lambda: rng.exponential(-2, 3, "f4")),
        (ValueError, "1.* and 0", lambda: rng.uniform(1, 0, 3, "f4")),
        (ValueError, "inf", lambda: rng.uniform(0, math.inf, 3, "f4")),
        (ValueError, "-1", lambda: rng.random(-1, "f4")),
        (TypeError, "float", lambda: rng.random(2.5, "f4")),
        (ValueError, r"size is \(2,\).*\(3,\)", lambda: rng.random(2, out=x)),
        (TypeError, "float64.*float32", lambda: rng.random(dtype="f8", out=x)),
        (TypeError, "float64.*float32", lambda: rng.exponential(dtype="f8", out=x)),
        (TypeError, "out= takes an Array", lambda: rng.random(out=np.zeros(3))),
        (ValueError, "differ", lambda: rng.normal(x, 1, 4, "f4")),
        (ValueError, "broadcast together", lambda: rng.normal(x, tnp.zeros(2, "f4"))),
        (TypeError, "loc is a number or an array, not a str", lambda: rng.normal("0")),
        (TypeError, "complex", lambda: rng.normal(1j, 1, 3, "f4")),
        (ValueError, r"choice\(\) of 6", lambda: rng.choice(5, size=6, replace=False)),
    ]
    for error, text, draw in refusals:
        with pytest.raises(error, match=text):
            draw()
    assert rng.state == RandomState(1)
    if not device.traits.fp64:
        with pytest.raises(treadle.NotSupported, match="float32"):
            rng.random(3)


def test_integers_lie_between_arrays_of_ends():
    with treadle.find_device("cpu"):
        random = treadle.random.default_rng(3)
        low, high = np.array([[-3], [5]]), np.array([4, 6, 100])
        high = np.maximum(high, low + 1)
        drawn = random.integers(low, treadle.numpy.array(high), (500, 2, 3))
        assert drawn.dtype == np.int64
        host = drawn.get()
        assert (host.min(0) == low).all() and (host.max(0) < high).all()
        assert (host.max(0)[:, :2] == high[:, :2] - 1).all()
        assert random.integers([1, 2]).shape == (2,)
        assert random.integers([5, 7], [5, 7], endpoint=True, dtype="u1").tolist() == [5, 7]
        wide = random.integers([-(2**63), 0], 2**63 - 1, (1000, 2)).get()
        assert wide[:, 0].min() < -(2**61) and wide[:, 1].min() >= 0
        with pytest.raises(ValueError, match="empty"):
            random.integers([1, 5], [2, 5])
        with pytest.raises(TypeError, match="float64"):
            random.integers([1.5, 5], 9)


DRAWN_FROM_ONE = [
    "rand()", "rand(2, 3)", "randn(4)", "randint(5)", "randint(1, 6, 3)", "randint(9, size=2)",
    "random()", "random((2, 2))", "random_sample(3)", "ranf(2)", "sample(2)", "uniform(-1, 1, 3)",
    "normal(size=3)", "normal(1, 2, (2, 2))", "standard_normal(3)", "choice(5, 2)",
    "choice([1, 2, 3], size=2)", "permutation(4)", "exponential(1, 2)", "poisson(2, 3)",
    "binomial(5, 0.3, 2)", "beta(1, 2, 3)", "gamma(2, 1, 3)", "zipf(2, 3)", "bytes(4)",
    "multinomial(10, [0.2, 0.8])", "dirichlet([1, 2])", "randint(0, 2, 5, bool)",
]  # fmt: skip


def test_functions_of_the_module_draw_from_one_generator(device):
    if not device.traits.fp64:
        pytest.skip("no doubles")
    random = tnp.random
    random.seed(5)
    rng, kept = default_rng(5), random.get_state()
    same = [(random.rand(3), rng.random(3)), (random.randn(2, 2), rng.standard_normal((2, 2)))]
    same += [(random.randint(0, 9, 7), rng.integers(0, 9, 7)), (random.zipf(2, 3), rng.zipf(2, 3))]
    for ours, theirs in same:
        assert ours.device is theirs.device
        assert np.array_equal(ours.get(), theirs.get())
    random.set_state(kept)
    assert np.array_equal(random.rand(3).get(), same[0][0].get())
    for line in DRAWN_FROM_ONE:
        ours, theirs = eval(f"tnp.random.{line}"), eval(f"np.random.{line}")
        if isinstance(ours, treadle.Array):
            assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype), line
        else:
            assert np.result_type(type(ours)) == np.result_type(type(theirs)), line
    x = tnp.arange(6)
    random.shuffle(x)
    assert sorted(x.tolist()) == list(range(6))
