// SPDX-License-Identifier: MIT
// What cuSPARSE is asked for, by a table that notes its calls.
#include "treadle/library/cusparse.hpp"

#include <gmock/gmock.h>

#include <array>
#include <string>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/cuda/driver.hpp"

namespace treadle::library {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> cusparse_calls;
std::string cusparse_refused;  // by a routine: the call whose name this is

std::string sparse_number(const void* value) {
  return " " + std::to_string(reinterpret_cast<std::uintptr_t>(value));
}
std::string sparse_numbers(std::initializer_list<std::int64_t> all) {
  std::string text;
  for (const std::int64_t value : all) text += " " + std::to_string(value);
  return text;
}
int cusparse_noted(const std::string& name, const std::string& arguments) {
  cusparse_calls.push_back(name + arguments);
  return name == cusparse_refused ? 10 : 0;
}
int made(void** raw, std::uintptr_t value, const std::string& name, const std::string& arguments) {
  *raw = reinterpret_cast<void*>(value);
  return cusparse_noted(name, arguments);
}

void fill_descriptors(CusparseTable& table) {
  table.create_rows = [](void** raw, std::int64_t rows, std::int64_t columns, std::int64_t entries,
                         void* starts, void* indices, void* values, int of_starts, int of_indices,
                         int base, int type) {
    return made(raw, 100 + static_cast<std::uintptr_t>(rows), "rows",
                sparse_numbers({rows, columns, entries}) + sparse_number(starts) +
                    sparse_number(indices) + sparse_number(values) +
                    sparse_numbers({of_starts, of_indices, base, type}));
  };
  table.destroy_rows = [](void* raw) { return cusparse_noted("-rows", sparse_number(raw)); };
  table.create_vector = [](void** raw, std::int64_t size, void* values, int type) {
    return made(raw, 200, "vector",
                sparse_numbers({size}) + sparse_number(values) + sparse_numbers({type}));
  };
  table.destroy_vector = [](void*) { return cusparse_noted("-vector", ""); };
  table.create_dense = [](void** raw, std::int64_t rows, std::int64_t columns,
                          std::int64_t distance, void* values, int type, int order) {
    return made(raw, 300, "dense",
                sparse_numbers({rows, columns, distance}) + sparse_number(values) +
                    sparse_numbers({type, order}));
  };
  table.destroy_dense = [](void*) { return cusparse_noted("-dense", ""); };
  table.create_product = [](void** raw) { return made(raw, 400, "product", ""); };
  table.destroy_product = [](void*) { return cusparse_noted("-product", ""); };
  table.get_size = [](void* matrix, std::int64_t* rows, std::int64_t* columns,
                      std::int64_t* entries) {
    *rows = *columns = 0;
    *entries = 9;
    return cusparse_noted("size", sparse_number(matrix));
  };
  table.set_rows = [](void* matrix, void* starts, void* indices, void* values) {
    return cusparse_noted("set", sparse_number(matrix) + sparse_number(starts) +
                                     sparse_number(indices) + sparse_number(values));
  };
}

void fill_products(CusparseTable& table) {
  table.vector_bytes = [](void*, int operation, const void*, void* a, void* x, const void*, void* y,
                          int computed, int algorithm, std::size_t* bytes) {
    *bytes = 24;
    return cusparse_noted("vector bytes", sparse_numbers({operation}) + sparse_number(a) +
                                              sparse_number(x) + sparse_number(y) +
                                              sparse_numbers({computed, algorithm}));
  };
  table.times_vector = [](void* handle, int, const void* alpha, void*, void*, const void* beta,
                          void*, int, int, void* memory) {
    return cusparse_noted(
        "times vector",
        sparse_number(handle) +
            sparse_numbers({static_cast<std::int64_t>(*static_cast<const double*>(alpha)),
                            static_cast<std::int64_t>(*static_cast<const double*>(beta))}) +
            sparse_number(memory));
  };
  table.dense_bytes = [](void*, int, int, const void*, void*, void*, const void*, void*, int,
                         int algorithm, std::size_t* bytes) {
    *bytes = 0;
    return cusparse_noted("dense bytes", sparse_numbers({algorithm}));
  };
  table.times_dense = [](void*, int, int, const void*, void*, void*, const void*, void*, int, int,
                         void* memory) {
    return cusparse_noted("times dense", sparse_number(memory));
  };
  table.estimate_product = [](void*, int, int, const void*, void* a, void* b, const void*, void* c,
                              int, int, void* product, std::size_t* bytes, void* memory) {
    if (memory == nullptr) *bytes = 32;
    return cusparse_noted("estimate", sparse_number(a) + sparse_number(b) + sparse_number(c) +
                                          sparse_number(product) + sparse_number(memory));
  };
  table.compute_product = [](void*, int, int, const void*, void*, void*, const void*, void*, int,
                             int, void*, std::size_t* bytes, void* memory) {
    if (memory == nullptr) *bytes = 48;
    return cusparse_noted("compute", sparse_number(memory));
  };
  table.copy_product = [](void*, int, int, const void*, void*, void*, const void*, void* c, int,
                          int, void* product) {
    return cusparse_noted("copy", sparse_number(c) + sparse_number(product));
  };
}

std::shared_ptr<const Cusparse> noting_cusparse() {
  CusparseTable table;
  table.create = [](void** handle) { return made(handle, 7, "create", ""); };
  table.destroy = [](void*) { return cusparse_noted("destroy", ""); };
  table.set_stream = [](void*, void* stream) {
    return cusparse_noted("stream", sparse_number(stream));
  };
  fill_descriptors(table);
  fill_products(table);
  cusparse_refused.clear();
  return std::make_shared<const Cusparse>(table);
}

class CusparseTest : public testing::Test {
 protected:
  CusparseTest()
      : handle_(noting_cusparse(), cuda::Context::primary(cuda::Driver::cpu().device(0))) {
    cusparse_calls.clear();
  }
  CusparseCall call(void* raw) {
    return {handle_, raw, type_, [](std::size_t bytes) { return 1000 + bytes; }};
  }
  CusparseHandle handle_;
  CusparseType type_ = *cusparse_type(Scalar::float64);
  CusparseRows a_{.rows = 2, .columns = 3, .entries = 4, .starts = 16, .indices = 32, .values = 48};
};

TEST_F(CusparseTest, AVectorIsMultiplied) {
  handle_.on_stream(5, {}, [&](void* raw) {
    multiply_by_cusparse(call(raw), a_, {.rows = 3, .values = 64}, {.rows = 2, .values = 80});
  });
  EXPECT_THAT(cusparse_calls,
              ElementsAre("stream 5", "rows 2 3 4 16 32 48 2 2 0 1", "vector 3 64 1",
                          "vector 2 80 1", "vector bytes 0 102 200 200 1 3",
                          "times vector 7 1 0 1024", "-vector", "-vector", "-rows 102"));
}

TEST_F(CusparseTest, AMatrixIsMultiplied) {
  handle_.on_stream(5, {}, [&](void* raw) {
    multiply_by_cusparse(call(raw), a_, {.rows = 3, .columns = 8, .values = 64},
                         {.rows = 2, .columns = 8, .values = 80});
  });
  EXPECT_THAT(cusparse_calls,
              ElementsAre("stream 5", "rows 2 3 4 16 32 48 2 2 0 1", "dense 3 8 8 64 1 2",
                          "dense 2 8 8 80 1 2", "dense bytes 12", "times dense 0", "-dense",
                          "-dense", "-rows 102"));
}

TEST_F(CusparseTest, TwoSparseMatricesAreMultipliedInTwoSteps) {
  CusparseRows b = a_;
  b.rows = 3, b.columns = 5;
  {
    std::unique_ptr<CusparseProduct> product;
    handle_.on_stream(
        5, {}, [&](void* raw) { product = std::make_unique<CusparseProduct>(call(raw), a_, b); });
    EXPECT_EQ(product->entries(), 9);
    handle_.on_stream(5, {}, [&](void* raw) {
      product->store(raw, {.starts = 96, .indices = 112, .values = 128});
    });
  }
  EXPECT_THAT(cusparse_calls,
              ElementsAre("stream 5", "rows 2 3 4 16 32 48 2 2 0 1", "rows 3 5 4 16 32 48 2 2 0 1",
                          "rows 2 5 0 0 0 0 2 2 0 1", "product", "estimate 102 103 102 400 0",
                          "estimate 102 103 102 400 1032", "compute 0", "compute 1048", "size 102",
                          "set 102 96 112 128", "copy 102 400", "-product", "-rows 102",
                          "-rows 103", "-rows 102"));
}

TEST_F(CusparseTest, WhatIsRefusedIsAnErrorAndLeavesNothing) {
  cusparse_refused = "compute";
  const auto multiply = [&](void* raw) { CusparseProduct(call(raw), a_, a_); };
  try {
    handle_.on_stream(0, {}, multiply);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code_name(), "CUSPARSE_STATUS_NOT_SUPPORTED");
    EXPECT_THAT(error.what(), HasSubstr("2 x 3 with 4 entries by 2 x 3 with 4 entries"));
  }
  EXPECT_EQ(cusparse_calls.back(), "-rows 102");
  EXPECT_THROW(Cusparse::check(2, "cusparseCreate"), OutOfMemory);
  EXPECT_THROW(Cusparse::check(11, "cusparseSpGEMM_compute"), OutOfMemory);
}

