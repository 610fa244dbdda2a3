// SPDX-License-Identifier: MIT
#include "native/foreign.hpp"

#include <string>

#include "calls/argument.hpp"
#include "errors.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/context.hpp"
#include "treadle/cuda/driver.hpp"
#include "treadle/device/cuda.hpp"
#include "treadle/device/opencl.hpp"
#include "treadle/opencl/context.hpp"
#include "treadle/opencl/platform.hpp"

namespace treadle::bindings {
namespace {

/// An integer, or the first of the attributes that the object has.
std::uint64_t handle_of(nb::handle object, std::initializer_list<const char*> names,
                        const char* what) {
  if (PyLong_Check(object.ptr()) != 0 && PyBool_Check(object.ptr()) == 0)
    return unsigned_argument(object.ptr(), what);
  for (const char* name : names)
    if (const nb::object found = attribute_or_null(object.ptr(), name); found.is_valid())
      return unsigned_argument(found.ptr(), what);
  std::string text = std::string("a ") + Py_TYPE(object.ptr())->tp_name + " is no " + what;
  text += ": pass its handle, or an object with";
  for (const char* name : names) text += std::string(" .") + name;
  raise_python(PyExc_TypeError, text);
}

std::shared_ptr<device::Device> opencl_device_of(nb::handle raw, nb::handle device) {
  const auto table = opencl::Loader::system().shared_table();
  const opencl::Context context(
      table, reinterpret_cast<opencl::RawContext>(unsigned_argument(raw.ptr(), "int_ptr")),
      opencl::Ownership::retain);
  if (device.is_none()) {
    if (context.devices().size() != 1)
      throw InvalidArgument(
          "the context has " + std::to_string(context.devices().size()) + " devices",
          "say which: Device.of(context, device)");
    return device::device_of(context, context.devices().front());
  }
  const std::uint64_t handle = handle_of(device, {"int_ptr"}, "device of OpenCL");
  for (const opencl::Device& one : context.devices())
    if (reinterpret_cast<std::uint64_t>(one.raw()) == handle)
      return device::device_of(context, one);
  if (PyLong_Check(device.ptr()) != 0)  // which may be anything
    throw InvalidArgument("the device is none of the " + std::to_string(context.devices().size()) +
                          " of the context");
  return device::device_of(context,
                           {context.shared_table(), reinterpret_cast<opencl::RawDevice>(handle),
                            opencl::Ownership::retain});
}

}  // namespace

std::uint64_t stream_handle(nb::handle stream) {
  if (const nb::object protocol = attribute_or_null(stream.ptr(), "__cuda_stream__");
      protocol.is_valid()) {
    const nb::object pair = protocol();
    const auto version = unsigned_argument(nb::object(pair[nb::int_(0)]).ptr(), "version");
    if (version != 0)
      throw NotSupported("version " + std::to_string(version) + " of __cuda_stream__",
                         "pass the handle of the stream");
    return unsigned_argument(nb::object(pair[nb::int_(1)]).ptr(), "stream handle");
  }
  return handle_of(stream, {"raw", "cuda_stream", "ptr", "handle", "int_ptr"}, "stream");
}

std::uint64_t event_handle(nb::handle event) {
  return handle_of(event, {"raw", "cuda_event", "ptr", "handle", "int_ptr"}, "event");
}

std::shared_ptr<device::Device> device_of_context(nb::handle context, nb::handle device) {
  const cuda::Context* shell = nullptr;
  if (nb::try_cast(context, shell) && shell != nullptr) return device::device_of(*shell);
  if (const nb::object raw = attribute_or_null(context.ptr(), "int_ptr"); raw.is_valid())
    return opencl_device_of(raw, device);
  const std::uint64_t raw = handle_of(context, {"handle"}, "context");
  if (raw == 0) throw InvalidArgument("a null context has no device", "pass a live context");
  return device::device_of(
      cuda::Context::wrap(cuda::default_driver(), reinterpret_cast<cuda::RawContext>(raw)));
}

}  // namespace treadle::bindings
