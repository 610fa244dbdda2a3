# SPDX-License-Identifier: MIT
"""treadle.Array beside NumPy: the same programs, statement by statement, lazy and eager."""

import random

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import _core

ARRAY = _core.array  # what treadle.numpy is made of
IDS = [d.id for d in treadle.devices()]
DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"]
EXACT = ["add", "subtract", "multiply", "minimum", "maximum", "equal", "less", "greater_equal",
         "bitwise_and", "bitwise_xor", "left_shift", "floor_divide"]  # fmt: skip
EXACT_UNARY = [
    "negative",
    "absolute",
    "square",
    "sign",
    "invert",
    "isnan",
    "logical_not",
    "conjugate",
]


@pytest.fixture(params=IDS)
def device(request):
    with treadle.find_device(request.param) as device:
        yield device


@pytest.fixture(params=["lazy", "eager"])
def evaluation(request):
    before = ARRAY.set_lazy(request.param == "lazy")
    yield request.param
    ARRAY.set_lazy(before)


def assert_equal(ours, theirs, text=""):
    got = ours.get()
    assert got.dtype == theirs.dtype, text
    assert got.shape == theirs.shape, text
    np.testing.assert_array_equal(got, theirs, err_msg=text)


class Program:
    """Statements on pairs of arrays, ours and NumPy's, chosen by a seed."""

    def __init__(self, seed, device):
        self.random = random.Random(seed)
        self.pairs, self.lines = [], []
        self.streams = [device.default_stream(), device.make_stream()]
        self.double = treadle.ElementwiseKernel("a, *x", "x[i] = (x_t)(x[i] * a)")

    def run(self, length):
        self.make()
        statements = [self.make, self.view, self.unary, self.binary, self.binary, self.scalar]
        statements += [
            self.update,
            self.update,
            self.store,
            self.mask,
            self.choose,
            self.store_by_indices,
            self.forget,
            self.read,
        ]
        statements += [self.reduce, self.reduce, self.choose, self.store_by_indices]
        statements += [self.share, self.share, self.copy_in, self.let_out, self.write_by_kernel]
        for _ in range(length):
            with self.random.choice(self.streams):
                self.random.choice(statements)()
        for ours, theirs in self.pairs:
            assert_equal(ours, theirs, "\n".join(self.lines))

    def pick(self):
        return self.random.choice(self.pairs)

    def number(self):
        return self.random.choice([0, 1, 2, 3, -1, 0.5, 2.25, 1j])

    def make(self):
        extents = [1, 2, 3, 5] if self.random.random() < 0.9 else [0, 1, 2]
        shape = tuple(self.random.choice(extents) for _ in range(self.random.randint(0, 4)))
        dtype = np.dtype(self.random.choice(DTYPES))
        values = np.array(
            [self.random.randint(0, 9) for _ in range(int(np.prod(shape, dtype=int)))]
        )
        values = values.astype(dtype).reshape(shape)
        if self.random.random() < 0.3:
            values = np.asfortranarray(values)
        self.keep(f"make {shape} {dtype}", ARRAY.array(values), values.copy(order="K"))

    def keep(self, line, ours, theirs):
        self.lines.append(f"v{len(self.pairs)}: {line}")
        if np.asarray(theirs).size <= 2000:
            self.pairs.append((ours, np.asarray(theirs)))

    def both(self, line, on_ours, on_theirs):
        """Runs both; where NumPy refuses so must we."""
        self.lines.append(line)
        try:
            with np.errstate(all="ignore"):
                theirs = on_theirs()
        except (TypeError, ValueError, OverflowError, IndexError):
            with pytest.raises((TypeError, ValueError, OverflowError, IndexError)):
                on_ours()
            return
        ours = on_ours()
        if isinstance(theirs, list):
            made = list(zip(ours, theirs, strict=True))
            for pair in self.random.sample(made, len(made)):
                self.keep(line, *pair)
        elif theirs is not None:
            self.keep(line, ours, theirs)

    def index(self, shape):
        entries = []
        for extent in shape:
            kind = self.random.random()
            if kind < 0.2:
                entries.append(self.random.randrange(extent) if extent else slice(None))
            elif kind < 0.7:
                step = self.random.choice([1, 1, 2, -1, -2])
                ends = [None, *range(-extent - 1, extent + 2)]
                entries.append(slice(self.random.choice(ends), self.random.choice(ends), step))
            else:
                entries.append(slice(None))
        if self.random.random() < 0.2:
            entries.insert(self.random.randint(0, len(entries)), None)
        return tuple(entries)

    def view(self):
        ours, theirs = self.pick()
        if self.random.random() < 0.3:
            return self.keep("transpose", ours.T, theirs.T)
        if self.random.random() < 0.2:
            return self.keep("reshape", ours.reshape(-1), theirs.reshape(-1))
        index = self.index(theirs.shape)
        view = theirs[index]
        if isinstance(view, np.ndarray):
            self.keep(f"view {index}", ours[index], view)

    def unary(self):
        ours, theirs = self.pick()
        name = self.random.choice(EXACT_UNARY)
        if name in ("absolute", "sign") and theirs.dtype.kind == "c":
            return  # NumPy's last bit differs from machine to machine
        self.both(name, lambda: ARRAY.apply(name, ours), lambda: getattr(np, name)(theirs))

    def binary(self):
        (a, x), (b, y) = self.pick(), self.pick()
        name = self.random.choice(EXACT)
        if name == "floor_divide" and "f" in (x.dtype.kind + y.dtype.kind):
            return
        if name == "left_shift":
            if y.dtype.kind in "biu":
                b, y = b & 7, y & 7
        self.both(f"{name} {x.shape} {y.shape}", lambda: ARRAY.apply(name, a, b),
                  lambda: getattr(np, name)(x, y))  # fmt: skip

    def scalar(self):
        (a, x), number = self.pick(), self.number()
        name = self.random.choice(["add", "multiply", "subtract", "less", "not_equal"])
        self.both(f"{name} {number}", lambda: ARRAY.apply(name, a, number),
                  lambda: getattr(np, name)(x, number))  # fmt: skip

    @staticmethod
    def gives_nothing(values, axis):
        """Reductions of nothing to nothing, which NumPy refuses where they have no value."""
        return axis is not None and values.shape[axis] == 0 and values.shape.count(0) > 1

    def reduce(self):
        ours, theirs = self.pick()
        name = self.random.choice(["sum", "min", "max", "any", "all", "argmax"])
        axis = self.random.choice([None, *range(theirs.ndim)])
        keeps = self.random.random() < 0.5
        if name == "sum" and theirs.dtype.kind in "fc":
            return  # in another order
        if self.gives_nothing(theirs, axis):
            return
        self.both(f"{name} {theirs.shape} {axis} {keeps}",
                  lambda: getattr(ours, name)(axis, keepdims=keeps),
                  lambda: getattr(theirs, name)(axis, keepdims=keeps))  # fmt: skip

    def share(self):
        """A reduction, what is computed of it, and expressions of both with the elements: those of
        the reduction compute it, while what was recorded of it before waits."""
        ours, theirs = self.pick()
        name = self.random.choice(["min", "max", "sum"])
        if theirs.dtype.kind == "c" or (name == "sum" and theirs.dtype.kind == "f"):
            return
        axis = self.random.choice([None, *range(theirs.ndim)])
        keeps = self.random.random() < 0.5
        combine = self.random.choice(["add", "maximum"])
        late = self.random.random() < 0.5
        if self.gives_nothing(theirs, axis):
            return

        def results(x, apply):
            few = getattr(x, name)(axis, keepdims=keeps)
            doubled = apply("add", few, few)
            if late:  # first what keeps the reduction pending
                again = apply("subtract", doubled, few)
                return [few, apply(combine, x, few), again, apply(combine, x, doubled)]
            return [few, doubled, apply(combine, x, few), apply(combine, x, doubled)]

        self.both(f"share {name} {axis} {keeps} {combine} {late} of {theirs.shape} {theirs.dtype}",
                  lambda: results(ours, ARRAY.apply),
                  lambda: results(theirs, lambda op, *xs: getattr(np, op)(*xs)))  # fmt: skip

    def copy_in(self):
        """From the host, in the middle of what waits."""
        ours, theirs = self.pick()
        values = np.array(self.random.randint(0, 9), theirs.dtype) + np.zeros_like(theirs)
        self.lines.append(f"copy into {theirs.shape} {theirs.dtype}")
        theirs[...] = values
        ours[...] = values.astype(theirs.dtype)

    def let_out(self):
        """Whoever has the address may change the memory from now on, and does."""
        ours, theirs = self.pick()
        self.lines.append(f"let out {theirs.shape} {theirs.dtype}")
        buffer, _ = ARRAY.memory(ours)
        if theirs.size:
            assert buffer.raw
        waits = ARRAY.apply("equal", ours, ours)
        assert not waits.is_pending or theirs.size == 0

    def write_by_kernel(self):
        ours, theirs = self.pick()
        if theirs.dtype.kind in "?bc" or theirs.dtype == np.uint64:
            return  # one type, or another way to promote
        self.lines.append(f"kernel on {theirs.shape} {theirs.dtype}")
        with np.errstate(all="ignore"):
            theirs *= theirs.dtype.type(2)
        self.double(theirs.dtype.type(2), ours)

    def update(self):
        (a, x), (b, y) = self.pick(), self.pick()
        if x.ndim == 0:
            return  # of results `+=` makes another number: array_beside_numpy_test.py

        def ours():
            nonlocal a
            a += b

        def theirs():
            nonlocal x
            x += y

        before = x.copy()
        try:
            with np.errstate(all="ignore"):
                theirs()
        except (TypeError, ValueError):
            np.testing.assert_array_equal(x, before)
            with pytest.raises((TypeError, ValueError)):
                ours()
            return
        self.lines.append(f"update {x.shape} {x.dtype} += {y.shape} {y.dtype}")
        ours()

    def store(self):
        (a, x), (b, y) = self.pick(), self.pick()
        index = self.index(x.shape)
        self.lines.append(f"store {index} = {y.shape} {y.dtype} in {x.shape} {x.dtype}")
        if x.dtype.kind != "c" and y.dtype.kind == "c":
            return
        if x.dtype.kind in "biu" and y.dtype.kind == "f":
            return  # out of range: not the same everywhere
        if y.ndim and y.size == 1 and np.ndim(x[index]) == 0:
            return  # NumPy refuses it since 2.4
        try:
            with np.errstate(all="ignore"):
                x[index] = y
        except ValueError:
            with pytest.raises(ValueError):
                a[index] = b
            return
        a[index] = b

    def mask(self):
        (a, x), number = self.pick(), self.random.randint(0, 5)
        if x.ndim == 0 or x.dtype.kind == "c":
            return
        self.lines.append(f"mask {x.shape} {x.dtype}")
        chosen, theirs = a > 2, x > 2
        x[theirs] = number
        a[chosen] = number

    def indices(self, extent, count):
        """Of the host or of the device, of either sign, without repetition."""
        places = self.random.sample(range(extent), min(count, extent))
        chosen = np.array([p - extent * self.random.randint(0, 1) for p in places], "i8")
        return (chosen if self.random.random() < 0.5 else ARRAY.array(chosen)), chosen

    def choose(self):
        ours, theirs = self.pick()
        if theirs.ndim == 0:
            return
        axis = self.random.randrange(theirs.ndim)
        mine, places = self.indices(theirs.shape[axis], 3)
        before = (slice(None),) * axis
        line = f"choose {places} of axis {axis} of {theirs.shape}"
        self.keep(line, ours[(*before, mine)], theirs[(*before, places)])

    def store_by_indices(self):
        ours, theirs = self.pick()
        if theirs.ndim == 0 or theirs.dtype.kind == "c":
            return
        mine, places = self.indices(theirs.shape[0], 2)
        self.lines.append(f"store at {places} of {theirs.shape} {theirs.dtype}")
        ours[mine] = ours[:1]
        theirs[places] = theirs[:1].copy()

    def forget(self):
        if len(self.pairs) > 3:
            self.pairs.pop(self.random.randrange(len(self.pairs)))

    def read(self):
        ours, theirs = self.pick()
        assert_equal(ours, theirs, "\n".join(self.lines))


@pytest.mark.parametrize("seed", range(24))
def test_programs_of_statements_compute_what_numpy_does(device, evaluation, seed):
    if not device.traits.runs_kernels:
        pytest.skip("it computes nothing")
    Program(seed, device).run(25)


def test_integers_have_no_negative_integer_powers():
    x = tnp.asarray([1, 2, 3])
    for compute in (lambda: x**-1, lambda: tnp.power(x, -1), lambda: x.__ipow__(-1)):
        with pytest.raises(ValueError, match="negative integer powers"):
            compute()
    np.testing.assert_allclose((x**-1.0).get(), np.array([1, 2, 3]) ** -1.0, rtol=1e-15)
