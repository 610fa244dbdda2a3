// SPDX-License-Identifier: MIT
#include "treadle/opencl/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "opencl/each_platform.hpp"

namespace treadle::opencl {
namespace {

using testing::HasSubstr;

/// What the headers declare, found in another way than the generator's: any name that is followed
/// by a parenthesis and is not a type of function pointers or functions.
std::set<std::string> declared_names() {
  std::set<std::string> names;
  for (const char* file : {"cl.h", "cl_ext.h", "cl_gl.h"}) {
    std::ifstream stream(std::string("/usr/include/CL/") + file);
    std::string line, text;
    while (std::getline(stream, line)) text += line.starts_with("#") ? "" : line + "\n";
    for (std::size_t from = 0; (from = text.find("/*", from)) != std::string::npos;)
      text.erase(from, text.find("*/", from) + 2 - from);
    const std::regex name(R"(\b(cl[A-Z]\w+)\s*\()");
    for (std::sregex_iterator match(text.begin(), text.end(), name), end; match != end; ++match)
      if (const std::string found = (*match)[1]; !found.ends_with("_fn") && !found.ends_with("_t"))
        names.insert(found);
  }
  return names;
}

TEST(OpenCLSymbols, HoldEveryEntryPointOfTheHeadersOnce) {
  const auto declared = declared_names();
  if (declared.empty()) GTEST_SKIP() << "the OpenCL headers are not on this machine";
  std::multiset<std::string> listed;
#define TREADLE_SYMBOL(name, since, presence) listed.insert(#name);
#define TREADLE_EXTENSION(name, extension) listed.insert(#name);
#include "treadle/opencl/symbols.def"
  const std::set<std::string> names(listed.begin(), listed.end());
  EXPECT_EQ(listed.size(), names.size()) << "one is listed twice";
  // Headers newer than those the list was made from know newer extensions too.
  if (declared.size() > names.size()) {
    EXPECT_TRUE(std::ranges::includes(declared, names));
    GTEST_SKIP() << "this machine's OpenCL headers are newer than the list's";
  }
  EXPECT_EQ(names, declared);
}

TEST(OpenCLTable, AnEmptyOneHasEverySlotAbsent) {
  const Table table;
#define TREADLE_SYMBOL(name, since, presence) EXPECT_FALSE(is_present(table.name)) << #name;
#define TREADLE_EXTENSION(name, extension) TREADLE_SYMBOL(name, extension, optional)
#include "treadle/opencl/symbols.def"
}

TEST(OpenCLTable, AbsentCallsAnswerInTheirOwnManner) {
  const Table table;
  EXPECT_EQ(table.clFinish(nullptr), absent_entry_point);
  cl_int code = CL_SUCCESS;
  EXPECT_EQ(table.clCreateBuffer(nullptr, 0, 0, nullptr, &code), nullptr);
  EXPECT_EQ(code, absent_entry_point);
  EXPECT_EQ(table.clSVMAlloc(nullptr, 0, 0, 0), nullptr);
}

TEST(OpenCLTable, AnAbsentCallIsNotSupported) {
  const auto table = std::make_shared<Table>();
  try {
    check(*table, table->clFinish(nullptr), "clFinish");
    FAIL() << "nothing was thrown";
  } catch (const NotSupported& error) {
    EXPECT_THAT(error.what(), HasSubstr("clFinish is not offered by this OpenCL loader"));
  }
}

/// A platform of OpenCL 1.2 behind a loader that exports everything.
std::shared_ptr<Table> old_platform() {
  auto table = std::make_shared<Table>();
  table->clGetPlatformInfo = [](cl_platform_id, cl_platform_info, std::size_t size, void* data,
                                std::size_t* size_out) -> cl_int {
    const std::string text = "OpenCL 1.2 Old";
    if (size_out != nullptr) *size_out = text.size() + 1;
    if (size > 0) text.copy(static_cast<char*>(data), size);
    return CL_SUCCESS;
  };
  table->clCreateSubDevices = [](auto...) -> cl_int { return CL_SUCCESS; };
  table->clCreateCommandQueueWithProperties = [](auto...) -> cl_command_queue { return nullptr; };
  table->clGetHostTimer = [](auto...) -> cl_int { return CL_SUCCESS; };
  table->clGetExtensionFunctionAddressForPlatform = [](cl_platform_id, const char* name) -> void* {
    return std::string(name) == "clTerminateContextKHR" ? reinterpret_cast<void*>(1) : nullptr;
  };
  return table;
}

TEST(OpenCLTable, OfAPlatformLacksWhatCameAfterItsVersion) {
  const auto table = load_platform_table(*old_platform(), nullptr);
  EXPECT_TRUE(is_present(table->clCreateSubDevices));
  EXPECT_FALSE(is_present(table->clCreateCommandQueueWithProperties));
  EXPECT_FALSE(is_present(table->clGetHostTimer));
}

TEST(OpenCLTable, OfAPlatformHasItsExtensions) {
  const auto table = load_platform_table(*old_platform(), nullptr);
  EXPECT_TRUE(is_present(table->clTerminateContextKHR));
  EXPECT_FALSE(is_present(table->clCreateCommandBufferKHR));
}

}  // namespace
}  // namespace treadle::opencl
