// SPDX-License-Identifier: MIT
#include "treadle/codegen/sparse_tables.hpp"

#include <gtest/gtest.h>

#include "golden.hpp"
#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

TEST(SparseTables, GoldenTexts) {
  const SparseTableForm form{.stored = Scalar::float64, .column_dtype = Scalar::int32};
  for (const Language language : {Language::cuda_c, Language::opencl_c}) {
    const std::string end = language == Language::cuda_c ? ".cu" : ".cl";
    const Dialect& dialect = dialect_of(language);
    expect_golden("sparse_tables", "transposition" + end,
                  generate_sparse_transposition(form, dialect));
    expect_golden("sparse_tables", "product" + end, generate_sparse_product_tables(form, dialect));
    expect_golden("sparse_tables", "starts" + end, generate_sparse_starts(dialect));
  }
}

TEST(SparseTables, RefusesElementsWithoutASum) {
  EXPECT_THROW(
      generate_sparse_product_tables({.stored = Scalar::boolean, .column_dtype = Scalar::int32},
                                     dialect_of(Language::cuda_c)),
      DTypeError);
}

}  // namespace
}  // namespace treadle::codegen
