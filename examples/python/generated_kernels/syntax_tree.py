# SPDX-License-Identifier: MIT
"""A kernel as a tree: the addition of jinja2_template.py, built from nodes in place of text.

A tree is a value. The program makes one statement for each element of a work-item, and a second
kernel from the first by replacing nodes.
"""

import numpy as np

import treadle
from treadle import cgen

COUNT, THREADS, BLOCK_SIZE = 1 << 12, 64, 4


def pointer(name, const=""):
    return cgen.Value(f"TREADLE_GLOBAL {const}float *", name)


target, left, right, idx = (cgen.Var(name) for name in ("tgt", "op1", "op2", "idx"))
first = f"treadle_local_id(0) + {THREADS * BLOCK_SIZE} * treadle_group_id(0)"
add = cgen.FunctionBody(
    cgen.FunctionDeclaration(
        cgen.Value("TREADLE_KERNEL", "combine"),
        [pointer("tgt"), pointer("op1", "const "), pointer("op2", "const ")],
    ),
    cgen.Block(
        [cgen.Initializer(cgen.Const(cgen.POD(np.int32, "idx")), first)]
        + [
            cgen.Assign(target[idx + offset], left[idx + offset] + right[idx + offset])
            for offset in range(0, BLOCK_SIZE * THREADS, THREADS)
        ]
    ),
)


def product_for_sum(node):
    """What stands in the place of a node: for a sum of elements their product."""
    if isinstance(node, cgen.BinOp) and isinstance(node.left, cgen.Index):
        return cgen.BinOp("*", node.left, node.right)
    return node


multiply = add.rewrite(product_for_sum)
print(multiply)

a = np.arange(COUNT, dtype=np.float32)
b = np.full(COUNT, 0.5, np.float32)
for device in treadle.devices():
    for kernel, expected in (add, a + b), (multiply, a * b):
        module = cgen.Module([cgen.Include("treadle/dialect.h", system=False), kernel])
        combine = treadle.Program(device, module).kernel("combine")
        result = treadle.Buffer(device, a.nbytes)
        operands = treadle.Buffer(device, a), treadle.Buffer(device, b)
        combine(result, *operands, groups=COUNT // (THREADS * BLOCK_SIZE), group_size=THREADS)
        values = np.empty_like(a)
        result.copy_to(values)
        assert np.array_equal(values, expected)
    print(f"{device.id}: a sum and a product")
