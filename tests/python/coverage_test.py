# SPDX-License-Identifier: MIT
"""Which lines and branches of kernels ran: counts, reports, processes that add up."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

import treadle
from treadle.testing import (
    coverage_lcov,
    coverage_page,
    coverage_table,
    coverage_xml,
    read_coverage,
    reset_coverage,
    write_coverage_report,
)

WAYS = r"""#define POSITIVE(v) ((v) > 0)
template <class T> __device__ T doubled(T v)
{
    return v + v;
}
__device__ int unused(int v)
{
    return v + 1;
}
extern "C" __global__ void ways(int *y, const int *x, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n)
        return;
    int v = x[i];
    switch (v) {
    case 0: v = 7; break;
    case 1: v = doubled(v); break;
    default: v = -1;
    }
    // nobody comes
    if (v > 100 && i > 3) {
        v = unused(v);
    }
    for (int k = 0; k < 3; ++k)
        v += k % 2 ? 1 : 2;
    y[i] = POSITIVE(v) ? v : -v;
}
extern "C" __global__ void idle(float *y)
{
    y[0] = doubled(1.0f);
}
"""
SUMS = r"""__global__ void sums(int *y, const int *x)
{
    __shared__ int s[64];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    for (int k = 32; k > 0; k /= 2) {
        if (threadIdx.x < k)
            s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
#line 70 "sums.py"
    if (threadIdx.x == 0)
        y[blockIdx.x] = s[0];
}
"""
LINKED = r"""#define BOTH(a, b) ((a) && (b))
__global__ void leaf(int *y) {
    y[1] = 3;
}
__global__ void root(int *y) {
    if (BOTH(y[0] == 64, y[3] < -1))
        y[1] = 4;
    else
        leaf<<<1, 5>>>(y);
}
"""
PROGRAM = f"""
import os
child = os.fork()  # both do the same, at the same time
import numpy as np
import treadle.numpy as tn
from treadle import raw
import treadle.pycuda.autoinit
import treadle.pycuda.gpuarray as gpuarray
from treadle.pycuda.compiler import DynamicSourceModule, SourceModule

x = gpuarray.to_gpu(np.array([0, 0, 1, 1, 1, 5], np.int32))
y = gpuarray.zeros(8, np.int32)
ways = SourceModule({WAYS!r}, no_extern_c=True).get_function("ways")
ways(y, x, np.int32(6), block=(8, 1, 1))
assert (y.get() == [12, 12, 7, 7, 7, 4, 0, 0]).all(), y.get()
ones = gpuarray.to_gpu(np.ones(64, np.int32))
SourceModule({SUMS!r}).get_function("sums")(y, ones, block=(64, 1, 1), grid=(2, 1))
assert (y.get()[:2] == 64).all()
linked = DynamicSourceModule({LINKED!r}, cuda_libdir=None)
linked.get_function("root")(y, block=(1, 1, 1))
assert y.get()[1] == 3
text = "if (x > 0) {{\\n  y = x;\\n}} else {{\\n  y = 0;\\n}}"
relu = raw.ElementwiseKernel("float32 x", "float32 y", text, "relu")
assert relu(tn.arange(1000, dtype=np.float32) - 300).sum() == 699 * 700 / 2
halve = raw.RawKernel('''extern "C" __global__ void halve(float *v) {{
  if (v[threadIdx.x] < 0)
    return;
  v[threadIdx.x] /= 2;
}}''', "halve")
ones = tn.ones(1000, dtype=np.float32)
halve((1,), (1000,), (ones,))
assert ones.sum() == 500
if child == 0:
    os._exit(0)  # what was counted is there all the same
assert os.waitpid(child, 0)[1] == 0
"""


@pytest.fixture(scope="module")
def counted(run_python, tmp_path_factory):
    """The texts that PROGRAM's kernels are of, after it ran twice without coverage and with it."""
    if not any(device.id == "cpu" for device in treadle.devices()):
        pytest.skip("there is no CPU device")
    folder = tmp_path_factory.mktemp("coverage")
    path = folder / "kernels.cov"
    for coverage in ("", str(path)):
        done = run_python(
            "-c", PROGRAM, TREADLE_DEVICE="cpu", TREADLE_COVERAGE=coverage,
            TREADLE_CACHE_DIR=str(folder / "cache"),
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
    return path, read_coverage(path)


def named(texts, word):
    (text,) = (text for text in texts if word in text.text)
    return text


def counts(text):
    """Of one of the two processes, which did the same."""
    assert all(line.count % 2 == 0 for line in text.lines)
    return {line.number: line.count // 2 for line in text.lines}


def branches(text):
    return [(b.line, b.taken // 2, b.not_taken // 2) for b in text.branches]


def test_lines_count_the_threads_that_came(counted):
    assert counts(named(counted[1], "void ways")) == {
        4: 3, 8: 0, 12: 8, 13: 8, 14: 2, 15: 6, 16: 6, 17: 2, 18: 3, 19: 1, 22: 6, 23: 0,
        25: 24, 26: 18, 27: 6, 31: 0,
    }  # fmt: skip


def test_branches_count_both_ways(counted):
    found = branches(named(counted[1], "void ways"))
    for way in [
        (13, 2, 6), (17, 2, 4), (18, 3, 3), (22, 0, 6), (22, 0, 0), (25, 18, 6), (26, 6, 12),
        (27, 6, 0),
    ]:  # fmt: skip
        assert way in found, found


def test_functions_are_counted_and_unused_ones_named(counted):
    functions = {f.name: f.count // 2 for f in named(counted[1], "void ways").functions}
    assert functions["int doubled<int>(int)"] == 3
    assert functions["ways"] == 8
    assert functions["idle"] == 0
    assert functions["unused(int)"] == 0


def test_kernels_with_barriers_count_every_thread(counted):
    text = named(counted[1], "void sums")
    assert text.name.startswith("kernel.cu")
    found = counts(text)
    assert found[4] == 128 and found[7] == 128 * 6 and found[8] == 2 * 63
    assert (7, 2 * 63, 128 * 6 - 2 * 63) in branches(text)


def test_lines_of_a_template_are_the_templates(counted):
    text = next(text for text in counted[1] if text.name == "sums.py")
    assert counts(text) == {70: 128, 71: 2}
    assert branches(text) == [(70, 2, 126)]
    assert text.text.splitlines()[70] == "        y[blockIdx.x] = s[0];"


def test_raw_and_elementwise_kernels_are_counted_and_generated_ones_are_not(counted):
    halve = named(counted[1], "void halve")
    assert counts(halve) == {2: 1000, 3: 0, 4: 1000}
    relu = named(counted[1], " relu(")
    assert {(699, 301), (301, 699)} & {(t, n) for _, t, n in branches(relu)}
    assert len(counted[1]) == 6, [text.name for text in counted[1]]


def test_linked_texts_are_counted_and_branches_of_a_macro_told_apart(counted):
    text = named(counted[1], "void leaf")
    assert counts(text) == {3: 5, 6: 1, 7: 0, 9: 1}
    assert branches(text) == [(6, 1, 0), (6, 0, 1)]


def test_the_table_names_what_is_missing(counted):
    table = coverage_table(counted[1])
    row = next(line for line in table.splitlines() if "31" in line and "never" in line)
    assert re.search(r" 16 +3 .* 8, 22 never true, 23, 27 never false, 31$", row), table
    assert re.search(r"^TOTAL +\d+ +\d+ +\d+ +\d+ +\d+%$", table, re.MULTILINE)


def test_reports_for_other_programs(counted, tmp_path, monkeypatch):
    texts = counted[1]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernel.cu").write_text("another text of this name")
    page = coverage_page(texts)
    assert '<span class="missed"><i>23</i><i>0</i>        v = unused(v);</span>' in page
    assert "column 9 never true" in page and "src=" not in page and 'href="http' not in page
    root = ElementTree.fromstring(coverage_xml(texts))
    assert {line.get("hits") for line in root.iter("line")} >= {"0", "16"}
    lcov = coverage_lcov(texts)
    assert "DA:14,4\n" in lcov and "BRDA:13,0,0,4\n" in lcov and "FNDA:16,ways\n" in lcov
    written = write_coverage_report(texts, f"lcov:{tmp_path / 'kernels.info'}")
    sources = re.findall("^SF:(.*)$", written.read_text(), re.MULTILINE)
    found = {open(name).read() for name in sources}
    assert found == {text.text for text in texts}
    with pytest.raises(treadle.InvalidArgument, match="html:FOLDER"):
        write_coverage_report(texts, "pdf:x")
    other = tmp_path / "other"
    other.write_text("no coverage")
    with pytest.raises(treadle.InvalidArgument, match="TREADLE_COVERAGE"):
        read_coverage(other)
    assert read_coverage(tmp_path / "absent") == []


def test_the_command_shows_and_resets(counted, run_python, tmp_path):
    path = tmp_path / "copy.cov"
    path.write_bytes(counted[0].read_bytes())
    page = f"html:{tmp_path / 'page'}"
    done = run_python(
        "-m", "treadle", "coverage", str(path), "--report", "term", "--report", page, "--reset"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == coverage_table(counted[1]) + f"{tmp_path / 'page' / 'index.html'}\n"
    assert all(line.count == 0 for text in read_coverage(path) for line in text.lines)
    reset_coverage(path)


SUITE = f"""
import numpy as np
import treadle.pycuda.autoinit
import treadle.pycuda.gpuarray as gpuarray
from treadle.pycuda.compiler import SourceModule

def test_sums(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y = gpuarray.zeros(2, np.int32)
    ones = gpuarray.to_gpu(np.ones(64, np.int32))
    SourceModule({SUMS!r}).get_function("sums")(y, ones, block=(64, 1, 1), grid=(2, 1))
    assert (y.get() == 64).all()
"""


def test_pytest_tells_what_a_suite_reached(counted, run_python, words_of_pytest, tmp_path):
    (tmp_path / "test_kernels.py").write_text(SUITE)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    where = [f"--rootdir={tmp_path}", str(tmp_path / "test_kernels.py")]
    page = f"--treadle-cov-report=html:{tmp_path / 'page'}"
    done = run_python(
        *words_of_pytest, "--treadle-cov", "--treadle-cov-report=term", page, *where,
        TREADLE_CACHE_DIR=str(counted[0].parent / "cache"), TREADLE_COVERAGE="sums.cov",
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert read_coverage(tmp_path / "sums.cov"), "written elsewhere"
    assert re.search(r"^sums.py +2 +0 +2 +0 +100%$", done.stdout, re.MULTILINE), done.stdout
    assert "void sums" in (tmp_path / "page" / "index.html").read_text()
    refused = run_python(*words_of_pytest, "--treadle-cov-report=pdf:x", *where)
    assert refused.returncode == 4 and "none of term" in refused.stdout + refused.stderr
