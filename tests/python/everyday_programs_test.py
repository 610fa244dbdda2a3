# SPDX-License-Identifier: MIT
"""Programs as people write them with NumPy, run with treadle.numpy in its place."""

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

# PoCL takes a fifth of a second for each of some hundred kernels.
IDS = [d.id for d in treadle.devices() if d.traits.runs_kernels and not d.id.startswith("opencl")]
DRAWN = np.random.default_rng(0)
POINTS, LABELS = DRAWN.standard_normal((60, 4)), DRAWN.integers(0, 3, 60)
MATRIX, IMAGE = DRAWN.random((12, 12)), DRAWN.random((30, 32))
VECTOR, CELLS = DRAWN.standard_normal(12), (DRAWN.random((20, 20)) > 0.6).astype(int)


def k_means(xp, x):
    centres = x[:4].copy()
    for _ in range(10):
        nearest = ((x[:, None, :] - centres[None]) ** 2).sum(-1).argmin(1)
        centres = xp.stack([x[nearest == k].mean(0) for k in range(4)])
    return centres


def game_of_life(xp, cells):
    steps = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
    for _ in range(10):
        count = sum(xp.roll(xp.roll(cells, i, 0), j, 1) for i, j in steps)
        cells = ((count == 3) | ((cells == 1) & (count == 2))).astype(int)
    return cells


def mandelbrot(xp):
    y, x = xp.ogrid[-1.4:1.4:30j, -2:0.8:30j]
    c = x + 1j * y
    z, times = c, 20 + xp.zeros(c.shape, dtype=int)
    for i in range(20):
        z = z**2 + c
        diverges = z * xp.conj(z) > 4
        now = diverges & (times == 20)
        times[now] = i
        z[diverges] = 2
    return times


def heat(xp):
    u = xp.zeros((40, 40))
    u[0, :] = 100
    for _ in range(30):
        u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    return u


def wave(xp):
    x = xp.linspace(0, 1, 101)
    u = xp.exp(-100 * (x - 0.5) ** 2)
    before = u.copy()
    for _ in range(40):
        new = xp.empty_like(u)
        new[1:-1] = 2 * u[1:-1] - before[1:-1] + 0.5 * (u[2:] - 2 * u[1:-1] + u[:-2])
        new[0] = new[-1] = 0
        before, u = u, new
    return u


def principal_components(xp, x):
    x = x - x.mean(0)
    _, s, v = xp.linalg.svd(x, full_matrices=False)
    return s, abs(x @ v.T)[:3]


def logistic_regression(xp, x, y):
    w = xp.zeros(x.shape[1])
    for _ in range(30):
        p = 1 / (1 + xp.exp(-x @ w))
        w -= 0.1 * x.T @ (p - y) / len(y)
    return w


def two_layers(xp, x, labels):
    rng = np.random.default_rng(1)
    first = xp.asarray(rng.standard_normal((x.shape[1], 8)) * 0.1)
    second = xp.asarray(rng.standard_normal((8, 3)) * 0.1)
    wanted = xp.eye(3)[labels]
    for _ in range(10):
        hidden = xp.maximum(x @ first, 0)
        scores = hidden @ second
        e = xp.exp(scores - scores.max(axis=1, keepdims=True))
        p = e / e.sum(axis=1, keepdims=True)
        loss = -xp.log(p[xp.arange(len(labels)), labels]).mean()
        slope = (p - wanted) / len(labels)
        second -= 0.5 * hidden.T @ slope
        first -= 0.5 * x.T @ ((slope @ second.T) * (hidden > 0))
    return loss, first


def nearest_neighbours(xp, x, queries, labels):
    distance = xp.linalg.norm(x[None] - queries[:, None], axis=2)
    nearest = xp.argsort(distance, axis=1)[:, :5]
    return xp.array([xp.bincount(labels[row], minlength=3).argmax() for row in nearest])


def sieve(xp):
    prime = xp.ones(500, dtype=bool)
    prime[:2] = False
    for i in range(2, 23):
        if prime[i]:
            prime[i * i :: i] = False
    return xp.nonzero(prime)[0]


def bodies(xp, places):
    speeds = xp.zeros_like(places)
    for _ in range(5):
        d = places[None] - places[:, None]
        r = xp.sqrt((d**2).sum(-1) + 0.1)
        speeds += 0.01 * (d / r[..., None] ** 3).sum(1)
        places = places + 0.01 * speeds
    return places


def shortest_ways(xp, lengths):
    lengths = lengths.copy()
    for k in range(lengths.shape[0]):
        lengths = xp.minimum(lengths, lengths[:, k, None] + lengths[None, k, :])
    return lengths


def page_rank(xp, links):
    links = (links > 0.5).astype(float)
    links /= links.sum(0)
    rank = xp.full(len(links), 1 / len(links))
    while True:
        new = 0.85 * links @ rank + 0.15 / len(links)
        if xp.abs(new - rank).sum() < 1e-10:
            return new
        rank = new


def conjugate_gradients(xp, a, b):
    a = a @ a.T + 10 * xp.eye(len(a))
    x = xp.zeros_like(b)
    r = b - a @ x
    p, rs = r.copy(), r @ r
    for _ in range(50):
        q = a @ p
        alpha = rs / (p @ q)
        x += alpha * p
        r -= alpha * q
        new = r @ r
        if xp.sqrt(new) < 1e-10:
            break
        p = r + (new / rs) * p
        rs = new
    return x


def gram_schmidt(xp, a):
    q = xp.zeros_like(a)
    for i in range(a.shape[1]):
        v = a[:, i].copy()
        for j in range(i):
            v -= xp.dot(q[:, j], a[:, i]) * q[:, j]
        q[:, i] = v / xp.linalg.norm(v)
    return q


