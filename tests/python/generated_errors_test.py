# SPDX-License-Identifier: MIT
"""A mistake in a generated kernel is reported at the line of Python or of the template that wrote
it, by every compiler.
"""

import linecache
import sys

import numpy as np
import pytest

import treadle
from treadle import cgen, templates
from treadle._core import tree

DEVICES = [device.id for device in treadle.devices()]
HEAD = cgen.Include("treadle/dialect.h", system=False)

# One mistake each, in a line that says so.
MISTAKES = {
    "unknown name": lambda: cgen.Assign("x[0]", "unknown"),  # mistake
    "unknown function": lambda: cgen.Statement("unknown(1)"),  # mistake
    "unknown type": lambda: cgen.Initializer(cgen.Value("unknown", "a"), "1"),  # mistake
    "a pointer times a number": lambda: cgen.Assign("x[0]", "x * 2.0f"),  # mistake
    "no member": lambda: cgen.Statement("x[0].member = 1"),  # mistake
    "a constant": lambda: cgen.Assign(cgen.Literal(1), "2"),  # mistake
    "a name twice": lambda: cgen.Collection(
        [cgen.Statement("int a"), cgen.Statement("float a")]  # mistake
    ),
    "a condition": lambda: cgen.If("x[0] +", cgen.Statement("x[0] = 1")),  # mistake
    "a loop": lambda: cgen.For("int i = 0", "i < unknown", "++i", cgen.Block()),  # mistake
    "arguments": lambda: cgen.Statement("sqrt()"),  # mistake
}


def kernel(statement):
    pointer = cgen.Value("TREADLE_GLOBAL float *", "x")
    declared = cgen.FunctionDeclaration(cgen.Value("TREADLE_KERNEL", "k"), [pointer])
    before = [cgen.Statement("x[1] = 2") for _ in range(3)]
    return cgen.Module([HEAD, cgen.FunctionBody(declared, cgen.Block([*before, statement]))])


def line_of_mistake(make):
    first = make.__code__.co_firstlineno
    lines = range(first, first + 3)
    return next(n for n in lines if "# mistake" in linecache.getline(__file__, n))


def assert_is_reported_at(error, file, line):
    log = str(error)
    assert any(f"{file}{mark}{line}" in log for mark in ("(", ":")), log


@pytest.mark.parametrize("device_id", DEVICES)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_programs_name_the_line_of_python(device_id, mistake):
    make = MISTAKES[mistake]
    with pytest.raises(treadle.CompileError) as caught:
        treadle.Program(treadle.find_device(device_id), kernel(make()))
    assert_is_reported_at(caught.value, __file__, line_of_mistake(make))


@pytest.mark.parametrize("mistake", MISTAKES)
def test_nvrtc_names_the_line_of_python(mistake):
    make = MISTAKES[mistake]
    with_lines = tree.program_texts(kernel(make()), "CUDA C")[1]
    try:
        with pytest.raises(treadle.CompileError) as caught:
            treadle.compile_cuda(with_lines, "sm_90", cache=False)
    except treadle.LibraryNotFound:
        pytest.skip("NVRTC is not here")
    assert_is_reported_at(caught.value, __file__, line_of_mistake(make))


# The same mistakes as texts.
TEXTS = [
    "x[0] = unknown",
    "unknown(1)",
    "unknown a = 1",
    "x[0] = x * 2.0f",
    "x[0].member = 1",
    "1 = 2",
    "int a; float a",
    "if (x[0] +) x[0] = 1",
    "for (int i = 0; i < unknown; ++i) {}",
    "sqrt()",
]
OPENING = "#include <treadle/dialect.h>\nTREADLE_KERNEL k(TREADLE_GLOBAL float *x)\n{\n"
# The text of each engine, the line of the mistake, and what makes a kernel of both.
TEMPLATES = {
    "mako": (
        OPENING + "% for i in range(4):\n  x[${i}] = ${i};\n% endfor\n  ${what};\n}\n",
        7,
        lambda text, what: templates.render_mako(text, name="k.tpl", what=what),
    ),
    "jinja2": (
        OPENING + "{% for i in range(4) %}\n  x[{{ i }}] = {{ i }};\n{% endfor %}\n"
        "  {{ what }};\n}\n",
        7,
        lambda text, what: templates.render_jinja2(text, name="k.tpl", what=what),
    ),
    "keywords": (
        OPENING + "  x[0] = 1;\n  %(what)s;\n}\n",
        5,
        lambda text, what: templates.substitute(text, what=what, begin=("k.tpl", 1)),
    ),
}


