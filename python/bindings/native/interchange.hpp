// SPDX-License-Identifier: MIT
// Memory that crosses between libraries: __cuda_array_interface__ and DLPack, both ways, with the
// order of the streams on both sides.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "treadle/base/layout.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// The answer of an object's __cuda_array_interface__ (versions 2 and 3).
struct CudaArray {
  std::uint64_t address;
  nb::object stream;  ///< where its owner's work is; null or None: there is nothing to wait for
};
/// For a kernel. Throws InvalidArgument for strides that leave gaps, TypeError for what is no such
/// dictionary.
CudaArray read_cuda_array(nb::handle interface);
/// Later work of `stream` starts after that queued now on `owner_stream`, a stream of `device`
/// named as the interface does; the host does not wait. Throws InvalidArgument for 0, which the
/// interface forbids. `event` is made where it is needed, and the next call may use it.
void wait_for_owner(device::Stream& stream, device::Device& device, nb::handle owner_stream,
                    std::shared_ptr<device::Event>& event);

/// The Device that `address` is memory of, by the drivers that are in use; null for none.
std::shared_ptr<device::Device> device_at(std::uint64_t address);

/// Elements that cross between libraries: memory, and where and what they are in it.
struct SharedElements {
  memory::Buffer buffer;
  Layout layout;  ///< from the buffer's start on
  std::size_t item_bytes = 1;
  std::string dtype = "uint8";  ///< for DType::parse(), which may not know it
  bool is_read_only = false;
  std::shared_ptr<device::Stream> stream;  ///< what was queued on them comes before its later work
};
/// The bytes of a buffer, on the current stream.
SharedElements bytes_of(const memory::Buffer& buffer);

/// Memory of another library. It keeps `object` until the work queued on its last stream is done.
/// The work of its owner comes before later work on `stream`; where that is None, on the device's
/// current one. Throws TypeError for objects of neither protocol, InvalidArgument for memory that
/// is not of a device.
SharedElements adopt_elements(nb::handle object, nb::handle stream);
/// The same by DLPack alone.
SharedElements adopt_dlpack(nb::handle object, nb::handle stream);
/// The same as a Buffer. Throws InvalidArgument for elements with gaps.
memory::Buffer adopt_buffer(nb::handle object, nb::handle stream);

/// __cuda_array_interface__; AttributeError on run-times other than CUDA.
nb::dict cuda_array_interface(const SharedElements& self);
/// What another library's __dlpack_device__() returns. Throws DTypeError if it is no pair.
std::pair<int, int> dlpack_device_of(nb::handle object);
/// __dlpack_device__: (type, number). BufferError where DLPack has no name for the memory.
nb::tuple dlpack_device(const memory::Buffer& self);
/// The host's address of memory that DLPack calls the host's; null for other memory.
std::byte* host_memory(const memory::Buffer& self);
/// __dlpack__: a capsule, of a copy or not. The keywords are the protocol's.
nb::object dlpack(const SharedElements& self, bool is_copied, nb::handle stream,
                  nb::handle max_version);

}  // namespace treadle::bindings
