# SPDX-License-Identifier: MIT
"""Everyday lines of arrays, in NumPy's words: what they compute of which inputs.

A line is an expression, or a statement that changes `t` (float32), `v` (int32) or `p` (uint8). The
letters are arrays of the same number of elements, made by `inputs()`.
"""

import numpy as np

LINES = {
    "arithmetic": """
        x + y
        5*x + 6*y
        0.5*(x + y)**2
        x*y - x/(y + 2)
        x**2
        x**3
        (x + 1)**0.5
        1/(x + 2)
        -x
        xp.abs(x)
        xp.sqrt(x + 1)
        xp.sin(x)*y + x*x
        xp.exp(-x*x)
        xp.tanh(x)
        xp.log(x + 2)
        xp.sign(x)
        xp.floor(8*x)
        xp.rint(8*x)
        xp.round(8*x, 1)
        xp.reciprocal(x + 2)
        xp.square(x) + xp.square(y)
        xp.hypot(x, y)
        d + e
        d*e + 2*d
        d**2
        xp.sqrt(d + 1)
        xp.sin(d)
        h + g
        h*g + 1
    """,
    "integers": """
        k + l
        k*3 - l
        k//7
        k%7
        k//l
        k%l
        xp.divmod(k, 16)[0]
        q + 1
        q//1000
        q%1000
        q*q
        s + s
        s//3
        b + b
        -b
        u + u
        u*2
        u//3
        u%10
        k & 255
        k ^ l
        k << 2
        k >> 1
        ~k
        xp.abs(k)
        xp.minimum(k, l)
        w//10
        w%10
    """,
    "mixed dtypes": """
        x + d
        x + k
        k*0.5
        u*0.5
        u/255
        k + q
        u + s
        x*xp.float32(2) + u
        h + x
        a & b8 | ~a
    """,
    "casts": """
        k.astype(xp.float32)
        q.astype(xp.float64)
        x.astype(xp.int32)
        d.astype(xp.float32)
        x.astype(xp.float64)
        x.astype(xp.float16)
        h.astype(xp.float32)
        u.astype(xp.float32)
        xp.clip(255*x, 0, 255).astype(xp.uint8)
        a.astype(xp.float32)
        k.astype(xp.int8)
        x != 0
    """,
    "comparisons": """
        x > y
        k == l
        (x > 0) & (y > 0)
        xp.where(x > y, x, y)
        xp.where(a, x, 0)
        xp.minimum(y, 0)
        xp.maximum(x, y)
        xp.fmax(x, y)
        xp.clip(x, -0.5, 0.5)
        xp.clip(u, 10, 100)
        xp.isnan(x)
        xp.isfinite(x)
        xp.nan_to_num(x)
        xp.isclose(x, y)
        xp.logical_not(a)
    """,
    "reductions": """
        x.sum()
        d.sum()
        k.sum()
        u.sum()
        h.sum()
        x.mean()
        x.std()
        x.var()
        x.max()
        x.min()
        x.argmax()
        d.argmin()
        k.argmax()
        u.max()
        u.argmax()
        (x > 3).any()
        (x < 3).all()
        a.sum()
        xp.count_nonzero(a)
        xp.count_nonzero(x > 0.25)
        xp.dot(x, z)
        xp.linalg.norm(x)
        (x*y).sum()
        xp.abs(x - y).max()
        xp.allclose(x, x)
        xp.prod(x)
        xp.ptp(x)
    """,
    "along an axis": """
        M.sum(axis=0)
        M.sum(axis=1)
        M.mean(axis=1)
        M.max(axis=0)
        M.max(axis=1)
        M.argmax(axis=0)
        M.argmax(axis=1)
        M.argmin(axis=1)
        M.std(axis=0)
        M.var(axis=1)
        (M > 0).any(axis=1)
        (M > 0).sum(axis=0)
        M - M.mean(axis=0)
        M - M.mean(axis=1, keepdims=True)
        (M - M.mean(axis=0))/M.std(axis=0)
        M/xp.abs(M).sum(axis=1, keepdims=True)
        B.sum(axis=1)
        B.sum(axis=(0, 2))
        I.mean(axis=2)
        I.sum(axis=(0, 1))
        x.cumsum()
        k.cumsum()
        M.cumsum(axis=1)
        M.cumsum(axis=0)
    """,
    "views": """
        M.T + 0
        M + M.T
        xp.ascontiguousarray(M.T)
        x[::2] + y[::2]
        x[::-1] + y
        x[::-1]*1
        M[1:-1, 1:-1] + M[2:, 1:-1] + M[:-2, 1:-1]
        M + r
        M*r[:, None]
        r[:, None]*r
        I[..., 0] + 0
        I[:, ::-1].copy()
        I[::2, ::2].copy()
        B.transpose(2, 0, 1).copy()
        x[1:] - x[:-1]
        xp.diff(x)
        xp.broadcast_to(r, M.shape).copy()
        xp.flip(M, 1).copy()
        xp.roll(x, 5)
    """,
    "moving": """
        x.copy()
        xp.concatenate([x, y])
        xp.concatenate([M, M], axis=1)
        xp.stack([x, y])
        xp.stack([x, y], axis=1)
        xp.repeat(x, 2)
        xp.repeat(M, 2, axis=0)
        xp.tile(x, 2)
        xp.take(x, j)
        x[j]
        M[i]
        xp.take(M, i, axis=1)
        xp.pad(M, 1)
        xp.outer(r, r)
        xp.tril(M)
        xp.diag(r)
    """,
    "new arrays": """
        xp.zeros(n, xp.float32)
        xp.ones(n, xp.float32)
        xp.full(n, 3, xp.int32)
        xp.zeros((n//4, 4), xp.uint8)
        xp.zeros_like(x)
        xp.arange(n)
        xp.arange(n, dtype=xp.float32)
        xp.linspace(0, 1, n)
        xp.eye(2048, dtype=xp.float32)
    """,
    "complex": """
        c + c
        c*c
        c/(c + 3)
        xp.abs(c)
        c.real + c.imag
        xp.conj(c)
        xp.exp(c)
        c.sum()
        xp.angle(c)
        x + 1j*y
        c.real**2 + c.imag**2
    """,
    "in place": """
        t += x
        t *= 0.5
        t -= t.mean()
        t[...] = x
        t[::2] = 1
        t[x > 0.25] = 0
        t[100:-100] += y[100:-100]
        v //= 3
        v &= 1023
        p += 1
        p[...] = 255 - u
        xp.add(x, y, out=t)
        xp.sqrt(z, out=t)
        xp.multiply(x, 2, out=t)
        t[j] = x[j]
        t.fill(7)
        M2[:, 0] = 1
        M2[...] = M.T
        M2 += r
        M2 -= M2.mean(axis=1, keepdims=True)
    """,
}

