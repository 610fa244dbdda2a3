# SPDX-License-Identifier: MIT
"""pyopencl.elementwise: ElementwiseKernel and what it is made of."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pyopencl as cl
import pyopencl.array as cla
import pyopencl.elementwise as elementwise
import pyopencl.tools as tools
import pytest
from pyopencl.elementwise import ElementwiseKernel

sys.path.insert(0, str(Path(__file__).parent))
from buffer_arrays import DeviceArray as _DeviceArray  # noqa: E402


@pytest.fixture
def upload(queue):
    """upload(values, offset=0) is an array on the device."""
    return lambda values, offset=0: _DeviceArray(queue, values, offset)


def floats(n, start=0.0):
    return (np.arange(n) + start).astype(np.float32)


@pytest.mark.parametrize("n", [1, 255, 1025, 70000])
def test_the_text_runs_for_every_element(context, upload, n):
    axpy = ElementwiseKernel(context, "float a, float *x, float *y", "y[i] = a * x[i] + y[i]")
    x, y = upload(floats(n)), upload(floats(n, 1), offset=20)
    event = axpy(2, x, y)
    assert isinstance(event, cl.Event)
    np.testing.assert_array_equal(y.get(), 2 * floats(n) + floats(n, 1))


@pytest.mark.parametrize(
    "chosen",
    [slice(2, 9), slice(1, 10, 3), slice(8, 2, -2), slice(5, 5), slice(None, None, -1)],
)
def test_slices_are_python_s(context, upload, chosen):
    kernel = ElementwiseKernel(context, "float *x", "x[i] = 100 + start")
    x = upload(floats(10))
    assert isinstance(kernel(x, slice=chosen), cl.Event)
    expected = floats(10)
    expected[chosen] = 100 + chosen.indices(10)[0]
    np.testing.assert_array_equal(x.get(), expected)


def test_ranges_are_taken_literally(context, upload):
    kernel = ElementwiseKernel(context, "int *x", "x[i] = step")
    x = upload(np.zeros(10, np.int32))
    kernel(x, range=slice(3))
    kernel(x, range=slice(8, 4, -2))
    np.testing.assert_array_equal(x.get(), [1, 1, 1, 0, 0, 0, -2, 0, -2, 0])
    with pytest.raises(TypeError, match="both range and slice"):
        kernel(x, range=slice(3), slice=slice(3))
    with pytest.raises(TypeError, match="stop"):
        kernel(x, range=slice(3, None))
    with pytest.raises(TypeError):
        kernel(x, stream=None)


def test_parts_options_and_lines_of_the_preprocessor(context, upload):
    kernel = ElementwiseKernel(
        context,
        "float *x",
        "#if MODE == 3\nx[i] = twice(base);\n#else\nx[i] = 0;\n#endif",
        name="with_options",
        options=["-DMODE=3"],
        preamble="float twice(float x) { return x + x; }",
        loop_prep="float base = 2",
        after_loop="base = 0",
    )
    x = upload(floats(5))
    kernel(x)
    np.testing.assert_array_equal(x.get(), np.full(5, 4))
    with pytest.raises(TypeError):
        ElementwiseKernel(context, "float *x", "", before_loop="")


def test_going_on_with_the_next_element(context, upload):
    kernel = ElementwiseKernel(
        context, "int *x", "if (i % 2) PYOPENCL_ELWISE_CONTINUE; x[i] = n - i"
    )
    for n in (10, 3000):
        x = upload(np.zeros(n, np.int32))
        kernel(x)
        index = np.arange(n)
        np.testing.assert_array_equal(x.get(), np.where(index % 2, 0, n - index))


def test_return_is_warned_of(context, upload):
    with pytest.warns(UserWarning, match="PYOPENCL_ELWISE_CONTINUE"):
        ElementwiseKernel(context, "int *x", "return;")(upload(np.zeros(3, np.int32)))


def test_doubles_and_structures(context, device, upload):
    pair = np.dtype([("a", "i4"), ("b", "f8")])
    pair, declaration = tools.match_dtype_to_c_struct(device, "elementwise_pair", pair)
    tools.get_or_register_dtype("elementwise_pair", pair)
    kernel = ElementwiseKernel(
        context, "double by, elementwise_pair *x", "x[i].b += by * x[i].a", preamble=declaration
    )
    values = np.zeros(3, pair)
    values["a"] = [1, 2, 3]
    x = upload(values)
    kernel(0.5, x)
    np.testing.assert_array_equal(x.get()["b"], [0.5, 1, 1.5])


def test_vectors_of_the_language(context, upload):
    kernel = ElementwiseKernel(context, "float4 by, float4 *x", "x[i] = x[i].wzyx * by")
    vectors = np.array([(1, 2, 3, 4), (5, 6, 7, 8)], cl.cltypes.float4)
    x = upload(vectors)
    kernel(cl.cltypes.make_float4(1, 1, 2, 2), x)
    assert x.get().tolist() == [(4, 3, 4, 2), (8, 7, 12, 10)]


def test_empty_arrays_run_nothing(context, upload):
    kernel = ElementwiseKernel(context, "float *x, float *y", "x[i] = y[i]")
    empty = upload(floats(0))
    event = kernel(empty, empty)
    event.wait()
    assert isinstance(event, cl.Event)


def test_queues_and_events(context, queue, upload):
    kernel = ElementwiseKernel(context, "float *x", "x[i] += 1")
    x = upload(floats(4))
    gate = cl.UserEvent(context)
    event = kernel(x, wait_for=[gate])
    assert event.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    event.wait()
    x.queue = None
    with pytest.raises(ValueError, match="queue="):
        kernel(x)
    kernel(x, queue=queue)
    x.queue = queue
    np.testing.assert_array_equal(x.get(), floats(4, 2))
    gate = cl.UserEvent(context)
    x.events = [gate]
    event = kernel(x)
    assert event.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    event.wait()


def test_captured_calls_repeat_themselves(context, upload, tmp_path, run_python):
    kernel = ElementwiseKernel(context, "int a, float *x", "x[i] += a")
    x = upload(floats(4), offset=12)
    kernel(3, x, capture_as=str(tmp_path / "call.py"))
    np.testing.assert_array_equal(x.get(), floats(4, 3))
    result = run_python("-m", "treadle", "run", str(tmp_path / "call.py"))
    assert result.returncode == 0, result.stderr


def test_arrays_that_kernels_take_stay_lazy(context, queue):
    """A kernel changes them as operations do; whoever has their memory may change it unseen."""
    double = ElementwiseKernel(context, "float *x, float *y", "y[i] += x[i]; x[i] *= 2", "double_")
    whole, y = cla.to_device(queue, floats(6)), cla.to_device(queue, floats(4))
    x, other = whole[2:], cl.CommandQueue(context)
    before, also_before = x + 1, y - 1
    double(x, y)
    assert (x + 1).is_pending and (y + 1).is_pending
    np.testing.assert_array_equal(before.get(), floats(6)[2:] + 1)
    np.testing.assert_array_equal(also_before.get(), floats(4) - 1)
    added = x + y
    double(x, y, queue=other)
    np.testing.assert_array_equal(added.get(), floats(6)[2:] * 3 + floats(4))
    np.testing.assert_array_equal(y.get(), floats(6)[2:] * 3 + floats(4))
    np.testing.assert_array_equal(whole.get(), floats(6) * [1, 1, 4, 4, 4, 4])
    assert (x + 1).is_pending
    y.data  # noqa: B018 - the program has it now
    assert not (y + 1).is_pending
    double(x, y)
    np.testing.assert_array_equal(y.get(), floats(6)[2:] * 7 + floats(4))


# --- what is refused, rather than computed wrongly ------------------------------------------------


def test_a_kernel_without_arrays_is_refused(context):
    with pytest.raises(RuntimeError, match="at least one vector argument"):
        ElementwiseKernel(context, "float a", "")


def test_wrong_counts_and_no_arrays(context, queue, upload):
    kernel = ElementwiseKernel(context, "float a, float *x", "x[i] = a")
    x = upload(floats(4))
    with pytest.raises(TypeError, match="takes 2 arguments, not 1"):
        kernel(x)
    with pytest.raises(AttributeError):
        kernel(1, x.base_data, queue=queue)


def test_shorter_operands_and_other_types_are_refused(context, upload):
    kernel = ElementwiseKernel(context, "float *x, float *y", "y[i] = x[i]", "copy")
    with pytest.raises(ValueError, match=r"argument 1 \(y\).*has 3 elements.*uses y\[3\]"):
        kernel(upload(floats(4)), upload(floats(3)))
    with pytest.raises(TypeError, match=r"argument 0 \(x\).*float64"):
        kernel(upload(np.zeros(4)), upload(floats(4)))
    rows = floats(6).reshape(2, 3)
    with pytest.raises(ValueError, match="Fortran order"):
        kernel(upload(rows), upload(np.asfortranarray(rows)))


def test_integers_may_see_the_bits_of_floats(context, upload):
    x = upload(floats(4))
    ElementwiseKernel(context, "uint *x", "x[i] ^= 0x80000000u", "negate")(x)
    assert (x.get() == -floats(4)).all()
    ElementwiseKernel(context, "uchar *x", "x[4 * i + 3] &= 0x7f", "magnitude")(x)
    assert (x.get() == floats(4)).all()
    with pytest.raises(ValueError, match=r"has 16 elements of 1 bytes.*uses x\[16\]"):
        ElementwiseKernel(context, "uchar *x, int *y", "y[i] = x[i]", "bytes")(
            x, upload(np.zeros(4, np.int32)), range=slice(0, 17)
        )


def test_arrays_with_gaps_are_refused(context, queue):
    kernel = ElementwiseKernel(context, "float *x, float *y", "y[i] = x[i]", "copy")
    x = cla.to_device(queue, floats(8).reshape(4, 2))
    for part, options in (x[:, 0], {}), (x[::2], {}), (x[:, 0], {"range": slice(0, 1)}):
        y = cla.zeros(queue, part.shape, np.float32)
        for arguments, position in ((part, y), 0), ((y, part), 1):
            with pytest.raises(RuntimeError, match=rf"argument {position} \(.\).* has gaps"):
                kernel(*arguments, **options)
    kernel(x[:, :1][:1], y)  # of one element
    np.testing.assert_array_equal(x.get(), floats(8).reshape(4, 2))


def test_vectors_without_offset_are_warned_of(context, upload):
    kernel = ElementwiseKernel(context, [tools.VectorArg(np.float32, "x")], "x[i] = 1")
    x = upload(floats(3))
    with pytest.warns(DeprecationWarning, match="with_offset"):
        kernel(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel(x)
    np.testing.assert_array_equal(x.get(), np.ones(3))


# --- the functions beneath -----------------------------------------------------------------------


@pytest.mark.parametrize(("groups", "size"), [(1, 1), (7, 32)])
def test_kernels_take_launches_of_any_shape(context, queue, upload, groups, size):
    kernel, arguments = elementwise.get_elwise_kernel_and_types(
        context, "float *x, float a", "x[i] += a", name="add"
    )
    assert [a.name for a in arguments] == ["x", "a", "n"]
    x = upload(floats(5000), offset=8)
    kernel(queue, (groups * size,), (size,), x, 2, x.size)
    np.testing.assert_array_equal(x.get(), floats(5000, 2))


def test_kernels_over_ranges(context, queue, upload):
    kernel = elementwise.get_elwise_kernel(context, "int *x", "x[i] = i * step", use_range=True)
    x = upload(np.zeros(10, np.int32))
    kernel(queue, (4,), (2,), x, 9, 0, -2)
    np.testing.assert_array_equal(x.get(), [0, -2, 0, -6, 0, -10, 0, -14, 0, -18])


def test_programs(context, queue, upload):
    arguments = [tools.VectorArg(np.float32, "x"), tools.ScalarArg(np.int64, "n")]
    for declared in (arguments, arguments[:1]):
        program = elementwise.get_elwise_program(
            context, declared, "x[i] = n", name="fill", after_loop="n = 0"
        )
        x = upload(floats(3))
        cl.Kernel(program, "fill")(queue, (2,), (1,), x.base_data, np.int64(3))
        np.testing.assert_array_equal(x.get(), [3, 3, 3])
    with pytest.raises(RuntimeError, match="not understood"):
        elementwise.get_elwise_program(context, [tools.OtherArg("int a", "a")], "")


# --- templates -----------------------------------------------------------------------------------


def test_the_kernel_of_a_text_is_there_for_the_asking(context, queue, upload):
    made = ElementwiseKernel(context, "float *x, float a", "x[i] += a + j0", loop_prep="int j0 = 1")
    kernel, parameters = made.get_kernel(False)
    assert [p.name for p in parameters] == ["x", "a", "n"]
    assert isinstance(kernel.program, cl.Program)
    x = upload(floats(5))
    kernel(queue, (5,), None, x, np.float32(2), 5)
    assert (x.get() == floats(5) + 3).all()
    assert [p.name for p in made.get_kernel(use_range=True)[1]][2:] == ["start", "stop", "step"]


def test_templates_fill_in_types_and_values(context, upload):
    template = elementwise.ElementwiseTemplate(
        "value_t *x, value_t by",
        "//CL:printf// x[i] += by * %(factor)s",
        name="scale",
        preamble="//CL// value_t unused(value_t v) { return v; }",
    )
    for dtype in (np.float32, np.int32):
        kernel = template.build(
            context, type_aliases=(("value_t", dtype),), var_values=(("factor", 3),)
        )
        again = template.build(
            context, type_aliases=(("value_t", dtype),), var_values=(("factor", 3),)
        )
        assert again is kernel
        x = upload(np.arange(4, dtype=dtype))
        kernel(x, 2)
        np.testing.assert_array_equal(x.get(), np.arange(4) + 6)
    tools.clear_first_arg_caches()


def test_templates_declare_structures_and_take_more(context, device, upload):
    point = np.dtype([("px", "f4"), ("py", "f4")])
    point, _ = tools.match_dtype_to_c_struct(device, "template_point", point)
    tools.get_or_register_dtype("template_point", point)
    template = elementwise.ElementwiseTemplate("template_point *p", "p[i].px = by; p[i].py = ONE")
    kernel = template.build(
        context,
        more_arguments="float by",
        more_preamble="#define ONE 1",
        declare_types=("template_point",),
    )
    p = upload(np.zeros(2, point))
    kernel(p, 5)
    assert p.get().tolist() == [(5, 1), (5, 1)]


def test_renderers(context):
    template = tools.KernelTemplateBase()
    renderer = template.get_renderer(
        {"value_t": np.float64}, {"macro_body": "a +\nb", "n": 4}, context
    )
    assert renderer("//CL:printf//%(n)d") == "4"
    assert renderer("//CL:mako//${n + 1}") == "5"
    assert renderer("//CL//text") == "text" == renderer("text")
    assert renderer("//CL:printf//%(macro_body)s") == "a + \\\nb"
    with pytest.raises(RuntimeError, match="unknown template processor 'erb'"):
        renderer("//CL:erb//")
    with pytest.raises(RuntimeError, match="comments"):
        template.get_renderer({}, {"macro_x": "a // b"})
    with pytest.raises(NameError):
        renderer("//CL:mako//${nothing}")
    assert renderer.parse_type("value_t") == np.float64
    assert renderer.parse_type("uint") == np.uint32
    assert renderer.parse_type("float32") == np.float32
    parsed = renderer.render_argument_list("value_t *x, int n", ["float y"], with_offset=True)
    assert [a.name for a in parsed] == ["x", "n", "y"]
    assert parsed[0] == tools.VectorArg(np.float64, "x", with_offset=True)
    assert "typedef double value_t;" in renderer.get_type_decl_preamble(context.devices[0], ())
    kernel = renderer.get_rendered_kernel("__kernel void k(__global int *x) { *x = 1; }", "k")
    assert kernel.function_name == "k"
    with pytest.raises(TypeError, match="build_inner"):
        template.build(context)


def test_array_modules():
    assert tools.array_module(np.zeros(2)) is np
    with pytest.raises(TypeError, match="no array"):
        tools.array_module([1, 2])
