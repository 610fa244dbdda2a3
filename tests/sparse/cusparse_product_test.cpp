// SPDX-License-Identifier: MIT
// Products by cuSPARSE: on a GPU its own, and on a machine without one those of a table of loops in
// the memory that the CPU device shares with the host.
#include "sparse/cusparse_product.hpp"

#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <vector>

#include "sparse/small_matrix.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/device/cuda.hpp"
#include "treadle/device/registry.hpp"
#include "treadle/sparse/format_choice.hpp"

namespace treadle::sparse {
namespace {

/// A descriptor of float32 elements: compressed rows, or a dense operand.
struct Described {
  std::int64_t rows = 0, columns = 0, entries = 0;
  std::int32_t *starts = nullptr, *indices = nullptr;
  float* values = nullptr;
  std::vector<std::map<std::int32_t, float>> made = {};  // of a product
};
Described& described(void* raw) { return *static_cast<Described*>(raw); }
int described(void** raw, const Described& what) {
  *raw = new Described(what);
  return 0;
}
int forget(void* raw) {
  delete static_cast<Described*>(raw);
  return 0;
}

device::Stream* loops_stream = nullptr;  // whose work is waited for before loops read memory
int loops_answer = 0, loops_runs = 0;

int multiply_dense(void* a_raw, void* x_raw, void* y_raw) {
  loops_stream->synchronize();
  ++loops_runs;
  const Described &a = described(a_raw), &x = described(x_raw), &y = described(y_raw);
  const std::int64_t width = std::max<std::int64_t>(x.columns, 1);
  for (std::int64_t row = 0; row < a.rows; ++row)
    for (std::int64_t column = 0; column < width; ++column) {
      float sum = 0;
      for (std::int32_t k = a.starts[row]; k < a.starts[row + 1]; ++k)
        sum += a.values[k] * x.values[a.indices[k] * width + column];
      y.values[row * width + column] = sum;
    }
  return loops_answer;
}

int multiply_sparse(void* a_raw, void* b_raw, void* c_raw) {
  loops_stream->synchronize();
  const Described &a = described(a_raw), &b = described(b_raw);
  Described& c = described(c_raw);
  c.made.assign(static_cast<std::size_t>(a.rows), {});
  c.entries = 0;
  for (std::int64_t row = 0; row < a.rows; ++row) {
    auto& sums = c.made[static_cast<std::size_t>(row)];
    for (std::int32_t k = a.starts[row]; k < a.starts[row + 1]; ++k)
      for (std::int32_t l = b.starts[a.indices[k]]; l < b.starts[a.indices[k] + 1]; ++l)
        sums[b.indices[l]] += a.values[k] * b.values[l];
    c.entries += static_cast<std::int64_t>(sums.size());
  }
  return loops_answer;
}

/// The columns of each row come from behind: who wants them in order sorts.
int store_product(const Described& c) {
  ++loops_runs;
  std::int32_t place = 0;
  for (std::int64_t row = 0; row < c.rows; ++row) {
    c.starts[row] = place;
    const auto& sums = c.made[static_cast<std::size_t>(row)];
    for (auto sum = sums.rbegin(); sum != sums.rend(); ++sum, ++place)
      c.indices[place] = sum->first, c.values[place] = sum->second;
  }
  c.starts[c.rows] = place;
  return 0;
}

library::CusparseTable loops_for_cusparse() {
  library::CusparseTable table;
  table.create = [](void**) { return 0; };
  table.destroy = [](void*) { return 0; };
  table.set_stream = [](void*, void*) { return 0; };
  table.create_rows = [](void** raw, std::int64_t rows, std::int64_t columns, std::int64_t entries,
                         void* starts, void* indices, void* values, int, int, int, int) {
    return described(raw, {rows, columns, entries, static_cast<std::int32_t*>(starts),
                           static_cast<std::int32_t*>(indices), static_cast<float*>(values)});
  };
  table.create_vector = [](void** raw, std::int64_t size, void* values, int) {
    return described(raw, {.rows = size, .values = static_cast<float*>(values)});
  };
  table.create_dense = [](void** raw, std::int64_t rows, std::int64_t columns, std::int64_t,
                          void* values, int, int) {
    return described(raw,
                     {.rows = rows, .columns = columns, .values = static_cast<float*>(values)});
  };
  table.create_product = [](void** raw) { return described(raw, {}); };
  table.destroy_rows = table.destroy_vector = table.destroy_dense = table.destroy_product = &forget;
  table.get_size = [](void* raw, std::int64_t*, std::int64_t*, std::int64_t* entries) {
    return *entries = described(raw).entries, 0;
  };
  table.set_rows = [](void* raw, void* starts, void* indices, void* values) {
    Described& c = described(raw);
    c.starts = static_cast<std::int32_t*>(starts);
    c.indices = static_cast<std::int32_t*>(indices);
    c.values = static_cast<float*>(values);
    return 0;
  };
  table.vector_bytes = [](void*, int, const void*, void*, void*, const void*, void*, int, int,
                          std::size_t* bytes) { return *bytes = 16, 0; };
  table.times_vector = [](void*, int, const void*, void* a, void* x, const void*, void* y, int, int,
                          void* memory) { return memory == nullptr ? 3 : multiply_dense(a, x, y); };
  table.dense_bytes = [](void*, int, int, const void*, void*, void*, const void*, void*, int, int,
                         std::size_t* bytes) { return *bytes = 0, 0; };
  table.times_dense = [](void*, int, int, const void*, void* a, void* x, const void*, void* y, int,
                         int, void*) { return multiply_dense(a, x, y); };
  table.estimate_product = [](void*, int, int, const void*, void*, void*, const void*, void*, int,
                              int, void*, std::size_t* bytes, void* memory) {
    if (memory == nullptr) *bytes = 16;
    return 0;
  };
  table.compute_product = [](void*, int, int, const void*, void* a, void* b, const void*, void* c,
                             int, int, void*, std::size_t* bytes, void* memory) {
    if (memory == nullptr) return *bytes = 16, 0;
    return multiply_sparse(a, b, c);
  };
  table.copy_product = [](void*, int, int, const void*, void*, void*, const void*, void* c, int,
                          int, void*) { return store_product(described(c)); };
  return table;
}

/// The CPU device with loops in the place of cuSPARSE.
class CusparseLoops : public testing::Test {
 protected:
  void SetUp() override {
    device_ = device::cpu_driver()->devices().front();
    loops_stream = device_->default_stream().get();
    loops_answer = loops_runs = 0;
    device_->slot<DeviceCusparse>().use(std::make_unique<library::CusparseHandle>(
        std::make_shared<const library::Cusparse>(loops_for_cusparse()),
        *device::cuda_context(*device_)));
  }
  void TearDown() override { device_->slot<DeviceCusparse>().use(nullptr); }
  Array of(std::vector<float> values) {
    return Array::from(values, {.stream = device_->default_stream()});
  }
  /// 4 0 1 / 0 3 0 / 1 0 2
  CsrMatrix small() {
    return CsrMatrix(of({4, 1, 3, 1, 2}), array::cast(of({0, 2, 1, 0, 2}), Scalar::int32),
                     array::cast(of({0, 2, 3, 5}), Scalar::int64), {3, 3});
  }
  std::shared_ptr<device::Device> device_;
};

TEST_F(CusparseLoops, MultiplyAVectorAndAMatrix) {
  const CsrMatrix a = small().by_library();
  ASSERT_TRUE(a.is_by_library());
  EXPECT_EQ(a.multiply(of({1, 2, 3})).as<float>(), (std::vector<float>{7, 6, 7}));
  const Array x = array::reshape(of({1, 2, 3, 4, 5, 6}), {3, 2});
  EXPECT_EQ(a.multiply(x).as<float>(), (std::vector<float>{9, 14, 9, 12, 11, 14}));
  EXPECT_EQ(loops_runs, 2);
  // Another dtype is our kernel's.
  EXPECT_EQ(a.multiply(array::cast(of({1, 2, 3}), Scalar::float64)).as<double>(),
            (std::vector<double>{7, 6, 7}));
  EXPECT_EQ(loops_runs, 2);
}

TEST_F(CusparseLoops, MultiplyTwoSparseMatricesWithColumnsInOrder) {
  const CsrMatrix made = small().multiply(small());
  EXPECT_EQ(loops_runs, 1);
  EXPECT_EQ(made.dense().as<float>(), (std::vector<float>{17, 0, 6, 0, 9, 0, 6, 0, 5}));
  EXPECT_TRUE(made.is_canonical());
  EXPECT_EQ(made.offsets().dtype(), Scalar::int64);
  EXPECT_EQ(made.multiply(of({1, 1, 1})).as<float>(), (std::vector<float>{23, 9, 11}));
}

TEST_F(CusparseLoops, WhatTheyRefuseIsLeftToKernels) {
  loops_answer = 11;
  EXPECT_EQ(small().multiply(small()).entries(), 5);
  EXPECT_EQ(loops_runs, 0);
  EXPECT_THROW(small().by_library().multiply(of({1, 2, 3})).as<float>(), OutOfMemory);
  loops_runs = 0;
  EXPECT_EQ(choose_format(small(), {.products = 1}).chosen.find("cusparse"), std::string::npos);
  EXPECT_GE(loops_runs, 1);
}

class CusparseProductTest : public SparseTest {};
INSTANTIATE_TEST_SUITE_P(Devices, CusparseProductTest, each_device(), device_test_name);

/// On a GPU with cuSPARSE its sums are compared; elsewhere nothing is the library's.
TEST_P(CusparseProductTest, IsThatOfOurKernels) {
  const device::StreamScope scope(shared_stream());
  for (const Scalar dtype :
       {Scalar::float32, Scalar::float64, Scalar::complex64, Scalar::complex128}) {
    const CsrMatrix own = small().with_data(array::cast(small().data(), dtype));
    const CsrMatrix a = own.by_library();
    const bool has_it = device()->slot<DeviceCusparse>().handle != nullptr;
    EXPECT_EQ(a.is_by_library(), has_it);
    const auto same = [](const Array& x, const Array& y) -> bool {
      return array::all(equal(x, y)).as<bool>().front();
    };
    const Array x = array::cast(make({1, 2, 3}), dtype),
                several = array::cast(array::reshape(make({1, 2, 3, 4, 5, 6}), {3, 2}), dtype);
    EXPECT_TRUE(same(a.multiply(x), own.multiply(x)));
    EXPECT_TRUE(same(a.multiply(several), own.multiply(several)));
    const CsrMatrix square = own.multiply(own);
    EXPECT_TRUE(square.is_canonical());
    EXPECT_EQ(array::explain(square.data()).find("cuSPARSE") != std::string::npos, has_it);
    EXPECT_TRUE(same(square.multiply(x), own.multiply(own.multiply(x))));
    if (device()->info().kind != device::DeviceKind::gpu) return;  // all are as others test them
  }
}

}  // namespace
}  // namespace treadle::sparse
