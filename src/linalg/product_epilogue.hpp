// SPDX-License-Identifier: MIT
// What operations on elements make of a product: as a part of our kernel, or as a kernel behind a
// library's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "treadle/array/computation.hpp"
#include "treadle/base/dtype.hpp"
#include "treadle/base/number.hpp"
#include "treadle/codegen/expression.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/location.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/elementwise.hpp"
#include "treadle/kernel/product.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::linalg {

/// An array of an epilogue over axes of matrices, rows and columns; strides in elements.
struct GatheredArray {
  kernel::ProductOperand operand;   ///< rows and columns
  std::vector<std::int64_t> batch;  ///< along each axis of matrices
};
/// The arrays of an epilogue, in its order. `lengths` are those of the axes of matrices, of rows
/// and of columns, into which the axes of the result are gathered. None where our kernel cannot
/// take the epilogue: elements lie at no multiples of their size, an axis has no stride, they are
/// records or positions, or they are many.
std::optional<std::vector<GatheredArray>> epilogue_arrays(const kernel::ElementwiseLaunch& epilogue,
                                                          std::span<const std::int64_t> lengths);

/// Where the product goes if it is all that is wanted, dense and in C's order.
std::optional<device::Location> plain_result(const kernel::ElementwiseLaunch& epilogue,
                                             Scalar dtype);

/// A product that a library stores before the epilogue is computed: in a result's memory where
/// there is one like it, else in memory of its own.
class RawProduct {
 public:
  /// Without a stream there is no memory, and nothing may run. Throws OutOfMemory.
  RawProduct(const kernel::ElementwiseLaunch& epilogue, Scalar dtype, device::Stream* stream);
  RawProduct(const RawProduct&) = delete;
  RawProduct& operator=(const RawProduct&) = delete;

  device::Location place() const noexcept { return place_; }
  /// Whether anything is wanted but the product.
  bool has_others() const noexcept { return !expression_.outputs.empty(); }
  /// The number, of the product's dtype, if nothing is wanted but the product times it, and BLAS
  /// may multiply by it: it is neither 0 nor infinite nor NaN.
  std::optional<ElementBytes> factor() const;
  /// The kernel that makes the others of it. Views this object.
  kernel::ElementwiseLaunch others() const;

 private:
  const kernel::ElementwiseLaunch& epilogue_;
  codegen::Expression expression_;
  Scalar dtype_;
  std::vector<std::int64_t> strides_;  // of the product
  std::vector<kernel::ElementwiseArray> arrays_;
  device::Location place_ = {};
  std::optional<memory::Buffer> own_;
};

/// What two launches were, of which the second computes on what the first has made.
kernel::KernelNote joined_notes(device::Device& device, const kernel::KernelNote& first,
                                const kernel::KernelNote& second);

}  // namespace treadle::linalg
