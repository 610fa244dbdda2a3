// SPDX-License-Identifier: MIT
// Numbers beside arrays.
#include "treadle/array/operand.hpp"

#include <complex>
#include <cstdint>
#include <vector>

#include "array/each_array_device.hpp"

namespace treadle::array {
namespace {

class OperandTest : public OnEachArrayDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, OperandTest, each_device(), device_test_name);

TEST_P(OperandTest, ComparisonsWithNumbersBeyondTheDtype) {
  const device::StreamScope scope(shared_stream());
  const Array x = Array::from(std::vector<std::uint8_t>{0, 255}, here());
  EXPECT_EQ((x < 300).dtype(), DType(Scalar::boolean));
  if (runs_kernels()) {
    EXPECT_EQ(cast(x < 300, Scalar::uint8).as<std::uint8_t>(), (std::vector<std::uint8_t>{1, 1}));
    EXPECT_EQ(cast(300 < x, Scalar::uint8).as<std::uint8_t>(), (std::vector<std::uint8_t>{0, 0}));
  }
}

TEST_P(OperandTest, NumbersOfTheHostLanguageTakeOnTheDtypeOfArrays) {
  const Array x = make({1, 2});
  EXPECT_EQ((x * 2.5).dtype(), DType(Scalar::float32));
  EXPECT_EQ((x * std::complex<double>(0, 1)).dtype(), DType(Scalar::complex64));
  EXPECT_EQ((x * Operand::typed(2.5, Scalar::float64)).dtype(), DType(Scalar::float64));
  EXPECT_EQ(apply(Op::add, {x, Operand::weak(Number(1))}).dtype(), DType(Scalar::float32));
}

TEST_P(OperandTest, NumbersAloneGiveAnArrayWithoutAxes) {
  const device::StreamScope scope(shared_stream());
  EXPECT_EQ(add(1, 2).dtype(), DType(Scalar::int64));
  EXPECT_EQ(sqrt(2).dtype(), DType(Scalar::float64));
  EXPECT_EQ(&add(1, 2).device(), &here().stream->device());
  const Array out = zeros({2, 2}, Scalar::float32, here());
  const Operand numbers[] = {1, 2};
  apply_into(out, Op::add, numbers);
  expect(out, {3, 3, 3, 3});
  EXPECT_THROW(power(2, -1), InvalidArgument);
}

TEST_P(OperandTest, IntegersBeyondAllDtypesAreRefusedOrRounded) {
  const Operand huge = Operand::huge_integer(0x1p70);
  EXPECT_EQ((make({1, 2}) + huge).dtype(), DType(Scalar::float32));
  EXPECT_THROW(ones({2}, Scalar::int64, here()) + huge, OverflowError);
  EXPECT_EQ((ones({2}, Scalar::uint64, here()) < huge).dtype(), DType(Scalar::boolean));
}

}  // namespace
}  // namespace treadle::array
