# SPDX-License-Identifier: MIT
"""What every function and class of pyopencl says to arguments of another kind, to negative, huge
and missing ones, and to objects that are released or of another context: it names the argument,
and nothing crashes. wrong_arguments.py makes the calls, in a process of its own.
"""

import ast
import functools
import inspect
import json
import pathlib

import pyopencl as cl
import pytest

PROGRAM = pathlib.Path(__file__).with_name("wrong_arguments.py")

# Of wrong calls. A MemoryError of the builtin kind is the host's.
CLASSES = {
    "builtins.TypeError",
    "builtins.ValueError",
    "builtins.OverflowError",
    "builtins.BufferError",
    "builtins.KeyError",
    "builtins.MemoryError",
    "pyopencl._cl.Error",
    "treadle.Error",
}
# By which an error may name an argument besides its own name.
ALSO = {
    "arg1": ("context", "only argument"),
    "arg2": ("source", "devices", "Program"),
    "arg3": ("binaries", "Program: source"),  # without it the second is the source
    "size": ("byte_count",),
    "pitches": ("_pitch",),
    "answers": ("create_some_context",),
}
# What is made by others alone, holds numbers, or is tested elsewhere.
WITHOUT_ARGUMENTS = {
    "Device", "Event", "ImageDescriptor", "MemoryMap", "MemoryObject", "MemoryObjectHolder",
    "NannyEvent", "Platform", "SVMMap", "SVMPointer", "get_cl_header_version", "get_platforms",
    "have_gl",
}  # fmt: skip


@functools.cache
def outcomes(run_python):
    result = run_python(str(PROGRAM))
    lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    last = next((line["about"] for line in reversed(lines) if "about" in line), None)
    assert result.returncode == 0, f"ended in {last}: {result.stderr[-2000:]}"
    assert lines[-1] == {"done": True}
    return [line for line in lines if "outcome" in line]


@pytest.fixture
def refusals(context, run_python):
    return [(line, line["outcome"]) for line in outcomes(run_python) if line["outcome"] is not None]


def test_nothing_crashes_and_most_is_refused(context, run_python):
    made = outcomes(run_python)
    refused = [line for line in made if line["outcome"] is not None]
    assert len(made) > 15000 and len(refused) > 0.9 * len(made)


def test_errors_are_of_classes_that_are_meant_for_them(refusals):
    other = [(line, error) for line, error in refusals if not CLASSES & set(error["classes"])]
    assert other == []


def is_named(argument, text):
    if argument.startswith("argument ") or "it has no argument" in text:
        return True
    return any(word in text for word in (argument, *ALSO.get(argument, ())))


def test_an_error_about_the_kind_of_an_argument_names_it(refusals):
    unnamed = [
        (line, error["text"])
        for line, error in refusals
        if error["classes"][0] in ("builtins.TypeError", "builtins.KeyError")
        and not is_named(line["argument"], error["text"])
    ]
    assert unnamed == []


def test_no_error_speaks_of_the_machinery(refusals):
    words = ("bad_cast", "incompatible function", "_core.", "std::", "is not iterable")
    loud = [
        (line, error["text"]) for line, error in refusals if any(w in error["text"] for w in words)
    ]
    assert loud == []


def test_numbers_of_numpy_are_taken_wherever_numbers_are(context, run_python):
    result = run_python(str(PROGRAM), "alike")
    lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    assert result.returncode == 0 and len(lines) > 80, result.stderr[-2000:]
    assert any("True" in line["value"] for line in lines)
    assert [line for line in lines if line["outcome"] is not None] == []


