# SPDX-License-Identifier: MIT
"""Cells of CUDA C: in IPython where it is installed, else in what it offers to extensions."""

import numpy as np
import pytest

import treadle

CELL = """
__constant__ float factor = 3;
__global__ void scale(float *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= factor + MORE;
}
template <class T> __global__ void fill(T *a) { *a = 1; }
"""


class StandIn:
    """As much of IPython's shell as an extension is given."""

    def __init__(self):
        self.user_ns = {}
        self.magics = {}

    def register_magic_function(self, func, magic_kind="line", magic_name=None):
        assert magic_kind == "cell" and callable(func)
        self.magics[magic_name] = func

    def run_line_magic(self, name, line):
        assert (name, line) == ("load_ext", "treadle")
        treadle.load_ipython_extension(self)

    def run_cell_magic(self, name, line, cell):
        return self.magics[name](line, cell)


@pytest.fixture
def shell():
    try:
        from IPython.testing.globalipapp import get_ipython, start_ipython
    except ImportError:
        shell = StandIn()
    else:
        shell = start_ipython() or get_ipython()
    shell.run_line_magic("load_ext", "treadle")
    yield shell
    for name in ("scale", "cell"):
        shell.user_ns.pop(name, None)


@pytest.mark.parametrize("magic", ["cuda", "cu"])
def test_kernels_of_a_cell_are_names_of_the_notebook(shell, capsys, magic):
    shell.run_cell_magic(magic, "-DMORE=1 cell", CELL)
    assert capsys.readouterr().out == "kernels: scale\n"
    scale, program = shell.user_ns["scale"], shell.user_ns["cell"]
    values = np.arange(8, dtype=np.float32)
    memory = treadle.Buffer(scale.device, values)
    scale(memory, np.int32(8), groups=1, group_size=8)
    result = np.empty_like(values)
    memory.copy_to(result)
    assert (result == 4 * values).all()
    assert program.variable("factor").nbytes == 4


def test_errors_of_a_cell_name_its_lines(shell):
    # IPython shows errors; the cell's function raises them.
    cuda = shell.magics["cuda"] if isinstance(shell, StandIn) else shell.find_cell_magic("cuda")
    with pytest.raises(treadle.CompileError) as caught:
        cuda("", "__global__ void k() {\n  undeclared = 1;\n}")
    assert "cell.cu" in caught.value.log and "undeclared" in caught.value.log
    assert "k" not in shell.user_ns


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("-I folder/include", "'folder/include' is neither an option nor a name"),
        ("for", "'for' is neither"),
        ("one two", "one name"),
        ("'open", "No closing quotation"),
    ],
)
def test_lines_that_say_nothing_are_refused_before_anything_is_compiled(line, why):
    shell = StandIn()
    treadle.load_ipython_extension(shell)
    with pytest.raises(treadle.InvalidArgument, match=why):
        shell.run_cell_magic("cuda", line, CELL)
    assert shell.user_ns == {}
