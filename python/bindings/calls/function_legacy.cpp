// SPDX-License-Identifier: MIT
// The launch interface from before CUDA 4: programs set block shape, parameters and grid one by
// one. The driver dropped this interface; here the calls are collected and become one launch.
#include <cstring>

#include "caller.hpp"
#include "calls/function.hpp"

namespace treadle::bindings {
namespace {

template <class F>
PyObject* guarded(PyObject* self, F call) noexcept {
  try {
    call(kernel_of(self));
    Py_RETURN_NONE;
  } catch (...) {
    set_python_error(Face::pycuda);
    return nullptr;
  }
}

void need(Py_ssize_t given, Py_ssize_t wanted, const char* call) {
  if (given != wanted)
    raise_python(PyExc_TypeError, std::string(call) + " takes " + std::to_string(wanted) +
                                      " arguments, not " + std::to_string(given));
}

unsigned number(PyObject* value, const char* what) {
  return static_cast<unsigned>(unsigned_argument(value, what, 0xFFFFFFFFu));
}

// Bounds a wrong offset: no driver takes more bytes of parameters.
constexpr std::size_t most_parameter_bytes = 32764;

char* parameter_room(KernelState& kernel, std::size_t offset, std::size_t size) {
  if (offset > most_parameter_bytes || size > most_parameter_bytes)
    throw InvalidArgument("kernel parameters end at byte " + std::to_string(offset + size) +
                          "; at most " + std::to_string(most_parameter_bytes) + " are possible");
  if (kernel.legacy_parameters.size() < offset + size)
    kernel.legacy_parameters.resize(offset + size);
  return kernel.legacy_parameters.data() + offset;
}

void launch(KernelState& kernel, cuda::Dim3 grid, cuda::StreamRef stream) {
  kernel.legacy_config.grid = grid;
  kernel.legacy_config.stream = stream;
  note_launch_site();
  kernel.function.launch_buffer(kernel.legacy_config, kernel.legacy_parameters.data(),
                                kernel.legacy_parameters.size());
}

PyObject* set_block_shape(PyObject* self, PyObject* const* a, Py_ssize_t count) {
  return guarded(self, [&](KernelState& kernel) {
    need(count, 3, "_set_block_shape");
    kernel.legacy_config.block = {number(a[0], "x"), number(a[1], "y"), number(a[2], "z")};
  });
}
PyObject* set_shared_size(PyObject* self, PyObject* const* a, Py_ssize_t count) {
  return guarded(self, [&](KernelState& kernel) {
    need(count, 1, "_set_shared_size");
    kernel.legacy_config.shared_bytes = number(a[0], "bytes");
  });
}
PyObject* param_set_size(PyObject* self, PyObject* const* a, Py_ssize_t count) {
  return guarded(self, [&](KernelState& kernel) {
    need(count, 1, "_param_set_size");
    const std::size_t size = number(a[0], "bytes");
    parameter_room(kernel, 0, size);
    kernel.legacy_parameters.resize(size);
  });
}
PyObject* param_set_integer(PyObject* self, PyObject* const* a, Py_ssize_t count) {
  return guarded(self, [&](KernelState& kernel) {
    need(count, 2, "_param_seti");
    const unsigned value = number(a[1], "value");
    std::memcpy(parameter_room(kernel, number(a[0], "offset"), sizeof value), &value, sizeof value);
  });
}
PyObject* param_set_float(PyObject* self, PyObject* const* a, Py_ssize_t count) {
  return guarded(self, [&](KernelState& kernel) {
    need(count, 2, "_param_setf");
    const double wide = PyFloat_AsDouble(a[1]);
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    const auto value = static_cast<float>(wide);
    std::memcpy(parameter_room(kernel, number(a[0], "offset"), sizeof value), &value, sizeof value);
  });
}
PyObject* param_set_bytes(PyObject* self, PyObject* const* a, Py_ssize_t count) {
  return guarded(self, [&](KernelState& kernel) {
    need(count, 2, "_param_setv");
    const std::size_t offset = number(a[0], "offset");
    Py_buffer view{};
    if (PyObject_GetBuffer(a[1], &view, PyBUF_SIMPLE) != 0) throw nb::python_error();
    const std::string bytes(static_cast<const char*>(view.buf), static_cast<std::size_t>(view.len));
    PyBuffer_Release(&view);
    std::memcpy(parameter_room(kernel, offset, bytes.size()), bytes.data(), bytes.size());
  });
}
PyObject* launch_one(PyObject* self, PyObject* const*, Py_ssize_t count) {
  return guarded(self, [&](KernelState& kernel) {
    need(count, 0, "_launch");
    launch(kernel, {}, {});
  });
}
PyObject* launch_grid(PyObject* self, PyObject* const* a, Py_ssize_t count) {
  return guarded(self, [&](KernelState& kernel) {
    need(count, 2, "_launch_grid");
    launch(kernel, {number(a[0], "grid width"), number(a[1], "grid height"), 1}, {});
  });
}
PyObject* launch_grid_async(PyObject* self, PyObject* const* a, Py_ssize_t count) {
  return guarded(self, [&](KernelState& kernel) {
    need(count, 3, "_launch_grid_async");
    launch(kernel, {number(a[0], "grid width"), number(a[1], "grid height"), 1},
           stream_argument(a[2]));
  });
}

// param_set(*args): sets all parameters at once, as a call of the kernel does.
PyObject* param_set(PyObject* self, PyObject* const* a, Py_ssize_t count) {
  return guarded(self, [&](KernelState& kernel) {
    if (!kernel.layout.known)
      throw NotSupported(
          "param_set needs a driver that tells the kernel's parameters: "
          "function(..., block=(x, y, z), grid=(w, h)) does without");
    cuda::ArgumentBuffer buffer(kernel.layout, kernel.function.name());
    std::vector<PyObject*> handlers;
    const LaunchScope scope(cuda::StreamRef{});
    for (Py_ssize_t i = 0; i < count; ++i) add_argument(buffer, a[i], kernel, handlers);
    if (!handlers.empty())
      raise_python(PyExc_TypeError,
                   "param_set takes memory of the device; In, Out and InOut are for calls of the "
                   "kernel: function(..., block=(x, y, z), grid=(w, h))");
    void* const* values = buffer.finish();
    kernel.legacy_parameters.clear();
    for (const cuda::KernelParameter& parameter : kernel.layout.parameters)
      std::memcpy(parameter_room(kernel, parameter.offset, parameter.size), *values++,
                  parameter.size);
  });
}

// Until 2011 the calls had no underscore.
template <PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t)>
PyObject* of_old_programs(PyObject* self, PyObject* const* a, Py_ssize_t count) {
  if (PyErr_WarnEx(PyExc_DeprecationWarning,
                   "set_block_shape, set_shared_size, param_set... and launch... are deprecated: "
                   "call the kernel, function(..., block=(x, y, z), grid=(w, h), shared=bytes)",
                   1) != 0)
    return nullptr;
  return function(self, a, count);
}

PyCFunction method(PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

}  // namespace

PyMethodDef legacy_methods[] = {
    {"_set_block_shape", method(set_block_shape), METH_FASTCALL, "(x, y, z)"},
    {"_set_shared_size", method(set_shared_size), METH_FASTCALL, "(bytes)"},
    {"_param_set_size", method(param_set_size), METH_FASTCALL, "(bytes)"},
    {"_param_seti", method(param_set_integer), METH_FASTCALL, "(offset, value)"},
    {"_param_setf", method(param_set_float), METH_FASTCALL, "(offset, value)"},
    {"_param_setv", method(param_set_bytes), METH_FASTCALL, "(offset, buffer)"},
    {"_launch", method(launch_one), METH_FASTCALL, "()"},
    {"_launch_grid", method(launch_grid), METH_FASTCALL, "(width, height)"},
    {"_launch_grid_async", method(launch_grid_async), METH_FASTCALL, "(width, height, stream)"},
    {"param_set", method(of_old_programs<param_set>), METH_FASTCALL, "(*args)"},
    {"set_block_shape", method(of_old_programs<set_block_shape>), METH_FASTCALL, "(x, y, z)"},
    {"set_shared_size", method(of_old_programs<set_shared_size>), METH_FASTCALL, "(bytes)"},
    {"param_set_size", method(of_old_programs<param_set_size>), METH_FASTCALL, "(bytes)"},
    {"param_seti", method(of_old_programs<param_set_integer>), METH_FASTCALL, "(offset, value)"},
    {"param_setf", method(of_old_programs<param_set_float>), METH_FASTCALL, "(offset, value)"},
    {"param_setv", method(of_old_programs<param_set_bytes>), METH_FASTCALL, "(offset, buffer)"},
    {"launch", method(of_old_programs<launch_one>), METH_FASTCALL, "()"},
    {"launch_grid", method(of_old_programs<launch_grid>), METH_FASTCALL, "(width, height)"},
    {"launch_grid_async", method(of_old_programs<launch_grid_async>), METH_FASTCALL,
     "(width, height, stream)"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace treadle::bindings
