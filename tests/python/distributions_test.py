# SPDX-License-Identifier: MIT
"""random.Generator's distributions: their moments and distribution functions, on one device, and
NumPy's arguments on all. tests/kernel/distributions_test.cpp has the same bits on all devices."""

import math
import os

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.random import Generator, default_rng

IDS = [device.id for device in treadle.devices() if device.traits.fp64]
SEED = int(os.environ.get("TREADLE_RANDOM_SEED", "1"))
MANY = int(os.environ.get("TREADLE_RANDOM_CASES", "40000"))
# A right generator fails one of the tests below once in 10^6 runs.
LEAST_PROBABILITY = 1e-7


@pytest.fixture(params=IDS)
def device(request):
    with treadle.find_device(request.param) as device:
        yield device


# Name, parameters, and the name and parameters of the distribution in scipy.stats.
REAL = [
    ("beta", (2, 3), "beta", (2, 3)),
    ("beta", (0.3, 0.6), "beta", (0.3, 0.6)),
    ("chisquare", (3,), "chi2", (3,)),
    ("f", (5, 7), "f", (5, 7)),
    ("gamma", (0.2, 3), "gamma", (0.2, 0, 3)),
    ("gamma", (20, 0.5), "gamma", (20, 0, 0.5)),
    ("gumbel", (1, 2), "gumbel_r", (1, 2)),
    ("laplace", (1, 2), "laplace", (1, 2)),
    ("logistic", (1, 2), "logistic", (1, 2)),
    ("noncentral_chisquare", (3, 4), "ncx2", (3, 4)),
    ("noncentral_chisquare", (0.7, 4), "ncx2", (0.7, 4)),
    ("noncentral_f", (3, 8, 4), "ncf", (3, 8, 4)),
    ("pareto", (3,), "lomax", (3,)),
    ("power", (0.4,), "powerlaw", (0.4,)),
    ("rayleigh", (2,), "rayleigh", (0, 2)),
    ("standard_cauchy", (), "cauchy", ()),
    ("standard_gamma", (3.3,), "gamma", (3.3,)),
    ("standard_t", (4,), "t", (4,)),
    ("triangular", (-1, 0, 4), "triang", (0.2, -1, 5)),
    ("vonmises", (0.5, 2), "vonmises", (2, 0.5)),
    ("vonmises", (0, 500), "vonmises", (500,)),
    ("wald", (2, 3), "invgauss", (2 / 3, 0, 3)),
    ("wald", (200, 3), "invgauss", (200 / 3, 0, 3)),
    ("weibull", (1.7,), "weibull_min", (1.7,)),
]
COUNTS = [
    ("binomial", (10, 0.3), "binom", (10, 0.3)),
    ("binomial", (100, 0.93), "binom", (100, 0.93)),
    ("binomial", (10**12, 1e-10), "binom", (10**12, 1e-10)),
    ("geometric", (0.03,), "geom", (0.03,)),
    ("hypergeometric", (15, 20, 9), "hypergeom", (35, 15, 9)),
    ("hypergeometric", (200, 150, 190), "hypergeom", (350, 200, 190)),
    ("hypergeometric", (20, 1500, 340), "hypergeom", (1520, 20, 340)),
    ("logseries", (0.9,), "logser", (0.9,)),
    ("negative_binomial", (3.5, 0.2), "nbinom", (3.5, 0.2)),
    ("zipf", (2,), "zipf", (2,)),
    ("zipf", (1.2,), "zipf", (1.2,)),
]


@pytest.mark.parametrize(("name", "parameters", "known", "known_parameters"), REAL)
def test_real_numbers_have_their_distribution_function(name, parameters, known, known_parameters):
    stats = pytest.importorskip("scipy.stats")
    drawn = getattr(Generator(SEED, device=treadle.find_device(IDS[0])), name)(*parameters, MANY)
    assert drawn.dtype == np.float64 and drawn.shape == (MANY,)
    distribution = getattr(stats, known)(*known_parameters)
    below = distribution.cdf(-np.pi) if known == "vonmises" else 0.0
    result = stats.kstest(drawn.get(), lambda x: distribution.cdf(x) - below)
    assert result.pvalue > LEAST_PROBABILITY


