# SPDX-License-Identifier: MIT
"""C++'s names for the math functions, and those of headers that kernels include unasked."""

import numpy as np

# An expression and its value.
NAMES = {
    "std::abs(-3ll) + std::abs(-3l) + std::abs((short)-3) + std::abs(-3.0f)": 12,
    "std::lgammaf(2.0f) + std::remainderf(3, 2) + std::ilogbf(8) + std::logbf(8)": 5,
    "std::lrintf(2.5f) + std::llrintf(3.5f) + std::lroundf(2.5f) + std::llroundf(-2.5f)": 6,
    "std::scalbnf(1, 3) + std::scalblnf(1, 2) + (std::nextafterf(1, 2) > 1)": 13,
    "std::pow(2.0f, 3) + std::fma(1.0f, 2.0f, 3.0f) + std::hypot(3, 4)": 18,
    "max((short)1, (short)2) + max(1, 2u) + min((char)3, (char)4) + max(true, false)": 8,
    "max(1l, 2ul) + min(1.0f, 2.0) + max(3ll, 2ull)": 6,
    "std::min(1.0f, 2.0f) + std::max(1, 2) + std::clamp(5, 1, 3)": 6,
    "M_PI > 3.14 && M_PI < 3.15 && M_SQRT1_2 * M_SQRT2 > 0.999": 1,
}


def test_names_of_std_give_their_values(device):
    stores = "".join(f"out[{k}] = {name};\n" for k, name in enumerate(NAMES))
    headers = "#include <cmath>\n#include <cstdlib>\n#include <algorithm>\n#include <functional>\n"
    source = f'{headers}extern "C" __global__ void k(float* out) {{ {stores} }}'
    result = device.run(source, len(NAMES), np.float32, block=(1,))
    assert result.tolist() == list(NAMES.values())