def kalman(xp, measured):
    x, p, out = xp.zeros(2), xp.eye(2), []
    f, h = xp.array([[1, 1], [0, 1.0]]), xp.array([[1.0, 0]])
    for m in measured[:10]:
        x, p = f @ x, f @ p @ f.T + 0.01 * xp.eye(2)
        gain = p @ h.T @ xp.linalg.inv(h @ p @ h.T + xp.array([[1.0]]))
        x = x + gain @ (m - h @ x)
        p = (xp.eye(2) - gain @ h) @ p
        out.append(x)
    return xp.array(out)


def bilinear(xp, image):
    y = xp.linspace(0, image.shape[0] - 1.001, 37)
    x = xp.linspace(0, image.shape[1] - 1.001, 41)
    y0, x0 = xp.floor(y).astype(int), xp.floor(x).astype(int)
    fy, fx = (y - y0)[:, None], (x - x0)[None]
    upper = image[xp.ix_(y0, x0)] * (1 - fx) + image[xp.ix_(y0, x0 + 1)] * fx
    lower = image[xp.ix_(y0 + 1, x0)] * (1 - fx) + image[xp.ix_(y0 + 1, x0 + 1)] * fx
    return upper * (1 - fy) + lower * fy


def equalise(xp, image):
    image = (image * 255).astype(xp.uint8)
    counts, _ = xp.histogram(image.flatten(), 256, [0, 256])
    summed = counts.cumsum()
    table = (summed - summed.min()) * 255 / (summed.max() - summed.min())
    return table.astype("uint8")[image]


def blur(xp, image):
    kernel = xp.exp(-(xp.arange(-3, 4) ** 2) / 2.0)
    kernel /= kernel.sum()
    rows = xp.stack([xp.convolve(row, kernel, "same") for row in image[:6]])
    return xp.stack([xp.convolve(column, kernel, "same") for column in rows.T[:6]])


def autocorrelation(xp, x):
    x = x - x.mean()
    f = xp.fft.fft(x, 2 * len(x))
    a = xp.fft.ifft(f * xp.conj(f)).real[: len(x)]
    return a / a[0]


def moving_average(xp, x):
    c = xp.cumsum(xp.insert(x, 0, 0))
    return (c[5:] - c[:-5]) / 5, xp.convolve(x, xp.ones(5) / 5, mode="valid")


def run_lengths(xp, x):
    x = (x > 0).astype(int)
    starts = xp.concatenate(([0], xp.flatnonzero(xp.diff(x)) + 1))
    return x[starts], xp.diff(xp.append(starts, len(x)))


def groups(xp, keys, values):
    names, places = xp.unique(keys, return_inverse=True)
    sums = xp.zeros(len(names))
    xp.add.at(sums, places, values)
    return names, sums, xp.bincount(places, weights=values) / xp.bincount(places)


def one_hot(xp, labels):
    made = xp.zeros((labels.size, labels.max() + 1))
    made[xp.arange(labels.size), labels] = 1
    return made


def newton_fractal(xp):
    x = xp.linspace(-1, 1, 30)
    z = x[:, None] + 1j * x[None]
    for _ in range(15):
        z = z - (z**3 - 1) / (3 * z**2)
    return xp.round(xp.angle(z), 3)


def markov_chain(xp, a):
    return xp.linalg.matrix_power(a / a.sum(axis=1, keepdims=True), 20)[0]


def fit(xp, x):
    coefficients = xp.polyfit(x, 3 * x**2 - x + 1, 2)
    return coefficients, xp.polyval(coefficients, x), xp.corrcoef(x, x**2)


def texts(xp, x):
    words = str(xp.round(x[:3], 2)), repr(x[:2]), f"{float(x[0]):.3f}", f"{x[1]:g}"
    return [xp.array([ord(letter) for letter in word]) for word in words]


PROGRAMS = [
    (k_means, POINTS), (game_of_life, CELLS), (mandelbrot,), (heat,), (wave,),
    (principal_components, POINTS), (logistic_regression, POINTS, (LABELS > 0) * 1.0),
    (two_layers, POINTS, LABELS), (nearest_neighbours, POINTS, POINTS[:7] + 0.1, LABELS),
    (sieve,), (bodies, POINTS[:20, :3]), (shortest_ways, MATRIX), (page_rank, MATRIX),
    (conjugate_gradients, MATRIX, VECTOR), (gram_schmidt, MATRIX), (kalman, POINTS[:, 2]),
    (bilinear, IMAGE), (equalise, IMAGE), (blur, IMAGE), (autocorrelation, POINTS[:, 1]),
    (moving_average, POINTS[:, 0]), (run_lengths, POINTS[:, 3]), (groups, LABELS, POINTS[:, 0]),
    (one_hot, LABELS), (newton_fractal,), (markov_chain, MATRIX), (fit, POINTS[:, 0]),
    (texts, POINTS[:, 0]),
]  # fmt: skip


@pytest.mark.parametrize("device", IDS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program[0].__name__)
def test_a_program_gives_what_it_gives_with_numpy(program, device):
    function, *arguments = program
    expected = function(np, *arguments)
    with treadle.find_device(device):
        found = function(tnp, *(tnp.asarray(each) for each in arguments))
        if not isinstance(expected, tuple | list):
            expected, found = [expected], [found]
        assert len(found) == len(expected)
        for ours, theirs in zip(found, expected, strict=True):
            assert (ours.shape, ours.dtype) == (np.shape(theirs), np.asarray(theirs).dtype)
            np.testing.assert_allclose(ours.get(), theirs, 1e-6, 1e-8)
