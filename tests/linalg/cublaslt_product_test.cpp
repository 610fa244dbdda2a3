// SPDX-License-Identifier: MIT
// What cuBLASLt is asked for, on a machine without a GPU: a table whose products of float32 are
// loops on the host, in the memory that the CPU device shares with it.
#include "linalg/cublaslt_product.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <string_view>
#include <vector>

#include "treadle/array/activation.hpp"
#include "treadle/array/computation.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/codegen/expression.hpp"
#include "treadle/device/cuda.hpp"
#include "treadle/device/registry.hpp"

namespace treadle::linalg {
namespace {

using codegen::ExpressionBuilder;
using codegen::Value;
using library::CublasLtTable;
using library::CublasLtWords;

/// A description that the library keeps.
struct LtMatrix {
  std::uint64_t rows = 0, columns = 0;
  std::int64_t distance = 0;
};
struct LtDescription {
  int operation_a = 0, operation_b = 0, epilogue = 0;
  const float* bias = nullptr;
};
int lt_objects = 0, lt_searches = 0, lt_products = 0;
bool lt_has_algorithm = true, lt_keeps_nan = true;

template <class T>
int lt_made(void** place, T* made) {
  *place = made;
  ++lt_objects;
  return 0;
}
template <class T>
int lt_ended(void* object) {
  delete static_cast<T*>(object);
  --lt_objects;
  return 0;
}
float lt_element(const void* memory, const LtMatrix& layout, int operation, std::uint64_t i,
                 std::uint64_t j) {
  if (operation != 0) std::swap(i, j);
  return static_cast<const float*>(memory)[i + j * static_cast<std::uint64_t>(layout.distance)];
}

// over 6 parameters because the entry point has them.
int lt_multiply(void*, void* product, const void* alpha, const void* a, void* a_layout,
                const void* b, void* b_layout, const void* beta, const void* c, void* c_layout,
                void* d, void* d_layout, const library::CublasLtAlgorithm* algorithm, void*,
                std::size_t, void*) {
  EXPECT_EQ(algorithm->data[0], 7u);
  ++lt_products;
  const auto& what = *static_cast<LtDescription*>(product);
  const auto& as = *static_cast<LtMatrix*>(a_layout);
  const auto& bs = *static_cast<LtMatrix*>(b_layout);
  const auto& cs = *static_cast<LtMatrix*>(c_layout);
  const auto& ds = *static_cast<LtMatrix*>(d_layout);
  const float factor = *static_cast<const float*>(alpha), other = *static_cast<const float*>(beta);
  const std::uint64_t depth = what.operation_a == 0 ? as.columns : as.rows;
  for (std::uint64_t j = 0; j < ds.columns; ++j)
    for (std::uint64_t i = 0; i < ds.rows; ++i) {
      float sum = 0;
      for (std::uint64_t l = 0; l < depth; ++l)
        sum +=
            lt_element(a, as, what.operation_a, i, l) * lt_element(b, bs, what.operation_b, l, j);
      sum *= factor;
      if (other != 0) sum += other * lt_element(c, cs, 0, i, j);
      if ((what.epilogue & CublasLtWords::adds_bias) != 0) sum += what.bias[i];
      if ((what.epilogue & CublasLtWords::relu) != 0 && !(sum > 0 || (lt_keeps_nan && sum != sum)))
        sum = 0;
      static_cast<float*>(d)[i + j * static_cast<std::uint64_t>(ds.distance)] = sum;
    }
  return 0;
}

CublasLtTable loops_for_cublaslt() {
  CublasLtTable table;
  table.create = [](void**) { return 0; };
  table.destroy = [](void*) { return 0; };
  table.create_product = [](void** place, int computed, int scaled) {
    EXPECT_EQ(computed, 68);
    EXPECT_EQ(scaled, 0);
    return lt_made(place, new LtDescription);
  };
  table.destroy_product = &lt_ended<LtDescription>;
  table.set_product = [](void* product, int attribute, const void* value, std::size_t size) {
    auto& what = *static_cast<LtDescription*>(product);
    void* const place = attribute == CublasLtWords::transposes_a   ? &what.operation_a
                        : attribute == CublasLtWords::transposes_b ? &what.operation_b
                        : attribute == CublasLtWords::epilogue     ? &what.epilogue
                                                                   : static_cast<void*>(&what.bias);
    std::memcpy(place, value, size);
    return 0;
  };
  table.create_layout = [](void** place, int, std::uint64_t rows, std::uint64_t columns,
                           std::int64_t distance) {
    return lt_made(place, new LtMatrix{rows, columns, distance});
  };
  table.destroy_layout = &lt_ended<LtMatrix>;
  table.create_preference = [](void** place) { return lt_made(place, new int); };
  table.destroy_preference = &lt_ended<int>;
  table.set_preference = [](void*, int, const void*, std::size_t) { return 0; };
  table.find_algorithms = [](void*, void*, void*, void*, void*, void*, void*, int,
                             library::CublasLtChoice* choice, int* found) {
    ++lt_searches;
    choice->algorithm.data[0] = 7;
    *found = lt_has_algorithm ? 1 : 0;
    return lt_has_algorithm ? 0 : 15;
  };
  table.multiply = &lt_multiply;
  return table;
}

class CublasLtProductTest : public testing::Test {
 protected:
  static constexpr std::int64_t m = 3, n = 4, k = 5;
  static constexpr std::size_t floats = 600;

