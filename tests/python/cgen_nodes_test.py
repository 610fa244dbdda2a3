# SPDX-License-Identifier: MIT
"""treadle.cgen, node by node: each has a text that a compiler of its language takes."""

import json
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest

import treadle
from treadle import cgen
from treadle.cgen import cuda, ispc, opencl

CGENS_TEXTS = json.loads((pathlib.Path(__file__).parent / "cgen_texts.json").read_text())

# Nodes that cgen does not have, or writes otherwise.
OWN_TEXTS = {
    "DeclSpecifier(x, 'inline')": "inline float x;",
    "Attribute('packed', x)": "float __attribute__ ((packed)) x;",
    "Class('C', [x], 'public B')": "class C : public B\n{\n  float x;\n} ;",
    "Switch(a, [Case(1, [Break()]), Case(None, [Continue()])])": (
        "switch (a)\n{\n  case 1:\n    break;\n  default:\n    continue;\n}"
    ),
    "Switch(a, [Case(1, []), Case(2, [])])": "switch (a)\n{\n  case 1:\n  case 2:\n    ;\n}",
    "RangeFor(Value('auto', 'v'), 'all', Block())": "for (auto v : all)\n{\n}",
    "Return(a)": "return a;",
    "Return()": "return;",
    "Namespace('n', [Using('std::min')])": "namespace n\n{\n  using std::min;\n}",
    "StaticAssert('n > 0', 'why')": 'static_assert(n > 0, "why");',
    "InlineAsm('bar.sync 0;')": 'asm volatile("bar.sync 0;");',
    "InlineAsm('mov.u32 %0, %1;', ['\"=r\"(a)'], ['\"r\"(b)'])": (
        'asm volatile("mov.u32 %0, %1;" : "=r"(a) : "r"(b) :);'
    ),
    "Var('name')": "name",
    "Literal(1.5, np.float32)": "1.5f",
    "Literal(float('inf'))": "INFINITY",
    "Literal(2**63, np.uint64)": "9223372036854775808ul",
    "RawString('a + b') * a": "(a + b) * a",
    "StringLiteral('say \"a\"')": '"say \\"a\\""',
    "BinOp('*', a + 1, 2)": "(a + 1) * 2",
    "UnOp('-', a + 1)": "-(a + 1)",
    "Index(a, 1)": "a[1]",
    "Call(a, [1, 'b'])": "a(1, b)",
    "Member(a, 'b', True)": "a->b",
    "Cast('float', a + 1)": "(float)(a + 1)",
    "Ternary(a, 1, 2)": "a ? 1 : 2",
    "Braces('float2', [1, 2])": "float2{1, 2}",
    "Lambda('=', [x], Block([Return('x')]))": "[=](float x) {\n  return x;\n}",
    "PrivateNamespace([S('a')])": (
        "namespace private_namespace_NUMBER\n{\n  a;\n}\n\n"
        "using namespace private_namespace_NUMBER;"
    ),
    "CudaHost(CudaDevice(f))": "__host__ __device__ void f(float x);",
    "CudaManaged(x)": "__managed__ float x;",
    "CudaGridConstant(Const(x))": "__grid_constant__ float const x;",
    "CudaClusterDims((2,), f)": "void __cluster_dims__(2, 1, 1) f(float x);",
    "CudaDynamicShared(ArrayOf(x))": "extern __shared__ float x[];",
    "CLVecTypeHint(f, np.float32, 4)": "void __attribute__ ((vec_type_hint(float4))) f(float x);",
    "CLVecTypeHint(f, type_str='int2')": "void __attribute__ ((vec_type_hint(int2))) f(float x);",
    "dtype_to_ctype(np.uint8)": "unsigned char",
    "dtype_to_cltype(np.uint8)": "uchar",
}

a, b, n, x = (cgen.Var(name) for name in "abnx")


def number(name="y"):
    return cgen.POD(np.float32, name)


