#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes kernels/sobol/joe_kuo.bin, Joe's and Kuo's direction numbers of 20000 dimensions, from the
table that SciPy's wheel carries, or compares the vectors they give with those of cuRAND's library:

    tools/sobol_numbers.py                        writes the file
    tools/sobol_numbers.py --check LIBCURAND_SO   needs no GPU

S. Joe, F. Y. Kuo: Constructing Sobol' sequences with better two-dimensional projections, SIAM
Journal on Scientific Computing 30 (2008); kernels/sobol/LICENSE.txt. Dimension 0 has no row. Of the
others come first the half differences of their polynomials, a byte each, from 1 on, whose degree s
is at most 18, and then as bits, lowest first, (m[i] - 1) / 2 in i bits for each of m[0], ...,
m[s - 1]. Direction vector i is m[i] / 2^(i + 1); those behind the s-th follow from the polynomial.
"""

import argparse
import ctypes
import importlib.util
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE = ROOT / "kernels/sobol/joe_kuo.bin"
DIMENSIONS = 20000


def table():
    scipy = importlib.util.find_spec("scipy")
    assert scipy is not None and scipy.origin is not None, "SciPy is not installed"
    folder = pathlib.Path(scipy.origin).parent
    numbers = np.load(folder / "stats/_sobol_direction_numbers.npz")
    return [int(p) for p in numbers["poly"][:DIMENSIONS]], numbers["vinit"].astype(int).tolist()


def packed() -> bytes:
    polynomials, numbers = table()
    halves = [(b - a) // 2 for a, b in zip(polynomials, polynomials[1:], strict=False)]
    bits, length = 0, 0
    stream = bytearray()
    for polynomial, row in zip(polynomials[1:], numbers[1:DIMENSIONS], strict=True):
        for i in range(polynomial.bit_length() - 1):
            bits |= (row[i] - 1) // 2 << length
            length += i
            while length >= 8:
                stream.append(bits & 255)
                bits, length = bits >> 8, length - 8
    return bytes(halves) + bytes(stream) + bytes([bits])


def vectors(bits: int) -> np.ndarray:
    polynomials, numbers = table()
    made = np.zeros((DIMENSIONS, bits), np.uint64)
    made[0] = [1 << (bits - 1 - i) for i in range(bits)]
    for row, polynomial, first in zip(made[1:], polynomials[1:], numbers[1:], strict=False):
        s = polynomial.bit_length() - 1
        v = [first[i] << (bits - 1 - i) for i in range(s)]
        for i in range(s, bits):
            word = v[i - s] ^ (v[i - s] >> s)
            for j in range(1, s):
                if polynomial >> (s - j) & 1:
                    word ^= v[i - j]
            v.append(word)
        row[:] = v
    return made


def curands(library: ctypes.CDLL, bits: int) -> np.ndarray:
    place = ctypes.c_void_p()
    call = getattr(library, f"curandGetDirectionVectors{bits}")
    plain = 101 if bits == 32 else 103
    assert call(ctypes.byref(place), plain) == 0
    word = ctypes.c_uint32 if bits == 32 else ctypes.c_uint64
    return np.ctypeslib.as_array(
        ctypes.cast(place, ctypes.POINTER(word)), (DIMENSIONS, bits)
    ).astype(np.uint64)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", metavar="LIBCURAND_SO")
    options = parser.parse_args()
    if options.check is None:
        FILE.write_bytes(packed())
        return
    library = ctypes.CDLL(options.check)
    for bits in (32, 64):
        same = (vectors(bits) == curands(library, bits)).all(1)
        print(f"{bits} bits: {same.sum()} of {DIMENSIONS} dimensions are cuRAND's")


if __name__ == "__main__":
    main()