@pytest.mark.parametrize(("name", "parameters", "known", "known_parameters"), COUNTS)
def test_counts_come_as_often_as_their_distribution_says(name, parameters, known, known_parameters):
    stats = pytest.importorskip("scipy.stats")
    drawn = getattr(Generator(SEED, device=treadle.find_device(IDS[0])), name)(*parameters, MANY)
    assert drawn.dtype == np.int64
    distribution = getattr(stats, known)(*known_parameters)
    # SciPy looks long for the quantiles of zipf.
    quantiles = None if known == "zipf" else distribution.ppf(np.linspace(0.02, 0.98, 30))
    ends = np.arange(1.0, 30) if quantiles is None else np.unique(quantiles)
    expected = np.diff(np.concatenate([[0], distribution.cdf(ends), [1]])) * MANY
    places = np.searchsorted(ends, drawn.get())  # ends[i - 1] < count <= ends[i]
    observed = np.bincount(places, minlength=len(ends) + 1)
    few = expected < 8
    rest = [(observed[few].sum(), expected[few].sum())] if expected[few].sum() > 8 else []
    pairs = np.array([*zip(observed[~few], expected[~few], strict=True), *rest])
    chi_square = ((pairs[:, 0] - pairs[:, 1]) ** 2 / pairs[:, 1]).sum()
    assert stats.chi2(len(pairs) - 1).sf(chi_square) > LEAST_PROBABILITY


def moments(name, parameters):
    """Mean and variance, where SciPy is not there to give more."""
    a = parameters
    return {
        "beta": lambda: (
            a[0] / (a[0] + a[1]),
            a[0] * a[1] / ((a[0] + a[1]) ** 2 * (a[0] + a[1] + 1)),
        ),
        "binomial": lambda: (a[0] * a[1], a[0] * a[1] * (1 - a[1])),
        "chisquare": lambda: (a[0], 2 * a[0]),
        "gamma": lambda: (a[0] * a[1], a[0] * a[1] ** 2),
        "geometric": lambda: (1 / a[0], (1 - a[0]) / a[0] ** 2),
        "laplace": lambda: (a[0], 2 * a[1] ** 2),
        "logistic": lambda: (a[0], (math.pi * a[1]) ** 2 / 3),
        "negative_binomial": lambda: (a[0] * (1 - a[1]) / a[1], a[0] * (1 - a[1]) / a[1] ** 2),
        "rayleigh": lambda: (a[0] * math.sqrt(math.pi / 2), (2 - math.pi / 2) * a[0] ** 2),
        "standard_gamma": lambda: (a[0], a[0]),
        "triangular": lambda: (
            sum(a) / 3,
            (a[0] ** 2 + a[1] ** 2 + a[2] ** 2 - a[0] * a[1] - a[0] * a[2] - a[1] * a[2]) / 18,
        ),
        "wald": lambda: (a[0], a[0] ** 3 / a[1]),
    }.get(name, lambda: None)()


@pytest.mark.parametrize(("name", "parameters"), [row[:2] for row in REAL + COUNTS])
def test_means_and_variances_are_those_of_the_distribution(name, parameters):
    known = moments(name, parameters)
    if known is None:
        return
    rng = Generator(SEED + 1, device=treadle.find_device(IDS[0]))
    drawn = getattr(rng, name)(*parameters, MANY).get().astype("f8")
    mean, variance = known
    fourth = ((drawn - mean) ** 4).mean()
    assert abs(drawn.mean() - mean) < 6 * math.sqrt(variance / MANY)
    assert abs(((drawn - mean) ** 2).mean() - variance) < 8 * math.sqrt(fourth / MANY)