def function(name, result=None, parameters=()):
    return cgen.FunctionDeclaration(result or cgen.Value("void", name), list(parameters))


# What stands in a function of C++ with the parameters a, b, n and x.
IN_A_FUNCTION = {
    "POD": lambda: number(),
    "Value": lambda: cgen.Value("unsigned", "y"),
    "Pointer": lambda: cgen.Pointer(number()),
    "RestrictPointer": lambda: cgen.RestrictPointer(number()),
    "Reference": lambda: cgen.Initializer(cgen.Reference(number()), "x[0]"),
    "ArrayOf": lambda: cgen.ArrayOf(cgen.ArrayOf(number(), 3), 4),
    "Const": lambda: cgen.Initializer(cgen.Const(number()), 1),
    "Volatile": lambda: cgen.Volatile(number()),
    "Static": lambda: cgen.Static(number()),
    "Typedef": lambda: cgen.Typedef(number("t")),
    "NamespaceQualifier": lambda: cgen.NamespaceQualifier("std", cgen.Value("size_t", "y")),
    "TemplateSpecializer": lambda: cgen.TemplateSpecializer(
        "float, 3", cgen.NamespaceQualifier("std", cgen.Value("array", "y"))
    ),
    "MaybeUnused": lambda: cgen.MaybeUnused(number()),
    "AlignedAttribute": lambda: cgen.AlignedAttribute(16, number()),
    "DeclSpecifier": lambda: cgen.DeclSpecifier(number(), "thread_local"),
    "If": lambda: cgen.If(a < b, cgen.Statement("n = 1"), cgen.Block([cgen.Assign(n, 2)])),
    "make_multiple_ifs": lambda: cgen.make_multiple_ifs(
        [("a", cgen.Statement("n = 1")), ("b", cgen.Statement("n = 2"))], "last"
    ),
    "For": lambda: cgen.For("int i = 0", "i < n", "++i", cgen.Statement("x[i] = 0")),
    "InlineInitializer": lambda: cgen.For(
        cgen.InlineInitializer(cgen.POD(np.int32, "i"), 0), "i < n", "++i", cgen.Block()
    ),
    "While": lambda: cgen.While("a < n", cgen.Statement("++a")),
    "DoWhile": lambda: cgen.DoWhile("a < n", cgen.Block([cgen.Statement("++a")])),
    "CustomLoop": lambda: cgen.CustomLoop("do", cgen.Block([]), "while (0);"),
    "RangeFor": lambda: cgen.RangeFor(cgen.Value("auto", "y"), "{1, 2}", cgen.Statement("a += y")),
    "Switch": lambda: cgen.Switch(a, [cgen.Case(1, [cgen.Return(1)]), cgen.Case(None, [])]),
    "Case": lambda: cgen.Switch(a, [cgen.Case("1 + 1", [cgen.Break()])]),
    "Break": lambda: cgen.While(a, cgen.Block([cgen.Break()])),
    "Continue": lambda: cgen.While(a, cgen.Block([cgen.Continue()])),
    "Return": lambda: cgen.Return(a + 1),
    "Define": lambda: cgen.Define("SQUARE(y)", "((y) * (y))"),
    "Pragma": lambda: cgen.Collection(
        [cgen.Pragma("GCC unroll 4"), cgen.For("", "a < n", "++a", cgen.Block())]
    ),
    "Statement": lambda: cgen.Statement("a = b"),
    "ExpressionStatement": lambda: cgen.ExpressionStatement(cgen.Call("abs", [a])),
    "Assign": lambda: cgen.Assign(x[a + 1], b * 2),
    "Line": lambda: cgen.Line("a = 1;"),
    "Comment": lambda: cgen.Comment("two\nlines"),
    "MultilineComment": lambda: cgen.MultilineComment("two\nlines"),
    "LineComment": lambda: cgen.LineComment("one"),
    "add_comment": lambda: cgen.add_comment("why", cgen.Statement("a = 1")),
    "Initializer": lambda: cgen.Initializer(number(), "1"),
    "Constant": lambda: cgen.Constant(number(), "1"),
    "ArrayInitializer": lambda: cgen.ArrayInitializer(cgen.ArrayOf(number(), 3), [1, 2, 3]),
    "Block": lambda: cgen.Block([cgen.Statement("int n"), cgen.Statement("n = a")]),
    "block_if_necessary": lambda: cgen.block_if_necessary(
        [cgen.Statement("int m"), cgen.Statement("m = a")]
    ),
    "Collection": lambda: cgen.Collection([cgen.Statement("a = 1")]),
    "LiteralLines": lambda: cgen.LiteralLines("\n    if (a)\n      b = 1;"),
    "LiteralBlock": lambda: cgen.LiteralBlock("\n    int m;\n    m = 1;"),
    "IfDef": lambda: cgen.IfDef("__cplusplus", [cgen.Statement("a = 1")], [cgen.Line("no C++")]),
    "IfNDef": lambda: cgen.IfNDef("__cplusplus", [cgen.Line("no C++")], []),
    "StaticAssert": lambda: cgen.StaticAssert("sizeof(int) == 4", 'an "int"'),
    "InlineAsm": lambda: cgen.InlineAsm("nop", ['"=r"(a)'], ['"r"(b)'], ['"memory"']),
    "Using": lambda: cgen.Using("std::size_t"),
    "Var": lambda: cgen.Assign(a, b),
    "Literal": lambda: cgen.Collection(
        cgen.Assign(cgen.Var("auto " + f"y{i}"), cgen.Literal(value, dtype))
        for i, (value, dtype) in enumerate(
            [(-1, np.int64), (2**64 - 1, np.uint64), (1e-40, np.float32), (float("nan"), None)]
        )
    ),
    "RawString": lambda: cgen.Assign(a, cgen.RawString("b, n") + 1),
    "StringLiteral": lambda: cgen.Initializer(
        cgen.Value("const char *", "y"), cgen.StringLiteral('\\ "\n?')
    ),
    "BinOp": lambda: cgen.Assign(a, cgen.BinOp("<<", a, cgen.BinOp("+", a, b))),
    "UnOp": lambda: cgen.Assign(a, cgen.UnOp("-", cgen.UnOp("-", b))),
    "Index": lambda: cgen.Assign(cgen.Index(x + 1, a), b),
    "Call": lambda: cgen.Assign(a, cgen.Call("abs", [cgen.RawString("a, b")])),
    "Member": lambda: cgen.Assign(
        cgen.Member("(new std::pair<int, int>)", "first", True),
        cgen.Member(cgen.Braces("std::pair<int, int>", [a, b]), "second"),
    ),
    "Braces": lambda: cgen.Initializer(cgen.Value("auto", "y"), cgen.Braces("int", [a])),
    "Cast": lambda: cgen.Assign(a, cgen.Cast("int", x[0] * 2)),
    "Ternary": lambda: cgen.Assign(a, cgen.Ternary(a < b, a, cgen.Ternary(b, 1, 2)) + 1),
    "Lambda": lambda: cgen.Assign(
        a, cgen.Lambda("=", [cgen.POD(np.int32, "y")], cgen.Block([cgen.Return("y + b")]))(b)
    ),
}
# What stands in a file of C++.
IN_A_FILE = {
    "Extern": lambda: cgen.Extern("C", function("extern_c")),
    "FunctionDeclaration": lambda: function(
        "declared", None, [number(), cgen.Pointer(number("z"))]
    ),
    "Attribute": lambda: cgen.Attribute("noinline", function("attributed")),
    "AlignValueAttribute": lambda: cgen.Typedef(
        cgen.AlignValueAttribute(16, cgen.Pointer(number("aligned_pointer")))
    ),
    "Struct": lambda: cgen.Struct("S", [number(), cgen.Pointer(number("z"))], "s", 4),
    "GenerableStruct": lambda: cgen.GenerableStruct("G", [number()], "g", align_bytes=16),
    "Class": lambda: cgen.Class("C", [number()], "public S"),
    "Enum": lambda: type(
        "Color", (cgen.Enum,), {"c_name": "color", "dtype": np.int32, "RED": 1, "BLUE": 2}
    )(),
    "Template": lambda: cgen.FunctionBody(
        cgen.Template("class T", function("pattern", None, [cgen.Value("T", "y")])), cgen.Block()
    ),
    "Include": lambda: cgen.Include("memory"),
    "FunctionBody": lambda: cgen.FunctionBody(function("defined"), cgen.Block()),
    "Module": lambda: cgen.Module(
        [cgen.Include("array"), cgen.Include("cmath"), cgen.Include("cstdlib")]
    ),
    "Namespace": lambda: cgen.Namespace("inner", [number("in_namespace")]),
    "PrivateNamespace": lambda: cgen.PrivateNamespace([number("in_private_namespace")]),
}


