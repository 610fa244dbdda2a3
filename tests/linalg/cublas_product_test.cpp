// SPDX-License-Identifier: MIT
#include "linalg/cublas_product.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/cuda.hpp"
#include "treadle/device/registry.hpp"

namespace treadle::linalg {
namespace {

using kernel::Product;
using library::CublasTable;
using testing::ElementsAre;

/// The calls of a library whose products of float32 are made by three loops on the host, in the
/// memory that the CPU device shares with it.
std::vector<std::string> gemm_calls;
int gemm_answer = 0;

struct Factor {
  const void* memory;
  int operation, distance;
  float at(int i, int j, long long from) const {
    return static_cast<const float*>(
        memory)[from + (operation == 0 ? i + static_cast<std::ptrdiff_t>(j) * distance
                                       : j + static_cast<std::ptrdiff_t>(i) * distance)];
  }
};

struct Loops {
  int m, n, k;
  Factor a, b;
  float* c;
  int ldc;
  std::array<long long, 3> steps = {};
  int count = 1;

  void run() const {
    for (int one = 0; one < count; ++one)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
          float sum = 0;
          for (int l = 0; l < k; ++l)
            sum += a.at(i, l, one * steps[0]) * b.at(l, j, one * steps[1]);
          c[one * steps[2] + i + static_cast<std::ptrdiff_t>(j) * ldc] = sum;
        }
  }
};

std::string letters(int a, int b) { return {a == 0 ? 'n' : 't', b == 0 ? 'n' : 't'}; }
std::string numbers(std::initializer_list<long long> all) {
  std::string text;
  for (const long long number : all) text += " " + std::to_string(number);
  return text;
}

CublasTable loops_for_cublas() {
  CublasTable table;
  table.create = [](void**) { return 0; };
  table.destroy = [](void*) { return 0; };
  table.set_math_mode = [](void*, int) { return 0; };
  table.set_stream = [](void*, void*) { return 0; };
  table.set_workspace = [](void*, void*, std::size_t) { return 0; };
  table.gemm = [](void*, int operation_a, int operation_b, int m, int n, int k, const void*,
                  const void* a, int, int lda, const void* b, int, int ldb, const void*, void* c,
                  int type, int ldc, int computed, int) {
    gemm_calls.push_back(letters(operation_a, operation_b) + numbers({m, n, k, lda, ldb, ldc}));
    if (type == 0 && computed == 68)
      Loops{m, n, k, {a, operation_a, lda}, {b, operation_b, ldb}, static_cast<float*>(c), ldc}
          .run();
    return gemm_answer;
  };
  table.gemm_of_many = [](void*, int operation_a, int operation_b, int m, int n, int k, const void*,
                          const void* a, int, int lda, long long step_a, const void* b, int,
                          int ldb, long long step_b, const void*, void* c, int, int ldc,
                          long long step_c, int count, int, int) {
    gemm_calls.push_back(letters(operation_a, operation_b) + numbers({m, n, k, lda, ldb, ldc}) +
                         " x" + std::to_string(count) + numbers({step_a, step_b, step_c}));
    Loops{m,
          n,
          k,
          {a, operation_a, lda},
          {b, operation_b, ldb},
          static_cast<float*>(c),
          ldc,
          {step_a, step_b, step_c},
          count}
        .run();
    return gemm_answer;
  };
  return table;
}

class CublasProductTest : public testing::Test {
 protected:
  void SetUp() override {
    gemm_calls.clear();
    gemm_answer = 0;
    device_ = device::cpu_driver()->devices().front();
    stream_ = device_->default_stream();
    cublas_ = std::make_unique<DeviceCublas>(std::make_unique<library::CublasHandle>(
        std::make_shared<const library::Cublas>(loops_for_cublas()),
        *device::cuda_context(*device_)));
    memory_ = device_->allocate(floats * sizeof(float));
    float* values = at(memory_);
    std::iota(values, values + floats, 1.0f);
  }
  void TearDown() override {
    stream_->synchronize();
    device_->free(memory_);
  }
  static float* at(const device::Location& place) {
    return reinterpret_cast<float*>(place.handle + place.offset);
  }
  device::Location element(std::size_t index) const { return memory_ + index * sizeof(float); }
  /// A product of numbers that count up, from two places of the memory into a third.
  Product product(std::uint64_t m, std::uint64_t n, std::uint64_t k) const {
    const auto width = static_cast<std::int64_t>(k), height = static_cast<std::int64_t>(n);
    return {.dtype = Scalar::float32,
            .m = m,
            .n = n,
            .k = k,
            .x = {element(0), width, 1},
            .y = {element(100), height, 1},
            .z = element(300)};
  }
  bool multiply(const Product& product) { return multiply_by_cublas(*cublas_, *stream_, product); }
  /// What product() should be, of matrix `outer`, `inner`.
  void expect_right(const Product& p) {
    for (std::uint64_t outer = 0; outer < p.outer; ++outer)
      for (std::uint64_t inner = 0; inner < p.inner; ++inner)
        for (std::uint64_t i = 0; i < p.m; ++i)
          for (std::uint64_t j = 0; j < p.n; ++j) {
            const auto whole = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
            float sum = 0;
            for (std::uint64_t l = 0; l < p.k; ++l)
              sum += at(p.x.location)[whole(i) * p.x.row + whole(l) * p.x.column +
                                      whole(outer) * p.x.outer + whole(inner) * p.x.inner] *
                     at(p.y.location)[whole(l) * p.y.row + whole(j) * p.y.column +
                                      whole(outer) * p.y.outer + whole(inner) * p.y.inner];
            EXPECT_EQ(at(p.z)[((outer * p.inner + inner) * p.m + i) * p.n + j], sum);
          }
  }
  static constexpr std::size_t floats = 600;
  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
  std::unique_ptr<DeviceCublas> cublas_;
  device::Location memory_;
};

TEST_F(CublasProductTest, FactorsAreReadWhereTheyLie) {
  Product plain = product(2, 4, 3);
  ASSERT_TRUE(multiply(plain));
  expect_right(plain);
  Product transposed = plain;  // x is 3 x 2 in memory, y 4 x 3
  transposed.x.row = 1, transposed.x.column = 2, transposed.y.row = 1, transposed.y.column = 3;
  ASSERT_TRUE(multiply(transposed));
  expect_right(transposed);
  Product wide = plain;  // of larger matrices
  wide.x.row = 7, wide.y.row = 9;
  ASSERT_TRUE(multiply(wide));
  expect_right(wide);
  EXPECT_THAT(gemm_calls, ElementsAre("nn 4 2 3 4 3 4", "tt 4 2 3 3 2 4", "nn 4 2 3 9 7 4"));
}

TEST_F(CublasProductTest, VectorsAreMatricesOfOneColumn) {
  Product column = product(5, 1, 3);
  column.y.row = 2;
  ASSERT_TRUE(multiply(column));
  expect_right(column);
  Product row = product(1, 5, 3);
  ASSERT_TRUE(multiply(row));
  expect_right(row);
  EXPECT_THAT(gemm_calls, ElementsAre("nn 1 5 3 2 3 1", "nn 5 1 3 5 3 5"));
}

TEST_F(CublasProductTest, ManyMatricesAreOneCallAlongTheLongerAxis) {
  Product many = product(2, 2, 3);
  many.outer = 2, many.inner = 3;
  many.x.outer = 18, many.x.inner = 6, many.y.outer = 0, many.y.inner = 6;
  ASSERT_TRUE(multiply(many));
  expect_right(many);
  std::swap(many.outer, many.inner);
  std::swap(many.x.outer, many.x.inner), std::swap(many.y.outer, many.y.inner);
  ASSERT_TRUE(multiply(many));
  expect_right(many);
  EXPECT_THAT(gemm_calls, ElementsAre("nn 2 2 3 2 3 2 x3 6 6 4", "nn 2 2 3 2 3 2 x3 6 6 4",
                                      "nn 2 2 3 2 3 2 x3 6 6 8", "nn 2 2 3 2 3 2 x3 6 6 8"));
}

TEST_F(CublasProductTest, WhatItCannotReadIsLeft) {
  Product p = product(2, 2, 3);
  p.x.column = 2, p.x.row = 6;  // every second column
  EXPECT_FALSE(multiply(p));
  p = product(2, 2, 3), p.x.row = -3;
  EXPECT_FALSE(multiply(p));
  p = product(2, 2, 3), p.inner = 4, p.x.inner = -6;
  EXPECT_FALSE(multiply(p));
  p = product(2, 2, 3), p.inner = 40, p.outer = 40;  // many calls
  EXPECT_FALSE(multiply(p));
  p = product(2, 2, 0);
  EXPECT_FALSE(multiply(p));
  p = product(2, 2, 3), p.dtype = Scalar::int32;
  EXPECT_FALSE(multiply(p));
  p = product(2, 2, 3), p.m = std::uint64_t{1} << 32;
  EXPECT_FALSE(multiply(p));
  p = product(2, 2, 3), p.x.location = p.x.location + 2;  // no address of a float32
  EXPECT_FALSE(multiply(p));
  EXPECT_TRUE(gemm_calls.empty());
}

TEST_F(CublasProductTest, AnErrorTellsTheProduct) {
  gemm_answer = 15;
  try {
    multiply(product(2, 4, 3));
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code_name(), "CUBLAS_STATUS_NOT_SUPPORTED");
    EXPECT_EQ(error.detail(), "a product of 1 matrices of float32, 2 x 3 by 3 x 4");
  }
}

}  // namespace
}  // namespace treadle::linalg