def test_parameters_of_arrays_broadcast_and_draw_the_same(device):
    shapes = np.array([[0.5], [3.0]])
    scales = tnp.array([1.0, 2.0, 4.0])
    drawn = default_rng(5).gamma(shapes, scales)
    assert drawn.shape == (2, 3) and drawn.dtype == np.float64
    one = default_rng(5)
    expected = [[one.gamma(float(a), float(b)) for b in scales.get()] for a in shapes[:, 0]]
    assert np.array_equal(drawn.get(), expected)  # a block each
    counted = default_rng(6).binomial([10, 20], 0.5, size=(50, 2))
    assert counted.dtype == np.int64 and counted.shape == (50, 2)
    assert counted.get().max(0)[1] > 10 >= counted.get().max(0)[0]


def test_numbers_of_arrays_are_pythons_numbers_and_out_is_filled(device):
    rng, same = default_rng(7), default_rng(7)
    assert type(rng.gamma(2.0)) is float and type(rng.binomial(10, 0.5)) is np.int64
    assert rng.state.position == 2
    same.gamma(2.0), same.binomial(10, 0.5)
    out = tnp.zeros((2, 50), "f4")
    assert rng.weibull(2.0, out=out) is out
    assert np.array_equal(out.get(), same.weibull(2.0, (2, 50), "f4").get())
    assert rng.standard_gamma(2.0, 5, np.float32).dtype == np.float32
    assert rng.zipf(2.0, 5, "u4").dtype == np.uint32
    assert rng.hypergeometric(ngood=5, nbad=5, nsample=3, size=()).shape == ()
    with pytest.raises(TypeError):
        rng.gamma(2.0, dtype="i4")
    with pytest.raises(TypeError, match="misses its argument shape"):
        rng.gamma()


WRONG = [
    ("beta", (0, 1)),
    ("beta", (1, -2)),
    ("binomial", (-1, 0.5)),
    ("binomial", (10, 1.5)),
    ("chisquare", (0,)),
    ("f", (1, 0)),
    ("gamma", (-1,)),
    ("gamma", (1, float("nan"))),
    ("geometric", (0,)),
    ("gumbel", (0, -1)),
    ("hypergeometric", (10**9, 1, 1)),
    ("hypergeometric", (5, 5, 11)),
    ("laplace", (0, -1)),
    ("logistic", (0, -1)),
    ("logseries", (1,)),
    ("negative_binomial", (0, 0.5)),
    ("negative_binomial", (1, 0)),
    ("noncentral_chisquare", (1, -1)),
    ("noncentral_f", (1, 1, -1)),
    ("pareto", (0,)),
    ("power", (0,)),
    ("rayleigh", (-1,)),
    ("standard_gamma", (-1,)),
    ("standard_t", (0,)),
    ("triangular", (1, 0, 2)),
    ("triangular", (1, 1, 1)),
    ("vonmises", (0, -1)),
    ("wald", (0, 1)),
    ("weibull", (-1,)),
    ("zipf", (1,)),
]


@pytest.mark.parametrize(("name", "parameters"), WRONG)
def test_parameters_out_of_range_are_numpys_errors(name, parameters):
    rng = default_rng(1)
    before = rng.state
    with pytest.raises(ValueError, match=name):
        getattr(rng, name)(*parameters, size=3)
    assert rng.state == before
    if not (name, parameters) == ("gamma", (1, parameters[-1])):  # NumPy's gives NaN
        with pytest.raises(ValueError):
            getattr(np.random.default_rng(1), name)(*parameters, size=3)


def test_arrays_of_the_host_are_looked_at():
    rng = default_rng(1)
    for shapes in ([1.0, -1.0], np.array([2, -1]), (float("nan"), 1)):
        with pytest.raises(ValueError, match="shape is"):
            rng.gamma(shapes)
    assert rng.state.position == 0


def test_every_method_of_numpys_generator_is_there():
    theirs = {name for name in dir(np.random.Generator) if not name.startswith("_")}
    assert theirs - set(dir(Generator)) == {"bit_generator"}


