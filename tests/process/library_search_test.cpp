// SPDX-License-Identifier: MIT
#include "treadle/process/library_search.hpp"

#include <gmock/gmock.h>

#include "process/described_machine.hpp"

namespace treadle {
namespace {

using testing::Contains;
using testing::ElementsAre;
using Paths = std::vector<std::filesystem::path>;

TEST(LibrarySearch, package_folders_are_kept_once_and_absolute) {
  add_package_folder("/site-of-library-search-test");
  add_package_folder("/site-of-library-search-test/");
  add_package_folder("");
  const Paths folders = package_folders();
  EXPECT_EQ(std::ranges::count(folders, "/site-of-library-search-test"), 1);
  for (const auto& folder : folders) EXPECT_TRUE(folder.is_absolute());
}

TEST(LibrarySearch, lists_are_separated_by_colons) {
  Paths folders;
  add_folders(folders, "/a:b::/c:/a");
  EXPECT_THAT(folders, ElementsAre("/a", "/c"));
  add_folder(folders, "/c/../d");
  EXPECT_EQ(folders.back(), "/d");
}

TEST(LibrarySearch, cuda_lies_in_packages_then_toolkits_then_the_system) {
  const Described described{
      .files = {"/site/nvidia/cublas/lib/x", "/site/nvidia/cudnn/lib/x", "/site/nvidia/nccl/lib/x",
                "/site/torch/lib/x", "/opt/12/bin/nvcc"},
      .environment = {{"PATH", "/opt/12/bin"}, {"LD_LIBRARY_PATH", "/ld"}},
      .links = {}};
  const Paths site = {"/site"};
  const Paths folders = cuda_library_folders(described.machine(), site);
  ASSERT_GT(folders.size(), 6u);
  EXPECT_THAT(Paths(folders.begin(), folders.begin() + 5),
              ElementsAre("/site/nvidia/cublas/lib", "/site/nvidia/cudnn/lib", "/site/torch/lib",
                          "/opt/12/lib64", "/opt/12/lib"));
  EXPECT_THAT(folders, Contains("/ld"));
  EXPECT_TRUE(this_machine().exists("/"));
}

}  // namespace
}  // namespace treadle