def kernel(name, body=(), parameters=(), around=lambda declared: declared):
    declared = function(name, None, parameters)
    return cgen.FunctionBody(around(cuda.CudaGlobal(declared)), cgen.Block(list(body)))


IN_A_FILE_OF_CUDA = {
    "CudaGlobal": lambda: kernel("k_global"),
    "CudaDevice": lambda: cuda.CudaDevice(number("on_device")),
    "CudaHost": lambda: cgen.FunctionBody(
        cuda.CudaHost(cuda.CudaDevice(function("on_both"))), cgen.Block()
    ),
    "CudaShared": lambda: kernel("k_shared", [cuda.CudaShared(cgen.ArrayOf(number(), 32))]),
    "CudaDynamicShared": lambda: kernel(
        "k_dynamic", [cuda.CudaDynamicShared(cgen.ArrayOf(number("dynamic")))]
    ),
    "CudaConstant": lambda: cuda.CudaConstant(cgen.ArrayOf(number("in_constant_memory"), 4)),
    "CudaManaged": lambda: cuda.CudaManaged(number("managed")),
    "CudaRestrictPointer": lambda: kernel("k_restrict", (), [cuda.CudaRestrictPointer(number())]),
    "CudaGridConstant": lambda: kernel(
        "k_grid", (), [cuda.CudaGridConstant(cgen.Const(cgen.Value("int", "y")))]
    ),
    "CudaLaunchBounds": lambda: kernel(
        "k_bounds", around=lambda declared: cuda.CudaLaunchBounds(128, declared, 2)
    ),
    "CudaClusterDims": lambda: kernel(
        "k_cluster", around=lambda declared: cuda.CudaClusterDims((2,), declared)
    ),
}


