# SPDX-License-Identifier: MIT
"""Functions of treadle.numpy with dtypes and arguments that are drawn, and programs of statements:
dtype, shape, values and the class of errors are NumPy's.

TREADLE_RANDOM_CASES=100000 draws as many (an hour), TREADLE_RANDOM_SEED=7 others.
"""

import builtins
import contextlib
import os
import warnings

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from tests.python import known_differences, random_statements, undefined_in_numpy
from treadle._core import rules

CASES = int(os.environ.get("TREADLE_RANDOM_CASES", "60"))
SEED = int(os.environ.get("TREADLE_RANDOM_SEED", "30"))
DTYPES = "?bBhHiIqQefdFD"
NUMBERS = [0, 1, -1, 2, 3, 7, 200, 300, -129, 2**31, 2**40, -(2**63), 2**64 - 1, True, 0.0, 0.5,
           -2.5, 1e10, float("inf"), float("nan"), 2j, 1 + 0j]  # fmt: skip
SHAPES = [(), (0,), (1,), (5,), (2, 3), (3, 1), (1, 3), (2, 3, 2)]
REFUSALS = (
    TypeError,
    ValueError,
    IndexError,
    OverflowError,
    ZeroDivisionError,
    NotImplementedError,
    AttributeError,
)

ARITY = dict(rules._operations())
OPERATIONS = sorted(
    name
    for name in tnp.__all__
    if ARITY.get(getattr(getattr(tnp, name), "__name__", ""), 0) and hasattr(np, name)
)
REDUCTIONS = ["all", "any", "argmax", "argmin", "average", "count_nonzero", "cumprod", "cumsum",
              "max", "mean", "median", "min", "nanargmax", "nanargmin", "nanmax", "nanmean",
              "nanmedian", "nanmin", "nanprod", "nanstd", "nansum", "nanvar", "prod", "ptp", "std",
              "sum", "var"]  # fmt: skip
SHAPERS = """
    atleast_1d atleast_2d atleast_3d copy diag diagonal diff expand_dims flip fliplr flipud hsplit
    iscomplex isneginf isposinf isreal matrix_transpose fix nan_to_num ones_like ravel real imag
    rot90 round sinc squeeze trace transpose trapezoid tril triu unstack vsplit zeros_like angle
    deg2rad rad2deg degrees radians iscomplexobj frexp modf dsplit hstack vstack
""".split()


def draw_array(rng, dtype=None):
    dtype = np.dtype(dtype or str(rng.choice(list(DTYPES))))
    shape = SHAPES[rng.integers(len(SHAPES))]
    values = rng.integers(-3, 9, shape) if rng.random() < 0.8 else rng.integers(-200, 300, shape)
    if dtype.kind in "fc":
        values = values / rng.choice([1, 2, 4])
        if dtype.kind == "c":
            values = values + 1j * rng.integers(-3, 4, shape)
        if rng.random() < 0.2 and np.size(values):
            values = np.where(
                rng.random(shape) < 0.3, rng.choice([np.nan, np.inf, -np.inf]), values
            )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(values).astype(dtype)


def draw_operand(rng, beside):
    """An array that broadcasts, a number of Python or NumPy, or a list."""
    kind = rng.random()
    if kind < 0.35:
        other = draw_array(rng)
        while other.shape not in ((), (1,), beside.shape):
            other = draw_array(rng)
        return other
    number = NUMBERS[rng.integers(len(NUMBERS))]
    if kind < 0.75:
        return number
    if kind < 0.9:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return np.dtype(str(rng.choice(list(DTYPES)))).type(number)
            except (OverflowError, TypeError, ValueError):
                return np.float64(2)
    return beside.tolist() if beside.ndim else [1, 2.5]


