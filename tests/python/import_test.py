# SPDX-License-Identifier: MIT
"""Importing is cheap: counted in modules and libraries, not in milliseconds."""

LIBRARIES = """
import sys
{statements}
maps = open("/proc/self/maps").read()
loaded = [name for name in ("libcuda", "libtreadle_cpu", "libtreadle_clang", "libnvrtc", "LLVM")
          if name in maps]
modules = [name for name in sys.modules if name.startswith("treadle")]
print(loaded, modules)
"""


def _after(run_python, statements):
    result = run_python("-c", LIBRARIES.format(statements=statements))
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_importing_treadle_loads_neither_driver_nor_compiler_nor_extension(run_python):
    assert _after(run_python, "import treadle") == "[] ['treadle']"


def test_importing_the_faces_loads_neither_driver_nor_compiler(run_python):
    statements = "import treadle.compat, pycuda.driver, pycuda.compiler, pycuda.tools, treadle.cuda"
    assert _after(run_python, statements).startswith("[] ")


def test_treadle_itself_imports_nothing_that_numpy_does_not(run_python):
    result = run_python("-X", "importtime", "-c", "import numpy, treadle")
    assert result.returncode == 0, result.stderr
    names = [line.split("|")[2].strip() for line in result.stderr.splitlines() if "|" in line]
    after_numpy = names[names.index("numpy") + 1 :]
    assert after_numpy == ["treadle"]


def test_everything_listed_is_there():
    import treadle

    for name in dir(treadle):
        assert getattr(treadle, name) is not None
