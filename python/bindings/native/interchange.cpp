// SPDX-License-Identifier: MIT
#include "native/interchange.hpp"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calls/argument.hpp"
#include "errors.hpp"
#include "native/device.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/driver.hpp"
#include "treadle/device/cuda.hpp"
#include "treadle/device/current.hpp"

namespace treadle::bindings {

using device::Device;
using device::Event;
using device::Stream;
using memory::Buffer;

// ---- __cuda_array_interface__

namespace {

constexpr const char* interface_name = "__cuda_array_interface__";

nb::handle item(nb::handle dict, const char* key) {
  return nb::handle(PyDict_GetItemString(dict.ptr(), key));  // borrowed; null if there is none
}

std::vector<std::int64_t> sizes_of(nb::handle sequence, const char* what) {
  if (!sequence.is_valid() || PySequence_Check(sequence.ptr()) == 0)
    raise_python(PyExc_TypeError, std::string(interface_name) + " has no " + what);
  std::vector<std::int64_t> sizes;
  for (const nb::handle one : nb::borrow<nb::sequence>(sequence)) {
    sizes.push_back(PyLong_AsLongLong(one.ptr()));
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
  }
  return sizes;
}

/// Of one element: what follows "<f", "|u" and the like; "<M8[ns]" has a unit behind it.
std::int64_t element_bytes(nb::handle type_text) {
  const char* text = type_text.is_valid() && PyUnicode_Check(type_text.ptr()) != 0
                         ? PyUnicode_AsUTF8(type_text.ptr())
                         : nullptr;
  const std::string typestr = text != nullptr ? text : "";
  std::int64_t size = 0;
  for (std::size_t i = 2; i < typestr.size() && typestr[i] >= '0' && typestr[i] <= '9'; ++i)
    size = 10 * size + (typestr[i] - '0');
  if (size == 0)
    throw InvalidArgument(std::string(interface_name) + " has the typestr \"" + typestr + "\"",
                          "one as NumPy writes them, \"<f4\"");
  return typestr[1] == 'U' ? 4 * size : size;
}

std::int64_t element_count(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape)
    if (size < 0 || __builtin_mul_overflow(count, size, &count))
      throw InvalidArgument("a shape with a size of " + std::to_string(size));
  return count;
}

void require_no_gaps(nb::handle interface) {
  const nb::handle strides = item(interface, "strides");
  if (!strides.is_valid() || strides.is_none()) return;
  const auto shape = sizes_of(item(interface, "shape"), "shape");
  const auto given = sizes_of(strides, "strides");
  if (given.size() != shape.size())
    throw InvalidArgument(std::to_string(given.size()) + " strides for a shape of " +
                          std::to_string(shape.size()) + " dimensions");
  if (element_count(shape) == 0) return;
  std::int64_t wanted = element_bytes(item(interface, "typestr"));
  for (std::size_t i = shape.size(); i-- > 0; wanted *= shape[i])
    if (shape[i] != 1 && given[i] != wanted)
      throw InvalidArgument("an array of another library with a stride of " +
                                std::to_string(given[i]) + " bytes in dimension " +
                                std::to_string(i) + ", where C order without gaps has " +
                                std::to_string(wanted),
                            "make it contiguous first");
}

}  // namespace

CudaArray read_cuda_array(nb::handle interface) {
  const nb::handle data = PyDict_Check(interface.ptr()) != 0 ? item(interface, "data") : nullptr;
  if (!data.is_valid() || PyTuple_Check(data.ptr()) == 0 || PyTuple_GET_SIZE(data.ptr()) == 0)
    raise_python(PyExc_TypeError, std::string(interface_name) +
                                      " is a dictionary with \"data\": (address, read-only)");
  require_no_gaps(interface);
  if (const nb::handle mask = item(interface, "mask"); mask.is_valid() && !mask.is_none())
    throw NotSupported("an array of another library with a mask", "pass its data without");
  PyObject* address = PyTuple_GET_ITEM(data.ptr(), 0);
  return {address == Py_None ? 0 : unsigned_argument(address, "device address"),
          nb::borrow(item(interface, "stream"))};
}

