# SPDX-License-Identifier: MIT
"""The rules of the context stack: each thread has its own, pop() is static, detach() is final."""

import gc
import threading
import weakref

import pycuda.driver as cuda
import pytest


@pytest.fixture
def device():
    cuda.init()
    return cuda.Device(0)


def test_device_tells_about_itself(device):
    assert isinstance(device.name(), str)
    major, minor = device.compute_capability()
    assert device.get_attribute(cuda.device_attribute.COMPUTE_CAPABILITY_MAJOR) == major
    assert device.compute_capability_minor == minor
    assert device.total_memory() > 0
    assert device.warp_size == 32
    assert isinstance(device.compute_mode, cuda.compute_mode)
    with pytest.raises(AttributeError, match="device_attribute"):
        device.nonsense  # noqa: B018


def test_devices_are_values(device):
    assert device == cuda.Device(0)
    assert hash(device) == hash(cuda.Device(0))
    assert device != 0
    assert cuda.Device(device.pci_bus_id()) == device
    assert cuda.Device.count() >= 1


def test_attributes_print_as_names(device):
    attributes = device.get_attributes()
    names = sorted(str(name) for name in attributes)
    assert "MAX_THREADS_PER_BLOCK" in names
    assert all(isinstance(name, cuda.device_attribute) for name in attributes)


@pytest.mark.parametrize("ordinal", [-1, 1000])
def test_a_device_that_is_not_there_is_a_logic_error(device, ordinal):
    with pytest.raises(cuda.LogicError):
        cuda.Device(ordinal)


@pytest.mark.parametrize("ordinal", [1.5, None, []])
def test_a_device_of_the_wrong_type_is_a_type_error(device, ordinal):
    with pytest.raises(TypeError):
        cuda.Device(ordinal)


def test_before_init_everything_says_so(run_python):
    result = run_python(
        "-c",
        "import treadle.compat, pycuda.driver as cuda\n"
        "for call in (cuda.Device.count, lambda: cuda.Device(0)):\n"
        "    try: call()\n"
        "    except cuda.LogicError as error: print(error)\n"
        "print(cuda.get_driver_version() >= 11000, cuda.get_version() >= (4,))\n",
    )
    assert result.stdout.splitlines() == [
        "cuDeviceGetCount failed: initialization error",
        "cuDeviceGet failed: initialization error",
        "True True",
    ]


def test_current_context_is_a_new_object_that_is_equal(device):
    context = device.make_context()
    try:
        current = cuda.Context.get_current()
        assert current == context
        assert hash(current) == hash(context)
        assert current.handle == context.handle != 0
        assert context != 1
        assert cuda.Context.get_device() == device
        assert context.get_api_version() > 3000
    finally:
        cuda.Context.pop()
    assert cuda.Context.get_current() is None


def test_pop_takes_the_top_whoever_is_asked(device):
    first, second = device.make_context(), device.make_context()
    first.pop()
    assert cuda.Context.get_current() == first
    second.push()
    assert cuda.Context.get_current() == second
    first.pop()
    first.pop()
    assert cuda.Context.get_current() is None
    with pytest.raises(cuda.LogicError, match="cannot pop non-current context"):
        cuda.Context.pop()


def test_detach_is_final(device):
    context = device.make_context()
    context.detach()
    assert cuda.Context.get_current() is None
    with pytest.raises(cuda.LogicError, match="cannot detach from invalid context"):
        context.detach()
    with pytest.raises(cuda.LogicError):
        context.push()


def test_detaching_the_top_makes_the_next_current(device):
    lower, upper = device.make_context(), device.make_context()
    upper.detach()
    assert cuda.Context.get_current() == lower
    lower.pop()


def test_a_context_outlives_its_pop_while_something_of_it_lives(device):
    context = device.make_context()
    allocation = cuda.mem_alloc(64)
    context.pop()
    handle = weakref.ref(context)
    del context
    gc.collect()
    assert handle() is None
    other = device.make_context()
    del allocation
    gc.collect()
    assert cuda.Context.get_current() == other
    other.pop()


def test_things_of_a_detached_context_die_quietly(device, capfd):
    context = device.make_context()
    things = [cuda.mem_alloc(64), cuda.Stream(), cuda.Event(), cuda.pagelocked_empty(4, "f4")]
    context.detach()
    del things
    gc.collect()
    assert "WARNING" not in capfd.readouterr().err