@pytest.mark.parametrize("device_id", DEVICES)
@pytest.mark.parametrize("engine", TEMPLATES)
def test_programs_name_the_line_of_the_template(device_id, engine):
    if engine != "keywords":
        pytest.importorskip(engine)
    text, line, render = TEMPLATES[engine]
    device = treadle.find_device(device_id)
    treadle.Program(device, render(text, "x[5] = 6"))
    for what in TEXTS:
        with pytest.raises(treadle.CompileError) as caught:
            treadle.Program(device, render(text, what))
        assert_is_reported_at(caught.value, "k.tpl", line)


@pytest.mark.parametrize("engine", TEMPLATES)
def test_nvrtc_names_the_line_of_the_template(engine):
    if engine != "keywords":
        pytest.importorskip(engine)
    text, line, render = TEMPLATES[engine]
    text = text.replace("#include <treadle/dialect.h>", "").replace(
        "TREADLE_KERNEL k(TREADLE_GLOBAL", 'extern "C" __global__ void k('
    )
    for what in TEXTS:
        with_lines = tree.program_texts(render(text, what), "CUDA C")[1]
        try:
            with pytest.raises(treadle.CompileError) as caught:
                treadle.compile_cuda(with_lines, "sm_90", cache=False)
        except treadle.LibraryNotFound:
            pytest.skip("NVRTC is not here")
        assert_is_reported_at(caught.value, "k.tpl", line)


def test_pycuda_names_the_line_of_python():
    from treadle.pycuda.compiler import compile as compile_text

    make = MISTAKES["unknown name"]
    with pytest.raises(treadle.CompileError) as caught:
        compile_text(kernel(make()), no_extern_c=True)
    assert_is_reported_at(caught.value, __file__, line_of_mistake(make))


def test_pyopencl_names_the_line_of_python():
    cl = pytest.importorskip("treadle.pyopencl")
    if not any(device.startswith("opencl") for device in DEVICES):
        pytest.skip("no OpenCL device")
    context = cl.create_some_context(interactive=False)
    cl_kernel = cgen.FunctionBody(
        cgen.FunctionDeclaration(
            cgen.Value("__kernel void", "k"), [cgen.Value("__global float *", "x")]
        ),
        cgen.Block([cgen.Assign("x[0]", "unknown")]),
    )
    line = sys._getframe().f_lineno - 2
    with pytest.raises(cl.RuntimeError) as caught:
        cl.Program(context, cl_kernel).build()
    assert_is_reported_at(caught.value, __file__, line)


@pytest.mark.parametrize("device_id", DEVICES)
def test_a_tree_runs_on_every_device(device_id):
    device = treadle.find_device(device_id)
    pointer = cgen.Value("TREADLE_GLOBAL float *", "x")
    declared = cgen.FunctionDeclaration(cgen.Value("TREADLE_KERNEL", "twice"), [pointer])
    x, i = cgen.Var("x"), cgen.Var("i")
    body = [cgen.Initializer(cgen.POD(np.int32, "i"), "(int)treadle_global_id(0)")]
    body += [cgen.Assign(x[i], x[i] * cgen.Literal(2, np.float32))]
    program = treadle.Program(
        device, cgen.Module([HEAD, cgen.FunctionBody(declared, cgen.Block(body))])
    )
    values = np.arange(8, dtype=np.float32)
    buffer = treadle.Buffer(device, values)
    program.kernel("twice")(buffer, groups=1, group_size=8)
    buffer.copy_to(values)
    assert values.tolist() == (2 * np.arange(8)).tolist()
