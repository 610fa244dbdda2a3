// SPDX-License-Identifier: MIT
// One product of two arrays of matrices, as a computation of the array room.
#pragma once

#include <optional>

#include "treadle/array/array.hpp"
#include "treadle/kernel/product.hpp"

namespace treadle::linalg {

/// x (..., m, k) @ y (..., k, n), of one dtype; axes before the last two broadcast. The result has
/// `shape`, with as many elements as (..., m, n).
Array matrix_product(const Array& x, const Array& y, const array::Shape& shape);

/// Queues the product as a call of the host's library, times a number of its dtype if that is not
/// null. Nothing happens, and the result is empty, where the device is not the CPU device, there is
/// no library, or it cannot read the operands as they lie.
std::optional<kernel::KernelNote> multiply_on_host(device::Stream& stream,
                                                   const kernel::Product& product,
                                                   const ElementBytes* factor = nullptr);
/// The same as a call of cuBLAS, on a GPU of NVIDIA's.
std::optional<kernel::KernelNote> multiply_on_gpu(device::Stream& stream,
                                                  const kernel::Product& product);
/// What multiply_on_host() would return, without a call.
std::optional<kernel::KernelNote> note_of_host(device::Device& device,
                                               const kernel::Product& product);
/// The same for cuBLAS, which is opened; it may refuse the operands all the same.
std::optional<kernel::KernelNote> note_of_gpu(device::Device& device,
                                              const kernel::Product& product);
/// The same by CLBlast, on a device of OpenCL, where it was faster than a generated kernel. The
/// first product of a dtype and about such sizes on a machine measures both, and waits.
std::optional<kernel::KernelNote> multiply_on_opencl(device::Stream& stream,
                                                     const kernel::Product& product);
/// What multiply_on_opencl() would return by what is known now, without a call.
std::optional<kernel::KernelNote> note_of_opencl(device::Device& device,
                                                 const kernel::Product& product);
/// Queues the product with its epilogue as one call of cuBLASLt, on a GPU of NVIDIA's. The result
/// is empty, and nothing is stored that counts, where it has no such epilogue.
std::optional<kernel::KernelNote> multiply_joined_on_gpu(device::Stream& stream,
                                                         const kernel::Product& product);
/// What multiply_joined_on_gpu() would return, without a call; it may refuse all the same.
std::optional<kernel::KernelNote> joined_note_of_gpu(device::Device& device,
                                                     const kernel::Product& product);

}  // namespace treadle::linalg