# What may differ, relative to the largest element. NumPy adds up one after the other in scans.
TOLERANCE = {"f2": 4e-3, "f4": 1e-5, "c8": 1e-5}
LOOSE = ("x.cumsum()", "M.cumsum", "h.sum()", "x.sum()", "xp.dot", "x.mean()")


def lines():
    """[(group, line), ...]"""
    return [
        (group, line.strip()) for group, text in LINES.items() for line in text.strip().split("\n")
    ]


def inputs(log2):
    """Arrays of 2^log2 elements (`M` a square of them, `I` an image of that many bytes)."""
    n, draw = 1 << log2, np.random.default_rng(5)
    side = 1 << log2 // 2
    x, y = (draw.random(n, "f4") - np.float32(0.5) for _ in range(2))
    k, l = (draw.integers(1, 1 << 20, n, "i4") for _ in range(2))  # noqa: E741 - as lines say it
    x[n * 2 // 3] = 2
    u = draw.integers(0, 256, n, "u1")
    made = {
        "x": x, "y": y, "z": np.abs(x), "d": x.astype("f8"), "e": y.astype("f8"),
        "h": x.astype("f2"), "g": y.astype("f2"), "k": k, "l": l, "q": k.astype("i8") * 4099,
        "s": k.astype("i2"), "b": k.astype("i1"), "u": u, "w": k.astype("u4"),
        "a": x > 0, "b8": y > 0, "c": x + 1j * y,
        "j": draw.integers(0, n, n, "i4"), "i": draw.integers(0, side, side, "i4"),
        "r": y[:side].copy(), "M": x.reshape(n // side, side), "B": x.reshape(64, -1, 64),
        "I": u[: n // 12 * 12].reshape(-1, 4, 3) if n < 1 << 12 else image(u),
        "t": x.copy(), "v": k.copy(), "p": u.copy(), "M2": x.reshape(n // side, side).copy(),
    }  # fmt: skip
    assert made["c"].dtype == np.complex64
    return made


def image(u):
    width = 1024
    return u[: len(u) // (3 * width) * 3 * width].reshape(-1, width, 3)


def compiled(line, names):
    """A function that runs the line with these names; it returns what the line makes or changes."""
    try:
        text = f"def run():\n    return {line}\n"
        compile(text, line, "exec")
    except SyntaxError:
        changed = line.split("[")[0].split(" ")[0].split(".")[0]
        declared = f"    global {changed}\n" if line.split(" ")[1].endswith("=") else ""
        text = f"def run():\n{declared}    {line}\n    return {changed}\n"
    space = dict(names)
    exec(compile(text, line, "exec"), space)
    return space["run"]


def is_changing(line):
    """Whether each run begins with what the one before has left."""
    words = line.split(" ")
    return len(words) > 1 and words[1].endswith("=") and words[1] not in ("=", "==", "!=", "<=")


def is_close(line, result, expected):
    """Whether two results are one but for rounding."""
    result, expected = np.asarray(result), np.asarray(expected)
    if result.shape != expected.shape or result.dtype.kind != expected.dtype.kind:
        return False
    step = max(1, expected.size >> 20) | 1
    result, expected = result.ravel()[::step], expected.ravel()[::step]
    if expected.dtype.kind not in "fc":
        return bool(np.mean(result != expected) < 1e-5)
    tolerance = TOLERANCE.get(expected.dtype.str[1:], 1e-9)
    tolerance *= 100 if line.startswith(LOOSE) else 1
    largest = np.max(np.abs(expected), initial=0)
    return bool(np.max(np.abs(result - expected), initial=0) <= tolerance * largest)
