# SPDX-License-Identifier: MIT
"""A search tree that the host builds and kernels walk by the same pointers: shared virtual memory.

shared_tree.py [--nodes N]
"""

import argparse
import sys

import numpy as np
import pyopencl as cl
from pyopencl.characterize import has_coarse_grain_buffer_svm

SOURCE = """
typedef struct node { int key; float value; global struct node *smaller, *larger; } node;

kernel void look_up(global const node *root, global const int *keys, global float *found) {
    int key = keys[get_global_id(0)];
    global const node *here = root;
    while (here && here->key != key) here = key < here->key ? here->smaller : here->larger;
    found[get_global_id(0)] = here ? here->value : -1;
}
kernel void double_values(global node *nodes) { nodes[get_global_id(0)].value *= 2; }
"""

parser = argparse.ArgumentParser()
parser.add_argument("--nodes", type=int, default=20_000)
options = parser.parse_args()
n = options.nodes

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
print("device:", queue.device.name)
if not has_coarse_grain_buffer_svm(queue.device):
    sys.exit("this device has no shared virtual memory")
program = cl.Program(ctx, SOURCE).build()

node = np.dtype(
    [("key", np.int32), ("value", np.float32), ("smaller", np.uintp), ("larger", np.uintp)]
)
nodes = cl.csvm_empty(ctx, n, node)
keys = cl.csvm_empty(ctx, 2 * n, np.int32)
found = cl.csvm_empty(ctx, 2 * n, np.float32)


def plant(tree):
    """Writes the tree of the sorted nodes; node 0 is its root, the pointers are addresses."""
    order = iter(range(n))

    def branch(first, last):
        if first == last:
            return 0
        place, middle = next(order), (first + last) // 2
        tree[place] = 3 * middle, np.sqrt(middle), branch(first, middle), branch(middle + 1, last)
        return tree.ctypes.data + place * node.itemsize

    branch(0, n)


with cl.SVM(nodes).map_rw(queue) as tree:
    plant(tree)
    values = dict(zip(tree["key"].tolist(), tree["value"].tolist(), strict=True))
wanted = np.random.default_rng(5).integers(0, 6 * n, 2 * n, dtype=np.int32)
cl.enqueue_copy(queue, cl.SVM(keys), wanted)
cl.enqueue_svm_memfill(queue, cl.SVM(found), np.float32(0))

program.double_values(queue, (n,), None, cl.SVM(nodes))
program.look_up(queue, (2 * n,), None, cl.SVM(nodes), cl.SVM(keys), cl.SVM(found))

with cl.SVM(found).map_ro(queue) as result:
    print(f"{np.count_nonzero(result >= 0)} of {2 * n} keys are in the tree")
    expected = [2 * values.get(key, -0.5) for key in wanted.tolist()]
    correct = np.array_equal(result, np.array(expected, np.float32))
copied = np.empty_like(found)
cl.enqueue_copy(queue, copied, cl.SVM(found))
correct = correct and np.array_equal(copied, np.array(expected, np.float32))
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
