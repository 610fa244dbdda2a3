# SPDX-License-Identifier: MIT
"""Names, parameters and defaults: what a program may call, and how."""

import inspect
import re

import pyopencl as cl
import pyopencl._cl as native
import pytest

EXACT = {
    "Context.__init__": "devices=None, properties=None, dev_type=None, cache_dir=None",
    "CommandQueue.__init__": "context, device=None, properties=0",
    "Buffer.__init__": "context, flags, size=0, hostbuf=None, *, properties=None",
    "Buffer.get_sub_region": "origin, size, flags=0",
    "LocalMemory.__init__": "size",
    "UserEvent.__init__": "context",
    "UserEvent.set_status": "status",
    "NameVersion.__init__": "version=0, name=''",
    "DeviceTopologyAmd.__init__": "bus=0, device=0, function=0",
    "Platform.get_info": "param",
    "Platform.get_devices": "device_type=4294967295",
    "Device.create_sub_devices": "properties",
    "Device.from_int_ptr": "int_ptr_value, retain=True",
    "Context.set_default_device_command_queue": "device, queue",
    "CommandQueue.get_info": "param",
    "Event.get_profiling_info": "param",
    "Event.set_callback": "status, callback",
    "MemoryObjectHolder.get_host_array": "shape, dtype, order='C'",
    "MemoryMap.release": "queue=None, wait_for=None",
    "Kernel.get_info": "param",
    "Kernel.get_work_group_info": "param, device",
    "Kernel.get_arg_info": "arg_index, param",
    "Kernel.get_sub_group_info": "device, param, input_value=None",
    "Kernel.set_scalar_arg_dtypes": "arg_types",
    "Kernel.set_arg_types": "arg_types",
    "_Program.get_build_info": "device, param",
    "_Program.set_specialization_constant": "spec_id, buffer",
    "_enqueue_read_buffer": "queue, mem, hostbuf, src_offset=0, wait_for=None, is_blocking=True",
    "_enqueue_write_buffer": "queue, mem, hostbuf, dst_offset=0, wait_for=None, is_blocking=True",
    "_enqueue_copy_buffer": "queue, src, dst, byte_count=-1, src_offset=0, dst_offset=0, "
    "wait_for=None",
    "_enqueue_read_buffer_rect": "queue, mem, hostbuf, buffer_origin, host_origin, region, "
    "buffer_pitches=None, host_pitches=None, wait_for=None, is_blocking=True",
    "_enqueue_write_buffer_rect": "queue, mem, hostbuf, buffer_origin, host_origin, region, "
    "buffer_pitches=None, host_pitches=None, wait_for=None, is_blocking=True",
    "_enqueue_copy_buffer_rect": "queue, src, dst, src_origin, dst_origin, region, "
    "src_pitches=None, dst_pitches=None, wait_for=None",
    "_enqueue_fill_buffer": "queue, mem, pattern, offset, size, wait_for=None",
    "enqueue_fill_buffer": "queue, mem, pattern, offset, size, wait_for=None",
    "enqueue_map_buffer": "queue, buf, flags, offset, shape, dtype, order='C', strides=None, "
    "wait_for=None, is_blocking=True",
    "enqueue_migrate_mem_objects": "queue, mem_objects, flags=0, wait_for=None",
    "enqueue_nd_range_kernel": "queue, kernel, global_work_size, local_work_size, "
    "global_work_offset=None, wait_for=None, g_times_l=False, allow_empty_ndrange=False",
    "enqueue_marker": "queue, wait_for=None",
    "enqueue_barrier": "queue, wait_for=None",
    "_enqueue_marker_with_wait_list": "queue, wait_for=None",
    "_enqueue_barrier_with_wait_list": "queue, wait_for=None",
    "_enqueue_wait_for_events": "queue, wait_for=None",
    "wait_for_events": "events",
    "SVM.__init__": "mem",
    "SVMPointer.map": "queue, *, flags, is_blocking=True, wait_for=None, size=None",
    "SVMPointer.map_ro": "queue, *, is_blocking=True, wait_for=None, size=None",
    "SVMPointer.as_buffer": "ctx, *, flags=None, size=None",
    "SVM.map": "queue, flags, is_blocking=True, wait_for=None",
    "SVM.map_rw": "queue, is_blocking=True, wait_for=None",
    "SVMAllocation.__init__": "context, size, alignment, flags, queue=None",
    "SVMAllocation.enqueue_release": "queue=None, wait_for=None",
    "_enqueue_svm_memcpy": "queue, is_blocking, dst, src, wait_for=None, byte_count=None",
    "_enqueue_svm_memfill": "queue, dst, pattern, byte_count=None, wait_for=None",
    "_enqueue_svm_map": "queue, is_blocking, flags, svm, wait_for=None, size=None",
    "_enqueue_svm_unmap": "queue, svm, wait_for=None",
    "_enqueue_svm_migrate_mem": "queue, svms, flags=None, wait_for=None",
    "SVMAllocator.__init__": "context, alignment=0, flags=1, queue=None",
    "SVMPool.__init__": "allocator, leading_bits_in_bin_id=4",
    "Image.__init__": "context, flags, format, shape=None, pitches=None, hostbuf=None, "
    "is_array=False, buffer=None, *, desc=None, _through_create_image=False",
    "ImageFormat.__init__": "channel_order, channel_type",
    "get_supported_image_formats": "context, flags, image_type",
    "_enqueue_read_image": "queue, mem, origin, region, hostbuf, row_pitch=0, slice_pitch=0, "
    "wait_for=None, is_blocking=True",
    "_enqueue_write_image": "queue, mem, origin, region, hostbuf, row_pitch=0, slice_pitch=0, "
    "wait_for=None, is_blocking=True",
    "_enqueue_copy_image": "queue, src, dest, src_origin, dest_origin, region, wait_for=None",
    "_enqueue_copy_image_to_buffer": "queue, src, dest, origin, region, offset, wait_for=None",
    "_enqueue_copy_buffer_to_image": "queue, src, dest, offset, origin, region, wait_for=None",
    "enqueue_fill_image": "queue, mem, color, origin, region, wait_for=None",
    "enqueue_map_image": "queue, img, flags, origin, region, shape, dtype, order='C', "
    "strides=None, wait_for=None, is_blocking=True",
    "unload_platform_compiler": "platform",
    "Pipe.__init__": "context, flags, packet_size, max_packets, properties=()",
    "Pipe.get_pipe_info": "param",
    "GLBuffer.__init__": "context, flags, bufobj",
    "GLRenderBuffer.__init__": "context, flags, bufobj",
    "GLTexture.__init__": "context, flags, texture_target, miplevel, texture, dims",
    "GLTexture.get_gl_texture_info": "param",
    "enqueue_acquire_gl_objects": "queue, mem_objects, wait_for=None",
    "enqueue_release_gl_objects": "queue, mem_objects, wait_for=None",
    "get_gl_context_info_khr": "properties, param_name, platform=None",
}

