// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "treadle/opencl/platform.hpp"

namespace treadle::opencl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

/// A folder of ICD files, with the variables unset.
class VendorFiles : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES"}) {
      const char* value = std::getenv(name);
      before_.emplace_back(name,
                           value != nullptr ? std::optional<std::string>(value) : std::nullopt);
      unsetenv(name);
    }
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    for (const auto& [name, value] : before_)
      if (value)
        setenv(name, value->c_str(), 1);
      else
        unsetenv(name);
  }
  void add(const std::string& file, const std::string& text) {
    std::ofstream(folder_ / file) << text;
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("treadle-icd-" + std::to_string(getpid()));
  std::vector<std::pair<const char*, std::optional<std::string>>> before_;
};

TEST_F(VendorFiles, AreThoseOfTheSystemByDefault) {
  EXPECT_THAT(vendor_files(), Contains(HasSubstr("/etc/OpenCL/vendors")));
}

TEST_F(VendorFiles, SayWhichLibraryTheyNameAndWhetherItIsThere) {
  add("a.icd", "libsomewhere.so\n");
  add("b.icd", "/no/such/lib.so\n");
  add("c.icd", "");
  add("readme.txt", "no icd file");
  setenv("OCL_ICD_VENDORS", folder_.c_str(), 1);
  const std::string at = folder_.string();
  EXPECT_THAT(vendor_files(),
              ElementsAre("OCL_ICD_VENDORS=" + at, at + "/a.icd: names libsomewhere.so",
                          at + "/b.icd: names /no/such/lib.so, which does not exist",
                          at + "/c.icd: cannot be read, or is empty"));
}

TEST_F(VendorFiles, AFolderWithoutAnyIsNamed) {
  setenv("OPENCL_VENDOR_PATH", folder_.c_str(), 1);
  EXPECT_THAT(vendor_files(), Contains(folder_.string() + ": no .icd file"));
  setenv("OPENCL_VENDOR_PATH", "/no/such/folder", 1);
  EXPECT_THAT(vendor_files(), ElementsAre("OPENCL_VENDOR_PATH=/no/such/folder"));
}

TEST_F(VendorFiles, OneFileCanBeGiven) {
  add("one.icd", "libone.so");
  setenv("OCL_ICD_FILENAMES", (folder_ / "one.icd").c_str(), 1);
  const auto lines = vendor_files();
  EXPECT_THAT(lines, Contains((folder_ / "one.icd").string() + ": names libone.so"));
  EXPECT_THAT(lines, Contains(HasSubstr("/etc/OpenCL/vendors")));
}

}  // namespace
}  // namespace treadle::opencl
