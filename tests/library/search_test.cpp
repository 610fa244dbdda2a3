// SPDX-License-Identifier: MIT
#include "treadle/library/search.hpp"

#include <gmock/gmock.h>

#include "process/described_machine.hpp"
#include "treadle/base/error.hpp"

namespace treadle::library {
namespace {

using testing::Contains;
using testing::HasSubstr;
using Paths = std::vector<std::filesystem::path>;

std::vector<std::string> found_on(const Described& described, const char* kind,
                                  int cuda_version = 0) {
  const Paths site = {"/env/lib/python3.11/site-packages"};
  const Machine machine = described.machine();
  std::vector<std::string> tried;
  std::vector<std::string> files =
      library_kind(kind).candidates({machine, site, cuda_version}, tried);
  std::erase_if(files, [](const std::string& file) { return !file.starts_with('/'); });
  return files;
}

TEST(LibraryKinds, blas_is_the_wheel_then_numpys_then_the_systems) {
  const std::string site = "/env/lib/python3.11/site-packages/";
  const Described described{
      .files = {site + "scipy_openblas32/lib/libscipy_openblas.so",
                site + "numpy.libs/libgfortran-04.so.5",
                site + "numpy.libs/libscipy_openblas64_-32.so", "/env/lib/libmkl_rt.so.2",
                "/usr/lib/x86_64-linux-gnu/libopenblas.so.0",
                "/usr/lib/x86_64-linux-gnu/libblas.so.3"},
      .environment = {},
      .links = {}};
  EXPECT_THAT(
      found_on(described, "blas"),
      testing::ElementsAre(site + "scipy_openblas32/lib/libscipy_openblas.so",
                           site + "numpy.libs/libscipy_openblas64_-32.so",
                           "/usr/lib/x86_64-linux-gnu/libopenblas.so.0", "/env/lib/libmkl_rt.so.2",
                           "/usr/lib/x86_64-linux-gnu/libblas.so.3"));
}

TEST(LibraryKinds, cuda_libraries_are_those_that_the_driver_runs) {
  const std::string nvidia = "/env/lib/python3.11/site-packages/nvidia/";
  const Described described{
      .files = {nvidia + "cu13/lib/libcublas.so.13", nvidia + "cu13/lib/libcusolver.so.12",
                nvidia + "cublas/lib/libcublas.so.12", nvidia + "cusolver/lib/libcusolver.so.11"},
      .environment = {},
      .links = {}};
  EXPECT_THAT(found_on(described, "cublas"),
              testing::ElementsAre(nvidia + "cu13/lib/libcublas.so.13",
                                   nvidia + "cublas/lib/libcublas.so.12"));
  EXPECT_THAT(found_on(described, "cublas", 12080),
              testing::ElementsAre(nvidia + "cublas/lib/libcublas.so.12"));
  EXPECT_THAT(found_on(described, "cusolver", 12080),
              testing::ElementsAre(nvidia + "cusolver/lib/libcusolver.so.11"));
}

TEST(LibraryKinds, every_place_is_told_and_what_to_install) {
  const Described described{.files = {"/usr/lib/x"}, .environment = {}, .links = {}};
  const Machine machine = described.machine();
  for (const LibraryKind& kind : library_kinds()) {
    const LibraryStatus status = library_status(kind, {machine, {}});
    EXPECT_EQ(status.problem, "not found") << kind.name;
    EXPECT_THAT(status.hint, testing::ContainsRegex("(pip|apt) install"));
    EXPECT_THAT(status.hint, HasSubstr("TREADLE_LIBRARIES=" + kind.name + "="));
    EXPECT_THAT(status.tried, Contains("/usr/lib64: no such folder"));
    EXPECT_THAT(status.tried, Contains(testing::StartsWith("/usr/lib: no lib")));
  }
  EXPECT_EQ(library_status().size(), library_kinds().size());
}

TEST(LibraryKinds, a_name_that_is_none_lists_those_that_are) {
  try {
    library_kind("lapack");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.message(), HasSubstr("blas, cublas, cublaslt, cufft, cusolver, cusparse, "
                                           "curand, clblast"));
  }
}

TEST(LibraryKinds, what_cannot_be_opened_is_an_error_with_the_loaders_answer) {
  const LibraryKind nowhere{"nowhere", "Nowhere's library", "pip install nowhere",
                            [](const SearchScope&, std::vector<std::string>& tried) {
                              tried.emplace_back("/nowhere: no such folder");
                              return std::vector<std::string>{"libnowhere.so.1"};
                            }};
  try {
    open_library(nowhere);
    FAIL();
  } catch (const LibraryNotFound& error) {
    EXPECT_EQ(error.library(), "Nowhere's library");
    EXPECT_EQ(error.hint(), "pip install nowhere");
    ASSERT_EQ(error.tried().size(), 2u);
    EXPECT_EQ(error.tried()[0], "/nowhere: no such folder");
    EXPECT_THAT(error.tried()[1], HasSubstr("libnowhere.so.1"));
  }
}

}  // namespace
}  // namespace treadle::library
