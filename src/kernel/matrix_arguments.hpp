// SPDX-License-Identifier: MIT
// How kernels are given a sparse matrix.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "treadle/kernel/declared_arguments.hpp"
#include "treadle/kernel/sparse_product.hpp"

namespace treadle::kernel {

/// Equal for equal texts.
std::string matrix_key(const codegen::SparseForm& form);
/// The arrays that a form has, as codegen::sparse_parameters() declares them.
std::vector<UserArgument> matrix_arguments(const codegen::SparseForm& form,
                                           const SparseProductArguments& arguments);

/// The numbers that the text of a product takes, which live until it is launched.
class MatrixNumbers {
 public:
  explicit MatrixNumbers(const SparseProduct& product)
      : numbers_{static_cast<std::int64_t>(product.rows),
                 static_cast<std::int64_t>(product.columns), product.pitch, product.depth,
                 product.width} {}
  void append_to(std::vector<UserArgument>& all) const {
    for (const std::int64_t& number : numbers_) all.emplace_back(number);
  }

 private:
  std::int64_t numbers_[5];
};

}  // namespace treadle::kernel
