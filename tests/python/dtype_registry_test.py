# SPDX-License-Identifier: MIT
"""compyte of both faces: names of dtypes in C, declarations read by them, strides of arrays."""

import importlib

import numpy as np
import pytest

FACES = ("pycuda", "pyopencl")
each_face = pytest.mark.parametrize("face", FACES)


@pytest.fixture
def dtypes(face):
    return importlib.import_module(f"{face}.compyte.dtypes")


@each_face
def test_a_registry_knows_what_it_is_told(dtypes):
    registry = dtypes.DTypeRegistry()
    assert registry.get_or_register_dtype(["number", "figure"], np.float32) == np.float32
    assert registry.dtype_to_ctype(np.float32) == "number"
    assert registry.dtype_to_name == {np.dtype(np.float32): "number"}
    assert registry.name_to_dtype == dict.fromkeys(["number", "figure"], np.dtype(np.float32))
    assert registry.get_or_register_dtype("figure") == np.float32
    assert registry.get_or_register_dtype(["number", "figure"]) == np.float32
    with pytest.raises(KeyError):
        registry.get_or_register_dtype("letter")
    registry.get_or_register_dtype("letter", np.uint8)
    with pytest.raises(RuntimeError, match="number.*letter"):
        registry.get_or_register_dtype(["number", "letter"])
    with pytest.raises(RuntimeError, match="'number' already stands for float32"):
        registry.get_or_register_dtype("number", np.int8)


@each_face
def test_equal_structures_are_one(dtypes):
    registry = dtypes.DTypeRegistry()
    first, second = (np.dtype([("left", "i4"), ("right", "i4")]) for _ in range(2))
    assert registry.get_or_register_dtype("pair", first) is first
    assert registry.get_or_register_dtype("couple", second) is first
    assert registry.dtype_to_ctype(second) == "pair"


@each_face
def test_what_a_registry_refuses_it_does_not_keep_by_half(dtypes):
    registry = dtypes.DTypeRegistry()
    registry.get_or_register_dtype("number", np.float32)
    with pytest.raises(RuntimeError):
        registry.get_or_register_dtype(["letter", "number"], np.uint8)
    assert list(registry.name_to_dtype) == ["number"]


@each_face
@pytest.mark.parametrize(
    ("fill", "arguments", "expected"),
    [
        ("c_types", (False,), {"signed char": "i1", "unsigned": "u4", "double": "f8", "bool": "?"}),
        ("c_types", (True, False), {"unsigned short": "u2", "long long": "i8"}),
        ("opencl_c_types", (), {"uchar": "u1", "ulong": "u8", "unsigned short": "u2"}),
        ("c99_stdint_types", (), {"uint8_t": "u1", "int64_t": "i8", "size_t": "u8"}),
        ("c99_complex_types", (), {"float complex": "c8", "double complex": "c16"}),
    ],
)
def test_tables_of_c_types(dtypes, fill, arguments, expected):
    registry = dtypes.DTypeRegistry()
    getattr(dtypes, f"fill_registry_with_{fill}")(registry, *arguments)
    for name, dtype in expected.items():
        assert registry.name_to_dtype[name] == np.dtype(dtype)
    if arguments == (True, False):
        assert "bool" not in registry.name_to_dtype


@each_face
def test_the_face_s_own_registry(dtypes):
    assert dtypes.NAME_TO_DTYPE is dtypes.TYPE_REGISTRY.name_to_dtype
    assert dtypes.DTYPE_TO_NAME is dtypes.TYPE_REGISTRY.dtype_to_name
    assert dtypes.NAME_TO_DTYPE["float"] == np.float32
    assert dtypes.dtype_to_ctype(np.int16) == "short"
    assert issubclass(dtypes.TypeNameNotKnown, RuntimeError)


@each_face
def test_the_strict_way_to_register(dtypes):
    tools = importlib.import_module(dtypes.__name__.replace("compyte.dtypes", "tools"))
    triple = np.dtype([("registry_test", "i4", 3)])
    with pytest.warns(DeprecationWarning, match="get_or_register_dtype"):
        tools.register_dtype(triple, "registry_test_triple")
    assert tools.dtype_to_ctype(triple) == "registry_test_triple"
    with pytest.warns(DeprecationWarning), pytest.raises(RuntimeError, match="already registered"):
        tools.register_dtype(triple, "registry_test_other")
    with pytest.warns(DeprecationWarning):
        tools.register_dtype(triple, "registry_test_other", alias_ok=True)
    assert tools.get_or_register_dtype("registry_test_other") == triple


@each_face
def test_declarations_make_what_their_reader_wants(dtypes):
    def read(text, *names):
        return dtypes.parse_c_arg_backend(
            text, lambda t, n: ("scalar", t, n), lambda t, n: ("vector", t, n), *names
        )

    assert read("const float *x") == ("vector", np.float32, "x")
    assert read("int n") == ("scalar", np.int32, "n")
    assert read("real y[]", {"real": np.dtype(np.float64)}) == ("vector", np.float64, "y")
    assert read("real y", lambda name: np.dtype(np.int8)) == ("scalar", np.int8, "y")
    with pytest.raises(ValueError, match="unknown type 'real'"):
        read("real y")


@each_face
@pytest.mark.parametrize("shape", [(), (3,), (2, 3, 4), (1, 5), (0, 3), (2, 0, 3)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_strides_are_those_of_numpy(face, shape, order):
    arrays = importlib.import_module(f"{face}.compyte.array")
    array = np.zeros(shape, np.float64, order)
    made = {"C": arrays.c_contiguous_strides, "F": arrays.f_contiguous_strides}[order](8, shape)
    assert arrays.equal_strides(made, array.strides, shape) or array.size == 0
    flags = arrays.ArrayFlags(array)
    assert flags.c_contiguous == array.flags.c_contiguous
    assert flags.f_contiguous == array.flags.f_contiguous
    assert arrays.is_c_contiguous_strides(made, 8, shape) == array.flags.c_contiguous
    assert arrays.is_f_contiguous_strides(made, 8, shape) == array.flags.f_contiguous


@each_face
def test_dtypes_in_common(face):
    common = importlib.import_module(f"{face}.compyte.array").get_common_dtype
    x = np.zeros(3, np.float32)
    assert common(x, 1.5, True) == np.float32
    assert common(x, np.zeros(3, np.int32), True) == np.float64
    assert common(x, np.zeros(3, np.int32), False) == np.float32
    assert common(x, np.complex128(1j), False) == np.complex64
