# SPDX-License-Identifier: MIT
"""Products of matrices against NumPy's: dtypes, layouts, batches, and Einstein's sums."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle._core.library import library_status

IDS = [d.id for d in treadle.devices() if d.traits.runs_kernels]


@pytest.fixture(params=IDS)
def device(request):
    with treadle.find_device(request.param) as device:
        yield device


TOLERANCE = {"f": 1e-5, "d": 1e-12, "F": 1e-5, "D": 1e-12, "e": 2e-2}


def draw(shape, dtype, seed=0):
    random = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iub":
        return random.integers(0, 5, shape).astype(dtype)
    x = random.standard_normal(shape)
    return (x + 1j * random.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(
        dtype
    )


def has_library(name):
    return any(each.name == name and not each.problem for each in library_status())


def same(ours, expected):
    assert ours.shape == expected.shape
    assert ours.dtype == expected.dtype
    tolerance = TOLERANCE.get(expected.dtype.char, 0)
    np.testing.assert_allclose(ours.get(), expected, rtol=tolerance, atol=10 * tolerance)


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D", "e", "b", "q", "?"])
def test_products_of_every_dtype(device, dtype):
    if dtype in "dD" and not device.traits.fp64:
        pytest.skip("no float64")
    x, y = draw((33, 20), dtype), draw((20, 17), dtype, 1)
    same(tnp.asarray(x, device=device) @ tnp.asarray(y, device=device), x @ y)


LAYOUTS = {
    "c": lambda x: x,
    "f": lambda x: x.T.copy("C").T,
    "strided": lambda x: x[::2, 1::3],
    "reversed": lambda x: x[::-1, ::-1],
    "row_of_many": lambda x: x[3:4],
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_operands_as_they_lie(device, layout):
    x, y = draw((24, 30), "f"), draw((24, 30), "f", 1)
    seen = LAYOUTS[layout]
    ours = seen(tnp.asarray(x, device=device)) @ seen(tnp.asarray(y, device=device)).T
    same(ours, seen(x) @ seen(y).T)
    same(
        seen(tnp.asarray(x, device=device)).T @ seen(tnp.asarray(y, device=device)),
        seen(x).T @ seen(y),
    )


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
def test_products_that_are_worth_a_call_of_the_hosts_library(dtype):
    if "cpu" not in IDS:
        pytest.skip("there is no CPU device")
    x, y = draw((240, 400), dtype), draw((240, 400), dtype, 1)
    batch, c = draw((3, 110, 100), dtype, 2), draw(240, dtype, 3)
    with treadle.find_device("cpu"):
        a, b, d, e = (tnp.asarray(each) for each in (x, y, batch, c))
        for seen in LAYOUTS.values():
            same(seen(a) @ seen(b).T, seen(x) @ seen(y).T)
            same(seen(a).T @ seen(b), seen(x).T @ seen(y))
        for part in (np.s_[:], np.s_[::2], np.s_[::-1]):
            same(a[:, part] @ b[3, part], x[:, part] @ y[3, part])
            same(b[3, part] @ a[:, part].T, y[3, part] @ x[:, part].T)
        same(d @ d.swapaxes(1, 2), batch @ batch.swapaxes(1, 2))
        same(d @ d[0].T, batch @ batch[0].T)
        same(2 * (a @ b.T), 2 * (x @ y.T))
        same(tnp.where(abs(a @ b.T + e) > 2, e, 0), np.where(abs(x @ y.T + c) > 2, c, 0))
        product = a @ b.T
        product.get()
        assert ("gemm of" if has_library("blas") else "product_") in product.explain()


@pytest.mark.parametrize(
    ("a", "b", "is_small"),
    [
        ((64, 64), (64, 64), True),
        ((128, 128), (128, 128), False),
        ((100, 100), (100,), False),
        ((20, 100, 100), (20, 100, 100), True),
        ((300, 100, 100), (300, 100, 100), False),
        ((20, 8, 100), (20, 100, 8), True),
        ((20, 7, 100), (20, 100, 8), False),
        ((20, 8, 100), (20, 100, 7), False),
    ],
)
def test_small_products_are_left_to_generated_kernels(a, b, is_small):
    if "cpu" not in IDS or not has_library("blas"):
        pytest.skip("there is no CPU device, or no BLAS")
    with treadle.find_device("cpu"):
        text = (tnp.ones(a, "f") @ tnp.ones(b, "f")).explain()
    assert ("gemm of" in text) is not is_small
    assert ("product_float32" in text) is is_small


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((3,), (3,)),
        ((3,), (3, 2)),
        ((2, 3), (3,)),
        ((5, 2, 3), (3, 4)),
        ((5, 1, 2, 3), (6, 3, 4)),
        ((2, 1, 3, 1, 2, 2), (2, 1, 5, 2, 1)),
        ((3,), (4, 3, 2)),
        ((4, 2, 3), (3,)),
        ((0, 3), (3, 2)),
        ((2, 0), (0, 2)),
        ((1, 1), (1, 1)),
        ((0, 2, 3), (3, 2)),
    ],
)
def test_axes_follow_numpy(device, a, b):
    x, y = draw(a, "f"), draw(b, "f", 1)
    same(
        tnp.matmul(tnp.asarray(x, device=device), tnp.asarray(y, device=device)),
        np.asarray(np.matmul(x, y)),
    )


def test_nan_and_infinities_pass(device):
    x = np.array([[np.nan, 1], [2, np.inf]], "f")
    same(
        tnp.asarray(x, device=device) @ tnp.asarray(np.eye(2, dtype="f"), device=device),
        x @ np.eye(2, dtype="f"),
    )


def test_out_and_in_place(device):
    x = draw((3, 3), "f")
    a, out = tnp.asarray(x, device=device), tnp.zeros((3, 3), "f", device=device)
    assert tnp.matmul(a, a, out=out) is out
    same(out, x @ x)
    a @= out
    same(a, x @ (x @ x))
    with pytest.raises(treadle.ShapeError, match=r"\(3, 3\) and \(2, 3\)"):
        a @ a[:2]
    with pytest.raises(treadle.ShapeError, match="no axes"):
        a @ 2


def test_changes_of_an_operand_come_after(device):
    x = draw((4, 4), "f")
    a = tnp.asarray(x, device=device)
    product = a @ a
    a += 1
    same(product, x @ x)


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ("ij,jk->ik", [(3, 4), (4, 5)]),
        ("ij,jk", [(3, 4), (4, 5)]),
        ("ii", [(3, 3)]),
        ("ii->i", [(3, 3)]),
        ("ij->", [(3, 4)]),
        ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]),
        ("...ij,...jk->...ik", [(2, 3, 4), (4, 5)]),
        ("i,j->ij", [(3,), (4,)]),
        ("ij,ij->ij", [(3, 4), (3, 4)]),
        ("ij,jk,kl->il", [(3, 4), (4, 5), (5, 2)]),
        ("abc,cbd,ad->", [(2, 3, 4), (4, 3, 5), (2, 5)]),
        ("ijk,k", [(2, 3, 4), (4,)]),
        ("iij,jk->k", [(3, 3, 4), (4, 2)]),
    ],
)
def test_einsum(device, text, shapes):
    arrays = [draw(shape, "f", i) for i, shape in enumerate(shapes)]
    ours = tnp.einsum(text, *(tnp.asarray(x, device=device) for x in arrays))
    same(ours, np.asarray(np.einsum(text, *arrays)))


def test_einsum_of_lists_and_bad_texts(device):
    x = draw((3, 4), "f")
    a = tnp.asarray(x, device=device)
    same(tnp.einsum(a, [0, 1], a, [2, 1], [0, 2]), x @ x.T)
    assert tnp.einsum_path("ij,kj->ik", a, a)[0] == ["einsum_path", (0, 1)]
    for text in ("ij,jk->iq", "i..j", "i1", "ij->ii", "ij,ij"):
        with pytest.raises(treadle.InvalidArgument, match="einsum"):
            tnp.einsum(text, a)
    with pytest.raises(treadle.ShapeError, match="einsum"):
        tnp.einsum("ij,ij", a, a.T)


def test_products_made_of_them(device):
    x, y, z = draw((3, 4), "f"), draw((4, 5), "f", 1), draw((5,), "f", 2)
    a, b, c = (tnp.asarray(e, device=device) for e in (x, y, z))
    same(tnp.linalg.multi_dot([a, b, c]), np.linalg.multi_dot([x, y, z]))
    same(tnp.tensordot(a, b, 1), np.tensordot(x, y, 1))
    same(tnp.tensordot(a, a, ([1, 0], [1, 0])), np.asarray(np.tensordot(x, x, ([1, 0], [1, 0]))))
    same(tnp.inner(a, b.T), np.inner(x, y.T))
    same(tnp.dot(a, b), np.dot(x, y))
    same(tnp.dot(a, 2), np.dot(x, 2))
    same(tnp.matvec(a, b[:, 0]), x @ y[:, 0])
    same(tnp.vecmat(a[:, 0], a), x[:, 0] @ x)
    same(tnp.linalg.matrix_power(a @ a.T, 5), np.linalg.matrix_power(x @ x.T, 5))


@pytest.mark.parametrize(
    ("a", "b"), [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((), (3,)),
                 ((2, 3), ()), ((2, 4, 3), (3,)), ((3,), (2, 3, 4)), ((2, 2, 3), (4, 3, 2)),
                 ((0, 3), (3, 2)), ((2, 0), (0, 2))],
)  # fmt: skip
@pytest.mark.parametrize("dtype", ["f", "F", "b", "?"])
def test_dot_as_function_and_as_method(device, a, b, dtype):
    x, y = draw(a, dtype), draw(b, dtype, 1)
    ours, other = tnp.asarray(x, device=device), tnp.asarray(y, device=device)
    expected = np.asarray(np.dot(x, y))
    for call in (tnp.dot, tnp.Array.dot, np.dot, lambda p, q: q.__class__.dot(p, b=q)):
        same(call(ours, other), expected)
    same(ours.dot(y), expected)
    if y.size:
        same(ours.dot(y.tolist()), np.asarray(np.dot(x, y.tolist())))
    out = tnp.zeros(expected.shape, expected.dtype, device=device)
    assert ours.dot(other, out) is out and tnp.dot(a=ours, b=other, out=out) is out
    same(out, expected)
    with pytest.raises(ValueError, match="dot"):
        ours.dot(other, out=tnp.zeros(expected.shape, "h", device=device))


def test_dot_and_inner_of_numbers(device):
    x = draw((2, 3), "f")
    a = tnp.asarray(x, device=device)
    for number in (2, 2.5, 1j, np.float64(2), True):
        for name in ("dot", "inner"):
            ours, theirs = getattr(tnp, name), getattr(np, name)
            same(ours(a, number), np.asarray(theirs(x, number)))
            same(ours(number, a), np.asarray(theirs(number, x)))
            same(ours(number, [1, 2]), np.asarray(theirs(number, [1, 2])))
            same(ours(2, number), np.asarray(theirs(2, number)))
        same(a.dot(number), np.asarray(x.dot(number)))
    with pytest.raises(treadle.ShapeError, match="dot"):
        a.dot(a)
    with pytest.raises(TypeError, match="set"):
        a.dot({1})


OPTIONS = [
    ("matmul", (3, 3), (3, 3), {"dtype": "h"}),
    ("matmul", (2, 3), (3, 4), {"dtype": "D"}),
    ("matmul", (2, 3), (3, 4), {"order": "F", "casting": "safe", "subok": False}),
    ("matmul", (2, 3), (2, 3), {"axes": [(1, 0), (0, 1), (0, 1)]}),
    ("matmul", (2, 3), (3, 4), {"axes": [(0, 1), (-2, -1), (1, 0)]}),
    ("matmul", (3, 2, 5), (3, 5, 4), {"axes": [(2, 0), (0, 2), (-1, 0)]}),
    ("matmul", (2, 3), (3,), {"axes": [(0, 1), 0, 0]}),
    ("matmul", (3,), (3,), {"axes": [0, (0,), ()]}),
    ("matvec", (2, 3), (3,), {"dtype": "d"}),
    ("matvec", (3, 5, 2), (2, 4), {"axes": [(0, 2), 0, 1]}),
    ("vecmat", (3,), (3, 4), {"dtype": "d"}),
    ("vecmat", (3, 2), (3, 4), {"axes": [0, (0, 1), -1]}),
    ("vecdot", (2, 3), (2, 3), {"axis": 0}),
    ("vecdot", (2, 3), (2, 3), {"axis": 0, "keepdims": True}),
    ("vecdot", (2, 3), (2, 3), {"keepdims": True, "dtype": "h"}),
    ("vecdot", (2, 3), (3, 4), {"axes": [1, 0]}),
    ("vecdot", (3, 2), (3, 4, 2), {"axes": [0, (0,), ()]}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "a", "b", "options"), OPTIONS)
@pytest.mark.parametrize("dtype", ["b", "F"])
def test_options_of_products_are_numpys(device, name, a, b, options, dtype):
    if not hasattr(np, name):
        pytest.skip("a newer NumPy has it")
    x, y = draw(a, dtype), draw(b, dtype, 1)
    p, q = (tnp.asarray(e, device=device) for e in (x, y))
    ours, theirs = getattr(tnp, name), getattr(np, name)
    try:
        expected = np.asarray(theirs(x, y, **options))
    except (TypeError, ValueError) as error:
        with pytest.raises(TypeError if isinstance(error, TypeError) else ValueError):
            ours(p, q, **options)
        return
    for call in (ours, theirs):
        made = call(p, q, **options)
        same(made, expected)
        assert made.strides == expected.strides or options.get("order") != "F"
    out = tnp.zeros(expected.shape, expected.dtype, device=device)
    assert ours(p, q, out=out, **options) is out
    same(out, expected)
    wide = tnp.zeros(expected.shape, "D", device=device)
    assert ours(p, q, wide, **options) is wide
    assert theirs(p, q, out=wide, **options) is wide


def test_options_that_products_refuse(device):
    a = tnp.ones((2, 3), "d", device=device)
    for call, error in [
        (lambda m: m.matmul(a, a.T, dtype="q"), TypeError),
        (lambda m: m.matmul(a, a.T, dtype="f", casting="safe"), TypeError),
        (lambda m: m.matmul(a, a.T, axes=[(0, 1), (0, 1)]), ValueError),
        (lambda m: m.matmul(a, a[0], axes=[(0, 1), (0, 1), 0]), ValueError),
        (lambda m: m.matmul(a, a.T, axes=[(0, 1), (0, 2), (0, 1)]), IndexError),
        (lambda m: m.matmul(a, a.T, keepdims=True), TypeError),
        (lambda m: m.matmul(a, a.T, axis=0), TypeError),
        (lambda m: m.vecdot(a, a, axis=0, axes=[0, 0]), TypeError),
        (lambda m: m.vecdot(a, a, axis=2), IndexError),
        (lambda m: m.matmul(a, a.T, out=tnp.zeros((2, 2), "q", device=device)), TypeError),
        (lambda m: m.matmul(a, a.T, out=tnp.zeros((2, 3), device=device)), ValueError),
    ]:
        for module in (tnp, np):
            with pytest.raises(error):
                call(module)
    whole = tnp.zeros((2, 2), "q", device=device)
    assert tnp.matmul(a, a.T, out=whole, casting="unsafe") is whole
    same(whole, np.full((2, 2), 3))


def test_explain_names_who_multiplied(device):
    a = tnp.ones((64, 64), "f", device=device)
    product = a @ a
    product.get()
    text = product.explain()
    assert "gemm of" in text or "product_float32" in text


def test_libraries_can_be_switched_off(device):
    program = (
        "import treadle.numpy as tnp; a = tnp.ones((8, 8), 'f'); b = a @ a; "
        "print(b.get()[0, 0], b.explain())"
    )
    environment = {"TREADLE_LIBRARIES": "blas=off,cublas=off", "TREADLE_DEVICE": device.id}
    text = subprocess.check_output(
        [sys.executable, "-c", program], env={**os.environ, **environment}, text=True
    )
    assert text.startswith("8.0") and "product_float32" in text and "gemm" not in text


def test_factors_of_larger_matrices(device):
    x, y = draw((2, 3, 9, 12), "f"), draw((3, 12, 10), "f", 1)
    a, b = tnp.asarray(x, device=device), tnp.asarray(y, device=device)
    same(a[:, :, 1:7, 2:8] @ b[:, 2:8, 3:], x[:, :, 1:7, 2:8] @ y[:, 2:8, 3:])
    same(a[:, :, ::2, :5] @ b[:, :5, ::3], x[:, :, ::2, :5] @ y[:, :5, ::3])
    same(a[0, 0].T[1:] @ b[0].T[:, :9].T, x[0, 0].T[1:] @ y[0].T[:, :9].T)
    same(a[:, 0] @ b[0], x[:, 0] @ y[0])
    same(a[:, ::-1] @ b, x[:, ::-1] @ y)


RELU = "maximum(x @ y + c, 0)"
JOINED = [RELU, "2 * (x @ y)", "x @ y + c", "(x @ y) * 3 - c", "c * c - x @ y"]


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D", "e", "b", "q"])
@pytest.mark.parametrize("text", JOINED)
def test_operations_join_a_product(device, dtype, text):
    if dtype in "dD" and not device.traits.fp64:
        pytest.skip("no float64")
    if text == RELU and dtype in "FD":
        text = "where(abs(x @ y + c) > 2, x @ y + c, 0)"
    operands = {"x": draw((33, 20), dtype), "y": draw((20, 17), dtype, 1), "c": draw(17, dtype, 2)}
    ours = {name: tnp.asarray(x, device=device) for name, x in operands.items()}
    same(eval(text, vars(tnp), ours), eval(text, {**vars(np), "abs": abs}, operands))


def test_a_product_and_what_is_made_of_it_are_one_launch(device):
    x, y, c = draw((40, 30), "f"), draw((30, 50), "f", 1), draw(50, "f", 2)
    a, b, d = (tnp.asarray(e, device=device) for e in (x, y, c))
    activated = tnp.maximum(a @ b + d, 0)
    planned = activated.explain()
    same(activated, np.maximum(x @ y + c, 0))
    made = activated.explain()
    if "with epilogue of" in made:
        assert "cublaslt" in made.lower() and made.count("kernel ") <= 1
    elif "gemm of" in made:
        assert ", then " in made and ", then " in planned
        assert "add_maximum_f32" in made and "add_maximum_f32" in planned
    else:
        assert "kernel product_add_maximum_float32_" in made
        assert "kernel product_add_maximum_float32_" in planned
        assert "result0 = maximum(add(product, beside0), " in made


@pytest.mark.parametrize("dtype", ["f", "e"])
@pytest.mark.parametrize("n", [40, 256])
def test_a_bound_behind_a_product_leaves_nan_alone(device, n, dtype):
    if n > 40 and device.kind != "gpu":
        pytest.skip("for libraries that choose by size")
    x, y, z = (draw((n, n), dtype, seed) for seed in range(3))
    c = draw(n, dtype, 3)
    x[3, 1], y[2, 5], c[7] = np.nan, np.inf, np.nan
    a, b, d, e = (tnp.asarray(each, device=device) for each in (x, y, c, z))
    x, y, z, c = (each.astype("f4") for each in (x, y, z, c))
    with np.errstate(all="ignore"):
        same(tnp.maximum(a @ b + d, 0), np.maximum(x @ y + c, 0).astype(dtype))
        same(tnp.maximum(2 * (a @ b) + e, 0), np.maximum(2 * (x @ y) + z, 0).astype(dtype))
        product = tnp.maximum(a[:, 1:] @ b[1:, 1:] + d[1:], 0)  # rows with gaps, at odd places
        same(product, np.maximum(x[:, 1:] @ y[1:, 1:] + c[1:], 0).astype(dtype))


def test_a_gelu_joins_a_product(device):
    n = 256 if device.kind == "gpu" else 40
    x, y, c = draw((n, n), "e"), draw((n, n), "e", 1), draw(n, "e", 2)
    x[3, 1] = np.nan
    for dtype in "efd" if device.traits.fp64 else "ef":
        a, b, d = (tnp.asarray(each.astype(dtype), device=device) for each in (x, y, c))
        for factor in (1, 1e-2):
            z = factor * (x.astype("d") @ y.astype("d")) + c.astype("d")
            exact = z * np.vectorize(math.erfc)(-z / math.sqrt(2)) / 2
            by_tanh = z / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (z + 0.044715 * z**3)))
            same(tnp.gelu(factor * (a @ b) + d), exact.astype(dtype))
            approximate = tnp.gelu(factor * (a @ b) + d, form="tanh")
            planned = approximate.explain()
            same(approximate, by_tanh.astype(dtype))
            # The library's form is the library's where rounding hides how far its tanh is off.
            if device.id.startswith("cuda") and has_library("cublaslt"):
                is_joined = dtype == "e"
                assert ("with epilogue of" in planned) == is_joined
                assert ("with epilogue of" in approximate.explain()) == is_joined
            assert "with epilogue of" not in tnp.gelu(a @ b + d).explain()


def test_a_product_is_computed_once(device):
    x, y = draw((40, 30), "f"), draw((30, 50), "f", 1)
    a, b = tnp.asarray(x, device=device), tnp.asarray(y, device=device)
    product = a @ b
    same(tnp.tanh(product), np.tanh(x @ y))
    assert "matmul of" not in (product + 1).explain()  # it is kept as long as somebody has it
    product = a @ b
    more, twice = product + 1, product * 2
    del product
    same(more, x @ y + 1)
    assert "matmul of" not in twice.explain()  # and as long as somebody will need it
    same(twice, 2 * (x @ y))
    both = a @ b
    more, both = both + 1, both * 2
    tnp.evaluate(more, both)
    assert more.explain() == more.explain() and "matmul of" not in both.explain()
    same(more, x @ y + 1)
    same(both, 2 * (x @ y))


def test_operands_beside_a_product_lie_anyhow(device):
    x, y = draw((2, 3, 9, 12), "f"), draw((3, 12, 10), "f", 1)
    a, b = tnp.asarray(x, device=device), tnp.asarray(y, device=device)
    for shape, seen in (
        ((2, 3, 9, 10), lambda z: z),
        ((10, 9, 3, 2), lambda z: z.T),
        ((3, 1, 10), lambda z: z),
        ((4, 3, 18, 10), lambda z: z[::2, ::-1, 1::2]),
        ((9, 1), lambda z: z),
        ((), lambda z: z),
    ):
        z = draw(shape, "f", 2)
        c = seen(tnp.asarray(z, device=device))
        same(a @ b * c + 1, x @ y * seen(z) + 1)
    many = draw((9, 2, 3, 9, 10), "f", 3)
    others = [tnp.asarray(z, device=device) for z in many]
    same(sum(others, a @ b), sum(many, x @ y))
    out = tnp.zeros((2, 3, 20, 10), "f", device=device)
    out[:, :, ::2][:, :, :9] = a @ b - 1
    same(out[:, :, 0:18:2], x @ y - 1)
    assert not out[:, :, 1::2].get().any()
    out = tnp.zeros((2, 3, 9, 10), "i4", device=device)
    out[...] = a @ b * 4
    same(out, (x @ y * 4).astype("i4"))
    same(tnp.tensordot(a, b[0], ([3], [0])) * 2, np.tensordot(x, y[0], ([3], [0])) * 2)
    same(tnp.matmul(a[0, 0], b[0][:, 0]) + 1, x[0, 0] @ y[0][:, 0] + 1)
    same((a[:, :, :0] @ b) + 1, (x[:, :, :0] @ y) + 1)
    same((a[..., :0] @ b[:, :0]) + 1, (x[..., :0] @ y[:, :0]) + 1)
    same(a @ b + a @ b[::-1], x @ y + x @ y[::-1])
    c = tnp.asarray(draw((2, 3, 9, 10), "f", 4), device=device)
    expected = c.get() + x @ y
    c += a @ b
    same(c, expected)
    same((a @ b + 1).sum(axis=-1), (x @ y + 1).sum(axis=-1))


def test_bfloat16_of_ml_dtypes(device):
    """Stored as that, summed in float32, and rounded once."""
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    x, y = draw((3, 40, 70), "f").astype(bfloat16), draw((70, 9), "f", 1).astype(bfloat16)
    a, b = tnp.asarray(x, device=device), tnp.asarray(y, device=device)
    assert a.dtype == bfloat16 and (a.get() == x).all()
    z = (a @ b).get()
    expected = x.astype("f4") @ y.astype("f4")
    assert z.dtype == bfloat16
    assert np.allclose(z.astype("f4"), expected, rtol=2**-8, atol=1e-4)
    np.testing.assert_allclose((a.astype("f4") @ b.astype("f4")).get(), expected, 1e-4, 1e-4)
    assert tnp.einsum("bij,jk->bk", a, b).dtype == bfloat16
    every = np.arange(1 << 16, dtype="u2").view(bfloat16).astype("f4")
    with np.errstate(all="ignore"):
        values = [every, every * np.float32(1.001), every + np.float32(2) ** -140]
        rounded = [value.astype(bfloat16) for value in values]
    for value, theirs in zip(values, rounded, strict=True):
        ours = tnp.asarray(value, device=device).astype(bfloat16).get()
        same_bits = ours.view("u2") == theirs.view("u2")
        assert (same_bits | np.isnan(theirs)).all() and (np.isnan(ours) == np.isnan(theirs)).all()


def test_factors_that_are_no_numbers(device):
    a = tnp.asarray([[1, np.inf], [2, 3]], "f", device=device)
    for factor in (0, np.inf, np.nan, -2):
        expected = np.float32(factor) * (a.get() @ np.eye(2, dtype="f"))
        np.testing.assert_array_equal((factor * (a @ tnp.eye(2, dtype="f"))).get(), expected)
