// SPDX-License-Identifier: MIT
// What tests of decompositions share.
#pragma once

#include <gmock/gmock.h>

#include <vector>

#include "array/each_array_device.hpp"
#include "library/packages.hpp"
#include "treadle/array/manipulation.hpp"

namespace treadle::linalg {

using array::Array;

/// A device that computes, on a machine with LAPACK.
class OnMatrices : public array::OnEachArrayDevice {
 protected:
  void SetUp() override {
    OnEachArrayDevice::SetUp();
    const auto blas = library::blas_of_this_machine();
    if (blas == nullptr || !blas->has_lapack()) GTEST_SKIP() << "no LAPACK on this machine";
    if (!runs_kernels()) GTEST_SKIP() << "the null device has no elements";
  }
  Array matrix(const std::vector<float>& values, std::int64_t columns) {
    return array::reshape(make(values), {-1, columns});
  }
  static void expect_near(const Array& x, const std::vector<float>& expected) {
    EXPECT_THAT(array::dense_copy(x).as<float>(),
                testing::Pointwise(testing::FloatNear(1e-5f), expected));
  }
};

}  // namespace treadle::linalg
