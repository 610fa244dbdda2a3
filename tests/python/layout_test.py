# SPDX-License-Identifier: MIT
"""Views and results of broadcasting have the shapes, strides and offsets that NumPy gives them."""

import random

import numpy as np
import pytest

import treadle
from treadle._core import rules

ITEM = np.dtype(np.int32).itemsize


def layout_of(array, base):
    offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    return rules._Layout(array.shape, array.strides, offset)


def assert_same(layout, array, base):
    """Strides count only where they lead to another element, and offsets where there is one."""
    assert layout.shape == array.shape
    if array.size:
        expected = layout_of(array, base)
        assert layout.offset == expected.offset
        for extent, ours, numpys in zip(array.shape, layout.strides, array.strides, strict=True):
            assert extent == 1 or ours == numpys, (layout.strides, array.strides)
    flags = array.flags
    assert layout.is_contiguous(ITEM, False) == flags.c_contiguous
    assert layout.is_contiguous(ITEM, True) == flags.f_contiguous


def some_slice(draw, extent):
    bound = [None, *range(-extent - 2, extent + 3)]
    return slice(draw.choice(bound), draw.choice(bound), draw.choice([None, 1, 2, 3, -1, -2]))


def some_index(draw, shape):
    index = []
    taken = draw.randint(0, len(shape))
    for extent in shape[:taken]:
        if extent and draw.random() < 0.2:
            index.append(draw.randrange(-extent, extent))
        else:
            index.append(some_slice(draw, extent))
    if draw.random() < 0.3 and taken == len(shape):
        index.insert(draw.randint(0, taken), Ellipsis)
    for _ in range(draw.choice([0, 0, 0, 1])):
        index.insert(draw.randint(0, len(index)), None)
    return tuple(index)


def with_index(view, index):
    """A view in any case, where NumPy copies a single element."""
    return view[index] if Ellipsis in index else view[(*index, Ellipsis)]


def some_view(draw, steps=3, rank=5):
    base = np.arange(2000, dtype=np.int32)
    shape = tuple(draw.choice([1, 2, 3, 4, 0][: 5 if draw.random() < 0.1 else 4])
                  for _ in range(draw.randint(0, rank)))  # fmt: skip
    view = base[: int(np.prod(shape))].reshape(shape)
    for _ in range(draw.randint(0, steps)):
        what = draw.randrange(3)
        if what == 0:
            view = with_index(view, some_index(draw, view.shape))
        elif what == 1:
            view = view.transpose(draw.sample(range(view.ndim), view.ndim))
        elif view.ndim:
            view = np.flip(view, draw.randrange(view.ndim))
    return view, base


def seeds(count):
    return pytest.mark.parametrize("draw", [random.Random(seed) for seed in range(count)])


@seeds(20)
def test_indexing_gives_numpys_views(draw):
    for _ in range(200):
        view, base = some_view(draw)
        index = some_index(draw, view.shape)
        assert_same(layout_of(view, base).indexed(index), with_index(view, index), base)


@seeds(10)
def test_axes_change_places_as_in_numpy(draw):
    for _ in range(100):
        view, base = some_view(draw)
        layout, rank = layout_of(view, base), view.ndim
        assert_same(layout.transposed(), view.T, base)
        assert_same(layout.squeezed(), view.squeeze(), base)
        axis = draw.randrange(-rank - 1, rank + 1)
        assert_same(layout.expanded(axis), np.expand_dims(view, axis), base)
        if not rank:
            continue
        axis, other = draw.randrange(-rank, rank), draw.randrange(-rank, rank)
        order = draw.sample(range(rank), rank)
        assert_same(layout.permuted(order), view.transpose(order), base)
        assert_same(layout.swapped(axis, other), view.swapaxes(axis, other), base)
        assert_same(layout.moved(axis, other), np.moveaxis(view, axis, other), base)
        assert_same(layout.flipped(axis), np.flip(view, axis), base)
        if axis % rank != other % rank:
            for offset in range(-5, 6):
                expected = view.diagonal(offset, axis, other)
                assert_same(layout.diagonal(offset, axis, other), expected, base)
        if length := view.shape[axis]:
            length = draw.randint(1, length)
            expected = np.lib.stride_tricks.sliding_window_view(view, length, axis)
            assert_same(layout.windows(axis, length), expected, base)
        positions = sorted(draw.choices(range(5), k=2))
        parts = np.split(view, positions, axis)
        for part, expected in zip(layout.split(axis, positions), parts, strict=True):
            assert_same(part, expected, base)


