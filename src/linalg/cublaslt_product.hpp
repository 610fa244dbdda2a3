// SPDX-License-Identifier: MIT
// Products that cuBLASLt multiplies together with what operations on elements make of them: times a
// number, plus a matrix, plus a row, and then an activation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "treadle/device/device.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/product.hpp"
#include "treadle/library/cublaslt.hpp"

namespace treadle::linalg {

/// What cuBLASLt computes of a sum; its GELU is the form with tanh().
enum class LtActivation : std::uint8_t { none, relu, gelu_tanh };
/// An epilogue in the words of cuBLASLt: activation(factor * x @ y + matrix + row).
struct LtEpilogue {
  double factor = 1;
  const kernel::ProductOperand* matrix = nullptr;  ///< null: none
  const kernel::ProductOperand* row = nullptr;     ///< null: none
  LtActivation activation = LtActivation::none;
};
/// None where the epilogue of the product is another one.
std::optional<LtEpilogue> lt_epilogue(const kernel::Product& product);

/// cuBLASLt on a device, opened by the first product there that something joins.
struct DeviceCublasLt {
  explicit DeviceCublasLt(device::Device& device);
  explicit DeviceCublasLt(std::unique_ptr<library::CublasLtHandle> opened);
  std::unique_ptr<library::CublasLtHandle> handle;  ///< null: there is none
  std::size_t workspace_bytes = 0;
  std::string name, plain_name, text;  ///< for explain(): with an epilogue, and without

  /// What is known of a form.
  struct Known {
    std::unique_ptr<library::CublasLtPlan> plan;  ///< null: not to be used
    bool is_tried = false;  ///< whether its activation was found to leave NaN alone
  };
  std::map<library::CublasLtForm, Known> known;  ///< used while the handle is on a stream
};

/// Queues the product with its epilogue on the stream, in its order, with its workspace. False, and
/// nothing is stored that counts, where cuBLASLt cannot do all of it by one call as the operands
/// lie. The first activation of a form waits: what NaN becomes is tried. Throws as
/// library::CublasLt::check(), and OutOfMemory for the workspace.
bool multiply_by_cublaslt(DeviceCublasLt& cublaslt, device::Stream& stream,
                          const kernel::Product& product);

/// The same of a small product without an epilogue, as soon as the library is found: an algorithm
/// that is chosen once takes the host less time than cuBLAS, which chooses one in each call (on an
/// H200's host 14.6 us in the place of 18.2 for float32 256).
bool multiply_small_by_cublaslt(DeviceCublasLt& cublaslt, device::Stream& stream,
                                const kernel::Product& product);

}  // namespace treadle::linalg
