// SPDX-License-Identifier: MIT
// The memory of arrays, for the faces' array classes.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include <utility>

#include "calls/argument.hpp"
#include "errors.hpp"
#include "kept.hpp"
#include "native/array.hpp"
#include "native/device.hpp"
#include "native/host_array.hpp"
#include "treadle/array/transfer.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/cuda.hpp"

namespace treadle::bindings {
namespace {

using memory::Buffer;

Buffer adopt(const std::shared_ptr<device::Device>& device, std::uint64_t handle,
             std::size_t size_bytes, nb::handle owner, std::uint64_t offset) {
  return Buffer::adopt(device, {handle, offset}, size_bytes,
                       {.kind = memory::BufferKind::user, .owner = keep(owner)});
}

Array over(const Buffer& buffer, nb::handle dtype, nb::handle shape, nb::handle strides,
           std::int64_t offset, bool is_unshared) {
  const Layout layout(shape_from(shape), shape_from(strides), offset);
  return Array::view_of(buffer, layout, dtype_from(dtype),
                        {.stream = stream_for(buffer.device()), .is_unshared = is_unshared});
}

/// The same memory with another layout. The offset counts from the array's first element.
Array viewed(const Array& self, nb::handle dtype, nb::handle shape, nb::handle strides,
             std::int64_t offset) {
  const std::int64_t first = self.layout().offset_bytes() + offset;
  return self.viewed(Layout(shape_from(shape), shape_from(strides), first), dtype_from(dtype));
}

std::pair<Buffer, std::int64_t> memory_of(const Array self) {  // a copy: other threads may rebind
  Buffer buffer = self.buffer();
  return {std::move(buffer), self.layout().offset_bytes()};
}

/// Copies all elements between the array and the host, in C's order on both sides.
void transfer(const Array& self, nb::handle host, bool wait, HostArray::Access access) {
  HostCopy copy(host, access);
  const auto size_bytes = static_cast<std::size_t>(self.size_bytes());
  if (copy.host().size_bytes() != size_bytes || !copy.host().is_contiguous())
    throw InvalidArgument("an array of " + std::to_string(size_bytes) +
                              " bytes is not copied to or from " +
                              std::to_string(copy.host().size_bytes()) + " bytes of the host" +
                              (copy.host().is_contiguous() ? "" : " with gaps between them"),
                          "pass a contiguous array of the same shape and dtype");
  if (access == HostArray::Access::write)
    wait = wait || is_filled_at_once(self.device(), copy.host().span().data());
  const auto stream = stream_for(self.device());
  const Array own = self;       // another thread may give `self` another node
  if (wait) wait_for(*stream);  // Ctrl-C ends this wait; the driver's copy might not return
  try {
    const nb::gil_scoped_release released;
    void* const values = copy.host().span().data();
    if (access == HostArray::Access::write && wait)
      return array::fetch(own, values, stream, [&] {
        const nb::gil_scoped_acquire gil;
        wait_for(*stream);
      });
    if (access == HostArray::Access::write)
      array::copy_out(own, values, stream);
    else
      array::copy_in(own, values, stream);
  } catch (...) {
    copy.keep(*stream);  // the copy may be queued
    throw;
  }
  if (!wait) return copy.keep(*stream);
  try {
    wait_for(*stream);
  } catch (...) {
    copy.keep(*stream);  // after Ctrl-C the copy goes on
    throw;
  }
}

/// Prepares a launch on the default stream that may write. As in launches of the waist, expressions
/// that read the array are computed first, and expressions on the array stay lazy.
device::Location written_by_launch(const Array& array) {
  const auto [location, watched] = array.for_launch();
  watched->before_use(*array.device().default_stream(), device::MemoryUse::writes);
  return location;
}

cuda::DevicePointer address_of(PyObject* object) {
  const Array& array = *as_array(object);
  if (array.size() == 0) return 0;
  if (device::cuda_context(array.device()) == nullptr)
    raise_python(PyExc_TypeError, "an array of " + array.device().info().id +
                                      " is no memory of a CUDA driver: it has no address");
  const device::Location first =
      LaunchScope::is_on_default_stream() ? written_by_launch(array) : array.location();
  return first.handle + first.offset;
}

}  // namespace

void bind_array_memory(nb::module_& m) {
  register_pointer_type(m.attr("Array"), &address_of);
  m.def(
      "rebind", [](Array& array, const Array& other) { array = other; }, nb::arg("array"),
      nb::arg("other"), "Makes the Python object stand for another array, as its class wants it.");
  m.def("adopt", &adopt, nb::arg("device"), nb::arg("handle"), nb::arg("size_bytes"),
        nb::arg("owner").none(), nb::arg("offset") = 0,
        "Memory that a user's allocator gave: an address, or OpenCL's memory object and an offset "
        "in it. `owner` is kept as long as the Buffer.");
  m.def("over", &over, nb::arg("buffer"), nb::arg("dtype"), nb::arg("shape"), nb::arg("strides"),
        nb::arg("offset") = 0, nb::arg("unshared") = false,
        nb::sig("def over(buffer: treadle._core.device.Buffer, dtype: typing.Any, shape: "
                "typing.Any, strides: typing.Any, offset: int = 0, unshared: bool = False) -> "
                "Array"),
        "An array in memory that exists; offset and strides are bytes. Operations on it are "
        "deferred only where it is unshared: nobody else knows the memory.");
  m.def("viewed", &viewed, nb::arg("array"), nb::arg("dtype"), nb::arg("shape"), nb::arg("strides"),
        nb::arg("offset") = 0,
        nb::sig("def viewed(array: Array, dtype: typing.Any, shape: typing.Any, strides: "
                "typing.Any, offset: int = 0) -> Array"),
        "The memory of an array otherwise; `offset` counts from its first element.");
  m.def(
      "offset", [](const Array& self) { return self.layout().offset_bytes(); }, nb::arg("array"),
      "Bytes from the start of its memory to the first element; computes nothing.");
  m.def("memory", &memory_of, nb::arg("array"),
        nb::sig("def memory(array: Array) -> tuple[treadle._core.device.Buffer, int]"),
        "The memory, and where the first element is in it. Operations on it are not deferred from "
        "now on: others can reach it.");
  m.def(
      "copy_out",
      [](const Array& self, nb::handle host, bool wait) {
        transfer(self, host, wait, HostArray::Access::write);
      },
      nb::arg("array"), nb::arg("host"), nb::arg("wait") = true,
      nb::sig("def copy_out(array: Array, host: typing.Any, wait: bool = True) -> None"),
      "Fills a contiguous array of the host with the elements in C's order, on the current stream. "
      "Without `wait` it is kept until the stream is past the copy.");
  m.def(
      "copy_in",
      [](const Array& self, nb::handle host, bool wait) {
        transfer(self, host, wait, HostArray::Access::read);
      },
      nb::arg("array"), nb::arg("host"), nb::arg("wait") = true,
      nb::sig("def copy_in(array: Array, host: typing.Any, wait: bool = True) -> None"),
      "The reverse.");
}

}  // namespace treadle::bindings
