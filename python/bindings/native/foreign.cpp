// SPDX-License-Identifier: MIT
#include "native/foreign.hpp"

#include <cctype>
#include <initializer_list>
#include <string>
#include <string_view>

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

bool is_integer(nb::handle object) {
  return PyLong_Check(object.ptr()) != 0 && PyBool_Check(object.ptr()) == 0;
}

/// The names of the classes and attributes of one kind of handle.
struct HandleNames {
  const char* what;
  /// In lower case. The name of the class, or of a base, must contain one of these.
  std::initializer_list<std::string_view> classes;
  /// Attributes that only such classes have.
  std::initializer_list<const char*> own;
  /// Attributes that other classes also have. An array's `ptr` is the address of its elements; a
  /// driver that takes this address for a stream ends the process.
  std::initializer_list<const char*> shared;
};

bool is_called(nb::handle object, const HandleNames& names) {
  for (const nb::handle base : nb::borrow<nb::tuple>(Py_TYPE(object.ptr())->tp_mro)) {
    std::string name = nb::cast<std::string>(base.attr("__name__"));
    for (char& letter : name)
      letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    for (const std::string_view word : names.classes)
      if (name.find(word) != std::string::npos) return true;
  }
  return false;
}

/// Returns the integer itself, or the first of the attributes that the object has.
std::uint64_t handle_of(nb::handle object, const HandleNames& names) {
  if (is_integer(object)) return unsigned_argument(object.ptr(), names.what);
  const auto first_of = [&](std::initializer_list<const char*> attributes) {
    for (const char* name : attributes)
      if (nb::object found = attribute_or_null(object.ptr(), name); found.is_valid()) return found;
    return nb::object();
  };
  nb::object found = first_of(names.own);
  if (!found.is_valid() && is_called(object, names)) found = first_of(names.shared);
  if (found.is_valid()) return unsigned_argument(found.ptr(), names.what);
  std::string text = std::string("a ") + Py_TYPE(object.ptr())->tp_name + " is no " + names.what;
  text += ": pass its handle, or an object with";
  for (const char* name : names.own) text += std::string(" .") + name;
  for (const char* name : names.shared) text += std::string(" .") + name;
  raise_python(PyExc_TypeError, text + " whose class is called one");
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
  const std::uint64_t handle = handle_of(device, {"device of OpenCL", {"device"}, {}, {"int_ptr"}});
  for (const opencl::Device& one : context.devices())
    if (reinterpret_cast<std::uint64_t>(one.raw()) == handle)
      return device::device_of(context, one);
  if (PyLong_Check(device.ptr()) != 0)  // an integer may be anything
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
  return handle_of(
      stream,
      {"stream", {"stream", "queue"}, {"cuda_stream"}, {"raw", "ptr", "handle", "int_ptr"}});
}

std::uint64_t event_handle(nb::handle event) {
  return handle_of(event,
                   {"event", {"event"}, {"cuda_event"}, {"raw", "ptr", "handle", "int_ptr"}});
}

std::shared_ptr<device::Device> device_of_context(nb::handle context, nb::handle device) {
  const cuda::Context* shell = nullptr;
  if (nb::try_cast(context, shell) && shell != nullptr) return device::device_of(*shell);
  const HandleNames names{"context", {"context"}, {}, {"handle"}};
  if (is_called(context, names))
    if (const nb::object raw = attribute_or_null(context.ptr(), "int_ptr"); raw.is_valid())
      return opencl_device_of(raw, device);
  const std::uint64_t raw = handle_of(context, names);
  if (raw == 0) throw InvalidArgument("a null context has no device", "pass a live context");
  return device::device_of(
      cuda::Context::wrap(cuda::default_driver(), reinterpret_cast<cuda::RawContext>(raw)));
}

}  // namespace treadle::bindings
