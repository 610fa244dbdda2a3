# SPDX-License-Identifier: MIT
"""Matrix products by NumPy, which asks OpenBLAS."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import numpy as np
from kernel_cases import CASES
from worker import Absent, Case, serve


class Product(Case):
    def __init__(self, case):
        arguments, self.expected = case.make()
        factors = [a for i, a in enumerate(arguments) if i != case.output]
        self.a, self.b = (a for a in factors if isinstance(a, np.ndarray))
        self.out = np.empty_like(self.a)

    def prepare(self):
        self.run()
        if not np.allclose(self.out, self.expected):
            raise Absent("a wrong product")

    def run(self):
        np.matmul(self.a, self.b, out=self.out)


def make_cases():
    return {
        name: lambda case=case: Product(case)
        for name, case in CASES.items()
        if case.name in ("matmul", "product")
    }


serve(make_cases)
