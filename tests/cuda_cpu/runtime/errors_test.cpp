// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <fstream>

#include "cuda_cpu/runtime/harness.hpp"

namespace treadle::cuda_cpu::test {
namespace {

TEST(ErrorsTest, have_names_and_descriptions) {
  const char* text = nullptr;
  EXPECT_CU(CUDA_SUCCESS, CU(cuGetErrorName)(CUDA_ERROR_OUT_OF_MEMORY, &text));
  EXPECT_STREQ(text, "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_CU(CUDA_SUCCESS, CU(cuGetErrorString)(CUDA_ERROR_INVALID_VALUE, &text));
  EXPECT_STREQ(text, "invalid argument");
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuGetErrorName)(static_cast<CUresult>(50), &text));
  EXPECT_EQ(text, nullptr);
}

TEST(ErrorsTest, of_cuda_h_are_all_known) {
  // Codes are sparse but small; those of the header this was built with are the ones between 0 and
  // UNKNOWN.
  unsigned known = 0;
  for (int code = 0; code <= CUDA_ERROR_UNKNOWN; ++code) {
    const char *name = nullptr, *text = nullptr;
    if (CU(cuGetErrorName)(static_cast<CUresult>(code), &name) != CUDA_SUCCESS) continue;
    ++known;
    EXPECT_CU(CUDA_SUCCESS, CU(cuGetErrorString)(static_cast<CUresult>(code), &text));
    EXPECT_NE(std::string(text), "") << name;
  }
  const char* source = std::getenv("TREADLE_SOURCE_DIR");
  std::ifstream header(
      std::string(source == nullptr ? "." : source).append("/.cache/cuda-headers/cuda.h"));
  if (!header) GTEST_SKIP() << "cuda.h is not at hand: the number of codes is not compared";
  unsigned declared = 0;
  for (std::string line; std::getline(header, line);)  // "    CUDA_ERROR_NOT_READY   = 600,"
    if (line.rfind("    CUDA_SUCCESS", 0) == 0 || line.rfind("    CUDA_ERROR_", 0) == 0)
      declared += line.find(" = ") != std::string::npos ? 1 : 0;
  EXPECT_EQ(known, declared);
}

}  // namespace
}  // namespace treadle::cuda_cpu::test