PYTHON = {
    "create_some_context": "interactive=None, answers=None",
    "choose_devices": "interactive=None, answers=None",
    "enqueue_copy": "queue, dest, src, **kwargs",
    "enqueue_fill": "queue, dest, pattern, size, *, offset=0, wait_for=None",
    "enqueue_task": "queue, kernel, wait_for=None",
    "enqueue_wait_for_events": "queue, events",
    "create_program_with_built_in_kernels": "context, devices, kernel_names",
    "create_image": "context, flags, format, shape=None, pitches=None, hostbuf=None, "
    "is_array=False, buffer=None",
    "image_from_array": "ctx, ary, num_channels=None, mode='r', norm_int=False",
    "svm_empty": "ctx, flags, shape, dtype, order='C', alignment=None, queue=None",
    "svm_empty_like": "ctx, flags, ary, alignment=None",
    "csvm_empty": "ctx, shape, dtype, order='C', alignment=None, queue=None",
    "csvm_empty_like": "ctx, ary, alignment=None",
    "fsvm_empty": "ctx, shape, dtype, order='C', alignment=None, queue=None",
    "fsvm_empty_like": "ctx, ary, alignment=None",
    "enqueue_svm_memfill": "queue, dest, pattern, byte_count=None, wait_for=None",
    "enqueue_svm_migrate_mem": "queue, svms, flags, wait_for=None",
    "SVMMap.release": "self, queue=None, wait_for=None",
    "link_program": "context, programs, options=None, devices=None",
    "Program.build": "self, options=None, devices=None, cache_dir=None",
    "Program.compile": "self, options=None, devices=None, headers=None",
    "Program.from_int_ptr": "int_ptr_value, retain=True",
    "Program.get_build_info": "self, device, param",
}

