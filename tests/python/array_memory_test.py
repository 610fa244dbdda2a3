# SPDX-License-Identifier: MIT
"""Memory of arrays: what is said when there is none. On the null device, which has 1 GiB."""

import pytest

import treadle
import treadle.numpy as tnp

MEBI = 2**18  # float32 elements of a MiB


@pytest.fixture(autouse=True)
def null():
    with treadle.find_device("null") as device:
        yield device


def lines_of(test):
    first = test.__code__.co_firstlineno
    return lambda number: f"{__file__}:{first + number}"


def test_out_of_memory_names_the_expression_its_lines_and_the_owners():
    x = tnp.empty(300 * MEBI, dtype="f4")
    others = [tnp.empty(200 * MEBI, dtype="f4") for _ in range(3)]
    y = 5 * x
    z = tnp.sqrt(y) + 1
    with pytest.raises(treadle.OutOfMemory) as caught:
        treadle.evaluate(z)
    line = lines_of(test_out_of_memory_names_the_expression_its_lines_and_the_owners)
    text = str(caught.value)
    assert isinstance(caught.value, MemoryError)
    assert "fused_multiply_sqrt_add_f32 -> float32 (78643200,)" in text
    assert f"(78643200,) at {line(3)}, {line(4)}" in text
    assert f"600.00 MiB in 3 allocations made at {line(2)}" in text
    assert f"300.00 MiB made at {line(1)}" in text
    others.pop()
    treadle.evaluate(z)  # was pending, and fits now
    assert "was computed by kernel fused_multiply_sqrt_add_f32" in z.explain()


def test_reductions_and_copies_know_their_lines():
    x = tnp.empty((600, MEBI), dtype="f4")
    line = lines_of(test_reductions_and_copies_know_their_lines)
    for make in (lambda: x.copy(), lambda: x.astype("f8"), lambda: x + x.sum(axis=0)):
        with pytest.raises(MemoryError) as caught:
            treadle.evaluate(make())
        assert f" at {line(3)}" in str(caught.value)


def test_sums_that_nobody_has_looked_at_do_not_fill_the_device():
    sums = [tnp.empty(100 * MEBI, dtype="f4").sum() for _ in range(40)]  # 4 GiB
    assert "when memory was short" in sums[0].explain()
    assert "is to be computed" in sums[-1].explain()


def test_a_loop_of_new_arrays_needs_no_second_one():
    x = tnp.empty(600 * MEBI, dtype="f4")
    for _ in range(5):
        x = 2 * x + 1
        treadle.evaluate(x)
