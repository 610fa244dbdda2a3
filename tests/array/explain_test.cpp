// SPDX-License-Identifier: MIT
// What arrays tell of how they are made.
#include <string>
#include <vector>

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/reduction.hpp"

namespace treadle::array {
namespace {

class ExplainTest : public OnEachArrayDevice {
 protected:
  static void expect_parts(const Array& array, const std::vector<std::string>& parts) {
    const std::string text = explain(array);
    for (const std::string& part : parts)
      EXPECT_NE(text.find(part), std::string::npos) << "no \"" << part << "\" in:\n" << text;
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, ExplainTest, each_device(), device_test_name);

TEST_P(ExplainTest, APendingExpressionIsDescribedAndStaysPending) {
  const device::StreamScope scope(shared_stream());
  const Array x = make(count_up(100)), y = make(count_up(100));
  const Array z = 5 * x + 6 * y;
  expect_parts(z,
               {"float32 (100,)", "is to be computed by kernel", "multiply_multiply_add_f32",
                "reads 800 bytes, writes 400 bytes, about 300 instructions", "number 5", "add of"});
  EXPECT_TRUE(z.is_pending());
}

TEST_P(ExplainTest, AComputedArrayTellsTheKernelThatMadeIt) {
  const device::StreamScope scope(shared_stream());
  const Array x = make(count_up(100));
  const Array z = x * x;
  const std::string planned = explain(z), kernel = planned.substr(planned.find("kernel "), 40);
  evaluate({z});
  expect_parts(z, {"was computed by " + kernel, "somebody looked", "reads 400 bytes"});
  expect_parts(x, {"memory that no expression computed"});
}

TEST_P(ExplainTest, WhatIsReadOnceIsCountedOnceAndBroadcastsByTheirMemory) {
  const device::StreamScope scope(shared_stream());
  const Array row = make(count_up(10)), square = zeros({10, 10}, Scalar::float32) + 0;
  evaluate({square});
  expect_parts(square + row + row, {"reads 440 bytes, writes 400 bytes"});
}

TEST_P(ExplainTest, EverySplitHasAReason) {
  const device::StreamScope scope(shared_stream());
  const Array x = make(count_up(10));
  Array deep = x;
  for (int i = 0; i < 70; ++i) deep = deep * 0.5f;
  expect_parts(deep, {"was computed before", "more than 64 steps"});
  expect_parts(x / sum(x), {"results of a reduction or a product feed"});
  expect_parts(arange(0, 10, 1, Scalar::float32) + zeros({2, 10}, Scalar::float32),
               {"count positions"});
  const Array read = x + 1;
  Array changed = x;
  changed += 1;
  expect_parts(read, {"about to be changed"});
  const Array marked = x + 2;
  stream().synchronize();
  expect_parts(marked, {"its stream was waited for"});
  (void)x.location();
  expect_parts(x + 3, {"its address was asked for"});
}

TEST_P(ExplainTest, ReductionsAreOneKernelWithWhatIsAroundThem) {
  const device::StreamScope scope(shared_stream());
  const Array x = make(count_up(100));
  expect_parts(sum(x * x) / 2,
               {"is to be computed by kernel", "sum of", "reads 400 bytes, writes 4 bytes"});
}

TEST_P(ExplainTest, NoElementsNeedNoKernel) {
  expect_parts(zeros({0, 3}, Scalar::float32, here()) + 1, {"no elements"});
}

}  // namespace
}  // namespace treadle::array