CLASSES = [
    "Buffer CommandQueue Context Device DeviceTopologyAmd Error Event Image ImageDescriptor",
    "GLBuffer GLRenderBuffer GLTexture Pipe",
    "ImageFormat Kernel LocalMemory Sampler SVM SVMAllocation SVMMap SVMPointer",
    "LogicError MemoryError MemoryMap MemoryObject MemoryObjectHolder NameVersion NannyEvent",
    "Platform Program RuntimeError UserEvent",
    "CompilerWarning CommandQueueUsedAfterExit RepeatedKernelRetrieval",
]


def _find(path):
    found = cl if hasattr(cl, path.partition(".")[0]) else native
    for name in path.split("."):
        found = getattr(found, name)
    return found


def _signature_of_native(function):
    """nanobind writes it into the first line of the documentation, with types."""
    line = function.__doc__.splitlines()[0]
    text = line[line.index("(") + 1 : line.rindex(")")] if "->" not in line else line
    text = re.match(r"[^(]*\((.*)\)(?: -> .*)?$", line)[1]
    parameters = []
    depth = 0
    start = 0
    for at, letter in enumerate(text + ","):
        depth += letter in "[(" and 1 or letter in "])" and -1 or 0
        if letter == "," and depth == 0:
            parameters.append(text[start:at].strip())
            start = at + 1
    found = []
    for parameter in parameters:
        name, _, rest = parameter.partition(":")
        default = rest.partition("=")[2].strip() if "=" in rest else ""
        if name and name != "self" and not name.startswith("arg"):
            found.append(name + (f"={default}" if default else ""))
        elif name.startswith("arg_"):
            found.append(name)
    return ", ".join(found)


@pytest.mark.parametrize("name", EXACT)
def test_native_signature(name):
    assert _signature_of_native(_find(name)) == EXACT[name]


@pytest.mark.parametrize("name", PYTHON)
def test_python_signature(name):
    signature = inspect.signature(_find(name))
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    text = str(inspect.Signature(bare))
    assert text == f"({PYTHON[name]})"


@pytest.mark.parametrize("name", " ".join(CLASSES).split())
def test_class_is_there(name):
    assert inspect.isclass(getattr(cl, name))
    assert name in cl.__all__


def test_star_import_finds_every_name():
    names = {}
    exec("from pyopencl import *", names)
    assert set(cl.__all__) <= set(names)


def test_what_is_not_there_is_no_attribute():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        cl.nonsense  # noqa: B018


def test_hierarchy_of_memory_and_events():
    assert issubclass(cl.Buffer, cl.MemoryObject)
    assert issubclass(cl.Image, cl.MemoryObject)
    assert issubclass(cl.MemoryObject, cl.MemoryObjectHolder)
    assert issubclass(cl.NannyEvent, cl.Event)
    assert issubclass(cl.UserEvent, cl.Event)


def _devices():
    return [device for platform in cl.get_platforms() for device in platform.get_devices()]


def test_module_numbers():
    assert cl.VERSION == (2026, 1, 2)
    assert cl.VERSION_TEXT == cl.__version__ == "2026.1.2"
    assert cl.get_cl_header_version() == (3, 0)
    assert native._sizeof_size_t() == 8
    assert [native.bitlog2(n) for n in (0, 1, 2, 3, 1024)] == [0, 0, 1, 1, 10]
    assert cl.have_gl() is any("cl_khr_gl_sharing" in device.extensions for device in _devices())
    assert cl._csc is cl.create_some_context
