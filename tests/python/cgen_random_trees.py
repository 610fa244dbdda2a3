# SPDX-License-Identifier: MIT
"""Random trees, made with cgen's interface: `cgen_random_trees.py MODULE SEED COUNT` prints their
texts as JSON, for Treadle's `treadle.cgen` and for the package `cgen` alike.
"""

from __future__ import annotations

import importlib
import json
import random
import sys
from typing import Any

import numpy as np

DTYPES = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32]
DTYPES += [np.int64, np.uint64, np.float32, np.float64, np.complex64]
TEXTS = ["a", "x[i]", "f(a, b)", "a + b", "a ? b : c", "a,\nb", '"%s"', "i < n && (j > 2)", "1"]


class Maker:
    """Draws nodes."""

    def __init__(self, module: str, seed: int) -> None:
        self.m = importlib.import_module(module)
        self.cuda = importlib.import_module(module + ".cuda")
        self.opencl = importlib.import_module(module + ".opencl")
        self.random = random.Random(seed)

    def text(self) -> str:
        return self.random.choice(TEXTS)

    def plain(self) -> Any:
        m, r = self.m, self.random
        name = r.choice(["x", "y", "value_1"])
        return r.choice(
            [
                lambda: m.POD(r.choice(DTYPES), name),
                lambda: m.Value(r.choice(["int", "unsigned", "T"]), name),
                lambda: self.opencl.CLVectorPOD(np.float32, r.choice([2, 4]), name),
                lambda: self.opencl.CLImage(r.choice([2, 3]), r.choice("rw"), name),
            ]
        )()

    def declarator(self, depth: int) -> Any:
        m, r = self.m, self.random
        if depth == 0 or r.random() < 0.2:
            return self.plain()
        inner = self.declarator(depth - 1)
        cuda, opencl = self.cuda, self.opencl
        words = [m.Pointer, m.RestrictPointer, m.Reference, m.Const, m.Volatile, m.Static]
        words += [m.Typedef, m.MaybeUnused, m.ArrayOf, cuda.CudaGlobal, cuda.CudaDevice]
        words += [cuda.CudaShared, cuda.CudaConstant, cuda.CudaRestrictPointer, opencl.CLKernel]
        words += [opencl.CLConstant, opencl.CLLocal, opencl.CLGlobal]
        return r.choice(
            [
                *(lambda word=word: word(inner) for word in words),
                lambda: m.ArrayOf(inner, r.choice([3, "N + 1"])),
                lambda: m.Extern("C", inner),
                lambda: m.NamespaceQualifier("std", inner),
                lambda: m.TemplateSpecializer("int, 3", inner),
                lambda: m.AlignedAttribute(16, inner),
                lambda: m.AlignValueAttribute(32, inner),
                lambda: m.DeclSpecifier(inner, "inline"),
                lambda: cuda.CudaLaunchBounds(128, inner, r.choice([None, 2])),
                lambda: opencl.CLWorkGroupSizeHint((4, 2), inner),
                lambda: opencl.CLRequiredWorkGroupSize((8,), inner),
                lambda: m.FunctionDeclaration(
                    inner, [self.declarator(1) for _ in range(r.randrange(3))]
                ),
                lambda: m.Struct(
                    r.choice(["S", None]),
                    [self.declarator(1) for _ in range(r.randrange(1, 3))],
                    "s",  # without a name cgen writes "None" where something stands around it
                    r.choice([0, 4]),
                ),
                lambda: m.Template("class T", inner),
            ]
        )()

    def simple(self) -> Any:
        m, r = self.m, self.random
        return r.choice(
            [
                lambda: m.Statement(self.text()),
                lambda: m.ExpressionStatement(self.text()),
                lambda: m.Assign(self.text(), self.text()),
                lambda: m.Assign("a", m.Statement("b")),
                lambda: m.Assign(m.Line("a"), self.simple()),
                lambda: m.If(m.Line("a"), m.Statement("b")),
                lambda: m.Line(r.choice(["", "x  ", "a\n  b"])),
                lambda: m.Comment(r.choice(["why", "two\nlines"]), r.choice([False, True])),
                lambda: m.MultilineComment("two\nlines", r.choice([False, True])),
                lambda: m.LineComment("one"),
                lambda: m.Define("A", r.choice(["1", "b + c", ""])),
                lambda: m.Include("a.h", r.choice([False, True])),
                lambda: m.Pragma("unroll"),
                lambda: m.Initializer(self.declarator(2), self.text()),
                lambda: m.Constant(self.declarator(1), self.text()),
                lambda: m.ArrayInitializer(self.declarator(2), ["1", "b, c"][: r.randrange(3)]),
                lambda: m.LiteralLines("\n  if (a)\n    b;\n\n  c;  \n"),
                lambda: m.LiteralBlock("\n\ta;\n\t\tb;"),
                lambda: self.declarator(3),
            ]
        )()

    def several(self, depth: int) -> list[Any]:
        return [self.statement(depth) for _ in range(self.random.randrange(4))]

    def statement(self, depth: int) -> Any:
        m, r = self.m, self.random
        if depth == 0 or r.random() < 0.3:
            return self.simple()
        inner = depth - 1
        loop = m.InlineInitializer(m.POD(np.int32, "i"), 0)
        function = m.FunctionDeclaration(self.plain(), [self.declarator(2)])
        return r.choice(
            [
                lambda: m.If(self.text(), self.statement(inner)),
                lambda: m.If(self.text(), self.statement(inner), self.statement(inner)),
                lambda: m.For(loop, self.text(), "++i", self.statement(inner)),
                lambda: m.While(self.text(), self.statement(inner)),
                lambda: m.DoWhile(self.text(), self.statement(inner)),
                lambda: m.CustomLoop(r.choice(["FOR_ALL(i)", None]), m.Block(self.several(inner))),
                lambda: m.CustomLoop("BEGIN", self.statement(inner), "END"),
                lambda: m.Block(self.several(inner)),
                lambda: m.Collection(self.several(inner)),
                lambda: m.Module(self.several(inner)),
                lambda: m.FunctionBody(function, m.Block(self.several(inner))),
                lambda: m.IfDef("A", self.several(inner), self.several(inner)),
                lambda: m.IfNDef("A", self.several(inner), []),
                lambda: m.add_comment("why", self.statement(inner)),
                lambda: m.block_if_necessary(self.several(inner)),
                lambda: m.make_multiple_ifs(
                    [("a", self.statement(inner)), (self.text(), self.statement(inner))],
                    r.choice([None, "last", self.statement(inner)]),
                ),
            ]
        )()


def texts(module: str, seed: int, count: int) -> list[str]:
    """Of `count` trees; what cannot be made or printed is the error's class."""
    return [str(Maker(module, seed + number).statement(4)) for number in range(count)]


if __name__ == "__main__":
    print(json.dumps(texts(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
