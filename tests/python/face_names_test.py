# SPDX-License-Identifier: MIT
"""Every name of the faces' modules of arrays is there, with the parameters that programs rely on;
what it does, the modules' own tests say."""

import importlib
import inspect
import itertools
import re
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from face_names import PYCUDA, PYOPENCL, SKCUDA  # noqa: E402

MODULES = [
    pytest.param(f"{face}.{module}", text, id=f"{face}.{module}")
    for face, table in (("pycuda", PYCUDA), ("pyopencl", PYOPENCL), ("skcuda", SKCUDA))
    for module, text in table.items()
]


def entries(text):
    """(name, its parameters or None); further lines of an entry are indented, and [a b](x) says
    the same of both."""
    for entry in text.replace("\n    ", " ").strip().split("\n"):
        head, bracket, parameters = entry.partition("(")
        for name in head.strip("[]").split():
            yield name, parameters.removesuffix(")") if bracket else None


def found(module, name):
    thing = importlib.import_module(module)
    for part in name.split("."):
        thing = getattr(thing, part)
    return thing


def written(parameter):
    prefix = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    if parameter.default is parameter.empty:
        return prefix + parameter.name
    default = parameter.default
    return f"{parameter.name}={getattr(default, '__name__', None) or repr(default)}"


def differs(module, name, expected):
    """How a call differs from what is expected; more parameters may follow those."""
    ours = [written(p) for p in inspect.signature(found(module, name)).parameters.values()]
    head = ", ".join(ours[: len(expected.split(", "))])
    further = [p for p in ours[len(expected.split(", ")) :] if "=" not in p and p[0] != "*"]
    if expected and head != expected or further:
        return f"{name}: {', '.join(ours)}; expected: {expected}"
    return None


@pytest.mark.parametrize(("module", "text"), MODULES)
def test_every_name_is_there_with_its_parameters(module, text):
    wrong = []
    for name, parameters in entries(text):
        try:
            found(module, name)
        except AttributeError as error:
            wrong.append(f"{name}: {error}")
        else:
            wrong.append(differs(module, name, parameters) if parameters is not None else None)
    assert not list(filter(None, wrong))


@pytest.mark.parametrize("module", SKCUDA)
def test_every_function_of_skcuda_is_called_by_a_test(module):
    texts = "".join(path.read_text() for path in Path(__file__).parent.glob("skcuda*_test.py"))
    names = {name.split(".")[-1] for name, parameters in entries(SKCUDA[module]) if parameters}
    # The letter of a type may be put in.
    called = set(re.findall(r"(?<=[.\"'])\w+", texts.replace("{letter}", "S")))
    called |= {name.replace("XtS", f"Xt{letter}") for name in called for letter in "DCZ"}
    assert names - called == set()


SCALARS = "char uchar short ushort int uint long ulong float double".split()


@pytest.mark.parametrize(("base", "count"), list(itertools.product(SCALARS, (2, 3, 4, 8, 16))))
def test_every_vector_type_is_made_in_each_way(base, count):
    import pyopencl.cltypes as cltypes
    from pyopencl.tools import dtype_to_ctype

    name, scalar = f"{base}{count}", np.dtype(getattr(cltypes, base))
    dtype = getattr(cltypes, name)
    assert dtype.itemsize == scalar.itemsize * (4 if count == 3 else count)
    numbers = list(range(1, count + 1))
    for way, arguments, expected in (
        ("make_", numbers, numbers),
        ("filled_", [7], [7] * count),
        ("zeros_", [], [0] * count),
        ("ones_", [], [1] * count),
    ):
        vector = getattr(cltypes, way + name)(*arguments)
        assert vector.dtype == dtype and vector.shape == ()
        assert [vector[f"s{i}"] for i in range(count)] == expected
    assert cltypes.vec_types[scalar, count] == dtype
    assert cltypes.vec_type_to_scalar_and_count[dtype] == (scalar, count)
    assert dtype_to_ctype(dtype) == name
