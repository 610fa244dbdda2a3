// SPDX-License-Identifier: MIT
#include "treadle/library/clblast.hpp"

#include <system_error>
#include <utility>
#include <vector>

#include "library/symbols.hpp"
#include "library/vendor.hpp"
#include "treadle/base/error.hpp"
#include "treadle/library/search.hpp"

namespace treadle::library {
namespace {

constexpr const char* clblast_off = "TREADLE_LIBRARIES=clblast=off: generated kernels multiply";

constexpr StatusWord clblast_words[] = {
    {-4, "CLBlastTempBufferAllocFailure", "CLBlast got no memory",
     "free arrays, or TREADLE_LIBRARIES=clblast=off", true},
    {-5, "CLBlastOpenCLOutOfResources", "the device is out of resources", clblast_off},
    {-6, "CLBlastOpenCLOutOfHostMemory", "the host is out of memory", clblast_off, true},
    {-11, "CLBlastOpenCLBuildProgramFailure", "its kernels do not compile here", clblast_off},
    {-30, "CLBlastInvalidValue", "a wrong argument", clblast_off},
    {-36, "CLBlastInvalidCommandQueue", "a queue that is none", clblast_off},
    {-38, "CLBlastInvalidMemObject", "a buffer that is none", clblast_off},
    {-54, "CLBlastInvalidLocalThreadsTotal", "the device has smaller groups", clblast_off},
    {-1024, "CLBlastNotImplemented", "CLBlast does not have it", clblast_off},
    {-1017, "CLBlastInvalidDimension", "a length of 0", clblast_off},
    {-2046, "CLBlastInvalidLocalMemUsage", "the device has less local memory", clblast_off},
    {-2044, "CLBlastNoDoublePrecision", "the device has no float64", clblast_off},
    {-2040, "CLBlastUnknownError", "an error inside CLBlast", clblast_off},
    {-2039, "CLBlastUnexpectedError", "an error inside CLBlast", clblast_off},
};

template <class T>
void fill_routines(ClblastRoutines<T>& table, const SharedLibrary& library,
                   std::vector<std::string>& missing) {
  const auto fill_one = [&](auto& slot, const char* name) {
    const std::string exported = std::string("CLBlast") + blas_letter<T> + name;
    if (!fill(slot, library, exported)) missing.push_back(exported);
  };
#define TREADLE_CLBLAST(member, name, parameters) fill_one(table.member, name);
#include "treadle/library/clblast.def"
}

ClblastTable clblast_table(const SharedLibrary& library) {
  ClblastTable table;
  std::vector<std::string> missing;
  std::apply([&](auto&... routines) { (fill_routines(routines, library, missing), ...); }, table);
  require_complete(library, std::move(missing), library_kind("clblast").hint);
  return table;
}

/// Of "/usr/lib/libclblast.so.1", a link to libclblast.so.1.5.3: "1.5.3".
std::string version_in_name(const std::filesystem::path& path) {
  std::error_code failure;
  const std::string name = std::filesystem::canonical(path, failure).filename();
  const std::size_t end = name.find(".so.");
  return end == std::string::npos ? std::string() : name.substr(end + 4);
}

}  // namespace

std::shared_ptr<const Clblast> Clblast::load() {
  static const auto loaded = std::make_shared<const Clblast>(open_library(library_kind("clblast")));
  return loaded;
}

Clblast::Clblast(SharedLibrary library)
    : table_(clblast_table(library)),
      path_(library.path()),
      version_(version_in_name(library.path())) {
  library.keep_loaded();
}

void Clblast::check(int status, const char* routine, const std::function<std::string()>& detail) {
  if (status != 0) raise_status(status, clblast_words, routine, detail ? detail() : "");
}

}  // namespace treadle::library