def test_shares_of_dirichlet(device):
    rng = default_rng(11)
    alpha = np.array([0.5, 2.0, 5.0])
    shares = rng.dirichlet(alpha, (50, 200)).get()
    assert shares.shape == (50, 200, 3)
    assert np.allclose(shares.sum(-1), 1) and shares.min() >= 0
    assert np.allclose(shares.mean((0, 1)), alpha / alpha.sum(), atol=0.015)
    small = rng.dirichlet([1e-4, 1e-4], 1000).get()
    assert np.isfinite(small).all() and np.allclose(small.sum(1), 1)
    assert rng.dirichlet([1, 1, 1]).shape == (3,)
    for wrong in ([-1, 1], [0, 0], [[1, 2]], []):
        with pytest.raises(ValueError):
            rng.dirichlet(wrong)


def test_counts_of_multinomial(device):
    rng = default_rng(12)
    p = [0.1, 0.2, 0.0, 0.3, 0.4]
    counts = rng.multinomial(20, p, (30, 100)).get()
    assert counts.shape == (30, 100, 5) and counts.dtype == np.int64
    assert (counts.sum(-1) == 20).all() and (counts[..., 2] == 0).all()
    assert np.allclose(counts.mean((0, 1)), np.multiply(p, 20), atol=0.2)
    several = rng.multinomial([[10], [20]], tnp.array([[0.5, 0.5], [0.25, 0.75]])).get()
    assert several.shape == (2, 2, 2) and (several.sum(-1) == [[10], [20]]).all()
    assert rng.multinomial(5, [1.0]).get().tolist() == [5]
    assert rng.multinomial(7, [1, 0, 0]).get().tolist() == [7, 0, 0]
    for wrong in ((-1, p), (5, [0.9, 0.9, 0]), (5, [-0.1, 1.1]), (5, 0.5)):
        with pytest.raises(ValueError):
            rng.multinomial(*wrong)


def test_counts_of_multivariate_hypergeometric(device):
    rng = default_rng(13)
    colors = [16, 8, 4, 0, 12]
    counts = rng.multivariate_hypergeometric(colors, 10, 3000).get()
    assert counts.shape == (3000, 5) and (counts.sum(1) == 10).all()
    assert (counts <= colors).all() and counts.min() >= 0
    assert np.allclose(counts.mean(0), np.multiply(colors, 10 / 40), atol=0.15)
    assert rng.multivariate_hypergeometric([3, 2], 5, method="count").get().tolist() == [3, 2]
    for wrong in (([3, 2], 6), ([-1, 2], 1), ([3, 2], -1), ([10**9, 1], 1), ([2.5], 1)):
        with pytest.raises(ValueError):
            rng.multivariate_hypergeometric(*wrong)


def test_covariances_of_multivariate_normal(device):
    rng = default_rng(14)
    cov = np.array([[2.0, -0.5, 1.0], [-0.5, 1.0, 0.2], [1.0, 0.2, 3.0]])
    drawn = rng.multivariate_normal([1, 2, 3], cov, 20000).get()
    assert drawn.shape == (20000, 3)
    assert np.allclose(drawn.mean(0), [1, 2, 3], atol=0.08)
    assert np.allclose(np.cov(drawn.T), cov, atol=0.15)
    flat = rng.multivariate_normal([0, 0], [[1, 1], [1, 1]], 100).get()  # semidefinite
    assert np.allclose(flat[:, 0], flat[:, 1])
    wrong = [[1, 2], [2, 1]]
    with pytest.warns(RuntimeWarning, match="semidefinite"):
        rng.multivariate_normal([0, 0], wrong)
    with pytest.raises(ValueError, match="semidefinite"):
        rng.multivariate_normal([0, 0], wrong, check_valid="raise")
    assert rng.multivariate_normal([0, 0], wrong, check_valid="ignore").shape == (2,)
    with pytest.raises(ValueError):
        rng.multivariate_normal([0, 0, 0], wrong)


