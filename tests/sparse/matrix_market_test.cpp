// SPDX-License-Identifier: MIT
#include "treadle/sparse/matrix_market.hpp"

#include <gmock/gmock.h>

#include <unistd.h>

#include <complex>
#include <filesystem>
#include <sstream>

#include "sparse/small_matrix.hpp"
#include "treadle/base/error.hpp"

namespace treadle::sparse {
namespace {

class MatrixMarketTest : public SparseTest {
 protected:
  CooMatrix read(const std::string& text) {
    std::istringstream stream(text);
    return read_matrix_market(stream, here());
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, MatrixMarketTest, each_device(), device_test_name);

TEST_P(MatrixMarketTest, HalvesOfSymmetricMatricesAreAdded) {
  const device::StreamScope scope(shared_stream());
  const CooMatrix a = read(
      "%%MatrixMarket matrix coordinate real Symmetric\n% a comment\n\n"
      "2 2 2\n1 1 4.5\n2 1 -1e0\n");
  EXPECT_EQ(a.to_csr().dense().as<double>(), (std::vector<double>{4.5, -1, -1, 0}));
  const CooMatrix skew = read(
      "%%MatrixMarket matrix coordinate integer skew-symmetric\n"
      "2 2 1\n2 1 3\n");
  EXPECT_EQ(skew.to_csr().dense().as<std::int64_t>(), (std::vector<std::int64_t>{0, -3, 3, 0}));
  using C = std::complex<double>;
  const CooMatrix complex = read(
      "%%MatrixMarket matrix coordinate complex hermitian\n"
      "2 2 1\n2 1 1 2\n");
  EXPECT_EQ(complex.to_csr().dense().as<C>(), (std::vector<C>{0, {1, -2}, {1, 2}, 0}));
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate pattern general\n1 2 1\n1 2\n")
                .to_csr()
                .dense()
                .as<double>(),
            (std::vector<double>{0, 1}));
}

TEST_P(MatrixMarketTest, WhatIsWrittenIsReadAgain) {
  const device::StreamScope scope(shared_stream());
  std::stringstream text;
  write_matrix_market(text, small());
  const CooMatrix again = read_matrix_market(text, here());
  EXPECT_EQ(again.to_csr().dense().as<double>(), (std::vector<double>{4, 0, 1, 0, 3, 0, 1, 0, 2}));
}

TEST_P(MatrixMarketTest, Files) {
  const device::StreamScope scope(shared_stream());
  const auto file =
      std::filesystem::temp_directory_path() / ("treadle_" + std::to_string(getpid()) + ".mtx");
  write_matrix_market(file, small());
  EXPECT_EQ(read_matrix_market(file, here()).entries(), 5);
  std::filesystem::remove(file);
  EXPECT_THROW(read_matrix_market(file, here()), InvalidArgument);
  EXPECT_THROW(write_matrix_market(file / "below", small()), InvalidArgument);
}

TEST_P(MatrixMarketTest, NamesTheLineThatCannotBeRead) {
  const device::StreamScope scope(shared_stream());
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  for (const std::string& wrong :
       {std::string(), std::string("1 1 1\n"), head, head + "2 2\n", head + "2 2 1\n",
        head + "2 2 1\n1 x 3\n", std::string("%%MatrixMarket matrix array real general\n1 1\n1\n"),
        std::string("%%MatrixMarket matrix coordinate real diagonal\n")})
    EXPECT_THROW(read(wrong), InvalidArgument) << wrong;
  EXPECT_THROW(read(head + "2 2 1\n3 1 1\n"), IndexError);
}

}  // namespace
}  // namespace treadle::sparse
