# SPDX-License-Identifier: MIT
"""`run --trace`, what the trace holds, and `treadle trace`, which reads it."""

import html
import json
import os
import re
import shutil
import subprocess

import pytest

import treadle
from treadle import _command_line

PYCUDA_PROGRAM = '''
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
import treadle, time

text = """
__global__ void __launch_bounds__(256) scale(float *a, float factor) {
  a[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
}
"""
SourceModule(text)
scale = SourceModule(text).get_function("scale")
host = np.ones(1024, np.float32)
stream = cuda.Stream()
memory = cuda.mem_alloc(host.nbytes)
cuda.memcpy_htod(memory, host)
with treadle.TraceRange("of the program"):
    scale(memory, np.float32(2), grid=(4, 1), block=(256, 1, 1), stream=stream)
    time.sleep(0.01)
stream.synchronize()
time.sleep(0.02)
scale(memory, np.float32(3), grid=(2, 1), block=(256, 1, 1))
cuda.memcpy_dtoh(host, memory)
assert (host[:512] == 6).all() and (host[512:] == 2).all()
assert treadle.settings().sync
try:
    SourceModule("this is no text </script> <!-- @@trace@@")
except Exception:
    pass
'''

OPENCL_PROGRAM = '''
import numpy as np
import pyopencl as cl

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
host = np.ones(1024, np.float32)
memory = cl.Buffer(context, cl.mem_flags.READ_WRITE, host.nbytes)
cl.enqueue_copy(queue, memory, host)
program = cl.Program(context, """
__kernel void scale(__global float *a, float factor) { a[get_global_id(0)] *= factor; }
""").build()
program.scale(queue, host.shape, (64,), memory, np.float32(3))
cl.enqueue_copy(queue, host, memory)
assert (host == 3).all()
'''


class Traced:
    def __init__(self, path):
        self.path = path
        self.events = json.loads(path.read_text())["traceEvents"]
        self.spans = [event for event in self.events if event["ph"] == "X"]

    def of(self, category):
        return [event for event in self.spans if event["cat"] == category]

    def process(self, event):
        return next(
            other["args"]["name"]
            for other in self.events
            if other["name"] == "process_name" and other["pid"] == event["pid"]
        )


def trace_of(run_python, folder, program, *options):
    script, path = folder / "program.py", folder / "trace.json"
    script.write_text(program)
    words = ("-m", "treadle", "run", *options, "--trace", str(path), str(script))
    result = run_python(*words, TREADLE_CACHE_DIR=str(folder / "cache"))
    assert result.returncode == 0, result.stderr
    return Traced(path)


@pytest.fixture(scope="module")
def pycuda_trace(run_python, tmp_path_factory):
    return trace_of(run_python, tmp_path_factory.mktemp("trace"), PYCUDA_PROGRAM, "--sync")


def run(capsys, *words):
    """Of the command line, in this process: status, stdout, stderr."""
    status = _command_line.main(words)
    told = capsys.readouterr()
    return status, told.out, told.err


def test_launches_have_kernel_shape_stream_and_the_users_line(pycuda_trace):
    launches = pycuda_trace.of("launch")
    kernels = pycuda_trace.of("kernel")
    assert [launch["name"] for launch in launches] == ["scale", "scale"]
    assert [launch["args"]["grid"] for launch in launches] == [[4, 1, 1], [2, 1, 1]]
    assert all(launch["args"]["block"] == [256, 1, 1] for launch in launches)
    assert [launch["args"]["stream"] for launch in launches] == ["stream 1", "default stream"]
    lines = PYCUDA_PROGRAM.splitlines()
    for launch in launches:
        file, _, line = launch["args"]["at"].rpartition(":")
        assert file.endswith("program.py") and "scale(memory" in lines[int(line) - 1]
    # Each kernel follows its launch, and belongs to the device.
    for launch, kernel in zip(launches, kernels, strict=True):
        assert kernel["bind_id"] == launch["bind_id"] and kernel["ts"] >= launch["ts"]
        assert kernel["dur"] > 0 and kernel["args"] == launch["args"]
        assert kernel["pid"] != launch["pid"]
        assert treadle.cuda.default_device().name in pycuda_trace.process(kernel)


def test_copies_have_their_direction_and_size(pycuda_trace):
    names = {"copy host to device", "copy device to host"}
    copies = pycuda_trace.of("copy")
    assert {copy["name"] for copy in copies} == names
    assert all(copy["args"]["bytes"] == 4096 for copy in copies)
    assert len({copy["pid"] for copy in copies}) == 2  # calls of the host, work of the device


