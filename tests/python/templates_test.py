# SPDX-License-Identifier: MIT
"""treadle.templates: texts with values in them, and the lines that they come from."""

import pickle
import random

import numpy as np
import pytest

import treadle
from treadle import cgen, templates


def test_keys_are_replaced_in_every_style():
    assert str(templates.substitute("%(a)s %% %(b)d", a="x", b=2)) == "x % 2"
    assert str(templates.substitute("$a ${b}", {"a": 1, "b": 2}, style="$name")) == "1 2"
    assert str(templates.substitute("{{ a }}", a=1, style="{{name}}")) == "1"


def test_values_are_written_as_the_language_reads_them():
    def written(value, language="CUDA C"):
        return str(templates.substitute("%(a)s", a=value, language=language))

    assert written(np.float32) == written(np.dtype("float32")) == "float"
    assert written(np.int64) == "long long"
    assert written(np.int64, "OpenCL C") == "long"
    assert written(np.float32(0.1)) == "0.1f"
    assert written(0.1) == "0.1"
    assert written(np.uint8(3)) == "3"
    assert written(2**70) == str(2**70)
    assert written(cgen.Var("a") + 1) == "a + 1"


def test_missing_and_unused_keys_are_named_with_their_lines():
    with pytest.raises(treadle.InvalidArgument, match=r"b \(k.py:8\), c \(k.py:9\).*: d"):
        templates.substitute("\n%(b)s\n%(c)s", d=1, begin=("k.py", 7))
    with pytest.raises(treadle.InvalidArgument, match=r"templates_test.py"):
        templates.substitute("%(b)s")
    with pytest.raises(treadle.InvalidArgument, match="without a key.*: b"):
        templates.substitute("%(a)s", a=1, b=2)
    with pytest.raises(treadle.InvalidArgument, match="line 2|:3: .*is not closed"):
        templates.substitute("\n%(a\n)s", a=1, begin=("k.py", 2))


@pytest.mark.parametrize(
    ("hole", "good", "bad"),
    [
        ("dtype", np.float32, ["float", 1]),
        ("constant", 1.5, ["1", np.int8]),
        ("unroll", 4, [0, -1, 1.5, "4"]),
    ],
)
def test_holes_have_types(hole, good, bad):
    templates.substitute("%(a)s", a=good, holes={"a": hole})
    for value in bad:
        with pytest.raises(treadle.InvalidArgument, match="wanted"):
            templates.substitute("%(a)s", a=value, holes={"a": hole})
    with pytest.raises(treadle.InvalidArgument, match="hole of kind"):
        templates.substitute("%(a)s", a=1, holes={"a": "other"})


TEMPLATES_WITH_HOLES = {
    "mako": (
        templates.render_mako,
        "${T} x = ${c};\n% for i in range(n):\nx += ${i};\n% endfor\n",
    ),
    "jinja2": (
        templates.render_jinja2,
        "{{ T }} x = {{ c }};\n{% for i in range(n) %}x += {{ i }};\n{% endfor %}",
    ),
}


@pytest.mark.parametrize("engine", TEMPLATES_WITH_HOLES)
def test_holes_of_templates_have_types(engine):
    pytest.importorskip(engine)
    render, text = TEMPLATES_WITH_HOLES[engine]
    good = {"T": np.float64, "c": np.float32(0.1), "n": 2}
    holes = {"T": "dtype", "c": "constant", "n": "unroll"}
    rendered = str(render(text, language="CUDA C", holes=holes, **good))
    expected = templates.substitute("%(T)s x = %(c)s;", T=np.float64, c=np.float32(0.1))
    assert [line for line in rendered.split("\n") if line] == [str(expected), "x += 0;", "x += 1;"]
    for name, bad in {"T": "double", "c": "0.1", "n": 0}.items():
        with pytest.raises(treadle.InvalidArgument, match=f"{name}.*wanted"):
            render(text, holes=holes, **{**good, name: bad})
    with pytest.raises(treadle.InvalidArgument, match="'n' has no value"):
        render(text, holes=holes, T=np.float64, c=1)