def draw_call(rng):
    """A text, and the function of a namespace and of what makes arrays."""
    x = draw_array(rng)
    listed = rng.random() < 0.15
    kind = rng.random()
    if kind < 0.5:
        name = str(rng.choice(OPERATIONS))
        arity = ARITY[getattr(tnp, name).__name__]
        operands = [x] + [draw_operand(rng, x) for _ in range(arity - 1)]
        if arity > 1 and rng.random() < 0.3:
            operands = operands[::-1]
        if name == "ldexp" or name == "where":
            operands = [x, x, *operands][:arity] if name == "ldexp" else operands
        return name, operands, {}
    if kind < 0.75:
        name = str(rng.choice(REDUCTIONS))
        options = {}
        if rng.random() < 0.6:
            options["axis"] = int(rng.integers(-2, 2))
        if rng.random() < 0.3 and name not in ("cumsum", "cumprod", "average"):
            options["keepdims"] = True
        if rng.random() < 0.3 and name in ("sum", "prod", "mean", "cumsum", "cumprod", "std"):
            options["dtype"] = str(rng.choice(list(DTYPES)))
        if rng.random() < 0.3 and name in ("sum", "prod", "min", "max"):
            options["initial"] = NUMBERS[rng.integers(len(NUMBERS))]
        if name == "average":
            options["weights"] = draw_array(rng)
        return name, [x.tolist() if listed else x], options
    if kind < 0.9:
        name = str(rng.choice(SHAPERS))
        operands = [x.tolist() if listed else x]
        if name == "expand_dims":
            operands.append(int(rng.integers(-2, 2)))
        if name in ("hsplit", "vsplit", "dsplit"):
            operands.append(1)
        if name in ("hstack", "vstack"):
            operands = [[x, draw_array(rng)]]
        return name, operands, {}
    return draw_special(rng, x)


def draw_special(rng, x):
    name = str(rng.choice(["arange", "clip", "full", "full_like", "select", "linspace", "copyto",
                           "store", "float_power", "concatenate", "pow", "fill", "isin",
                           "take", "repeat", "tile", "roll", "pad", "quantile", "nanquantile",
                           "insert", "append", "dot", "isclose", "lexsort"]))  # fmt: skip
    number = lambda: NUMBERS[rng.integers(len(NUMBERS))]  # noqa: E731
    dtype = str(rng.choice(list(DTYPES)))
    if name == "arange":
        start = [0, 3, -5, 2**63 - 3, -(2**63), 2**64 - 4, 0.5, np.float16(2)][rng.integers(8)]
        step = [1, 2, -1, 0.25, 2**62, 0][rng.integers(6)]
        return (
            name,
            [start, int(start) + 3 * step, step, *([dtype] if rng.random() < 0.5 else [])],
            {},
        )
    if name == "clip":
        return name, [x, number(), [number(), None][rng.integers(2)]], {}
    if name == "full":
        return (
            name,
            [(2,), draw_operand(rng, np.zeros(2)), *([dtype] if rng.random() < 0.7 else [])],
            {},
        )
    if name == "full_like":
        return name, [x, number()], {}
    if name == "select":
        choices = [x, draw_operand(rng, x)][:: int(rng.choice([-1, 1]))]
        masks = [np.asarray(x > 1) if x.dtype.kind != "c" else x != 1, x == 0]
        return name, [masks, choices, number()], {}
    if name == "linspace":
        ends = [x, draw_operand(rng, x)] if rng.random() < 0.3 else [number(), number()]
        return name, [*ends[:: int(rng.choice([-1, 1]))], int(rng.integers(0, 5))], {}
    if name in ("quantile", "nanquantile"):
        q = [0, 1, 0.25, [0.5], [0, 1], [[0.3, 0.6]], 1.5][rng.integers(7)]
        method = str(rng.choice(["linear", "lower", "nearest", "midpoint", "hazen"]))
        return name, [x, q, [None, 0, -1][rng.integers(3)]], {"method": method}
    if name == "insert":
        return name, [x, [0, -1, [0, 0]][rng.integers(3)], draw_operand(rng, x)], {}
    if name in ("append", "dot", "isclose"):
        return name, [x, draw_operand(rng, x)], {}
    if name == "lexsort":
        return name, [[x, x > 1 if x.dtype.kind != "c" else x]], {}
    if name in ("copyto", "store", "fill", "float_power", "pow"):
        return name, [x, draw_operand(rng, x)], {}
    if name == "concatenate":
        return name, [[x, draw_array(rng)]], {}
    if name == "isin":
        return name, [x, draw_operand(rng, x)], {}
    if name == "take":
        return name, [x, [0, -1]], {}
    return name, [x, {"repeat": 2, "tile": 2, "roll": 1, "pad": 1}[name]], {}


def stored(module, x, value):
    x = module.asarray(x).copy()
    x[...] = value
    return x


