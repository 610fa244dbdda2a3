# SPDX-License-Identifier: MIT
"""Arithmetic of all types of floating-point numbers, operation after operation, bit by bit as
IEEE 754 has it, on the CPU device and on a GPU alike: with --fmad=false, and with products that are
fused with sums."""

import float_programs
import numpy as np
import pytest

COUNT, PROGRAMS = 2048, 24
CASES = [
    *[pytest.param(name, False, id=f"{name}, --fmad=false") for name in float_programs.KINDS],
    *[pytest.param(name, True, id=f"{name}, fused") for name in float_programs.FUSED],
]


def numbers(kind, random):
    """A third each: zeros, infinities, denormal and other numbers at the ends of what there is, and
    what is no number; numbers of like size; any bits."""
    word = np.dtype(kind.dtype).itemsize
    digits = kind.form.digits if kind.form else np.finfo(kind.dtype).nmant + 1
    normal, infinity = 1 << (digits - 1), (1 << (8 * word - 1)) - (1 << (digits - 1))
    edges = [0, 1, normal - 1, normal, normal + 1, infinity - 1, infinity, infinity + normal // 2]
    ends = np.array([sign | e for sign in (0, 1 << (8 * word - 1)) for e in edges], f"u{word}")
    third = COUNT // 3
    near = kind.narrow(random.normal(0, 4, third)).view(f"u{word}")
    wild = random.integers(0, 256, third * word, np.uint8).view(f"u{word}")
    chosen = np.concatenate([random.choice(ends, COUNT - 2 * third), near, wild])
    return random.permutation(chosen).view(kind.dtype)


def same(kind, result, exact):
    """Both no number, or the same bits."""
    word = f"u{result.itemsize}"
    return (result.view(word) == exact.view(word)) | (
        np.isnan(kind.widen(result)) & np.isnan(kind.widen(exact))
    )


@pytest.mark.parametrize(("name", "fuses"), CASES)
def test_expressions_are_computed_as_they_are_written(machine, name, fuses):
    kind, random, wrong = float_programs.KINDS[name], np.random.default_rng(5), []
    programs = [float_programs.Program(seed, kind, fuses) for seed in range(PROGRAMS)]
    header = "#include <cuda_bf16.h>\n" if kind.form else ""
    text = header + "".join(program.kernel(f"k{k}") for k, program in enumerate(programs))
    module = machine.compile(text, *([] if fuses else ["--fmad=false"]))
    for k, program in enumerate(programs):
        arrays, result = [numbers(kind, random) for _ in "abcd"], np.zeros(COUNT, kind.dtype)
        shape = {"block": (128,), "grid": (-(-COUNT // 128),)}
        module.kernel(f"k{k}")(np.int32(COUNT), *arrays, result, **shape)
        exact = program.expected(arrays)
        unlike = np.flatnonzero(~same(kind, result, exact))
        if len(unlike):
            i = unlike[0]
            given = ", ".join(str(a[i]) for a in arrays)
            told = f"of ({given}) {result[i]}, not {exact[i]}; {len(unlike)} of {COUNT}"
            wrong.append(f"{program.tree.text(kind)}: {told}")
    assert not wrong, "\n".join(wrong)


def test_fusing_shows():
    """A test of this test: the two ways of computing differ somewhere."""
    kind, random = float_programs.FLOAT, np.random.default_rng(5)
    programs = [float_programs.Program(seed, kind, True) for seed in range(PROGRAMS)]
    arrays, different = [numbers(kind, random) for _ in "abcd"], 0
    for program in programs:
        fused = program.expected(arrays)
        program.fuses = False
        different += not same(kind, program.expected(arrays), fused).all()
    assert different > PROGRAMS // 2