def draw(seed, engine):
    """A template of lines that say their own number, and the numbers of the rendered lines."""
    r = random.Random(seed)
    lines, expected = [], []
    while len(lines) < 12:
        at = len(lines) + 1
        kind = r.randrange(4)
        if kind == 0:
            lines.append(f"line {at}")
            expected.append(at)
        elif kind == 1:
            lines.append(f"${{{at}}} x" if engine == "mako" else f"{{{{ {at} }}}} x")
            expected.append(at)
        elif kind == 2 and engine == "mako":
            lines += ["% for i in range(3):", f"  ${{i}} {at}", "% endfor"]
            expected += [at + 1] * 3
        elif kind == 2:
            lines += ["{% for i in range(3) -%}", "  {{ i }}", "{% endfor -%}"]
            expected += [at + 1] * 3
        elif engine == "mako":
            lines += ["<% a = 1", " %>\\", "## a comment", "<%doc>", "no text", "</%doc>y"]
            expected += [at + 5]
        else:
            lines += ["{# a", "comment #}y"]
            expected += [at + 1]
    return "\n".join(lines), expected


@pytest.mark.parametrize("engine", ["mako", "jinja2"])
def test_rendered_lines_know_their_lines(engine):
    package = pytest.importorskip(engine if engine == "jinja2" else "mako.template")
    render = templates.render_mako if engine == "mako" else templates.render_jinja2
    for seed in range(30):
        text, expected = draw(seed, engine)
        result = render(text, name="t")
        assert str(result) == package.Template(text).render(), f"seed {seed}"
        lines = [line for _, line in result.lines]
        assert lines == expected, f"seed {seed}"


@pytest.mark.parametrize(
    ("engine", "text", "line"),
    [
        ("mako", "a\n\n${unknown}\n", 3),
        ("mako", "a\n% for x in\n", 2),
        ("jinja2", "a\n\n{{ unknown }}\n", 3),
        ("jinja2", "a\n{% for x %}\n", 2),
    ],
)
def test_mistakes_in_templates_name_their_line(engine, text, line):
    pytest.importorskip(engine)
    render = templates.render_mako if engine == "mako" else templates.render_jinja2
    with pytest.raises(treadle.InvalidArgument, match=f"^k.tpl:{line}: {engine}"):
        render(text, name="k.tpl")


def test_generated_texts_are_pickled():
    text = templates.substitute("a\n%(b)s\n", b=1)
    again = pickle.loads(pickle.dumps(text))
    assert str(again) == str(text) == "a\n1\n"
    assert again.lines == text.lines
    assert again.with_line_directives().startswith("#line ")


SCALED = """
#include <treadle/dialect.h>
TREADLE_KERNEL scaled(TREADLE_GLOBAL float *x, int n, float factor)
{
    int i = (int)treadle_global_id(0);
    if (i < n) x[i] *= factor;
}
"""


@pytest.mark.parametrize("device_id", [device.id for device in treadle.devices()])
def test_specialized_kernels_take_the_other_arguments(device_id):
    device = treadle.find_device(device_id)
    text = treadle.specialize(SCALED, n=3, factor=np.float32(2))
    assert "const int n = 3; const float factor = 2.0f;" in str(text)
    values = np.ones(4, np.float32)
    buffer = treadle.Buffer(device, values)
    treadle.Program(device, text).kernel("scaled")(buffer, groups=1, group_size=4)
    buffer.copy_to(values)
    assert values.tolist() == [2, 2, 2, 1]


@pytest.mark.parametrize(
    ("values", "match"),
    [
        ({"m": 1}, "has no parameter m"),
        ({"x": 1}, "is a pointer"),
        ({"n": "m"}, "wanted: a number"),
        ({"kernel_name": "other", "n": 1}, "has no kernel other"),
    ],
)
def test_what_is_no_argument_is_not_baked_in(values, match):
    with pytest.raises(treadle.InvalidArgument, match=match):
        treadle.specialize(SCALED, **values)