def filled(module, x, value):
    x = module.asarray(x).copy()
    x.fill(value)
    return x


def copied(module, x, value):
    x = module.asarray(x).copy()
    module.copyto(x, value)
    return x


OWN = {"store": stored, "fill": filled, "copyto": copied}


def on_device(value):
    if isinstance(value, np.ndarray):
        return tnp.array(value)
    if isinstance(value, list) and builtins.any(isinstance(v, np.ndarray) for v in value):
        return [on_device(v) for v in value]
    return value


def on_host(value):
    if isinstance(value, treadle.Array):
        return value.get()
    if isinstance(value, (tuple, list)):
        return [on_host(v) for v in value]
    return value


def outcome(module, call):
    """What a call gives, or the class of its error."""
    name, operands, options = call
    if module is tnp:
        operands = [on_device(v) for v in operands]
        options = {key: on_device(v) for key, v in options.items()}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            if name in OWN:
                return on_host(OWN[name](module, *operands))
            return on_host(getattr(module, name)(*operands, **options))
        except REFUSALS as error:
            return error


def digits(dtype):
    return {"e": 4e-3, "f": 3e-6, "F": 1e-5}.get(np.dtype(dtype).char, 1e-12)


def difference(ours, theirs):
    """What is not the same, in words; nothing if all is."""
    if isinstance(theirs, Exception):
        if not isinstance(ours, Exception):
            return f"NumPy raises {theirs!r}"
        bases = [
            c for c in (TypeError, ValueError, IndexError, OverflowError) if isinstance(theirs, c)
        ]
        if bases and not isinstance(ours, (*bases, NotImplementedError)):
            return f"NumPy raises {theirs!r}"
        return ""
    if isinstance(ours, Exception):
        return "" if isinstance(ours, NotImplementedError) else f"NumPy gives {theirs!r}"
    if isinstance(theirs, (tuple, list)):
        if len(ours) != len(theirs):
            return "not as many results"
        return next((d for d in map(difference, ours, theirs) if d), "")
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if (ours.dtype, ours.shape) != (theirs.dtype, theirs.shape):
        return f"NumPy gives {theirs.dtype} of {theirs.shape}"
    with np.errstate(all="ignore"):
        wide = np.complex128 if theirs.dtype.kind == "c" else np.float64
        rtol = digits(theirs.dtype)
        equal = (
            (ours == theirs)
            if theirs.dtype.kind not in "fc"
            else np.isclose(ours.astype(wide), theirs.astype(wide), rtol, rtol, equal_nan=True)
        )
    return "" if np.all(equal) else f"NumPy gives {theirs!r}"


@pytest.fixture
def device():
    """One: which dtype and which error is decided before any device is asked."""
    ids = [d.id for d in treadle.devices() if d.traits.runs_kernels]
    with treadle.find_device(ids[0]) as found:
        yield found


def test_dtypes_values_and_errors_are_numpys(device):
    rng = np.random.default_rng(SEED)
    wrong = []
    for number in range(CASES):
        call = draw_call(rng)
        if not (hasattr(np, call[0]) and hasattr(tnp, call[0])) and call[0] not in OWN:
            continue
        theirs = outcome(np, call)
        if is_known(call, theirs) or undefined_in_numpy.call(*call):
            continue
        ours = outcome(tnp, call)
        if known_differences.is_refused_choice(call[0], ours):
            continue
        found = difference(ours, theirs)
        if found and (wide := known_differences.in_float32(*call)):
            found = difference(ours, rounded(outcome(np, wide)))
        if found:
            wrong.append(f"{number}: {text_of(call)} gives {ours!r}; {found}")
    assert not wrong, f"{len(wrong)} of {CASES}:\n" + "\n".join(wrong[:400])


def rounded(result):
    with np.errstate(all="ignore"):
        return result if isinstance(result, Exception) else np.asarray(result).astype(np.float16)


