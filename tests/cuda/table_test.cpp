// SPDX-License-Identifier: MIT
#include "treadle/cuda/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "cuda/fake_driver.hpp"
#include "treadle/cuda/memory.hpp"

namespace treadle::cuda {
namespace {

// The exported names of all entry points, as the loader looks them up.
std::set<std::string> listed_exports() {
  return {
#define TREADLE_SYMBOL(name, suffix, presence) #name suffix,
#include "treadle/cuda/symbols.def"
  };
}

/// What cuda.h declares, found in another way than the generator's: a public declaration starts at
/// a line's beginning, the header's private ones are indented.
std::set<std::string> declared_names() {
  const char* root = std::getenv("TREADLE_SOURCE_DIR");
  if (root == nullptr) return {};
  std::ifstream file(std::string(root) + "/.cache/cuda-headers/cuda.h");
  std::set<std::string> names;
  std::string line;
  while (std::getline(file, line)) {
    if (line == "CUresult CUDAAPI")  // the name is on the next line
      if (std::string name; std::getline(file, name)) line += ' ' + name;
    const std::string start = "CUresult CUDAAPI ", deprecated = "__CUDA_DEPRECATED ";
    const std::size_t skipped = line.starts_with(deprecated) ? deprecated.size() : 0;
    if (line.compare(skipped, start.size(), start) != 0) continue;
    const std::size_t name = skipped + start.size();
    names.insert(line.substr(name, line.find_first_of(" (", name) - name));
  }
  return names;
}

TEST(SymbolList, HoldsEveryEntryPointOfTheHeaderOnce) {
  const auto declared = declared_names();
  if (declared.empty()) GTEST_SKIP() << "the pinned cuda.h is not on this machine";
  std::multiset<std::string> listed;
#define TREADLE_SYMBOL(name, suffix, presence) listed.insert(#name);
#include "treadle/cuda/symbols.def"
  EXPECT_EQ(std::set<std::string>(listed.begin(), listed.end()), declared);
  EXPECT_EQ(listed.size(), declared.size());
}

TEST(SymbolList, ExportsTheVersionThatTheHeaderMeans) {
  const auto exports = listed_exports();
  for (const char* name : {"cuMemAlloc_v2", "cuCtxCreate_v4", "cuEventElapsedTime_v2",
                           "cuGraphInstantiateWithFlags", "cuLaunchKernel", "cuStreamGetCtx_v2"})
    EXPECT_EQ(exports.count(name), 1u) << name;
  EXPECT_EQ(exports.count("cuMemAlloc"), 0u);
}

TEST(DriverTable, AnEmptyOneHasEverySlotAbsent) {
  const Table table;
#define TREADLE_SYMBOL(name, suffix, presence) EXPECT_FALSE(is_present(table.name)) << #name;
#include "treadle/cuda/symbols.def"
  EXPECT_EQ(table.cuInit(0), static_cast<CUresult>(absent_entry_point));
}

TEST(DriverTable, TwoLiveSideBySide) {
  fake::reset();
  auto broken = std::make_shared<Table>(fake::driver().table());
  broken->cuMemAlloc = [](CUdeviceptr*, std::size_t) -> CUresult {
    return CUDA_ERROR_OUT_OF_MEMORY;
  };
  const Device good = fake::device(), bad(Driver(broken), 0);
  const Context in_good = Context::create(good), in_bad = Context::create(bad);
  EXPECT_NO_THROW(DeviceMemory(in_good, 4));
  EXPECT_THROW(DeviceMemory(in_bad, 4), OutOfMemory);
  EXPECT_NE(in_good, in_bad);
}

TEST(DriverTable, AMissingLibraryNamesEveryPlaceTried) {
  try {
    const auto table = load_nvidia_driver();
    GTEST_SKIP() << "this machine has an NVIDIA driver: " << table->library;
  } catch (const LibraryNotFound& error) {
    EXPECT_EQ(error.library(), "libcuda.so.1");
    EXPECT_FALSE(error.tried().empty());
    EXPECT_FALSE(error.hint().empty());
  }
}

}  // namespace
}  // namespace treadle::cuda
