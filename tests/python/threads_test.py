# SPDX-License-Identifier: MIT
"""Any call from any thread (P11): contexts are made current where they are used."""

import threading

import numpy as np
import pycuda.driver as cuda

THREADS, ROUNDS = 24, 8


def run_in_threads(work):
    """Runs work(number) in many threads at once; what one of them raises is raised here."""
    failures = []
    start = threading.Barrier(THREADS)

    def run(number):
        try:
            start.wait()
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_threads_share_a_context_and_a_kernel(build):
    shared = cuda.Context.get_current()
    add = build("__global__ void add(int *a, int n) { a[threadIdx.x] += n; }").get_function("add")

    def work(number):
        shared.push()
        try:
            for round_ in range(ROUNDS):
                data = np.full(64, number, np.int32)
                stream = cuda.Stream()
                memory = cuda.to_device(data)
                add(memory, np.int32(round_), block=(64, 1, 1), stream=stream)
                stream.synchronize()
                assert (cuda.from_device_like(memory, data) == number + round_).all()
        finally:
            cuda.Context.pop()

    run_in_threads(work)


def test_threads_have_contexts_of_their_own(context):
    device = cuda.Context.get_device()

    def work(number):
        own = device.make_context()
        try:
            data = np.full(16, number, np.uint8)
            memory = cuda.to_device(data)
            assert cuda.Context.get_current() == own
            assert (cuda.from_device_like(memory, data) == data).all()
            memory.free()
        finally:
            own.pop()
            own.detach()

    run_in_threads(work)


def test_objects_end_on_other_threads_than_they_were_made_on(context):
    shared = cuda.Context.get_current()
    made = [[cuda.mem_alloc(64), cuda.Stream(), cuda.Event()] for _ in range(THREADS)]

    def work(number):
        made[number].clear()  # the context is not current here
        shared.push()
        made[number].append(cuda.Event().record())
        cuda.Context.pop()

    run_in_threads(work)
    assert all(event.synchronize().query() for (event,) in made)


def test_threads_compile_the_same_and_different_texts(build):
    shared = cuda.Context.get_current()

    def work(number):
        shared.push()
        try:
            text = f"__global__ void k(int *a) {{ *a = {number % 3}; }}"
            out = np.zeros(1, np.int32)
            build(text).get_function("k")(cuda.Out(out), block=(1, 1, 1))
            assert out[0] == number % 3
        finally:
            cuda.Context.pop()

    run_in_threads(work)


DAEMON = """
import threading, time
import pycuda.driver as cuda

def work():
    context = cuda.Device(0).make_context()
    memory = cuda.mem_alloc(1000)
    ready.set()
    time.sleep(100)

cuda.init()
ready = threading.Event()
threading.Thread(target=work, daemon=True).start()
ready.wait()
"""


def test_a_program_may_end_while_a_daemon_thread_holds_memory(run_python):
    program = f"import treadle.compat\n{DAEMON}"
    done = run_python("-c", program, TREADLE_TEST_LEAKS="")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
