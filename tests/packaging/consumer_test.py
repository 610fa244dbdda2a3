# SPDX-License-Identifier: MIT
"""find_package(treadle) from an install prefix: another project builds, and runs a kernel."""

import shutil

import pytest

pytestmark = pytest.mark.packaging


@pytest.fixture
def prefix(build, tmp_path, run):
    run("cmake", "--install", build, "--prefix", tmp_path / "prefix", "--component", "cpp")
    return tmp_path / "prefix"


def test_consumer_project_builds_and_runs_a_kernel(
    prefix, source, tmp_path, run, clean_environment
):
    # Away from the tree, and without the build folder's libraries: only what was installed counts.
    project = shutil.copytree(source / "tests/consumer", tmp_path / "consumer")
    binary = tmp_path / "consumer-build"
    run("cmake", "-S", project, "-B", binary, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", binary)
    assert list(prefix.glob("lib*/treadle/libtreadle_cpu.so"))
    environment = {**clean_environment, "TREADLE_DEVICE": "cpu"}
    assert run(binary / "consumer", env=environment).split() == ["2", "4", "6", "8"]


def test_installed_headers_name_no_file_that_is_missing(prefix):
    installed = {p.relative_to(prefix / "include") for p in (prefix / "include").rglob("*.hpp")}
    assert installed
    for header in installed:
        for line in (prefix / "include" / header).read_text().splitlines():
            if line.startswith('#include "treadle/'):
                assert (prefix / "include" / line.split('"')[1]).exists(), f"{header}: {line}"
