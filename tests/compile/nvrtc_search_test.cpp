// SPDX-License-Identifier: MIT
#include "compile/nvrtc_search.hpp"

#include <gmock/gmock.h>

#include "process/described_machine.hpp"

namespace treadle::compile {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Path = std::filesystem::path;

const NvrtcLibrary nvrtc_12_4{"/12.4", {12, 4}}, nvrtc_12_9{"/12.9", {12, 9}},
    nvrtc_13_0{"/13.0", {13, 0}}, nvrtc_13_1{"/13.1", {13, 1}};

std::string chosen(const std::vector<NvrtcLibrary>& libraries, int driver, int capability = 0) {
  const NvrtcLibrary* library = choose_nvrtc(libraries, driver, capability);
  return library != nullptr ? library->path.string() : "none";
}

TEST(NvrtcSearch, the_newest_that_the_driver_runs_is_chosen) {
  const std::vector<NvrtcLibrary> all = {nvrtc_12_4, nvrtc_13_1, nvrtc_12_9, nvrtc_13_0};
  EXPECT_EQ(chosen(all, 13000), "/13.0");
  EXPECT_EQ(chosen(all, 13010), "/13.1");
  EXPECT_EQ(chosen(all, 14000), "/13.1");
  EXPECT_EQ(chosen(all, 12080), "/12.4");
  EXPECT_EQ(chosen(all, 0), "/13.1");  // no driver: only to compile
  // A newer minor version's code loads on any driver of the major version; a newer major's does
  // not.
  EXPECT_EQ(chosen({nvrtc_12_9, nvrtc_13_1}, 12020), "/12.9");
  EXPECT_EQ(chosen({nvrtc_13_0, nvrtc_13_1}, 12080), "none");
  EXPECT_EQ(chosen({}, 13000), "none");
}

TEST(NvrtcSearch, the_target_must_be_within_its_reach) {
  EXPECT_EQ(chosen({nvrtc_12_9, nvrtc_13_0}, 13000, 70), "/12.9");
  EXPECT_EQ(chosen({nvrtc_12_4, nvrtc_12_9}, 13000, 100), "/12.9");
  EXPECT_EQ(chosen({nvrtc_13_0}, 13000, 70), "none");
  EXPECT_EQ(chosen({nvrtc_13_0}, 13000, 90), "/13.0");
}

TEST(NvrtcSearch, versions_are_read_from_names) {
  EXPECT_EQ(version_in_name("libnvrtc.so.12.8.93"), (NvrtcVersion{12, 8}));
  EXPECT_EQ(version_in_name("libnvrtc-builtins.so.13.0"), (NvrtcVersion{13, 0}));
  for (const char* name :
       {"libnvrtc.so.13", "libnvrtc.so", "libcuda.so.1.2", "libnvrtc.so.x.y", ""})
    EXPECT_FALSE(version_in_name(name)) << name;
}

TEST(NvrtcSearch, driver_releases_tell_the_cuda_version) {
  EXPECT_EQ(cuda_version_of_driver("580.82.07"), 13000);
  EXPECT_EQ(cuda_version_of_driver("550.54"), 12040);
  EXPECT_EQ(cuda_version_of_driver("525.60.13"), 12000);
  EXPECT_EQ(cuda_version_of_driver("470.1"), 0);
  EXPECT_EQ(cuda_version_of_driver("potato"), 0);
}

std::vector<std::string> found_on(const Described& described,
                                  std::vector<Path> site_packages = {}) {
  const Machine machine = described.machine();
  std::vector<std::string> tried, texts;
  for (const NvrtcLibrary& library :
       find_nvrtc(machine, cuda_library_folders(machine, site_packages), tried))
    texts.push_back(library.path.string() + " " + std::to_string(library.version.major) + "." +
                    std::to_string(library.version.minor));
  return texts;
}

TEST(NvrtcSearch, wheels_toolkits_and_bundles_are_found_in_order) {
  const Described described{
      .files = {"/site/nvidia/cu13/lib/libnvrtc.so.13",
                "/site/nvidia/cu13/lib/libnvrtc-builtins.so.13.0",
                "/site/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
                "/site/nvidia/cuda_nvrtc/lib/libnvrtc-builtins.so.12.9",
                "/site/torch/lib/libnvrtc.so.12", "/home/cuda/lib64/libnvrtc.so.12",
                "/usr/local/cuda-13.1/lib64/libnvrtc.so.13", "/opt/nvcc/bin/nvcc",
                "/opt/nvcc/lib64/libnvrtc.so.13", "/ld/libnvrtc.so.12"},
      .environment = {{"CUDA_HOME", "/home/cuda"},
                      {"PATH", "/bin:/opt/nvcc/bin"},
                      {"LD_LIBRARY_PATH", "/ld"}},
      .links = {{"/home/cuda/lib64/libnvrtc.so.12", "/home/cuda/lib64/libnvrtc.so.12.4.127"},
                {"/usr/local/cuda-13.1/lib64/libnvrtc.so.13",
                 "/usr/local/cuda-13.1/lib64/libnvrtc.so.13.1.2"}}};
  EXPECT_THAT(
      found_on(described, {"/site"}),
      ElementsAre("/site/nvidia/cu13/lib/libnvrtc.so.13 13.0",
                  "/site/nvidia/cuda_nvrtc/lib/libnvrtc.so.12 12.9",
                  "/site/torch/lib/libnvrtc.so.12 12.0", "/home/cuda/lib64/libnvrtc.so.12 12.4",
                  "/opt/nvcc/lib64/libnvrtc.so.13 13.0",
                  "/usr/local/cuda-13.1/lib64/libnvrtc.so.13 13.1", "/ld/libnvrtc.so.12 12.0"));
}

TEST(NvrtcSearch, every_place_is_told) {
  const Described described{
      .files = {"/usr/lib/x"}, .environment = {{"CUDA_HOME", "/none"}}, .links = {}};
  const Machine machine = described.machine();
  std::vector<std::string> tried;
  EXPECT_THAT(find_nvrtc(machine, cuda_library_folders(machine, {}), tried), IsEmpty());
  EXPECT_THAT(tried, Contains("/none/lib64: no such folder"));
  EXPECT_THAT(tried, Contains("/usr/lib: no libnvrtc.so"));
}

TEST(NvrtcSearch, headers_belong_to_the_library) {
  const Described described{.files = {"/site/nvidia/cu13/include/cuda_runtime_api.h",
                                      "/usr/local/cuda/include/cuda_runtime_api.h",
                                      "/usr/local/cuda/include/cccl/cuda/std/limits"},
                            .environment = {},
                            .links = {}};
  const Machine machine = described.machine();
  const std::vector<Path> site = {"/site"};
  // The C++ library, which CUDA's headers need, from where there is one.
  EXPECT_THAT(toolkit_headers(machine, {"/site/nvidia/cu13/lib/libnvrtc.so.13", {13, 0}}, site),
              ElementsAre("/site/nvidia/cu13/include", "/usr/local/cuda/include/cccl"));
  EXPECT_THAT(toolkit_headers(machine, {"/usr/local/cuda/lib64/libnvrtc.so.13", {13, 0}}, {}),
              ElementsAre("/usr/local/cuda/include", "/usr/local/cuda/include/cccl"));
}

TEST(NvrtcSearch, a_wheel_without_the_cxx_library_is_used_as_it_is) {
  const Described described{
      .files = {"/site/nvidia/cu13/include/cuda_runtime_api.h"}, .environment = {}, .links = {}};
  const Machine machine = described.machine();
  const std::vector<Path> site = {"/site"};
  EXPECT_THAT(toolkit_headers(machine, {"/site/nvidia/cu13/lib/libnvrtc.so.13", {13, 0}}, site),
              ElementsAre("/site/nvidia/cu13/include"));
}

TEST(NvrtcSearch, a_wheel_without_the_compilers_headers_takes_those_of_a_toolkit) {
  const Described described{
      .files = {"/site/nvidia/cu13/include/cuda_runtime_api.h",
                "/usr/local/cuda/include/cuda_runtime_api.h", "/usr/local/cuda/include/crt/mma.h"},
      .environment = {},
      .links = {}};
  const Machine machine = described.machine();
  const std::vector<Path> site = {"/site"};
  EXPECT_THAT(toolkit_headers(machine, {"/site/nvidia/cu13/lib/libnvrtc.so.13", {13, 0}}, site),
              ElementsAre("/site/nvidia/cu13/include", "/usr/local/cuda/include"));
  EXPECT_THAT(toolkit_headers(machine, {"/usr/local/cuda/lib64/libnvrtc.so.13", {13, 0}}, {}),
              ElementsAre("/usr/local/cuda/include"));
}

TEST(NvrtcSearch, wheels_for_cuda_12_have_a_folder_each) {
  const Described described{.files = {"/site/nvidia/cuda_runtime/include/cuda_runtime_api.h",
                                      "/site/nvidia/cuda_cccl/include/cuda/atomic",
                                      "/site/nvidia/cuda_nvcc/include/crt/mma.h"},
                            .environment = {},
                            .links = {}};
  const Machine machine = described.machine();
  const std::vector<Path> site = {"/site"};
  const NvrtcLibrary library{"/site/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", {12, 9}};
  EXPECT_THAT(toolkit_headers(machine, library, site),
              ElementsAre("/site/nvidia/cuda_runtime/include", "/site/nvidia/cuda_cccl/include",
                          "/site/nvidia/cuda_nvcc/include"));
  EXPECT_THAT(toolkit_headers(machine, {"/site/nvidia/cu13/lib/libnvrtc.so.13", {13, 0}}, site),
              ElementsAre("/site/nvidia/cuda_runtime/include"));
}

}  // namespace
}  // namespace treadle::compile
