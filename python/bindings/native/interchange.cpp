// SPDX-License-Identifier: MIT
#include "native/interchange.hpp"

#include <nanobind/stl/string.h>

#include <string>
#include <utility>
#include <vector>

#include "calls/argument.hpp"
#include "errors.hpp"
#include "left_uses.hpp"
#include "native/device.hpp"
#include "native/host_array.hpp"
#include "native/layout.hpp"
#include "refused_call.hpp"
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
    if (PyErr_Occurred() == nullptr) continue;
    PyErr_Clear();
    throw DTypeError(std::string(interface_name) + ": " + what + " has an entry " + shown(one) +
                         ", wanted: an integer of 64 bits",
                     "look at the library that the array is of");
  }
  return sizes;
}

/// The size of an element: the number behind "<f", "|u" and the like. "<M8[ns]" ends with a unit.
std::size_t element_bytes(nb::handle type_text) {
  const char* text = type_text.is_valid() && PyUnicode_Check(type_text.ptr()) != 0
                         ? PyUnicode_AsUTF8(type_text.ptr())
                         : nullptr;
  const std::string typestr = text != nullptr ? text : "";
  std::size_t size = 0;
  for (std::size_t i = 2; i < typestr.size() && typestr[i] >= '0' && typestr[i] <= '9'; ++i)
    size = 10 * size + static_cast<std::size_t>(typestr[i] - '0');
  if (size == 0)
    throw InvalidArgument(std::string(interface_name) + " has the typestr \"" + typestr + "\"",
                          "one as NumPy writes them, \"<f4\"");
  return typestr[1] == 'U' ? 4 * size : size;
}

/// The layout from the first element's address on.
Layout layout_of(nb::handle interface, std::size_t item_bytes) {
  const auto shape = sizes_of(item(interface, "shape"), "shape");
  const nb::handle strides = item(interface, "strides");
  if (!strides.is_valid() || strides.is_none()) return Layout::contiguous(shape, item_bytes);
  return {shape, sizes_of(strides, "strides")};
}

void require_no_gaps(const Layout& layout, std::size_t item_bytes) {
  if (layout.is_contiguous(item_bytes)) return;
  const Layout wanted = Layout::contiguous(layout.shape(), item_bytes);
  std::size_t axis = layout.shape().size() - 1;
  while (layout.shape()[axis] == 1 || layout.strides()[axis] == wanted.strides()[axis]) --axis;
  throw InvalidArgument("an array of another library with a stride of " +
                            std::to_string(layout.strides()[axis]) + " bytes in dimension " +
                            std::to_string(axis) + ", where C order without gaps has " +
                            std::to_string(wanted.strides()[axis]),
                        "make it contiguous first");
}

/// The address in the interface's dictionary.
std::uint64_t address_in(nb::handle interface) {
  const std::uint64_t address = interface_address(interface);  // throws for other objects
  if (const nb::handle mask = item(interface, "mask"); mask.is_valid() && !mask.is_none())
    throw NotSupported("an array of another library with a mask", "pass its data without");
  return address;
}

}  // namespace

CudaArray read_cuda_array(nb::handle interface) {
  const std::uint64_t address = address_in(interface);
  if (const nb::handle strides = item(interface, "strides");
      strides.is_valid() && !strides.is_none()) {
    const std::size_t item_bytes = element_bytes(item(interface, "typestr"));
    require_no_gaps(layout_of(interface, item_bytes), item_bytes);
  }
  return {address, nb::borrow(item(interface, "stream"))};
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
      return nullptr;  // the driver is not installed, or has no device
    }
  };
  if (auto found = ask([] { return cuda::default_driver(); })) return found;
  const bool is_cpu_default = cuda::default_driver().provider() == cuda::Provider::cpu;
  return is_cpu_default ? ask(cuda::Driver::nvidia) : ask(cuda::Driver::cpu);
}

