// SPDX-License-Identifier: MIT
#include "treadle/sparse/format_choice.hpp"

#include <gmock/gmock.h>

#include "sparse/small_matrix.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/tune/way_choice.hpp"

namespace treadle::sparse {
namespace {

class FormatChoiceTest : public SparseTest {
 protected:
  /// -1 2 -1 in each row.
  CsrMatrix line(std::int64_t rows) {
    const Array all = array::eye(rows, rows, 0, Scalar::float32, here()) * 2 -
                      array::eye(rows, rows, 1, Scalar::float32, here()) -
                      array::eye(rows, rows, -1, Scalar::float32, here());
    return CsrMatrix::from_dense(all);
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, FormatChoiceTest, each_device(), device_test_name);

TEST_P(FormatChoiceTest, CountsWhatFormatsRead) {
  const device::StreamScope scope(shared_stream());
  const FormatChoice choice = choose_format(line(64), {.is_timed = false});
  EXPECT_EQ(choice.chosen, "stencil");
  EXPECT_EQ(choice.matrix->format(), "stencil");
  EXPECT_EQ(choice.candidates.front().format, "stencil");
  for (const FormatCandidate& candidate : choice.candidates)
    if (candidate.format == "dia") {
      EXPECT_EQ(candidate.bytes, 3 * 64 * 4);
    }
  EXPECT_THAT(choice.explain(), testing::HasSubstr("-> stencil"));
}

TEST_P(FormatChoiceTest, KeepsVerdictsByStructure) {
  const device::StreamScope scope(shared_stream());
  const auto store = std::make_shared<tune::Store>("");
  const CsrMatrix a = line(48);
  const FormatChoice first = choose_format(a, {.products = 2, .store = store});
  EXPECT_FALSE(first.is_known);
  EXPECT_EQ(store->size(), a.by_library().is_by_library() ? 4u : 3u);
  const FormatChoice again = choose_format(a, {.store = store});
  EXPECT_TRUE(again.is_known);
  EXPECT_EQ(again.chosen, first.chosen);
  EXPECT_FALSE(choose_format(line(50), {.products = 2, .store = store}).is_known);
  const Array x = array::ones({48}, Scalar::float32, here());
  EXPECT_EQ(again.matrix->multiply(x).as<float>(), a.multiply(x).as<float>());
}

/// It is timed all the same, for this matrix alone.
TEST_P(FormatChoiceTest, IsMadeWhileAnotherThreadMeasuresOnTheDevice) {
  const device::StreamScope scope(shared_stream());
  const auto store = std::make_shared<tune::Store>("");
  tune::WayChoice others("of somebody else", shared_stream()->device(), store);
  FormatChoice choice;
  others.choose({{"n", std::int64_t{1}}}, [&]() -> std::vector<tune::WayTime> {
    choice = choose_format(line(48), {.products = 2, .store = store});
    return {{"one", 1}};
  });
  EXPECT_FALSE(choice.is_known);
  EXPECT_GT(choice.candidates.front().seconds, 0);
  EXPECT_EQ(store->keys("sparse format").size(), 0u);
}

TEST_P(FormatChoiceTest, OfNothingThereAreRows) {
  const device::StreamScope scope(shared_stream());
  const FormatChoice choice =
      choose_format(CsrMatrix::from_dense(array::zeros({3, 4}, Scalar::float32, here())));
  EXPECT_EQ(choice.chosen, "csr");
}

}  // namespace
}  // namespace treadle::sparse