def test_compiles_and_cache_hits_have_their_kernels(pycuda_trace):
    first, failed = pycuda_trace.of("compile")
    (hit,) = pycuda_trace.of("hit")
    assert first["args"]["outcome"] == "compiled" and failed["args"]["outcome"] == "failed"
    assert hit["args"]["outcome"] == "from memory"
    for event in (first, hit):
        assert event["args"]["kernels"] == "scale"
        assert event["args"]["target"].startswith(treadle.cuda.default_device().target)
    assert first["dur"] > hit["dur"]


def test_gaps_ranges_and_waits(pycuda_trace):
    gaps = pycuda_trace.of("gap")
    assert any(gap["dur"] > 15000 and gap["args"]["before"] == "scale" for gap in gaps)
    (own,) = pycuda_trace.of("range")
    launch = pycuda_trace.of("launch")[0]
    assert own["name"] == "of the program"
    assert own["ts"] <= launch["ts"]
    assert launch["ts"] + launch["dur"] <= own["ts"] + own["dur"]
    assert any(wait["name"] == "wait for a stream" for wait in pycuda_trace.of("wait"))
    assert pycuda_trace.of("memory") and pycuda_trace.of("load")


def test_opencl_has_the_same_events(run_python, tmp_path):
    try:
        __import__("pyopencl").create_some_context(interactive=False)
    except Exception as error:
        pytest.skip(f"needs an OpenCL platform: {error}")
    trace = trace_of(run_python, tmp_path, OPENCL_PROGRAM)
    (launch,), (kernel,) = trace.of("launch"), trace.of("kernel")
    assert launch["name"] == kernel["name"] == "scale"
    assert launch["args"]["items"] == [1024, 1, 1] and launch["args"]["group"] == [64, 1, 1]
    assert kernel["ts"] >= launch["ts"] and kernel["dur"] > 0
    assert trace.process(kernel).startswith("opencl: ")
    file, _, line = launch["args"]["at"].rpartition(":")
    assert file.endswith("program.py")
    assert "scale(queue" in OPENCL_PROGRAM.splitlines()[int(line) - 1]
    copies = [copy for copy in trace.of("copy") if copy["pid"] == kernel["pid"]]
    assert [copy["name"] for copy in copies] == ["copy host to device", "copy device to host"]
    assert all(copy["args"]["bytes"] == 4096 for copy in copies)
    (build,) = trace.of("compile")
    assert build["args"]["kernels"] == "scale"
    text = treadle._trace.as_text(treadle._trace.tables(treadle._trace.Trace(trace.events)))
    assert "scale" in text and "copy device to host" in text


def test_processes_of_multiprocessing_add_to_the_same_file(run_python, tmp_path):
    program = """
import multiprocessing, treadle

def child(method):
    with treadle.TraceRange(method):
        pass

if __name__ == "__main__":
    with treadle.TraceRange("parent"):
        for method in ("fork", "spawn"):
            process = multiprocessing.get_context(method).Process(target=child, args=(method,))
            process.start()
            process.join()
"""
    trace = trace_of(run_python, tmp_path, program)
    assert {event["name"] for event in trace.spans} == {"parent", "fork", "spawn"}
    assert len({event["pid"] for event in trace.spans}) == 3


def test_the_variable_does_the_same_and_a_program_that_compiles_nothing_has_an_empty_trace(
    run_python, tmp_path
):
    path = tmp_path / "trace.json"
    code = "import treadle; assert treadle.is_tracing()"
    assert run_python("-c", code, TREADLE_TRACE=str(path)).returncode == 0
    assert Traced(path).events == []


def test_tables_sum_up_the_trace(pycuda_trace, capsys):
    status, text, _ = run(capsys, "trace", str(pycuda_trace.path), "--json")
    tables = json.loads(text)
    assert status == 0
    (kernel,) = tables["Kernels"]
    times = [event["dur"] for event in pycuda_trace.of("kernel")]
    assert kernel["kernel"] == "scale" and kernel["launches"] == 2
    assert kernel["total (ms)"] == pytest.approx(sum(times) / 1e3)
    assert (kernel["least (us)"], kernel["most (us)"]) == (min(times), max(times))
    assert kernel["share (%)"] == pytest.approx(100)
    assert {row["copy"]: row["bytes"] for row in tables["Copies and fills"]} == {
        "copy host to device": 4096,
        "copy device to host": 4096,
    }
    assert [row["outcome"] for row in tables["Compiles"]].count("compiled") == 1
    (device,) = tables["Devices"]
    assert 0 < device["busy (%)"] <= 100 and device["gaps"] >= 1
    status, text, _ = run(capsys, "trace", str(pycuda_trace.path))
    assert status == 0
    for word in ("Kernels", "scale", "copy host to device", "from memory"):
        assert word in text


