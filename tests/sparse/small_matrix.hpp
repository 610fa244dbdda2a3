// SPDX-License-Identifier: MIT
// What the tests of sparse matrices share: a small one on each device.
#pragma once

#include <gtest/gtest.h>

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/sparse/csr_matrix.hpp"

namespace treadle::sparse {

using array::device_test_name;
using array::each_device;

/// Devices that run kernels; offsets are looked at.
class SparseTest : public array::OnEachArrayDevice {
 protected:
  void SetUp() override {
    OnEachArrayDevice::SetUp();
    if (!device()->info().traits.runs_kernels) GTEST_SKIP() << "offsets are looked at";
  }
  /// 4 0 1 / 0 3 0 / 1 0 2
  CsrMatrix small() {
    return CsrMatrix(make({4, 1, 3, 1, 2}), array::cast(make({0, 2, 1, 0, 2}), Scalar::int32),
                     array::cast(make({0, 2, 3, 5}), Scalar::int64), {3, 3});
  }
};

}  // namespace treadle::sparse
