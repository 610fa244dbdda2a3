# SPDX-License-Identifier: MIT
"""The lists of tests/cuda_cpu/device_functions as programs: one kernel a function, all of a family
in one source, so that a family is compiled once."""

import dataclasses
import re
from pathlib import Path

import numpy as np

LISTS = Path(__file__).resolve().parent.parent / "device_functions"
# What a family's source includes.
HEADERS = {"half": "cuda_bf16.h", "bfloat16": "cuda_bf16.h"}  # which includes cuda_fp16.h
DTYPES = {
    "bool": np.bool_,
    "char": np.int8,
    "signed char": np.int8,
    "unsigned char": np.uint8,
    "short": np.int16,
    "unsigned short": np.uint16,
    "float": np.float32,
    "double": np.float64,
    "int": np.int32,
    "unsigned int": np.uint32,
    "long": np.int64,
    "unsigned long": np.uint64,
    "long long": np.int64,
    "unsigned long long": np.uint64,
    # Numbers of 16 bits as their bits; pairs of them, and vectors, as rows.
    **dict.fromkeys(["__half", "__half_raw", "__nv_bfloat16", "__nv_bfloat16_raw"], np.uint16),
    **dict.fromkeys(["__half2", "__half2_raw"], np.dtype((np.uint16, 2))),
    **dict.fromkeys(["__nv_bfloat162", "__nv_bfloat162_raw"], np.dtype((np.uint16, 2))),
    "float2": np.dtype((np.float32, 2)),
    "short2": np.dtype((np.int16, 2)),
    "ushort2": np.dtype((np.uint16, 2)),
    "char4": np.dtype((np.int8, 4)),
    "uchar4": np.dtype((np.uint8, 4)),
}


def value_type(kind):
    """The type of an element: without const, volatile, `*` and `&`."""
    return re.sub(r"\b(const|volatile)\b|[*&]", "", kind).strip()


@dataclasses.dataclass(frozen=True)
class DeviceFunction:
    """`result name(parameters)`. A pointer or reference that is not const is a result as well. A
    member has its class before its name, and the object it is called on as its first result."""

    text: str
    result: str
    name: str
    parameters: tuple
    volatile: bool

    @classmethod
    def parse(cls, text):
        pattern = r"(.+?) ((?:\w+::)?(?:operator.+|\w+))\((.*)\)( volatile)?"
        result, name, parameters, volatile = re.fullmatch(pattern, text).groups()
        parameters = tuple(p for p in parameters.split(", ") if p)
        return cls(text, result, name, parameters, bool(volatile))

    @property
    def owner(self):
        """The class of a member."""
        return self.name.partition("::")[0] if "::" in self.name else ""

    @property
    def converts(self):
        """Whether it is a member `operator type()`: it reads its object."""
        return bool(self.owner) and not self.name.endswith("operator=")

    @property
    def results(self):
        """Types of what the function gives: returned first, then through pointers. What is returned
        by reference is the object or the first parameter, which is a result already."""
        given = [value_type(p) for p in self.parameters if is_result(p)]
        if self.owner and not self.converts:
            given.insert(0, self.owner)
        returned = self.result != "void" and not self.result.endswith("&")
        return [self.result, *given] if returned else given

    @property
    def inputs(self):
        """Types of the arrays it reads; the text of a NaN is not one. What is changed in place
        begins as an input, except where a function only writes there."""
        kinds = [self.owner] if self.converts else []
        for kind in self.parameters:
            if kind not in ("const char*", "void") and self.reads(kind):
                kinds.append(kind if "const" in kind else value_type(kind))
        return kinds

    def reads(self, kind):
        return not kind.endswith("*") or "const" in kind or self.name == "atomicAdd"

    def kernel(self, symbol):
        """`symbol(int n, inputs..., results...)`: element i of the results is f of element i."""
        parameters = ["int n"]
        for k, kind in enumerate(self.inputs):
            parameters.append(f"{kind} a{k}" if "*" in kind else f"const {kind}* a{k}")
        parameters += [f"{kind}* r{k}" for k, kind in enumerate(self.results)]
        body = "".join(f"    {line}\n" for line in self.statements())
        return (
            f'extern "C" __global__ void {symbol}({", ".join(parameters)}) {{\n'
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            f"  if (i < n) {{\n{body}  }}\n}}\n"
        )

    def statements(self):
        inputs = iter(f"a{k}" for k in range(len(self.inputs)))
        outputs = iter(f"r{k}" for k in range(len(self.results)))
        stored = f"{next(outputs)}[i] = " if self.returns else ""
        before, target = [], ""
        if self.converts:
            volatile = "volatile " * self.volatile
            before.append(f"{volatile}{self.owner} object({next(inputs)}[i]);")
            target = "object."
        elif self.owner:
            out = f"(({'volatile ' * self.volatile}{self.owner}*){next(outputs)})[i]"
            before.append(f"auto& object = {out};")
            target = "object."
        arguments = []
        for kind in self.parameters:
            if kind == "void":
                continue
            if kind == "const char*":
                arguments.append('""')
            elif "const" in kind and self.name.startswith(("__ld", "norm", "rnorm")):
                arguments.append(f"{next(inputs)} + i")  # loads, and vectors of three from i on
            elif is_result(kind):
                place = next(outputs)
                if self.reads(kind):
                    before.append(f"{place}[i] = {next(inputs)}[i];")
                arguments.append(f"{place}[i]" if kind.endswith("&") else f"{place} + i")
            elif kind.startswith("volatile"):
                before.append(f"volatile {value_type(kind)} source = {next(inputs)}[i];")
                arguments.append("source")
            else:
                arguments.append(f"{next(inputs)}[i]")
        name = self.name.partition("::")[2] or self.name
        return [*before, f"{stored}{target}{name}({', '.join(arguments)});"]

    @property
    def returns(self):
        return self.result != "void" and not self.result.endswith("&")


def is_result(kind):
    return kind.endswith(("*", "&")) and "const" not in kind and not kind.startswith("volatile")


def family(name):
    return [DeviceFunction.parse(line) for line in (LISTS / f"{name}.txt").read_text().splitlines()]


def program(name, functions=None):
    """One source with kernel f0, f1, ... for each function of a family."""
    functions = family(name) if functions is None else functions
    include = f"#include <{HEADERS[name]}>\n" if name in HEADERS else ""
    return include + "".join(function.kernel(f"f{k}") for k, function in enumerate(functions))