  void SetUp() override {
    lt_objects = lt_searches = lt_products = 0;
    lt_has_algorithm = lt_keeps_nan = true;
    device_ = device::cpu_driver()->devices().front();
    stream_ = device_->default_stream();
    lt_ = std::make_unique<DeviceCublasLt>(std::make_unique<library::CublasLtHandle>(
        std::make_shared<const library::CublasLt>(loops_for_cublaslt()),
        *device::cuda_context(*device_)));
    memory_ = device_->allocate(floats * sizeof(float));
    std::iota(values(), values() + floats, -20.0f);
  }
  void TearDown() override {
    stream_->synchronize();
    lt_.reset();
    EXPECT_EQ(lt_objects, 0);
    device_->free(memory_);
  }
  float* values() const { return reinterpret_cast<float*>(memory_.handle + memory_.offset); }
  device::Location element(std::size_t index) const { return memory_ + index * sizeof(float); }

  /// maximum(2 * (x @ y) + matrix + row, 0) of what stands at 0, 20, 100, 200; stored at 300.
  bool multiply(bool has_bound = true, float bound = 0) {
    ExpressionBuilder build;
    constexpr Scalar f = Scalar::float32;
    const Value product = build.leaf(f), matrix = build.leaf(f), row = build.leaf(f);
    Value value = build.step(Op::multiply, f, {build.scalar(f), product});
    value = build.step(Op::add, f, {build.step(Op::add, f, {value, matrix}), row});
    if (has_bound) value = build.step(Op::maximum, f, {value, build.scalar(f)});
    build.output(value);
    const codegen::Expression expression = build.build();
    const kernel::ProductOperand arrays[] = {
        {element(300), n + 1, 1}, {element(100), n, 1}, {element(200), 0, 1}};
    std::vector<ElementBytes> scalars(has_bound ? 2 : 1);
    const float two = 2;
    std::memcpy(scalars[0].data(), &two, sizeof two);
    if (has_bound) std::memcpy(scalars[1].data(), &bound, sizeof bound);
    const kernel::ProductEpilogue epilogue{expression, arrays, scalars};
    const kernel::Product whole{.dtype = f,
                                .m = m,
                                .n = n,
                                .k = k,
                                .x = {element(0), k, 1},
                                .y = {element(20), 1, k},
                                .z = {},
                                .epilogue = &epilogue};
    return multiply_by_cublaslt(*lt_, *stream_, whole);
  }
  void expect_right(bool has_bound = true) const {
    const float* const all = values();
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (std::int64_t l = 0; l < k; ++l) sum += all[i * k + l] * all[20 + j * k + l];
        sum = 2 * sum + all[100 + i * n + j] + all[200 + j];
        EXPECT_EQ(all[300 + i * (n + 1) + j], has_bound ? std::max(sum, 0.0f) : sum);
      }
  }
  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
  std::unique_ptr<DeviceCublasLt> lt_;
  device::Location memory_;
};

TEST_F(CublasLtProductTest, ScaleMatrixRowAndBoundAreOneCall) {
  ASSERT_TRUE(multiply());
  expect_right();
  EXPECT_EQ(lt_products, 2);  // the first tries what NaN becomes
  ASSERT_TRUE(multiply());
  EXPECT_EQ(lt_products, 3);
  EXPECT_EQ(lt_searches, 1);
  ASSERT_TRUE(multiply(false));
  expect_right(false);
  EXPECT_EQ(lt_products, 4);
  EXPECT_EQ(lt_searches, 2);
}

/// Stands for a product: keeps what joins it.
struct JoinedSteps final : array::Computation {
  std::string_view name() const override { return "joined steps"; }
  bool takes_epilogue() const noexcept override { return true; }
  kernel::KernelNote run(device::Stream&, const array::ComputationLaunch& launch) const override {
    expression = launch.epilogue.expression;
    scalars.assign(launch.epilogue.scalars.begin(), launch.epilogue.scalars.end());
    return {};
  }
  mutable codegen::Expression expression;
  mutable std::vector<ElementBytes> scalars;
};

TEST_F(CublasLtProductTest, OneFormOfGeluOfFloat16IsTheLibrarys) {
  for (const Scalar dtype : {Scalar::float16, Scalar::float32, Scalar::float64})
    for (const bool is_exact : {false, true}) {
      const auto steps = std::make_shared<JoinedSteps>();
      const array::Array row = array::zeros({n}, dtype, {.stream = stream_});
      const array::ResultSpec result[] = {{{m, n}, dtype}};
      const array::Array made =
          gelu(array::pending_results(steps, std::span(&row, 1), result)[0] + row,
               is_exact ? array::GeluForm::exact : array::GeluForm::tanh);
      made.buffer();  // when nobody has the sum any more
      const kernel::ProductOperand arrays[] = {{element(300), n, 1}, {element(200), 0, 1}};
      const kernel::ProductEpilogue epilogue{steps->expression, arrays, steps->scalars};
      const auto read = lt_epilogue({.dtype = dtype,
                                     .m = m,
                                     .n = n,
                                     .k = k,
                                     .x = {element(0), k, 1},
                                     .y = {element(20), 1, k},
                                     .z = {},
                                     .epilogue = &epilogue});
      EXPECT_EQ(read.has_value(), !is_exact && dtype == Scalar::float16);
      if (!read) continue;
      EXPECT_EQ(read->activation, LtActivation::gelu_tanh);
      EXPECT_EQ(read->row, &arrays[1]);
    }
}

TEST_F(CublasLtProductTest, ASmallProductAloneIsOneCall) {
  kernel::Product product{.dtype = Scalar::float32,
                          .m = m,
                          .n = n,
                          .k = k,
                          .x = {element(0), k, 1},
                          .y = {element(20), 1, k},
                          .z = element(300)};
  for (int call = 1; call <= 2; ++call) {
    ASSERT_TRUE(multiply_small_by_cublaslt(*lt_, *stream_, product));
    EXPECT_EQ(lt_products, call);
  }
  EXPECT_EQ(lt_searches, 1);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::int64_t l = 0; l < k; ++l) sum += values()[i * k + l] * values()[20 + j * k + l];
      EXPECT_EQ(values()[300 + i * n + j], sum);
    }
  // Others are cuBLAS's: many, large ones, and those of other dtypes.
  product.inner = 2;
  EXPECT_FALSE(multiply_small_by_cublaslt(*lt_, *stream_, product));
  product.inner = 1, product.dtype = Scalar::complex64;
  EXPECT_FALSE(multiply_small_by_cublaslt(*lt_, *stream_, product));
  product.dtype = Scalar::float32, product.m = product.n = 1 << 12;
  EXPECT_FALSE(multiply_small_by_cublaslt(*lt_, *stream_, product));
  EXPECT_EQ(lt_products, 2);
}

TEST_F(CublasLtProductTest, WhatTheLibraryDoesNotDoIsLeft) {
  EXPECT_FALSE(multiply(true, 1));  // no relu
  lt_has_algorithm = false;
  EXPECT_FALSE(multiply());
  EXPECT_FALSE(multiply());
  EXPECT_EQ(lt_searches, 1);
  EXPECT_EQ(lt_products, 0);
}

TEST_F(CublasLtProductTest, ABoundThatLosesNanIsNotUsed) {
  lt_keeps_nan = false;
  EXPECT_FALSE(multiply());
  EXPECT_FALSE(multiply());
  EXPECT_EQ(lt_products, 1);
  EXPECT_TRUE(multiply(false));
}

}  // namespace
}  // namespace treadle::linalg