@pytest.mark.parametrize(
    "make",
    [
        lambda: cuda.mem_alloc(16),
        cuda.Stream,
        cuda.Event,
        lambda: cuda.pagelocked_empty(4, "f4"),
        lambda: cuda.module_from_buffer(b"x"),
        cuda.Context.synchronize,
        cuda.mem_get_info,
    ],
)
def test_without_a_context_nothing_can_be_made(device, make):
    with pytest.raises(cuda.LogicError, match="no currently active context"):
        make()


def test_classes_that_functions_make_cannot_be_called(context):
    pooled = (cuda.PooledDeviceAllocation, cuda.PooledHostAllocation)
    made = (cuda.Context, cuda.DeviceAllocation, cuda.Module, cuda.HostPointer, cuda.Function)
    for kind in (*made, *pooled):
        with pytest.raises(RuntimeError, match="cannot be instantiated from Python"):
            kind()


def test_each_thread_has_its_own_stack(context):
    seen = []

    def work():
        seen.append(cuda.Context.get_current())
        context = cuda.Device(0).make_context()
        seen.append(cuda.Context.get_current() == context)
        context.pop()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [None, True]
    assert cuda.Context.get_current() is not None


def test_a_context_can_be_pushed_in_another_thread(device):
    context = device.make_context()
    allocation = cuda.mem_alloc(16)
    context.pop()
    errors = []

    def work():
        try:
            context.push()
            cuda.memset_d32(allocation, 7, 4)
            assert (cuda.from_device(allocation, 4, "u4") == 7).all()
            cuda.Context.pop()
        except Exception as error:  # noqa: BLE001 - it is shown by the assertion below
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert errors == []


def test_a_thread_that_ends_with_contexts_left_harms_nobody(run_python):
    result = run_python(
        "-c",
        "import threading, treadle.compat, pycuda.driver as cuda\n"
        "cuda.init()\n"
        "t = threading.Thread(target=lambda: cuda.Device(0).make_context())\n"
        "t.start(); t.join()\n"
        "kept = cuda.Device(0).make_context()\n"
        "print('done')\n",
    )
    assert (result.returncode, result.stdout) == (0, "done\n"), result.stderr


def test_primary_contexts_are_one(device):
    first, second = device.retain_primary_context(), device.retain_primary_context()
    assert first == second
    assert hash(first) == hash(second)
    assert cuda.Context.get_current() is None
    first.push()
    assert cuda.Context.get_current() == second
    cuda.Context.pop()


def test_limits_and_preferences(context):
    limit = cuda.limit.PRINTF_FIFO_SIZE
    cuda.Context.set_limit(limit, 1 << 20)
    assert cuda.Context.get_limit(limit) >= 1 << 20
    cuda.Context.set_cache_config(cuda.func_cache.PREFER_NONE)
    assert isinstance(cuda.Context.get_cache_config(), cuda.func_cache)
    assert isinstance(cuda.Context.get_shared_config(), cuda.shared_config)


def test_static_members_are_reachable_from_an_instance(context):
    current = cuda.Context.get_current()
    current.synchronize()
    assert current.get_device() == cuda.Context.get_device()


def test_objects_take_attributes_and_weak_references(context):
    things = [cuda.Stream(), cuda.Event(), cuda.mem_alloc(4), cuda.Context.get_current()]
    for thing in things:
        thing.mine = 1
        assert weakref.ref(thing)() is thing


def test_autoinit_makes_a_context_and_takes_it_down(run_python):
    result = run_python(
        "-c",
        "import treadle.compat, pycuda.autoinit, pycuda.driver as cuda\n"
        "assert cuda.Context.get_current() == pycuda.autoinit.context\n"
        "assert pycuda.autoinit.device == cuda.Device(0)\n"
        "pycuda.autoinit.context.synchronize()\n"
        "print('done')\n",
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "done\n", "")


def test_autoprimaryctx_uses_the_primary_context(run_python):
    result = run_python(
        "-c",
        "import treadle.compat, pycuda.autoprimaryctx, pycuda.driver as cuda\n"
        "primary = cuda.Device(0).retain_primary_context()\n"
        "assert cuda.Context.get_current() == pycuda.autoprimaryctx.context == primary\n"
        "print('done')\n",
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "done\n", "")


def test_autoinit_survives_a_program_that_pops_it_itself(run_python):
    result = run_python(
        "-c",
        "import treadle.compat, pycuda.autoinit\npycuda.autoinit.context.pop()\nprint('done')\n",
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "done\n", "")