# What a page's script uses of a browser, as far as it is needed to see what it draws.
BROWSER = """
const fs = require("fs"), vm = require("vm");
const page = fs.readFileSync(process.argv[2], "utf8");
const scripts = [...page.matchAll(/<script([^>]*)>([^]*?)<\\/script>/g)];
const drawn = { rectangles: 0, texts: [] }, listeners = {};
const pen = { setTransform() {}, clearRect() {}, fillRect() { drawn.rectangles++; },
  fillText(text) { drawn.texts.push(text); } };
const element = () => ({ style: {}, append() {}, dataset: {}, offsetWidth: 9, offsetHeight: 9 });
const canvas = { ...element(), clientWidth: 1200, getContext: () => pen, setPointerCapture() {},
  getBoundingClientRect: () => ({ left: 0, top: 0 }),
  addEventListener(name, act) { listeners[name] = act; } };
const elements = { timeline: canvas, told: element(), legend: element(),
  trace: { textContent: scripts[0][2] } };
const sandbox = { console, window: { addEventListener() {}, innerWidth: 1200, innerHeight: 800 },
  document: { body: {}, getElementById: (id) => elements[id], createElement: element,
    querySelectorAll: () => [] },
  innerWidth: 1200, innerHeight: 800,
  getComputedStyle: () => ({ color: "#000", backgroundColor: "#fff",
    getPropertyValue: () => "#666" }),
  requestAnimationFrame: (act) => frames.push(act) };
const frames = [], draw = () => { drawn.rectangles = 0; while (frames.length) frames.shift()(); };
vm.runInNewContext(scripts[1][2], sandbox);
const whole = { ...drawn, texts: drawn.texts.slice() };
// A pointer that goes over every place of the timeline is told of every event.
const told = new Set();
for (let y = 0; y < 600; y += 6)
  for (let x = 150; x < 1200; x += 1) {
    listeners.pointermove({ clientX: x, clientY: y });
    if (elements.told.style.display !== "block") continue;
    told.add(elements.told.textContent.split("\\n")[0]);
  }
for (let i = 0; i < 40; i++) listeners.wheel({ preventDefault() {}, deltaY: -300, clientX: 160 });
draw();
const zoomed = drawn.rectangles;
listeners.dblclick();
draw();
console.log(JSON.stringify({ scripts: scripts.length, whole, told: [...told],
  again: drawn.rectangles, zoomed }));
"""


def write_page(capsys, trace, folder):
    page = folder / "page.html"
    status, _, told = run(capsys, "trace", str(trace), "--html", str(page))
    assert status == 0, told
    return page