def test_orders_are_permutations(device):
    rng = default_rng(15)
    assert sorted(rng.permutation(1000).get()) == list(range(1000))
    assert rng.permutation(1000).get().tolist() != list(range(1000))
    x = np.arange(60).reshape(3, 20)
    columns = rng.permutation(tnp.array(x), axis=1).get()
    assert sorted(columns[0]) == list(range(20)) and (columns[1] - columns[0] == 20).all()
    rows = rng.permuted(tnp.array(x), axis=1).get()
    assert (np.sort(rows, 1) == x).all() and (rows[1] - rows[0] != 20).any()
    assert sorted(rng.permuted(x).get().ravel()) == list(range(60))
    out = tnp.zeros((3, 20), "i8")
    assert rng.permuted(x, axis=0, out=out) is out and (np.sort(out.get(), 0) == x).all()
    for target in (tnp.array(x), x.copy(), list(range(20))):
        assert rng.shuffle(target) is None
        values = target.get() if hasattr(target, "get") else np.asarray(target)
        assert (np.sort(values, 0) == np.sort(x if values.ndim == 2 else values, 0)).all()
    with pytest.raises(TypeError):
        rng.shuffle((1, 2))
    with pytest.raises(IndexError):
        rng.permutation(tnp.array(x), axis=2)
    # All orders of three come equally often.
    seen = np.zeros(27)
    np.add.at(seen, rng.permuted(np.tile([0, 1, 2], (6000, 1)), axis=1).get() @ [9, 3, 1], 1)
    seen = seen[seen > 0]
    assert len(seen) == 6 and abs(seen - 1000).max() < 6 * math.sqrt(1000)


def test_choices(device):
    rng = default_rng(16)
    assert type(rng.choice(5)) is np.int64 and rng.choice(5, 10).shape == (10,)
    assert rng.choice([2.5, 3.5], (4, 3)).get().min() >= 2.5
    assert sorted(rng.choice(10, 10, replace=False).get()) == list(range(10))
    p = np.array([0.5, 0.0, 0.2, 0.3])
    counts = np.bincount(rng.choice(4, 20000, p=p).get(), minlength=4)
    assert counts[1] == 0 and abs(counts - 20000 * p).max() < 6 * math.sqrt(20000 / 4)
    three = rng.choice(4, 3, replace=False, p=p).get()
    assert sorted(three) == [0, 2, 3]
    first = [int(rng.choice(4, 1, replace=False, p=p).get()[0]) for _ in range(300)]
    assert abs(first.count(0) - 150) < 6 * math.sqrt(75)
    x = tnp.array(np.arange(12).reshape(3, 4))
    assert rng.choice(x, 5, axis=1).shape == (3, 5) and rng.choice(x).shape == (4,)
    for arguments in (
        {"a": 0, "size": 1},
        {"a": 3, "size": 4, "replace": False},
        {"a": 2, "p": [0.5, 0.6]},
        {"a": 2, "p": [1.5, -0.5]},
        {"a": 2, "p": [1.0]},
        {"a": 3, "size": 2, "replace": False, "p": [1.0, 0, 0]},
    ):
        with pytest.raises(ValueError):
            rng.choice(**arguments)


def test_all_devices_draw_the_same_counts_and_orders():
    draws = []
    for name in IDS:
        rng = Generator(17, device=treadle.find_device(name))
        results = (
            rng.multinomial(1000, [0.3, 0.5, 0.2], 50),
            rng.multivariate_hypergeometric([100, 200, 300], 150, 50),
            rng.permutation(500),
            rng.choice(100, 40, replace=False),
            rng.vonmises([0.0, 1.0], 2.0, (50, 2)),
        )
        draws.append([x.get().tobytes() for x in results])
    assert all(own == draws[0] for own in draws)


@pytest.mark.parametrize(
    "name", ["beta", "binomial", "hypergeometric", "negative_binomial", "vonmises", "wald", "zipf"]
)
def test_draws_of_parameters_that_are_none_end(name):
    """Elements on devices are not looked at."""
    none = [float("nan"), -1.0, 0.0, 1.0, float("inf"), 1e308, -1e308]
    with treadle.find_device(IDS[0]):
        first, second = (tnp.array(x.ravel()) for x in np.meshgrid(none, none))
        more = {"zipf": (), "hypergeometric": (second, first)}.get(name, (second,))
        drawn = getattr(default_rng(3), name)(first, *more, dtype="f8").get()
    assert drawn.shape == (49,)