def test_every_name_of_pyopencl_is_called():
    calls = ast.parse(PROGRAM.read_text())
    (text,) = [
        node.value.value
        for node in calls.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "CALLS"
    ]
    missing = []
    for name in cl.__all__:
        thing = getattr(cl, name)
        is_callable = inspect.isclass(thing) or callable(thing)
        is_constants = inspect.isclass(thing) and hasattr(thing, "to_string")
        is_error = inspect.isclass(thing) and issubclass(thing, Exception)
        if not is_callable or is_constants or is_error or name in WITHOUT_ARGUMENTS:
            continue
        if f"cl.{name}(" not in text:
            missing.append(name)
    assert missing == []


# Each of these ended in "std::bad_cast", or named nothing.
@pytest.mark.parametrize(
    ("attempt", "text"),
    [
        (lambda c: cl.Context(properties=[(cl.context_properties.PLATFORM, 5)]), "Platform"),
        (lambda c: cl.Context(dev_type="x"), r"dev_type is 'x' \(str\), wanted: int"),
        (lambda c: cl.Kernel(5, "a"), r"prg is 5 \(int\), wanted: .*_Program"),
        (lambda c: cl.Program(c, 5), r"source is 5 \(int\), wanted: str, bytes or a tree"),
        (lambda c: cl.Program(c, "").build(options=[5]), r"options\[0\] is 5 \(int\)"),
        (lambda c: cl.CommandQueue(5), r"context is 5 \(int\), wanted: pyopencl\.Context"),
        (lambda c: cl.Buffer(c, "x", 5), r"flags is 'x' \(str\), wanted: int\n  try: Buffer\("),
        (lambda c: cl.Buffer(c, -1, 5), r"flags is -1 \(int\), which is out of range"),
        (lambda c: cl.Buffer(c, 1), None),
        (lambda c: cl.Buffer(c, 1, 5, nothing=1), r"it has no argument nothing"),
        (lambda c: cl.Buffer(c), r"flags is missing"),
        (lambda c: cl.Sampler(c, 5, 6, 7), r"normalized_coords is 5 \(int\), wanted: bool"),
        (lambda c: cl.ImageFormat("a", 5), r"channel_order is 'a' \(str\), wanted: int"),
        (lambda c: cl.wait_for_events([5]), r"events\[0\] is 5 \(int\), wanted: pyopencl\.Event"),
        (lambda c: cl.Event.wait(5), r"self is 5 \(int\), wanted: Event"),
        (lambda c: c.get_info(1, 2), r"takes 1 arguments by place, not 2"),
    ],
)
def test_kinds_are_refused_by_name(attempt, text, context):
    if text is None:
        with pytest.raises(cl.LogicError, match="0 bytes"):
            attempt(context)
        return
    with pytest.raises(TypeError, match=text):
        attempt(context)


def test_values_that_are_shown_run_no_code_of_theirs(context):
    class Loud:
        def __repr__(self):
            raise AssertionError("was asked for its words")

    with pytest.raises(TypeError, match="flags is a .*Loud, wanted: int"):
        cl.Buffer(context, Loud(), 5)
    with pytest.raises(TypeError, match=r"context is a huge int"):
        cl.CommandQueue(10**5000)


def test_strides_of_a_huge_array_are_refused_without_its_memory(context, queue):
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 64)
    read = cl.map_flags.READ
    for shape, strides in (((2**40, 2), (8, 4)), ((2, 2**40), (4, 8)), ((2**62,), (4,))):
        with pytest.raises(cl.LogicError):
            cl.enqueue_map_buffer(queue, buffer, read, 0, shape, "f4", strides=strides)


def test_a_callback_that_is_still_due_at_the_end_of_the_process_does_not_end_it(run_python):
    result = run_python(
        "-c",
        "import treadle.compat, pyopencl as cl\n"
        "context = cl.create_some_context(interactive=False)\n"
        "buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 64)\n"
        "try:\n"
        "    context.on_destruction(print)\n"
        "    buffer.on_destruction(print)\n"
        "except cl.LogicError:\n"
        "    pass\n"
        "print('end')\n",
    )
    assert result.returncode == 0 and "end" in result.stdout, result.stderr
