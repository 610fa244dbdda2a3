# SPDX-License-Identifier: MIT
"""tools/gpu_programs.py: programs that another machine links, without the build folder, run."""

import pathlib
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import gpu_programs

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("ninja", "c++", "ar", "strip"))), reason="needs a C++ compiler"
)
NINJA = """\
rule cc
  command = c++ -c $in -o $out
rule ar
  command = ar qc $out $in
rule link
  command = : && c++ -O1 $in -o $out src/base/libroom.a -ldl && :
build src/base/room.o: cc room.cpp
build src/base/libroom.a: ar src/base/room.o
build a.o: cc a.cpp
build examples/cpp/example_a: link a.o | src/base/libroom.a
build tests/bin/a_test: link a.o | src/base/libroom.a
build src/cuda_cpu/compiler/treadle_write_preludes: link a.o | src/base/libroom.a
"""


@pytest.fixture
def build(tmp_path):
    folder = tmp_path / "build"
    folder.mkdir()
    (folder / "build.ninja").write_text(NINJA)
    (folder / "room.cpp").write_text("int room() { return 7; }\n")
    (folder / "a.cpp").write_text("int room();\nint main() { return room(); }\n")
    subprocess.run(["ninja", "-C", folder], check=True, stdout=subprocess.DEVNULL)
    for name in ("libplug.so", gpu_programs.DEVICE_FREE[0]):
        shutil.copy2(folder / "tests/bin/a_test", folder / "tests/bin" / name)
    return folder


@pytest.mark.parametrize("linked", [False, True])
def test_programs_run_without_their_build_folder(build, tmp_path, linked):
    bundle = tmp_path / "bundle"
    gpu_programs.pack(build, bundle, ("tests", "examples"), linked)
    shutil.rmtree(build)
    objects = [path.name for path in (bundle / "link").rglob("*") if path.suffix in (".o", ".a")]
    assert sorted(objects) == ([] if linked else ["a.o", "libroom.a"])
    assert gpu_programs.link_all(bundle) == ""
    programs = sorted(str(p.relative_to(bundle / "programs")) for p in bundle.rglob("programs/*/*"))
    assert programs == ["examples/example_a", "tests/a_test", "tests/libplug.so"]
    for name in programs[:2]:
        assert subprocess.run([bundle / "programs" / name], check=False).returncode == 7


def test_what_cannot_be_linked_is_named(build, tmp_path, monkeypatch):
    bundle = tmp_path / "bundle"
    gpu_programs.pack(build, bundle, ("tests",))
    next((bundle / "link").rglob("libroom.a")).unlink()
    assert gpu_programs.link_all(bundle).startswith("tests/a_test: ")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert gpu_programs.link_all(bundle) == "no c++ here, so 1 programs are not linked"