void wait_for_owner(Stream& stream, Device& device, nb::handle owner_stream,
                    std::shared_ptr<Event>& event) {
  if (!owner_stream.is_valid() || owner_stream.is_none()) return;
  const std::uint64_t raw = unsigned_argument(owner_stream.ptr(), "stream");
  if (raw == 0)
    throw InvalidArgument(std::string(interface_name) + " has the stream 0, which may mean two",
                          "1 is the legacy default stream, 2 the per-thread one, None no stream");
  const bool is_same = raw == stream.raw() || (raw == 1 && stream.raw() == 0);
  if (is_same && &stream.device() == &device) return;
  const auto owners = device.adopt_stream(raw);
  if (event == nullptr || &event->device() != &device)
    event = device.make_event(device::Timing::off);
  owners->record(*event);
  stream.wait(*event);
}

std::shared_ptr<Device> device_at(std::uint64_t address) {
  const auto ask = [&](auto&& driver) -> std::shared_ptr<Device> {
    try {
      return device::device_of_address(driver(), address);
    } catch (const Error&) {
      return nullptr;  // it is not installed, or has no device
    }
  };
  if (auto found = ask([] { return cuda::default_driver(); })) return found;
  const bool is_cpu_default = cuda::default_driver().provider() == cuda::Provider::cpu;
  return is_cpu_default ? ask(cuda::Driver::nvidia) : ask(cuda::Driver::cpu);
}

namespace {

/// Keeps a Python object for C++, which may let it go on any thread.
std::shared_ptr<void> keep_object(nb::handle object) {
  return {object.inc_ref().ptr(), [](void* kept) {
            if (Py_IsInitialized() == 0) return;  // the interpreter's objects are gone
            const nb::gil_scoped_acquire gil;
            Py_DECREF(static_cast<PyObject*>(kept));
          }};
}

Buffer adopt_cuda_array(nb::handle object, nb::handle interface, nb::handle stream) {
  const CudaArray array = read_cuda_array(interface);
  const std::int64_t count = element_count(sizes_of(item(interface, "shape"), "shape"));
  const auto size_bytes =
      static_cast<std::size_t>(count * element_bytes(item(interface, "typestr")));
  std::shared_ptr<Device> device =
      size_bytes != 0 ? device_at(array.address)
                      : (stream.is_none() ? device::current_device()
                                          : stream_or_current(stream, *device::current_device())
                                                ->device()
                                                .shared_from_this());
  if (device == nullptr)
    throw InvalidArgument("the address " + std::to_string(array.address) +
                              " of an array of another library is memory of no device",
                          "Buffer(device, array) copies memory of the host");
  const auto queue = stream_or_current(stream, *device);
  std::shared_ptr<Event> event;
  wait_for_owner(*queue, *device, array.stream, event);
  using Kind = device::AddressInfo::Kind;
  const Kind kind = size_bytes != 0 ? device->address_info(array.address).kind : Kind::device;
  auto* const host = kind == Kind::managed || kind == Kind::page_locked
                         ? reinterpret_cast<std::byte*>(array.address)
                         : nullptr;
  return Buffer::adopt(
      device, {size_bytes != 0 ? array.address : 0, 0}, size_bytes,
      {.kind = kind == Kind::managed ? memory::BufferKind::managed : memory::BufferKind::adopted,
       .host = host,
       .owner = keep_object(object)});
}

}  // namespace

Buffer adopt_object(nb::handle object, nb::handle stream) {
  if (const nb::object interface = attribute_or_null(object.ptr(), interface_name);
      interface.is_valid())
    return adopt_cuda_array(object, interface, stream);
  if (attribute_or_null(object.ptr(), "__dlpack__").is_valid()) return adopt_dlpack(object, stream);
  raise_python(PyExc_TypeError, std::string("a ") + Py_TYPE(object.ptr())->tp_name +
                                    " has neither __cuda_array_interface__ nor __dlpack__");
}

nb::dict cuda_array_interface(const Buffer& self) {
  if (device::cuda_context(self.device()) == nullptr)
    throw nb::attribute_error(interface_name);  // hasattr() is False
  const device::Location place = self.location();
  const std::uint64_t stream = stream_for(self.device())->raw();
  nb::dict interface;
  interface["shape"] = nb::make_tuple(self.size_bytes());
  interface["typestr"] = "|u1";
  interface["data"] = nb::make_tuple(place.handle + place.offset, false);
  interface["strides"] = nb::none();
  interface["stream"] = stream != 0 ? stream : 1;
  interface["version"] = 3;
  return interface;
}

}  // namespace treadle::bindings
