// SPDX-License-Identifier: MIT
// Shares memory with other libraries by __cuda_array_interface__ and DLPack, in both directions,
// and orders the streams of both sides.
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
  nb::object stream;  ///< the stream of its owner's work; null or None: nothing to wait for
};
/// Reads the interface for a kernel. Throws InvalidArgument for strides that leave gaps, TypeError
/// for an object that is not the interface's dictionary.
CudaArray read_cuda_array(nb::handle interface);
/// Makes later work of `stream` start after the work that is queued now on `owner_stream`, a stream
/// of `device` in the interface's notation. The host does not wait. Throws InvalidArgument for 0,
/// which the interface forbids. The function sets `event` if it needs one, and the next call may
/// reuse it.
void wait_for_owner(device::Stream& stream, device::Device& device, nb::handle owner_stream,
                    std::shared_ptr<device::Event>& event);

/// The Device whose memory contains `address`, according to the drivers in use; null for none.
std::shared_ptr<device::Device> device_at(std::uint64_t address);

/// Elements shared between libraries: the memory, and their place and layout in it.
struct SharedElements {
  memory::Buffer buffer;
  Layout layout;  ///< from the beginning of the buffer
  std::size_t item_bytes = 1;
  std::string dtype = "uint8";  ///< for DType::parse(), which may not know the name
  bool is_read_only = false;
  std::shared_ptr<device::Stream> stream;  ///< its later work may use the elements
};
/// The bytes of a buffer, for the current stream.
SharedElements bytes_of(const memory::Buffer& buffer);

/// Takes memory of another library. Keeps `object` until the work on the memory's last stream is
/// done. The owner's work comes before later work on `stream`; None means the device's current
/// stream. Throws TypeError for objects without either protocol, InvalidArgument for memory that
/// does not belong to a device.
SharedElements adopt_elements(nb::handle object, nb::handle stream);
/// Takes memory by DLPack only.
SharedElements adopt_dlpack(nb::handle object, nb::handle stream);
/// Takes memory as a Buffer. Throws InvalidArgument for elements with gaps.
memory::Buffer adopt_buffer(nb::handle object, nb::handle stream);

/// __cuda_array_interface__. Raises AttributeError on run-times other than CUDA.
nb::dict cuda_array_interface(const SharedElements& self);
/// The result of another library's __dlpack_device__(). Throws DTypeError if it is no pair.
std::pair<int, int> dlpack_device_of(nb::handle object);
/// __dlpack_device__: (type, number). Raises BufferError if DLPack has no name for the memory.
nb::tuple dlpack_device(const memory::Buffer& self);
/// The host address of memory that DLPack counts as host memory; null for other memory.
std::byte* host_memory(const memory::Buffer& self);
/// __dlpack__: a capsule of the elements or of a copy. The keywords are the protocol's.
nb::object dlpack(const SharedElements& self, bool is_copied, nb::handle stream,
                  nb::handle max_version);

}  // namespace treadle::bindings
