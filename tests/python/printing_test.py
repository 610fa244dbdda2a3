# SPDX-License-Identifier: MIT
"""What kernels print reaches sys.stdout, whatever that is."""

import contextlib
import io
import threading

import numpy as np
import pytest

import treadle
import treadle.cuda

TEXT = r"""
#include <stdio.h>
extern "C" __global__ void say(int number) { printf("number %d\n", number); }
extern "C" __global__ void say_much(int lines)
{
    for (int i = 0; i < lines; ++i) printf("%0127d\n", i);
}
extern "C" __global__ void speak() { printf("M\xc3\xa4rz \xff\n"); }
extern "C" __global__ void fail() { printf("before\n"); *(volatile int *)8 = 1; }
"""

on_the_cpu = pytest.mark.skipif(
    treadle.cuda.default_device().driver.provider != treadle.cuda.Provider.cpu,
    reason="a GPU's driver writes to file descriptor 1",
)


class Notebook:
    """A sys.stdout with no file descriptor, which notes what it is told, and when."""

    encoding = "UTF-8"

    def __init__(self):
        self.said = []

    def write(self, text):
        self.said.append(text)
        return len(text)

    def flush(self):
        self.said.append("<flush>")


@pytest.fixture
def say(context):
    from pycuda.compiler import SourceModule

    kernel = SourceModule(TEXT, no_extern_c=True).get_function("say")
    return lambda number: kernel(np.int32(number), block=(1, 1, 1))


@pytest.fixture
def native():
    with treadle.cuda.Context.make_current(treadle.cuda.default_device()) as context:
        image = treadle.compile_cuda(TEXT, treadle.cuda.default_device().target).image
        module = treadle.cuda.Module(image)

        def launch(name, *arguments, stream=None):
            module.function(name)(*arguments, grid=(1,), block=(1,), stream=stream)

        yield launch, context


@on_the_cpu
def test_pycuda_texts_are_redirected_in_the_order_of_waits(say):
    import pycuda.driver as cuda

    with contextlib.redirect_stdout(io.StringIO()) as out:
        print("first")
        say(1)
        cuda.Context.synchronize()
        print("second")
        say(2)
        cuda.memcpy_dtoh(np.empty(1, np.int32), cuda.mem_alloc(4))
        print("third")
    assert out.getvalue() == "first\nnumber 1\nsecond\nnumber 2\nthird\n"


@on_the_cpu
def test_pytest_captures_what_kernels_print(native, capsys):
    launch, context = native
    print("one")
    launch("say", np.int32(1))
    assert capsys.readouterr().out == "one\n"
    context.synchronize()
    print("two")
    assert capsys.readouterr().out == "number 1\ntwo\n"


@on_the_cpu
@pytest.mark.parametrize("wait", ["stream", "event", "context", "copy"])
def test_every_wait_brings_the_text(native, wait):
    launch, context = native
    stream, event = treadle.cuda.Stream(), treadle.cuda.Event()
    memory = treadle.cuda.DeviceMemory(4)
    waits = {
        "stream": stream.synchronize,
        "event": event.synchronize,
        "context": context.synchronize,
        "copy": lambda: memory.copy_to(np.empty(1, np.int32)),
    }
    notebook = Notebook()
    with contextlib.redirect_stdout(notebook):
        launch("say", np.int32(5), stream=stream if wait == "stream" else None)
        event.record()
        waits[wait]()
        print("after")
    assert notebook.said == ["number 5\n", "<flush>", "after", "\n"]


@on_the_cpu
def test_devices_of_the_waist_print_too():
    device = treadle.default_device()
    if device.runtime.startswith("OpenCL"):
        pytest.skip("OpenCL's printf is PoCL's")
    notebook = Notebook()
    with contextlib.redirect_stdout(notebook):
        kernel = treadle.Program(
            device, '#include <stdio.h>\nextern "C" __global__ void f() { printf("hello\\n"); }'
        ).kernel("f")
        kernel(groups=(1,), group_size=(1,))
        device.default_stream().synchronize()
    assert notebook.said == ["hello\n", "<flush>"]


@on_the_cpu
def test_other_threads_print_where_sys_stdout_is(native):
    launch, context = native
    notebook = Notebook()

    def work():
        with treadle.cuda.Context.make_current(treadle.cuda.default_device()):
            launch("say", np.int32(7))
            context.synchronize()

    with contextlib.redirect_stdout(notebook):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert notebook.said == ["number 7\n", "<flush>"]


@on_the_cpu
def test_much_text_is_complete_and_in_order(native):
    launch, context = native
    with contextlib.redirect_stdout(io.StringIO()) as out:
        launch("say_much", np.int32(20000))  # more than the driver keeps
        context.synchronize()
    assert out.getvalue() == "".join(f"{i:0127d}\n" for i in range(20000))


@on_the_cpu
def test_what_no_encoding_has_is_spelled_out(native):
    launch, context = native
    raw = io.BytesIO()
    with contextlib.redirect_stdout(io.TextIOWrapper(raw, encoding="ascii")) as out:
        launch("speak")
        context.synchronize()
        out.detach()
    assert raw.getvalue() == rb"M\xe4rz \xff" + b"\n"


@on_the_cpu
def test_a_broken_stdout_is_no_error_of_the_wait(native, monkeypatch):
    launch, context = native
    reported = []
    monkeypatch.setattr("sys.unraisablehook", lambda report: reported.append(report.exc_value))
    closed = io.StringIO()
    closed.close()
    with contextlib.redirect_stdout(closed):
        launch("say", np.int32(1))
        context.synchronize()
    assert [type(error) for error in reported] == [ValueError]
    with contextlib.redirect_stdout(None):
        launch("say", np.int32(1))
        context.synchronize()  # as print() does, nothing
    assert len(reported) == 1


@on_the_cpu
def test_what_was_printed_before_a_failure_is_seen(run_python, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        f"""
import sys, io
import treadle.compat, pycuda.autoinit, pycuda.driver as cuda
from pycuda.compiler import SourceModule
sys.stdout = io.StringIO()
SourceModule(r'''{TEXT}''', no_extern_c=True).get_function("fail")(block=(1, 1, 1))
try:
    cuda.Context.synchronize()
except cuda.Error as error:
    print("failed")
sys.__stdout__.write(repr(sys.stdout.getvalue()))
"""
    )
    result = run_python(str(script))
    assert result.stdout == repr("before\nfailed\n"), result.stdout + result.stderr


def test_text_that_nobody_waited_for_comes_at_the_end(run_python, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        f"""
import numpy as np
import treadle.compat, pycuda.autoinit
from pycuda.compiler import SourceModule
say = SourceModule(r'''{TEXT}''', no_extern_c=True).get_function("say")
print("first")
say(np.int32(3), block=(1, 1, 1))
"""
    )
    result = run_python(str(script))
    assert sorted(result.stdout.splitlines()) == ["first", "number 3"], result.stderr


def test_a_capture_tells_what_was_printed(native, capsys):
    launch, context = native
    launch("say", np.int32(1))
    with treadle.cuda.PrintCapture() as printed:
        launch("say", np.int32(2))
        assert printed.text == ""
        with pytest.raises(treadle.InvalidState, match="captured already"):
            with treadle.cuda.PrintCapture(context):
                pass
        with pytest.raises(treadle.InvalidState, match="has begun"):
            printed.__enter__()
    assert printed.text == "number 2\n"
    with treadle.cuda.PrintCapture(context) as again:
        pass
    assert again.text == ""
    if treadle.cuda.default_device().driver.provider == treadle.cuda.Provider.cpu:
        assert capsys.readouterr().out == "number 1\n"
