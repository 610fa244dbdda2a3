# SPDX-License-Identifier: MIT
"""Cells of CUDA C: in IPython where it is installed, else in what it offers to extensions."""

import contextlib
import ctypes
import io
import os
import types

import numpy as np
import pytest

import treadle
from treadle import _cell_printing

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
        self.hooks = {}
        self.events = types.SimpleNamespace(register=self.hooks.__setitem__)

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


def test_what_a_gpu_prints_in_a_cell_reaches_the_cell(capfd):
    """NVIDIA's driver writes as printf of the host does: with the C library, to descriptor 1."""
    shell, libc = StandIn(), ctypes.CDLL(None)
    printing = _cell_printing.attach(shell)
    with contextlib.redirect_stdout(io.StringIO()) as notebook:
        shell.hooks["pre_run_cell"](None)
        print("before")
        libc.printf(b"number %d\n", 3)
        os.write(1, b"raw \xff\n")
        shell.hooks["post_run_cell"](None)
        libc.printf(b"outside\n")
        libc.fflush(None)
        printing.end()  # a cell that never began
        assert sorted(notebook.getvalue().splitlines()) == ["before", "number 3", "raw \\xff"]
        printing.begin()
        printing.begin()  # the cell before did not end
        os.write(1, b"again\n")
        printing.end()
    assert notebook.getvalue().endswith("again\n")
    assert capfd.readouterr().out == "outside\n"


@pytest.mark.parametrize("stream", ["watched", "descriptor 1"])
def test_cells_that_show_descriptor_1_are_left_alone(capfd, stream):
    class Output(io.StringIO):
        watch_fd_thread = "ipykernel's" if stream == "watched" else None

        def fileno(self):
            return 1 if stream == "descriptor 1" else super().fileno()

    printing = _cell_printing.CellPrinting()
    with contextlib.redirect_stdout(Output()) as output:
        printing.begin()
        os.write(1, b"straight\n")
        printing.end()
    assert output.getvalue() == "" and capfd.readouterr().out == "straight\n"
