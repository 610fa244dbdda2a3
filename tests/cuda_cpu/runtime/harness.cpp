// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/harness.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "cuda_cpu/module_abi.h"

asm(".section .rodata\n"
    ".balign 64\n"
    "treadle_test_kernels_begin:\n"
    ".incbin \"" TREADLE_TEST_KERNELS
    "\"\n"
    "treadle_test_kernels_end:\n"
    ".previous\n");
extern "C" const std::byte treadle_test_kernels_begin[], treadle_test_kernels_end[];

namespace treadle::cuda_cpu::test {

void* entry_point(const char* name) {
  static void* const library = [] {
    const char* folder = std::getenv("TREADLE_LIBRARY_DIR");
    const std::string path =
        std::string(folder == nullptr ? "." : folder).append("/libtreadle_cpu.so");
    void* opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) {
      std::cerr << dlerror() << "\n";
      std::abort();
    }
    return opened;
  }();
  void* const found = dlsym(library, name);
  if (found == nullptr) {
    std::cerr << "libtreadle_cpu exports no " << name << "\n";
    std::abort();
  }
  return found;
}

std::vector<std::byte> kernel_payload() {
  return {treadle_test_kernels_begin, treadle_test_kernels_end};
}

std::vector<std::byte> make_image(std::span<const std::byte> payload) {
  ModuleHeader header{};
  std::memcpy(header.magic, module_magic, sizeof module_magic);
  header.abi_version = module_abi_version;
  header.header_size = sizeof header;
  header.payload_size = payload.size();
  const XXH128_hash_t digest = XXH3_128bits(payload.data(), payload.size());
  header.digest[0] = digest.low64;
  header.digest[1] = digest.high64;
  std::vector<std::byte> image(sizeof header + payload.size());
  std::memcpy(image.data(), &header, sizeof header);
  std::memcpy(image.data() + sizeof header, payload.data(), payload.size());
  return image;
}

const std::vector<std::byte>& test_image() {
  static const auto* const image = new std::vector<std::byte>(make_image(kernel_payload()));
  return *image;
}

std::vector<Mapping> mappings() {
  std::ifstream file("/proc/self/maps");
  std::vector<Mapping> found;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Mapping mapping{};
    char dash = 0;
    std::string offset, device, inode;
    words >> std::hex >> mapping.begin >> dash >> mapping.end >> mapping.access;
    EXPECT_TRUE(words) << line;
    words >> offset >> device >> inode >> mapping.name;
    found.push_back(std::move(mapping));
  }
  return found;
}

void RuntimeTest::SetUp() {
  ASSERT_CU(CU(cuInit)(0));
  ASSERT_CU(CU(cuCtxCreate)(&context_, nullptr, 0, 0));
  ASSERT_CU(CU(cuModuleLoadData)(&module_, test_image().data()));
}

void RuntimeTest::TearDown() {
  if (context_ == nullptr) return;
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxDestroy)(context_));
}

CUfunction RuntimeTest::kernel(const char* name) {
  CUfunction function = nullptr;
  EXPECT_CU(CUDA_SUCCESS, CU(cuModuleGetFunction)(&function, module_, name)) << name;
  return function;
}

CUdeviceptr RuntimeTest::allocate(std::size_t bytes) {
  CUdeviceptr pointer = 0;
  EXPECT_CU(CUDA_SUCCESS, CU(cuMemAlloc)(&pointer, bytes));
  EXPECT_CU(CUDA_SUCCESS, CU(cuMemsetD8)(pointer, 0, bytes));
  return pointer;
}

}  // namespace treadle::cuda_cpu::test
