# SPDX-License-Identifier: MIT
"""boxtree: trees of boxes around points, by its kernels and pyopencl's algorithms."""

import numpy as np
import pyopencl as cl
import pyopencl.array as cla
import pytest
from boxtree import TreeBuilder
from boxtree.traversal import FMMTraversalBuilder
from pytools.obj_array import make_obj_array


@pytest.fixture
def points(queue, rng):
    host = [rng.random(2000) for _ in range(2)]
    return host, make_obj_array([cla.to_device(queue, x) for x in host])


def tree_of(queue, points):
    made, _ = TreeBuilder(queue.context)(queue, points[1], max_particles_in_box=30)
    return made


def test_every_point_is_in_one_box(queue, points):
    tree = tree_of(queue, points).get(queue=queue)
    counts = tree.box_source_counts_nonchild
    assert counts.sum() == 2000
    assert counts.max() <= 30
    order = tree.user_source_ids
    assert np.array_equal(np.sort(order), np.arange(2000))
    for axis in range(2):
        np.testing.assert_array_equal(points[0][axis][order], tree.sources[axis])


def test_boxes_hold_their_points(queue, points):
    tree = tree_of(queue, points).get(queue=queue)
    for box in np.flatnonzero(tree.box_source_counts_nonchild):
        begin = tree.box_source_starts[box]
        own = slice(begin, begin + tree.box_source_counts_nonchild[box])
        radius = tree.root_extent / 2 ** (1 + tree.box_levels[box]) * (1 + 1e-9)
        for axis in range(2):
            distance = np.abs(tree.sources[axis][own] - tree.box_centers[axis][box])
            assert distance.max() <= radius


def test_lists_of_interactions_hold_every_pair_once(queue, points):
    tree = tree_of(queue, points)
    traversal, _ = FMMTraversalBuilder(queue.context)(queue, tree)
    traversal = traversal.get(queue=queue)
    starts = traversal.neighbor_source_boxes_starts
    assert len(starts) == len(traversal.target_boxes) + 1
    assert np.all(np.diff(starts) > 0)  # a box is its own neighbour
    assert cl.get_cl_header_version() >= (1, 1)