TEST(Cusparse, what_it_multiplies) {
  EXPECT_EQ(cusparse_type(Scalar::complex64)->stored, 4);
  for (const Scalar dtype : {Scalar::float16, Scalar::int32, Scalar::boolean})
    EXPECT_FALSE(cusparse_type(dtype));
}

TEST(Cusparse, the_processor_has_none) {
  EXPECT_EQ(CusparseHandle::open(cuda::Context::primary(cuda::Driver::cpu().device(0))), nullptr);
}

TEST(Cusparse, a_library_without_its_entry_points_is_refused) {
  const std::array candidates = {std::string("libm.so.6")};
  try {
    Cusparse(SharedLibrary("libm", candidates, ""));
    FAIL();
  } catch (const LibraryNotFound& error) {
    EXPECT_EQ(error.tried().size(), 21u);
    EXPECT_THAT(error.tried().front(), HasSubstr("does not export cusparseCreate"));
  }
}

TEST(Cusparse, that_of_this_machine_has_every_entry_point) {
  try {
    const auto library = Cusparse::load(0);
    EXPECT_THAT(library->version(), testing::ContainsRegex("^1[0-9]\\.[0-9]+\\.[0-9]+$"));
  } catch (const LibraryNotFound& error) {
    GTEST_SKIP() << error.what();
  }
}

}  // namespace
}  // namespace treadle::library
