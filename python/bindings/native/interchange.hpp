// SPDX-License-Identifier: MIT
// Memory that crosses between libraries: __cuda_array_interface__ and DLPack, both ways, with the
// order of the streams on both sides.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>

#include "treadle/device/device.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// What an object says of its memory in __cuda_array_interface__ (versions 2 and 3).
struct CudaArray {
  std::uint64_t address;
  nb::object stream;  ///< where its owner's work is; null or None: there is nothing to wait for
};
/// Throws InvalidArgument for strides that leave gaps, TypeError for what is no such dictionary.
CudaArray read_cuda_array(nb::handle interface);
/// Later work of `stream` starts after what is queued now on `owner_stream`, as the interface names
/// streams, of `device`; the host does not wait. Throws InvalidArgument for 0, which the interface
/// does not allow. `event` is made where it is needed, and may be used again by the next call.
void wait_for_owner(device::Stream& stream, device::Device& device, nb::handle owner_stream,
                    std::shared_ptr<device::Event>& event);

/// The Device that `address` is memory of, by the drivers that are in use; null for none.
std::shared_ptr<device::Device> device_at(std::uint64_t address);

/// Memory of another library as a Buffer that keeps `object`. Its owner's work comes before later
/// work on `stream`, or where that is None, on the device's current one. Throws TypeError for
/// objects of neither protocol, InvalidArgument for memory that is not of a device or has gaps.
memory::Buffer adopt_object(nb::handle object, nb::handle stream);
/// The same by DLPack alone.
memory::Buffer adopt_dlpack(nb::handle object, nb::handle stream);

/// __cuda_array_interface__ of a buffer; AttributeError on run-times other than CUDA.
nb::dict cuda_array_interface(const memory::Buffer& self);
/// __dlpack_device__: (type, number). BufferError where DLPack has no name for the memory.
nb::tuple dlpack_device(const memory::Buffer& self);
/// __dlpack__: a capsule. The four keywords are the protocol's.
nb::object dlpack(const memory::Buffer& self, nb::handle stream, nb::handle max_version,
                  nb::handle dl_device, nb::handle copy);

}  // namespace treadle::bindings