def cl_kernel(name, body=(), parameters=(), around=lambda declared: declared):
    declared = around(function(name, None, parameters))
    return cgen.FunctionBody(opencl.CLKernel(declared), cgen.Block(list(body)))


IN_A_FILE_OF_OPENCL = {
    "CLKernel": lambda: cl_kernel("k_kernel"),
    "CLConstant": lambda: cgen.Initializer(opencl.CLConstant(number("in_constant_memory")), 1),
    "CLLocal": lambda: cl_kernel("k_local", [opencl.CLLocal(cgen.ArrayOf(number(), 32))]),
    "CLGlobal": lambda: cl_kernel("k_global", (), [opencl.CLGlobal(cgen.Pointer(number()))]),
    "CLImage": lambda: cl_kernel(
        "k_image", (), [opencl.CLImage(2, "r", "y"), opencl.CLImage(3, "w", "z")][:1]
    ),
    "CLVectorPOD": lambda: cl_kernel("k_vector", [opencl.CLVectorPOD(np.uint8, 16, "y")]),
    "CLVecTypeHint": lambda: cl_kernel(
        "k_hint", around=lambda declared: opencl.CLVecTypeHint(declared, np.float32, 4)
    ),
    "CLWorkGroupSizeHint": lambda: cl_kernel(
        "k_size_hint", around=lambda declared: opencl.CLWorkGroupSizeHint((8, 2), declared)
    ),
    "CLRequiredWorkGroupSize": lambda: cl_kernel(
        "k_size", around=lambda declared: opencl.CLRequiredWorkGroupSize((8,), declared)
    ),
}