def some_shape_of_size(draw, size):
    shape = []
    while size > 1:
        factor = draw.choice([n for n in range(2, size + 1) if size % n == 0])
        shape.append(factor)
        size //= factor
    for _ in range(draw.randint(0, 2)):
        shape.insert(draw.randint(0, len(shape)), 1)
    return shape


@seeds(10)
def test_reshapes_are_views_where_numpys_are(draw):
    views = 0
    for _ in range(300):
        view, base = some_view(draw)
        shape = some_shape_of_size(draw, view.size) if view.size else [3, 0]
        ours = layout_of(view, base).reshaped(shape, ITEM)
        numpys = view.reshape(shape)
        is_view = not view.size or np.shares_memory(numpys, base)
        assert (ours is not None) == is_view, (view.shape, view.strides, shape)
        if ours is not None and view.size:
            assert_same(ours, numpys, base)
            views += 1
    assert 0 < views < 300


@seeds(10)
def test_results_of_broadcasting_have_numpys_order(draw):
    for _ in range(200):
        view, base = some_view(draw)
        operands = [view]
        for _ in range(draw.randint(0, 2)):
            other, _ = some_view(draw)
            if other.ndim == view.ndim and draw.random() < 0.7:
                shape = [e if draw.random() < 0.8 else 1 for e in view.shape]
                order = draw.sample(range(view.ndim), view.ndim)
                packed = np.empty([shape[i] for i in order], np.int32)
                other = packed.transpose(np.argsort(order)) if order else packed
            operands.append(other)
        layouts = [rules._Layout(a.shape, a.strides, 0) for a in operands]
        try:
            expected = np.nditer([*operands, None], ["zerosize_ok"],
                                 [["readonly"]] * len(operands) + [["writeonly", "allocate"]],
                                 order="K").operands[-1]  # fmt: skip
        except ValueError:
            with pytest.raises(treadle.ShapeError, match="could not be broadcast"):
                rules._broadcast(layouts, ITEM)
            continue
        assert_same(rules._broadcast(layouts, ITEM), expected, expected)
        target = layouts[0].broadcast_to(expected.shape)
        assert_same(target, np.broadcast_to(view, expected.shape), view)


@seeds(10)
def test_views_overlap_as_numpy_proves(draw):
    seen = set()
    for _ in range(200):
        a, base = some_view(draw)
        b = a
        for _ in range(draw.randint(0, 2)):
            b = with_index(b, some_index(draw, b.shape))
        if draw.random() < 0.7:
            a = with_index(a, some_index(draw, a.shape))
        found = rules._overlap(layout_of(a, base), ITEM, layout_of(b, base), ITEM)
        assert (found == "none") == (not np.shares_memory(a, b)), (a.strides, b.strides)
        seen.add(found)
    assert seen == {"none", "same", "partial"}


def test_what_gives_no_view_is_refused():
    layout = rules._Layout([3, 4], [16, 4], 0)
    for index in (True, 1.5, "a", [0, 1], np.array([True, False, True])):
        with pytest.raises(IndexError):
            layout.indexed(index)
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 of extent 3"):
        layout.indexed(np.int64(3))
    with pytest.raises(ValueError, match="step of 0"):
        layout.indexed(slice(None, None, 0))