def test_the_page_needs_nothing_else_and_its_script_draws_every_track(
    pycuda_trace, tmp_path, capsys
):
    page = write_page(capsys, pycuda_trace.path, tmp_path)
    text = page.read_text(encoding="utf-8")
    for word in ("http://", "https://", "src=", "<link", "@import", "url("):
        assert word not in text
    assert text.count("<table>") == 6 and "scale" in text
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    browser = tmp_path / "browser.js"
    browser.write_text(BROWSER)
    ran = subprocess.run([node, str(browser), str(page)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    seen = json.loads(ran.stdout)
    assert seen["scripts"] == 2
    for row in ("main thread", "default stream", "stream 1", "waits for the host"):
        assert row in seen["whole"]["texts"]
    assert {"scale", "host gap", "of the program"} <= set(seen["told"])
    assert seen["again"] == seen["whole"]["rectangles"] > 10
    assert 0 < seen["zoomed"] != seen["again"]


# Behind the page's own script: points at the first pixel of a kernel's colour.
POINTING = """<script>
const seen = { errors: [] };
addEventListener("error", (event) => seen.errors.push(event.message));
function pointAtAKernel() {
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const isKernel = (i) =>
    pixels.data[i] === 0x3b && pixels.data[i + 1] === 0x7d && pixels.data[i + 2] === 0xd8;
  for (let i = 0; i < pixels.data.length; i += 4) {
    if (!isKernel(i)) continue;
    const box = canvas.getBoundingClientRect(), at = i / 4, ratio = canvas.width / box.width;
    const x = box.left + (at % canvas.width) / ratio;
    const y = box.top + Math.floor(at / canvas.width) / ratio + 2;
    canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: y }));
    break;
  }
  const box = told.getBoundingClientRect();
  seen.told = told.textContent;
  seen.within = box.width > 0 && box.left >= 0 && box.right <= innerWidth &&
    box.bottom <= innerHeight;
  seen.wide = document.documentElement.scrollWidth > innerWidth;
  document.querySelectorAll("th").forEach((head) => head.click());
  document.body.dataset.seen = JSON.stringify(seen);
}
setTimeout(pointAtAKernel, 200);
</script></body>"""


@pytest.mark.parametrize("width", [1200, 420])
def test_the_page_is_drawn_by_a_browser(pycuda_trace, tmp_path, capsys, width):
    """Look at it, too: TREADLE_TEST_PAGES=FOLDER keeps the page and a picture of it."""
    browser = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None)
    if browser is None:
        pytest.skip("needs Chromium")
    page = write_page(capsys, pycuda_trace.path, tmp_path)
    page.write_text(page.read_text(encoding="utf-8").replace("</body>", POINTING))
    words = [browser, "--headless=new", "--no-sandbox", "--disable-gpu"]
    words += [
        "--virtual-time-budget=2000",
        f"--user-data-dir={tmp_path}/profile",
        f"--window-size={width},900",
    ]
    ran = subprocess.run(
        [*words, "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=120
    )
    found = re.search(r'data-seen="([^"]*)"', ran.stdout)
    assert found, ran.stderr
    seen = json.loads(html.unescape(found[1]))
    assert seen["errors"] == [] and seen["told"].startswith("scale\nkernel, ")
    assert seen["within"] and not seen["wide"]
    if folder := os.environ.get("TREADLE_TEST_PAGES"):
        shutil.copy(page, folder)
        picture = f"--screenshot={folder}/page-{width}.png"
        subprocess.run([*words, picture, page.as_uri()], capture_output=True, timeout=120)


def test_a_page_takes_whatever_programs_call_their_kernels(tmp_path, capsys):
    name = "</script><!-- @@tables@@ <b>&'\""
    trace = tmp_path / "odd.json"
    event = {"ph": "X", "name": name, "cat": "kernel", "ts": 1.5, "dur": 2, "pid": 1, "tid": 1}
    rank = {"ph": "M", "name": "process_sort_index", "pid": 1, "args": {"sort_index": 1}}
    trace.write_text(json.dumps([rank, event]))
    text = write_page(capsys, trace, tmp_path).read_text(encoding="utf-8")
    assert text.count("</script>") == 2 and name not in text
    data = text.partition('id="trace">')[2].partition("</script>")[0]
    assert name in json.loads(data)["names"]


def test_a_page_of_nothing_is_a_page(tmp_path, capsys):
    trace = tmp_path / "empty.json"
    trace.write_text('{"traceEvents": []}')
    assert "none" in write_page(capsys, trace, tmp_path).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "Expecting value"),
        ("not JSON", "Expecting value"),
        ("{}", 'no list "traceEvents"'),
        ("3", 'no list "traceEvents"'),
        ('{"traceEvents": 3}', 'no list "traceEvents"'),
        ("[3]", "event 0"),
        ('[{"ph": "X", "name": "k"}]', "event 0 has no times"),
        ('[{"ph": "X", "ts": NaN, "dur": 1}]', "event 0 has no times"),
        ('[{"ph": "X", "ts": 1, "dur": 1, "args": 3}]', '"args" of event 0'),
        (b"\xff\xfe\x00", "is no trace"),
    ],
)
def test_a_file_that_is_no_trace_is_named_with_what_is_wrong(tmp_path, capsys, content, why):
    trace = tmp_path / "some.json"
    trace.write_bytes(content if isinstance(content, bytes) else content.encode())
    status, out, told = run(capsys, "trace", str(trace))
    assert (status, out) == (2, "")
    assert "some.json" in told and why in told and "try: " in told
    with pytest.raises(treadle.InvalidArgument):
        treadle._trace.read(trace)


def test_missing_files_are_named(tmp_path, capsys, pycuda_trace):
    status, _, told = run(capsys, "trace", str(tmp_path / "none.json"))
    assert status == 2 and "none.json" in told and "No such file" in told
    page = tmp_path / "no" / "page.html"
    status, _, told = run(capsys, "trace", str(pycuda_trace.path), "--html", str(page))
    assert status == 2 and "page.html" in told


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--trace"], "--trace needs the name of a file"),
        (["--trace="], "--trace needs the name of a file"),
        (["--trace", "out.json"], "no script"),
        (["--sync=1", "x.py"], "--sync takes no value"),
        (["--traces", "out.json"], "unknown option --traces"),
        (["--sanitize", "--gdb", "x.py"], "give one of them"),
        (["--sanitize=memory,rice", "x.py"], "'rice' is none of memory, race, init, sync"),
    ],
)
def test_wrong_options_of_run_are_named(capsys, words, why):
    status, _, told = run(capsys, "run", *words)
    assert status == 2 and why in told


def test_a_trace_is_not_written_over_a_program(run_python, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("print('kept')")
    result = run_python("-m", "treadle", "run", "--trace", str(script), str(script))
    assert result.returncode == 2 and "InvalidArgument" in result.stderr
    assert "it is no trace of Treadle" in result.stderr
    assert script.read_text() == "print('kept')" and result.stdout == ""