# Of these a program has derived ones only.
BASES = {"Declarator", "Expression", "Generable", "Loop", "NestedDeclarator", "Node", "NodeList"}
FUNCTIONS = {"Constant", "add_comment", "block_if_necessary", "make_multiple_ifs"}


def names_of_nodes(module):
    """What the module offers to make nodes with."""
    classes = {name for name in module.__all__ if isinstance(getattr(module, name), type)}
    return classes - BASES | FUNCTIONS & set(module.__all__)


def classes_in(tree):
    """The classes of its nodes, those included that they derive from."""
    found = set()

    def look(node):
        found.update(one.__name__ for one in type(node).__mro__)
        return node.with_children(look)

    look(tree)
    return found


def test_every_node_has_a_golden_text():
    names = {**vars(cgen), **vars(cuda), **vars(opencl), "np": np, "S": cgen.Statement, "a": a}
    names |= {"x": number("x"), "f": function("f", None, [number("x")])}
    texts = {source: str(eval(source, names)) for source in OWN_TEXTS}  # noqa: S307
    hashed = re.compile("(?<=private_namespace_)[0-9a-f]{16}")
    assert {source: hashed.sub("NUMBER", text) for source, text in texts.items()} == OWN_TEXTS
    words = set(re.findall(r"\w+", " ".join([*CGENS_TEXTS, *OWN_TEXTS]))) | {"Statement"}
    for module in (cgen, cuda, opencl, ispc):
        missing = names_of_nodes(module) - words - {"Enum"}  # Enum: cgen_test.py
        assert not missing, module


@pytest.mark.parametrize(
    ("module", "programs"),
    [
        (cgen, IN_A_FUNCTION | IN_A_FILE),
        (cuda, IN_A_FILE_OF_CUDA),
        (opencl, IN_A_FILE_OF_OPENCL),
    ],
)
def test_every_node_has_a_program(module, programs):
    assert set(programs) == names_of_nodes(module)
    for name, make in programs.items():
        assert name in FUNCTIONS or name in classes_in(make()), name


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")
def test_gcc_takes_every_node_of_cpp():
    text = "\n\n".join(str(make()) for name, make in sorted(IN_A_FILE.items(), key=order))
    for number, make in enumerate(IN_A_FUNCTION.values()):
        text += f"\nint f{number}(int a, int b, int n, float *x)\n{{\n{make()}\n  return 0;\n}}\n"
    command = ["g++", "-std=c++20", "-fsyntax-only", "-x", "c++", "-"]
    done = subprocess.run(command, input=text, text=True, capture_output=True)  # noqa: S603
    assert done.returncode == 0, done.stderr + text


def order(entry):
    """Includes first."""
    return entry[0] not in ("Include", "Module")


@pytest.mark.parametrize("target", ["sm_90", "cpu"])
def test_the_compilers_of_cuda_take_every_node_of_cuda(target):
    programs = dict(IN_A_FILE_OF_CUDA)
    if target == "cpu":
        del programs["CudaClusterDims"]  # the CPU device has no clusters
    text = cgen.source_of(cgen.Module([make() for make in programs.values()]), "CUDA C")
    try:
        treadle.compile_cuda(text, target, cache=False)
    except treadle.LibraryNotFound:
        pytest.skip("NVRTC is not here")


def test_opencl_takes_every_node_of_opencl():
    tree = cgen.Module([make() for make in IN_A_FILE_OF_OPENCL.values()])
    device = next((one for one in treadle.devices() if one.id.startswith("opencl")), None)
    if device is None:
        pytest.skip("there is no OpenCL device")
    treadle.Program(device, tree)
