// SPDX-License-Identifier: MIT
// Reductions, as computations.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/array/computation.hpp"
#include "treadle/codegen/reduction.hpp"
#include "treadle/kernel/reduction.hpp"

namespace treadle::array {

/// A reduction of the operand's elements. Reductions that go together become folds of one kernel,
/// and the prologue becomes the kernel's map.
struct Folding final : Computation {
  Folding(codegen::Fold fold_of, Scalar accumulated, std::uint64_t folded, bool keeps)
      : fold(fold_of), accumulator(accumulated), axes(folded), keeps_axes(keeps) {}

  codegen::Fold fold;
  Scalar accumulator;                      ///< elements are cast to this dtype first
  std::vector<std::int64_t> extents = {};  ///< of the elements
  std::uint64_t axes;                      ///< the folded axes: bit i is axis i
  bool keeps_axes;                         ///< whether the result keeps folded axes, with length 1

  /// The dtype of the folded result.
  DType folded_dtype() const {
    const bool is_place = fold == codegen::Fold::argmin || fold == codegen::Fold::argmax;
    return is_place ? Scalar::int64 : accumulator;
  }
  bool is_folded(std::size_t axis) const noexcept { return (axes >> axis & 1) != 0; }

  std::string_view name() const override { return codegen::fold_name(fold); }
  bool takes_prologue() const noexcept override { return true; }
  bool takes_gathers() const noexcept override { return true; }
  bool takes_epilogue() const noexcept override { return true; }
  DType input_dtype(const DType&) const override { return accumulator; }
  bool goes_with(const Computation& other) const noexcept override;
  bool equals(const Computation& other) const noexcept override;
  kernel::KernelNote run(device::Stream& stream, const ComputationLaunch& launch) const override;
  kernel::KernelNote described(device::Device& device,
                               const ComputationLaunch& launch) const override;
  std::string title(const ComputationLaunch& launch) const override;

 private:
  template <class Use>
  auto with_launch(const ComputationLaunch& launch, Use use) const;
};

}  // namespace treadle::array
