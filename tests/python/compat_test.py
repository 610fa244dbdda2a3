# SPDX-License-Identifier: MIT
import importlib
import importlib.metadata
import sys

import pytest

import treadle.compat


def test_both_names_are_one_module():
    import pycuda
    import pycuda.driver
    import pycuda.tools

    import treadle.pycuda.driver
    import treadle.pycuda.tools

    assert pycuda is treadle.pycuda
    assert pycuda.driver is treadle.pycuda.driver
    assert pycuda.tools is treadle.pycuda.tools
    assert pycuda.VERSION >= (2011,)
    assert pycuda.VERSION_TEXT == "2026.1"


def test_a_module_keeps_its_own_spec():
    import pycuda.driver

    assert pycuda.driver.__spec__.name == "treadle.pycuda.driver"
    assert pycuda.driver.__name__ == "treadle.pycuda.driver"


def test_from_imports_and_private_modules_work():
    from pycuda import _driver, driver
    from pycuda._pvt_struct import pack

    assert driver.Device is _driver.Device
    assert pack("i", 1) == b"\1\0\0\0"


def test_a_module_that_does_not_exist_is_reported_by_the_name_that_was_used():
    with pytest.raises(ModuleNotFoundError, match="pycuda.no_such_module"):
        importlib.import_module("pycuda.no_such_module")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("pyopencl.bitonic_sort_templates", "Treadle writes the kernels"),
        ("skcuda.cula", "CULA is no longer distributed"),
        ("skcuda.pcula", "CULA is no longer distributed"),
        ("skcuda.magma", "it needs a MAGMA"),
        ("skcuda.cusparse", "scikit-cuda's never worked"),
    ],
)
def test_a_module_that_is_not_there_says_why(name, why):
    with pytest.raises(ModuleNotFoundError, match=f"does not have it .{why}") as caught:
        importlib.import_module(name)
    assert caught.value.name == name


@pytest.mark.parametrize("face", ["pycuda", "PyCUDA", "pyopencl"])
def test_metadata_has_the_version_of_the_interface(face):
    module = importlib.import_module(face.lower())
    assert importlib.metadata.version(face) == module.VERSION_TEXT
    assert importlib.metadata.metadata(face)["Name"] == face.lower()
    assert importlib.metadata.distribution(face).entry_points == ()


def test_a_listing_of_distributions_and_other_names_are_left_alone():
    finder = treadle.compat._finder
    assert list(finder.find_distributions()) == []
    everything = importlib.metadata.DistributionFinder.Context()
    assert list(finder.find_distributions(everything)) == []
    with pytest.raises(importlib.metadata.PackageNotFoundError):
        importlib.metadata.version("pycuda-of-nobody")


def test_names_disappear_and_come_back():
    import pycuda.driver as before

    treadle.compat.uninstall()
    try:
        assert not treadle.compat.is_installed()
        assert "pycuda" not in sys.modules
    finally:
        treadle.compat.install()
    import pycuda.driver as after

    assert after is before


def test_an_imported_pycuda_stays_and_is_reported(run_python, tmp_path):
    (tmp_path / "pycuda.py").write_text("MINE = True\n")
    result = run_python(
        "-c",
        "import pycuda, treadle.compat; print(pycuda.MINE)",
        PYTHONPATH=f"{tmp_path}:{':'.join(p for p in sys.path if p)}",
    )
    assert result.stdout.strip() == "True"
    assert "imported before treadle.compat" in result.stderr


def test_pytest_plugin_makes_pycuda_importable(run_python, tmp_path):
    test = tmp_path / "plugin_test.py"
    test.write_text("def test_import():\n    import pycuda.driver\n    assert pycuda.VERSION\n")
    result = run_python("-m", "pytest", "-q", "-p", "treadle.compat", str(test))
    assert "1 passed" in result.stdout, result.stdout + result.stderr


def test_parts_that_are_not_there_say_what_does_the_job():
    import pycuda.curandom
    import pycuda.driver as cuda

    with pytest.raises(AttributeError, match="not part of this release of Treadle"):
        pycuda.curandom.random_source  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        cuda.nonsense  # noqa: B018
    assert not hasattr(pycuda.curandom, "random_source")


def test_the_papers_spelling_works_with_a_note():
    import pycuda.compiler
    import pycuda.driver as cuda

    with pytest.warns(DeprecationWarning, match="pycuda.compiler"):
        assert cuda.SourceModule is pycuda.compiler.SourceModule


def test_the_old_name_of_skcuda_is_deprecated():
    import skcuda.cudart

    with pytest.warns(DeprecationWarning, match="import skcuda"):
        import scikits.cuda.cudart
    assert scikits.cuda.cudart is skcuda.cudart
    with pytest.raises(ImportError, match=r"scikits\.cuda\.cula.*cusolver"):
        import scikits.cuda.cula  # noqa: F401


def test_an_installed_skcuda_is_shadowed(run_python, tmp_path):
    (tmp_path / "skcuda").mkdir()
    (tmp_path / "skcuda" / "__init__.py").write_text("raise OSError('cublas library not found')")
    program = (
        f"import sys, treadle.compat; sys.path.insert(0, {str(tmp_path)!r}); import skcuda.cublas"
    )
    done = run_python("-c", f"{program}; print(skcuda.__version__)")
    assert done.stdout.strip() == "0.5.4", done.stderr
