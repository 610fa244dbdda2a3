# SPDX-License-Identifier: MIT
import struct

import numpy as np
import pycuda._pvt_struct as pvt_struct
import pytest


@pytest.mark.parametrize(
    ("fmt", "size"),
    [
        ("bP", 16),  # values sit at their natural alignment
        ("Pb", 9),  # and nothing is added behind the last one
        ("@ii", 8),
        ("i d", 16),
        ("bF", 12),  # a complex number is aligned as its parts
        ("bD", 24),
        ("i12s", 16),
        ("b8sP", 24),
        ("3h", 6),
        ("b3xi", 8),
        ("bxxi", 8),
        ("", 0),
        ("0i", 0),
        ("nN", 16),
        ("?c", 2),
        ("5p", 5),
    ],
)
def test_size_follows_natural_alignment_without_tail(fmt, size):
    assert pvt_struct.calcsize(fmt) == size
    assert pvt_struct.Struct(fmt).size == size


@pytest.mark.parametrize(
    ("fmt", "values"),
    [
        ("bBhHiIlLqQnN", (-1, 2, -3, 4, -5, 6, -7, 8, -9, 2**64 - 1, -11, 12)),
        ("fd", (0.5, -0.25)),
        ("FD", (1 + 2j, -3.5 + 0.25j)),
        ("?P", (True, 0x7F1234567890)),
        ("c4s", (b"x", b"abcd")),
        ("5p", (b"abc",)),
        ("bPb", (1, 2, 3)),
    ],
)
def test_unpack_gives_back_what_was_packed(fmt, values):
    packed = pvt_struct.pack(fmt, *values)
    assert pvt_struct.unpack(fmt, packed) == values
    assert pvt_struct.Struct(fmt).unpack(bytearray(packed)) == values


@pytest.mark.parametrize(
    ("fmt", "values"),
    [
        ("bi", (1, 2)),
        ("hq", (1, 2)),
        ("bPh", (1, 2, 3)),
        ("i12sd", (1, b"x" * 12, 0.5)),
        ("?f", (True, 1.5)),
        ("3hb2i", (1, 2, 3, 4, 5, 6)),
    ],
)
def test_real_types_are_laid_out_as_the_struct_module_does(fmt, values):
    assert pvt_struct.pack(fmt, *values) == struct.pack("@" + fmt, *values)


def test_gaps_are_zero():
    assert pvt_struct.pack("bi", -1, -1) == b"\xff\0\0\0\xff\xff\xff\xff"


@pytest.mark.parametrize(
    ("fmt", "value", "complaint"),
    [
        ("i", 3.0, "required argument is not an integer"),
        ("i", None, "required argument is not an integer"),
        ("P", None, "required argument is not an integer"),
        ("b", 128, "'b' format requires -128 <= number <= 127"),
        ("B", -1, "'B' format requires 0 <= number <= 255"),
        ("i", 2**31, "'i' format requires -2147483648 <= number <= 2147483647"),
        ("I", -1, "'I' format requires 0 <= number <= 4294967295"),
        ("L", -1, "argument out of range"),
        ("l", 2**63, "argument out of range"),
        ("Q", 2**64, "argument out of range"),
        ("f", 1j, "required argument is not a float"),
        ("d", np.complex64(1j), "required argument is not a float"),
        ("d", "text", "required argument is not a float"),
        ("F", "text", "required argument is not a complex number"),
        ("c", b"ab", "char format requires a bytes object of length 1"),
        ("4s", "text", "bytes-like"),
    ],
)
def test_a_value_that_does_not_fit_is_an_error(fmt, value, complaint):
    with pytest.raises(pvt_struct.error) as caught:
        pvt_struct.pack(fmt, value)
    assert complaint in str(caught.value)


@pytest.mark.parametrize("fmt", ["<i", ">i", "=i", "!i", "e", "g", "w", "3"])
def test_only_native_formats_exist(fmt):
    with pytest.raises(pvt_struct.error):
        pvt_struct.calcsize(fmt)


def test_wrong_count_names_both():
    with pytest.raises(pvt_struct.error, match="pack requires exactly 2 arguments"):
        pvt_struct.pack("ii", 1)


def test_error_is_not_the_struct_module_s():
    assert pvt_struct.error is not struct.error and issubclass(pvt_struct.error, struct.error)
    assert pvt_struct.error.__name__ == "error"


def test_numbers_of_numpy_and_one_element_arrays_are_numbers():
    assert pvt_struct.pack("ifd", np.int32(1), np.float32(2), np.float64(3)) == struct.pack(
        "ifd", 1, 2, 3
    )
    assert pvt_struct.pack("F", np.array(1 + 2j)) == struct.pack("ff", 1, 2)


def test_pointers_wrap_and_take_anything_with_index():
    class Address:
        def __index__(self):
            return 0x1000

    assert pvt_struct.pack("PP", -1, Address()) == struct.pack("QQ", 2**64 - 1, 0x1000)


def test_text_is_cut_or_filled():
    assert pvt_struct.pack("3s", b"abcdef") == b"abc"
    assert pvt_struct.pack("6s", bytearray(b"abc")) == b"abc\0\0\0"
    assert pvt_struct.pack("8s", np.arange(2, dtype=np.int32)) == b"\0\0\0\0\1\0\0\0"


def test_pack_into_and_unpack_from_check_the_buffer():
    buffer = bytearray(16)
    pvt_struct.pack_into("ii", buffer, 4, 1, 2)
    assert pvt_struct.unpack_from("ii", buffer, 4) == (1, 2)
    assert pvt_struct.unpack_from("i", buffer, -4) == (0,)
    with pytest.raises(pvt_struct.error):
        pvt_struct.pack_into("ii", buffer, 12, 1, 2)
    with pytest.raises(pvt_struct.error):
        pvt_struct.unpack("i", buffer)


def test_a_compiled_format_tells_what_it_is():
    compiled = pvt_struct.Struct("iP")
    assert compiled.format == b"iP"
    pvt_struct._clearcache()
    assert compiled.pack(1, 2) == pvt_struct.pack(b"iP", 1, 2)


def test_many_formats_do_not_fill_memory():
    for width in range(1, 300):
        assert pvt_struct.calcsize(f"{width}s") == width