namespace {

/// Keeps a Python object for C++ code that may drop it on any thread.
std::shared_ptr<void> keep_object(nb::handle object) {
  return {object.inc_ref().ptr(), [](void* kept) { Py_DECREF(static_cast<PyObject*>(kept)); }};
}

/// The device of the elements, and the stream on which the owner's work comes first.
std::pair<std::shared_ptr<Device>, std::shared_ptr<Stream>> place_of(std::uint64_t address,
                                                                     nb::handle stream) {
  std::shared_ptr<Device> device;
  if (address != 0)
    device = device_at(address);
  else if (stream.is_none())
    device = device::current_device();
  else
    device = stream_or_current(stream, *device::current_device())->device().shared_from_this();
  if (device == nullptr)
    throw InvalidArgument("the address " + std::to_string(address) +
                              " of an array of another library is memory of no device",
                          "Buffer(device, array) copies memory of the host");
  auto queue = stream_or_current(stream, *device);
  return {std::move(device), std::move(queue)};
}

SharedElements adopt_cuda_array(nb::handle object, nb::handle interface, nb::handle stream) {
  const std::uint64_t first = address_in(interface);
  const auto data = nb::borrow<nb::tuple>(item(interface, "data"));
  SharedElements found;
  found.item_bytes = element_bytes(item(interface, "typestr"));
  found.dtype = nb::cast<std::string>(nb::handle(item(interface, "typestr")));
  found.is_read_only = data.size() > 1 && PyObject_IsTrue(nb::object(data[1]).ptr()) == 1;
  const Layout layout = layout_of(interface, found.item_bytes);
  const auto [begin, end] = layout.byte_range(found.item_bytes);
  const bool is_empty = begin == end;
  const std::uint64_t address = is_empty ? 0 : first + static_cast<std::uint64_t>(begin);
  found.layout = Layout(layout.shape(), layout.strides(), is_empty ? 0 : -begin);
  const auto [device, queue] = place_of(address, stream);
  found.stream = queue;
  std::shared_ptr<Event> event;
  wait_for_owner(*queue, *device, item(interface, "stream"), event);
  using Kind = device::AddressInfo::Kind;
  const Kind kind = is_empty ? Kind::device : device->address_info(address).kind;
  auto* const host = kind == Kind::managed || kind == Kind::page_locked
                         ? reinterpret_cast<std::byte*>(address)
                         : nullptr;
  found.buffer = Buffer::adopt(
      device, {address, 0}, static_cast<std::size_t>(end - begin),
      {.kind = kind == Kind::managed ? memory::BufferKind::managed : memory::BufferKind::adopted,
       .host = host,
       .owner = end_in_order(keep_object(object), queue)});
  return found;
}

}  // namespace

SharedElements adopt_elements(nb::handle object, nb::handle stream) {
  release_left_uses();
  if (const nb::object interface = attribute_or_null(object.ptr(), interface_name);
      interface.is_valid())
    return adopt_cuda_array(object, interface, stream);
  if (attribute_or_null(object.ptr(), "__dlpack__").is_valid()) return adopt_dlpack(object, stream);
  raise_python(PyExc_TypeError, std::string("a ") + Py_TYPE(object.ptr())->tp_name +
                                    " has neither __cuda_array_interface__ nor __dlpack__");
}

Buffer adopt_buffer(nb::handle object, nb::handle stream) {
  const SharedElements elements = adopt_elements(object, stream);
  require_no_gaps(elements.layout, elements.item_bytes);
  return elements.buffer;
}

SharedElements bytes_of(const Buffer& buffer) {
  const std::int64_t extents[] = {static_cast<std::int64_t>(buffer.size_bytes())};
  return {.buffer = buffer,
          .layout = Layout::contiguous(extents, 1),
          .stream = stream_for(buffer.device())};
}

nb::dict cuda_array_interface(const SharedElements& self) {
  if (device::cuda_context(self.buffer.device()) == nullptr)
    throw nb::attribute_error(interface_name);  // so hasattr() is False
  const device::Location place = self.buffer.location();
  const std::uint64_t stream = self.stream->raw();
  const nb::object dtype = nb::module_::import_("numpy").attr("dtype")(self.dtype);
  nb::dict interface;
  interface["shape"] = tuple_of(self.layout.shape());
  interface["typestr"] = dtype.attr("str");
  interface["data"] = nb::make_tuple(
      place.handle + place.offset + static_cast<std::uint64_t>(self.layout.offset_bytes()),
      self.is_read_only);
  interface["strides"] = self.layout.is_contiguous(self.item_bytes)
                             ? nb::none()
                             : nb::object(tuple_of(self.layout.strides()));
  interface["stream"] = stream != 0 ? stream : 1;
  interface["version"] = 3;
  return interface;
}

}  // namespace treadle::bindings
