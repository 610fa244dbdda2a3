// SPDX-License-Identifier: MIT
// Products by CLBlast: its own on each device of OpenCL where it is found, and what it is asked for
// by a table that notes its calls.
#include "linalg/clblast_product.hpp"

#include <gmock/gmock.h>

#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/opencl.hpp"
#include "treadle/linalg/product.hpp"

namespace treadle::linalg {
namespace {

using kernel::Product;
using library::Clblast;
using testing::ElementsAre;

std::vector<std::string> clblast_calls;

std::string listed(std::initializer_list<std::size_t> all) {
  std::string text;
  for (const std::size_t value : all) text += " " + std::to_string(value);
  return text;
}
std::size_t buffer(const void* raw) { return reinterpret_cast<std::size_t>(raw); }

std::shared_ptr<const Clblast> noting_clblast() {
  library::ClblastTable table;
  auto& routines = std::get<library::ClblastRoutines<float>>(table);
  routines.gemm = [](int layout, int of_a, int of_b, std::size_t m, std::size_t n, std::size_t k,
                     float alpha, void* a, std::size_t offset_a, std::size_t lda, void* b,
                     std::size_t offset_b, std::size_t ldb, float beta, void* c,
                     std::size_t offset_c, std::size_t ldc, void** queue, void** event) {
    EXPECT_EQ(layout, 102);
    EXPECT_EQ(alpha - beta, 1.0f);
    EXPECT_EQ(event, nullptr);
    clblast_calls.push_back(std::to_string(of_a) + " " + std::to_string(of_b) +
                            listed({m, n, k, buffer(a), offset_a, lda, buffer(b), offset_b, ldb,
                                    buffer(c), offset_c, ldc, buffer(*queue)}));
    return 0;
  };
  routines.gemm_of_many = [](int, int, int, std::size_t m, std::size_t n, std::size_t k, float,
                             void*, std::size_t, std::size_t, std::size_t stride_a, void*,
                             std::size_t, std::size_t, std::size_t stride_b, float, void*,
                             std::size_t, std::size_t, std::size_t stride_c, std::size_t count,
                             void**, void**) {
    clblast_calls.push_back("many" + listed({m, n, k, stride_a, stride_b, stride_c, count}));
    return 0;
  };
  routines.gemv = [](int, int of_a, std::size_t m, std::size_t n, float, void*, std::size_t,
                     std::size_t lda, void* x, std::size_t, std::size_t step_x, float, void* y,
                     std::size_t, std::size_t step_y, void**, void**) {
    clblast_calls.push_back("vector " + std::to_string(of_a) +
                            listed({m, n, lda, buffer(x), step_x, buffer(y), step_y}));
    return 0;
  };
  clblast_calls.clear();
  return std::make_shared<const Clblast>(table);
}

/// Of dense matrices in three buffers, called 1, 2 and 3.
Product plain_product(std::uint64_t m, std::uint64_t n, std::uint64_t k,
                      Scalar dtype = Scalar::float32) {
  return {.dtype = dtype,
          .m = m,
          .n = n,
          .k = k,
          .x = {{1, 0}, static_cast<std::int64_t>(k), 1},
          .y = {{2, 0}, static_cast<std::int64_t>(n), 1},
          .z = {3, 0}};
}

TEST(ClblastProduct, ArgumentsCountElements) {
  const auto library = noting_clblast();
  void* const queue = reinterpret_cast<void*>(std::uintptr_t{9});
  Product p = plain_product(2, 4, 3);
  p.x.location.offset = 40;
  ASSERT_TRUE(multiply_by_clblast(*library, queue, p));
  p = plain_product(2, 4, 3), p.x.row = 1, p.x.column = 2;  // transposed in memory
  ASSERT_TRUE(multiply_by_clblast(*library, queue, p));
  p = plain_product(5, 1, 3), p.y.row = 2;
  ASSERT_TRUE(multiply_by_clblast(*library, queue, p));
  p = plain_product(1, 5, 3);
  ASSERT_TRUE(multiply_by_clblast(*library, queue, p));
  p = plain_product(2, 2, 3), p.inner = 3, p.x.inner = 6, p.y.inner = 0;
  ASSERT_TRUE(multiply_by_clblast(*library, queue, p));
  EXPECT_THAT(
      clblast_calls,
      ElementsAre("111 111 4 2 3 2 0 4 1 10 3 3 0 4 9", "111 112 4 2 3 2 0 4 1 0 2 3 0 4 9",
                  "vector 112 3 5 3 2 2 3 1", "vector 111 5 3 5 1 1 3 1", "many 2 2 3 0 6 4 3"));
  p = plain_product(2, 4, 3), p.x.location.offset = 2;  // no element of float32
  EXPECT_FALSE(multiply_by_clblast(*library, queue, p));
  EXPECT_FALSE(multiply_by_clblast(*library, queue, plain_product(2, 4, 3, Scalar::int32)));
}

class ClblastProductTest : public array::OnEachArrayDevice {
 protected:
  void SetUp() override {
    OnEachArrayDevice::SetUp();
    if (device::opencl_device(*device()) == nullptr) GTEST_SKIP() << "for OpenCL";
  }
  void TearDown() override {
    if (device::opencl_device(*device()) != nullptr)
      device()->slot<DeviceClblast>().use(nullptr, nullptr);
    OnEachArrayDevice::TearDown();
  }
  /// The library of this machine; null, and the test is skipped, where there is none.
  static std::shared_ptr<const Clblast> found() {
    try {
      return Clblast::load();
    } catch (const LibraryNotFound&) {
      return nullptr;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, ClblastProductTest, array::each_device(),
                         array::device_test_name);

TEST_P(ClblastProductTest, AVerdictIsKept) {
  const auto store = std::make_shared<tune::Store>("");
  DeviceClblast& clblast = device()->slot<DeviceClblast>();
  clblast.use(noting_clblast(), store);
  const Product p = plain_product(300, 300, 300);
  EXPECT_FALSE(clblast.is_faster(p));
  int measured = 0;
  const auto slow = [&] { return ++measured, DeviceClblast::Seconds{1.0, 1.05}; };
  EXPECT_FALSE(clblast.is_faster(p, slow));
  EXPECT_FALSE(clblast.is_faster(plain_product(290, 310, 300), slow));  // about as large
  EXPECT_EQ(measured, 1);
  clblast.use(noting_clblast(), store);  // as in another process
  EXPECT_EQ(clblast.is_faster(p), false);
  const auto fast = [&] { return ++measured, DeviceClblast::Seconds{1.0, 2.0}; };
  EXPECT_TRUE(clblast.is_faster(plain_product(900, 300, 300), fast));
  const auto failing = [&]() -> DeviceClblast::Seconds {
    Clblast::check(-11, "CLBlast's gemm");
    return {};
  };
  EXPECT_FALSE(clblast.is_faster(plain_product(300, 900, 300), failing));
  EXPECT_EQ(measured, 2);
}

template <class T>
void expect_product(device::Stream& stream, const Clblast& library, Product p, bool is_turned) {
  device::Device& device = stream.device();
  const std::size_t size_x = p.m * p.k, size_y = p.k * p.n, size_z = p.m * p.n, count = p.inner;
  std::vector<T> x(size_x * count), y(size_y * count),
      z(size_z * count, T(std::numeric_limits<float>::quiet_NaN()));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = T(static_cast<float>(i % 7));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = T(static_cast<float>(i % 5));
  p.x.inner = static_cast<std::int64_t>(size_x), p.y.inner = static_cast<std::int64_t>(size_y);
  if (is_turned) p.x.row = 1, p.x.column = static_cast<std::int64_t>(p.m);
  const auto place = [&](const std::vector<T>& values) {
    const device::Location made = device.allocate(values.size() * sizeof(T));
    stream.copy_in(made, values.data(), values.size() * sizeof(T));
    return made;
  };
  p.x.location = place(x), p.y.location = place(y), p.z = place(z);
  ASSERT_TRUE(queue_by_clblast(library, stream, p));
  stream.copy_out(z.data(), p.z, z.size() * sizeof(T));
  stream.synchronize();
  for (const device::Location& made : {p.x.location, p.y.location, p.z}) device.free(made);
  for (std::size_t one = 0; one < count; ++one)
    for (std::size_t i = 0; i < p.m; ++i)
      for (std::size_t j = 0; j < p.n; ++j) {
        T sum(0);
        for (std::size_t l = 0; l < p.k; ++l)
          sum += x[one * size_x + (is_turned ? l * p.m + i : i * p.k + l)] *
                 y[one * size_y + l * p.n + j];
        ASSERT_EQ(z[one * size_z + i * p.n + j], sum) << i << ", " << j << " of " << one;
      }
}

TEST_P(ClblastProductTest, MultipliesOnThisDevice) {
  const auto library = found();
  if (library == nullptr) GTEST_SKIP() << "no CLBlast on this machine";
  const auto stream = device()->default_stream();
  expect_product<float>(*stream, *library, plain_product(20, 12, 9), false);
  expect_product<float>(*stream, *library, plain_product(20, 12, 9), true);
  expect_product<float>(*stream, *library, plain_product(20, 1, 9), false);
  expect_product<float>(*stream, *library, plain_product(1, 12, 9), false);
  Product many = plain_product(6, 5, 4);
  many.inner = 3;
  expect_product<float>(*stream, *library, many, false);
  if (!device()->info().traits.fp64) return;
  // Numbers that are passed by value in several registers.
  const Product complex = plain_product(6, 5, 4, Scalar::complex128);
  expect_product<std::complex<double>>(*stream, *library, complex, false);
}

TEST_P(ClblastProductTest, IsWhatMatmulTakesWhereItIsFaster) {
  const auto library = found();
  if (library == nullptr) GTEST_SKIP() << "no CLBlast on this machine";
  const device::StreamScope scope(shared_stream());
  const array::Array x = array::ones({256, 256}, Scalar::float32, here());
  DeviceClblast& clblast = device()->slot<DeviceClblast>();
  clblast.use(library, std::make_shared<tune::Store>(""));
  Product p = plain_product(256, 256, 256);
  for (const double seconds : {0.1, 10.0}) {
    clblast.use(library, std::make_shared<tune::Store>(""));
    const bool is_faster =
        clblast.is_faster(p, [&] { return DeviceClblast::Seconds{seconds, 1.0}; });
    const array::Array product = matmul(x, x);
    EXPECT_EQ(array::explain(product).find("CLBlast") != std::string::npos, is_faster);
    EXPECT_EQ(product.as<float>(), std::vector<float>(256 * 256, 256.0f));
  }
}

}  // namespace
}  // namespace treadle::linalg
