# SPDX-License-Identifier: MIT
"""tools/gpu_package.py: a wheel comes out of its archive as it was put in."""

import lzma
import pathlib
import random
import struct
import sys
import zipfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import gpu_package


def call(place: int, target: int) -> bytes:
    return b"\xe8" + struct.pack("<i", target - place - 1)


def test_instructions_with_one_target_become_alike():
    code = b"".join(call(5 * i, 0x1234) for i in range(100))
    changed = gpu_package.with_addresses(code)
    assert changed == b"\xe8\x00\x00\x12\x34" * 100
    assert gpu_package.with_distances(changed) == code


@pytest.mark.parametrize(
    "common", [b"\xe8\xe9", b"\x8d\x8b\x05\x0d\x00", b"\x00\xff\xe8\x05\x8b\x07\xf8"]
)
def test_any_bytes_are_restored(common):
    draw = random.Random(1)
    for length in (0, 1, 4, 5, 6, 7, 50, 3000):
        for _ in range(50):
            code = bytes(draw.choice(common) for _ in range(length))
            assert gpu_package.with_distances(gpu_package.with_addresses(code)) == code


def test_the_code_of_this_interpreter_is_restored_and_smaller():
    program = pathlib.Path(sys.executable).resolve().read_bytes()
    changed = gpu_package.in_library(program, gpu_package.with_addresses)
    assert gpu_package.in_library(changed, gpu_package.with_distances) == program
    assert changed[:64] == program[:64]
    begin, end = code_of(program)
    code, other = (each[begin : min(end, begin + (1 << 20))] for each in (program, changed))
    assert len(lzma.compress(other, preset=1)) < len(lzma.compress(code, preset=1))


def code_of(program: bytes) -> tuple[int, int]:
    ranges = []
    gpu_package.in_library(program, lambda code: ranges.append(program.index(code)) or code)
    return ranges[0], len(program)


def test_a_wheel_and_what_lies_beside_it_come_back(tmp_path):
    folder, wheel = tmp_path / "folder", tmp_path / "a-1.whl"
    folder.mkdir()
    (folder / "program").write_bytes(b"p")
    library = pathlib.Path("/proc/self/exe").read_bytes()[: 1 << 16]
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/lib.so", library)
        archive.writestr("a/c++17.pch", b"precompiled")
        archive.writestr("a-1.dist-info/RECORD", "a/lib.so,x,1\na/c++17.pch,y,2\n")
    gpu_package.pack(wheel, folder, tmp_path / "a.tar.xz")
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    gpu_package.unpack(tmp_path / "a.tar.xz", tmp_path / "there", wheels)
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["program"]
    with zipfile.ZipFile(wheels / "a-1.whl") as archive:
        assert archive.read("a/lib.so") == library
        assert archive.namelist() == ["a/lib.so", "a-1.dist-info/RECORD"]
        assert archive.read("a-1.dist-info/RECORD") == b"a/lib.so,x,1\n"
