// SPDX-License-Identifier: MIT
// Calls into libtreadle_cpu as the shell does: opened at run time, functions by name.
#pragma once

#include <cuda.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace treadle::cuda_cpu::test {

/// Address of an exported function; fails the program's start if the library is missing.
void* entry_point(const char* name);

template <class Function>
Function* entry_point_as(const char* name) {
  return reinterpret_cast<Function*>(entry_point(name));
}

/// The hand-made module (kernels.cpp) as the compiler would deliver it. `payload` may be changed
/// first.
std::vector<std::byte> kernel_payload();
std::vector<std::byte> make_image(std::span<const std::byte> payload);
const std::vector<std::byte>& test_image();

/// A line of /proc/self/maps.
struct Mapping {
  std::uintptr_t begin, end;
  std::string access;  ///< "rw-p"
  std::string name;    ///< of its file, or "[stack]"; empty for plain memory
};
/// In the order of addresses.
std::vector<Mapping> mappings();

}  // namespace treadle::cuda_cpu::test

#define TREADLE_TEXT_2(x) #x
#define TREADLE_TEXT(x) TREADLE_TEXT_2(x)
/// CU(cuMemAlloc)(...) calls the version that cuda.h means by the name.
#define CU(function) \
  (*::treadle::cuda_cpu::test::entry_point_as<decltype(function)>(TREADLE_TEXT(function)))
#define EXPECT_CU(expected, call) EXPECT_EQ(static_cast<int>(expected), static_cast<int>(call))
#define ASSERT_CU(call) ASSERT_EQ(0, static_cast<int>(call))

namespace treadle::cuda_cpu::test {

/// A test with a context of its own, current on the test's thread, and the test kernels loaded.
class RuntimeTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  CUfunction kernel(const char* name);
  CUdeviceptr allocate(std::size_t bytes);  ///< filled with zeros
  template <class T>
  T* allocate_array(std::size_t count) {
    return reinterpret_cast<T*>(allocate(count * sizeof(T)));
  }
  /// One launch with the addresses of `arguments`.
  template <class... Arguments>
  CUresult launch(const char* name, unsigned grid, unsigned block, CUstream stream,
                  Arguments... arguments) {
    void* addresses[] = {&arguments..., nullptr};
    return CU(cuLaunchKernel)(kernel(name), grid, 1, 1, block, 1, 1, 0, stream, addresses, nullptr);
  }

  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
};

}  // namespace treadle::cuda_cpu::test
