# SPDX-License-Identifier: MIT
"""The functions of device_functions/math.txt on zeros, infinities, denormal and huge numbers and on
what is no number: the kind and sign of each result, and its value where it is an ordinary one."""

import itertools

import device_functions
import numpy as np
import pytest
import special_references
from math_references import REFERENCES

MATH = device_functions.family("math")
FLOATING = {"float", "double"}
# Finite values are those of device_functions_test; here only their kind.
OSCILLATING = {"j0", "j1", "jn", "y0", "y1", "yn"}
OF_EITHER_ZERO = {"fmax", "fmin", "max", "min", "cospi", "sincospi", "normcdfinv"}
# C leaves open what integer becomes of a number that does not fit.
UNDEFINED_BEYOND = {"lrint", "llrint", "lround", "llround", "rint", "round"}
NOT_ASKED = {"norm", "rnorm", "nan"}
# Where an H200 answers otherwise than C says: docs/cuda-without-a-gpu.md.
OWN_ANSWERS_OF_A_GPU = {
    "hypot": lambda x, y: max(abs(x), abs(y)) == np.finfo(x.dtype).max,
    "jn": lambda n, x: n == 2 and abs(x) < 2 * np.finfo(x.dtype).tiny,
    "lgamma": lambda x: x == -2.5,
}


def base_name(function):
    known = {*REFERENCES, *special_references.DOCUMENTED, "erf", "modf", "frexp", "jn", "logb"}
    known |= NOT_ASKED | {"sincos", "sincospi", "remquo", "ldexp", "scalbn", "scalbln", "ilogb"}
    known |= UNDEFINED_BEYOND | {"abs", "labs", "llabs", "nextafter"}
    return function.name if function.name in known else function.name[:-1]


def floating(function):
    return {device_functions.value_type(kind) for kind in function.inputs} & FLOATING


ASKED = [k for k, f in enumerate(MATH) if floating(f) and base_name(f) not in NOT_ASKED]


def special_numbers(kind, count):
    info = np.finfo(device_functions.DTYPES[kind])
    numbers = [0.0, np.inf, np.nan, info.smallest_subnormal, info.tiny / 4, info.max, 1.0, 0.5]
    numbers += [2.0, 3.0, 1.5, 2.5, 1e5, 1e22 if kind == "double" else 1e10, info.tiny, 37.0]
    return np.array([s * x for x in numbers[:count] for s in (1, -1)], info.dtype)


def arguments_of(function):
    """Every special number meets every other."""
    kinds = [device_functions.value_type(kind) for kind in function.inputs]
    many = {1: 16, 2: 16, 3: 6, 4: 3}[len(kinds)]
    columns = []
    for kind in kinds:
        if kind in FLOATING:
            columns.append(special_numbers(kind, many))
        else:
            columns.append(np.array([0, 1, -1, 2, 5000, -5000], device_functions.DTYPES[kind]))
    if base_name(function) in ("jn", "yn"):
        columns[0] = np.array([0, 1, 2], np.int32)
    rows = list(itertools.product(*columns))
    return [np.array([row[k] for row in rows], c.dtype) for k, c in enumerate(columns)]


def expected(function, arguments):
    """A list of results for each element, each a number or None for any."""
    name = base_name(function)
    single = all(kind != "double" for kind in function.inputs)
    kinds = [device_functions.value_type(kind) for kind in function.inputs]
    if not single:
        kinds = ["double" if kind == "float" else kind for kind in kinds]
    if name in ("sincos", "sincospi"):
        pair = ("sin", "cos") if name == "sincos" else ("sinpi", "cospi")
        computed = [reference(part, single, kinds, kinds[0]) for part in pair]
        return [[f(*row) for f in computed] for row in zip(*arguments, strict=True)]
    if name in ("modf", "frexp", "remquo"):
        return [parts_of(name, *row) for row in zip(*arguments, strict=True)]
    compute = reference(name, single, kinds, function.result)
    return [[compute(*row)] for row in zip(*arguments, strict=True)]


def reference(name, single, kinds, result):
    name = {"abs": "fabs", "rint": "rint", "round": "round"}.get(name, name)
    if name in special_references.DOCUMENTED:
        documented = special_references.DOCUMENTED[name]
        return lambda *row: documented(*[float(v) if k in FLOATING else int(v)
                                         for v, k in zip(row, kinds, strict=True)])  # fmt: skip
    return special_references.from_libm(name, single, kinds, result)


def parts_of(name, *row):
    x = float(row[0])
    if name == "frexp":
        return [np.frexp(row[0])[0], None]
    if name == "remquo":
        return [special_references.LIBM_REMAINDER(*map(float, row)), None]
    return [np.copysign(0.0, x), x] if np.isinf(x) else list(np.modf(row[0]))


def agree(result, reference, function, spacing):
    if reference is None:
        return True
    name = base_name(function)
    if np.isnan(reference) or np.isinf(reference) or np.isnan(result) or np.isinf(result):
        return np.array_equal(result, type(result)(reference), equal_nan=True)
    if name in OSCILLATING:
        return True
    if result == 0 and reference == 0 and name not in OF_EITHER_ZERO:
        return bool(np.signbit(result) == np.signbit(reference))
    ulp = max(REFERENCES[name].ulp if name in REFERENCES else 4, 4)
    return abs(np.longdouble(result) - np.longdouble(reference)) <= ulp * spacing


@pytest.mark.parametrize("number", ASKED, ids=lambda k: MATH[k].text)
def test_special_numbers(machine, number):
    function = MATH[number]
    arguments = arguments_of(function)
    results = [
        np.zeros(len(arguments[0]), device_functions.DTYPES[kind]) for kind in function.results
    ]
    machine.run("math", number, arguments, results)
    wrong = []
    with np.errstate(all="ignore"):
        for i, row in enumerate(expected(function, arguments)):
            own = machine.is_gpu and OWN_ANSWERS_OF_A_GPU.get(base_name(function))
            if own and own(*[a[i] for a in arguments]):
                continue
            for result, exact in zip([r[i] for r in results], row, strict=True):
                is_number = exact is not None and result.dtype.kind == "f"
                spacing = np.spacing(abs(result.dtype.type(exact))) if is_number else 0
                if result.dtype.kind != "f" and base_name(function) in UNDEFINED_BEYOND:
                    limit = 2.0 ** (8 * result.itemsize - 1)
                    if not abs(float(arguments[0][i])) < limit - 1:
                        continue
                if not agree(result, exact, function, spacing):
                    wrong.append(([a[i] for a in arguments], result, exact))
    assert not wrong, (len(wrong), wrong[:6])
