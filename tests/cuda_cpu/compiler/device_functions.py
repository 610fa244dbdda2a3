# SPDX-License-Identifier: MIT
"""The lists of tests/cuda_cpu/device_functions as programs: one kernel a function, all of a family
in one source, so that a family is compiled once."""

import dataclasses
import re
from pathlib import Path

import numpy as np

LISTS = Path(__file__).resolve().parent.parent / "device_functions"
DTYPES = {
    "bool": np.bool_,
    "float": np.float32,
    "double": np.float64,
    "int": np.int32,
    "unsigned int": np.uint32,
    "long": np.int64,
    "unsigned long": np.uint64,
    "long long": np.int64,
    "unsigned long long": np.uint64,
}


@dataclasses.dataclass(frozen=True)
class DeviceFunction:
    """`result name(parameters)`; a pointer that is not const is a result as well."""

    text: str
    result: str
    name: str
    parameters: tuple

    @classmethod
    def parse(cls, text):
        result, name, parameters = re.fullmatch(r"(.+) (\w+)\((.*)\)", text).groups()
        return cls(text, result, name, tuple(parameters.split(", ")))

    @property
    def results(self):
        """Types of what the function gives: returned first, then through pointers."""
        pointed = [p[:-1] for p in self.parameters if p.endswith("*") and "const" not in p]
        return [self.result, *pointed] if self.result != "void" else pointed

    @property
    def inputs(self):
        """Types of the arrays it reads; the text of a NaN is not one."""
        parameters = [p for p in self.parameters if p != "const char*"]
        return [p for p in parameters if not p.endswith("*") or "const" in p]

    def kernel(self, symbol):
        """`symbol(int n, inputs..., results...)`: element i of the results is f of element i."""
        parameters, arguments, returned = ["int n"], [], ""
        for k, kind in enumerate(self.inputs):
            parameters.append(f"{kind} a{k}" if "*" in kind else f"const {kind}* a{k}")
        outputs = iter(f"r{k}" for k in range(len(self.results)))
        parameters += [f"{kind}* r{k}" for k, kind in enumerate(self.results)]
        if self.result != "void":
            returned = f"{next(outputs)}[i] = "
        inputs = iter(f"a{k}" for k in range(len(self.inputs)))
        for kind in self.parameters:
            if kind == "const char*":
                arguments.append('""')
            elif "const" in kind:  # a vector of three numbers from i on
                arguments.append(f"{next(inputs)} + i")
            elif kind.endswith("*"):
                arguments.append(f"{next(outputs)} + i")
            else:
                arguments.append(f"{next(inputs)}[i]")
        return (
            f'extern "C" __global__ void {symbol}({", ".join(parameters)}) {{\n'
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            f"  if (i < n) {returned}{self.name}({', '.join(arguments)});\n}}\n"
        )


def family(name):
    return [DeviceFunction.parse(line) for line in (LISTS / f"{name}.txt").read_text().splitlines()]


def program(functions):
    """One source with kernel f0, f1, ... for each function."""
    return "".join(function.kernel(f"f{k}") for k, function in enumerate(functions))