def outcome_of(statement, variables, namespace):
    """The variables after it, or the error that it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return random_statements.run(statement, variables, namespace)
        except REFUSALS as error:
            return error


def is_known_statement(statement, theirs, ours):
    if isinstance(ours, Exception) and isinstance(theirs, Exception):
        return True  # statements may have several mistakes, of which either is named
    if isinstance(theirs, AttributeError) or isinstance(ours, AttributeError):
        return True  # what there is not
    if known_differences.is_refused_choice(statement, ours):
        return True
    if "Integers to negative integer powers" in str(theirs):
        return True  # arrays of negative exponents give 0
    if isinstance(theirs, ZeroDivisionError):
        return True  # average() divides by the number of its results
    if isinstance(ours, Exception):
        return any(has_objects(value) for value in theirs.values())
    return "2**70" in statement and isinstance(theirs, TypeError)  # objects


def has_objects(value):
    return getattr(value, "dtype", np.dtype("?")).kind == "O"


def first_difference(program, looks):
    """The first statement of a program that does something else than in NumPy, and what; None. All
    is looked at after each statement, or at the end, where expressions wait until then."""
    theirs = {name: program.array() for name in "abc"}
    ours = {name: tnp.array(value) for name, value in theirs.items()}
    told = [f"{name} = {value.dtype.str}{value.shape}" for name, value in theirs.items()]
    steps = int(program.rng.integers(3, 14))
    for step in range(steps):
        statement = program.next(theirs)
        tells = (undefined_in_numpy, known_differences)
        if any(told_of.statement(statement, theirs) for told_of in tells):
            return first_wrong(ours, theirs, told)
        told.append(statement)
        # NumPy's numbers share memory with nothing.
        ours = {k: x[()] if isinstance(theirs[k], np.generic) else x for k, x in ours.items()}
        expected, found = outcome_of(statement, theirs, np), outcome_of(statement, ours, tnp)
        if isinstance(expected, Exception) or isinstance(found, Exception):
            if is_known_statement(statement, expected, found):
                return None
            wrong = difference(found, expected)
            return f"{'; '.join(told)} gives {found!r}; {wrong}" if wrong else None
        theirs, ours = expected, found
        if not looks and step < steps - 1:
            continue
        if wrong := first_wrong(ours, theirs, told):
            return wrong
        for name, value in theirs.items():
            keep_in_step(ours[name], value)
    return None


def first_wrong(ours, theirs, told):
    for name, value in theirs.items():
        if wrong := difference(on_host(ours[name]), value):
            return f"{'; '.join(told)}: {name} is {ours[name]!r}; {wrong}"
    return None


def keep_in_step(ours, theirs):
    """NumPy's own numbers, so that rounding does not add up."""
    if isinstance(theirs, np.ndarray | np.generic) and theirs.dtype.kind in "fc":
        if not np.array_equal(ours.get(), theirs, equal_nan=True):
            with contextlib.suppress(treadle.InvalidArgument):  # read-only
                ours[...] = theirs


@pytest.mark.parametrize("looks", [True, False], ids=["looked_at", "waiting"])
def test_programs_of_statements_do_what_they_do_in_numpy(device, looks):
    wrong = []
    for number in range(CASES // 2):
        program = random_statements.Statements(np.random.default_rng([SEED, number, looks]), looks)
        if found := first_difference(program, looks):
            wrong.append(f"{number}: {found}")
    assert not wrong, f"{len(wrong)} of {CASES // 2}:\n" + "\n".join(wrong[:100])


def is_known(call, theirs):
    """What differs on purpose, or where NumPy stumbles."""
    name, operands, _ = call
    if isinstance(theirs, AttributeError) or known_differences.call(*call):
        return True
    if name == "fill":  # that a sequence is no number is an error of its shape
        return isinstance(theirs, TypeError) and np.ndim(operands[1]) > 0
    if name in ("pow", "power"):  # arrays of negative exponents give 0
        return isinstance(theirs, ValueError | OverflowError)
    if name == "average":  # NaN where weights sum to 0, and ShapeError for a TypeError
        return isinstance(theirs, ZeroDivisionError | TypeError)
    if name in ("tril", "triu"):
        return isinstance(theirs, TypeError)
    return name == "arange" and getattr(theirs, "dtype", np.dtype("f")).kind == "O"


def text_of(call):
    name, operands, options = call

    def one(value):
        if isinstance(value, np.ndarray):
            return f"array({value.tolist()}, '{value.dtype.char}')"
        return repr(value)

    given = [*map(one, operands), *(f"{key}={one(value)}" for key, value in options.items())]
    return f"{name}({', '.join(given)})"
