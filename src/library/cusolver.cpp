// SPDX-License-Identifier: MIT
#include "treadle/library/cusolver.hpp"

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "library/symbols.hpp"
#include "library/vendor.hpp"
#include "treadle/base/error.hpp"
#include "treadle/library/search.hpp"

namespace treadle::library {
namespace {

constexpr const char* cusolver_off = "TREADLE_LIBRARIES=cusolver=off: LAPACK on the host does it";

constexpr StatusWord cusolver_words[] = {
    {1, "CUSOLVER_STATUS_NOT_INITIALIZED", "cuSOLVER was not initialized", cusolver_off},
    {2, "CUSOLVER_STATUS_ALLOC_FAILED", "cuSOLVER got no memory",
     "free arrays, or TREADLE_LIBRARIES=cusolver=off", true},
    {3, "CUSOLVER_STATUS_INVALID_VALUE", "a wrong argument", cusolver_off},
    {4, "CUSOLVER_STATUS_ARCH_MISMATCH", "this GPU lacks what the routine needs", cusolver_off},
    {5, "CUSOLVER_STATUS_MAPPING_ERROR", "memory of the GPU could not be reached", cusolver_off},
    {6, "CUSOLVER_STATUS_EXECUTION_FAILED", "the kernel could not be started",
     "synchronize before it: an earlier kernel may have failed"},
    {7, "CUSOLVER_STATUS_INTERNAL_ERROR", "an error inside cuSOLVER", cusolver_off},
    {8, "CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "cuSOLVER does not take such matrices",
     cusolver_off},
    {9, "CUSOLVER_STATUS_NOT_SUPPORTED", "cuSOLVER does not support it", cusolver_off},
};

template <class T>
void fill_routines(CusolverRoutines<T>& table, const SharedLibrary& library,
                   std::vector<std::string>& missing) {
  const auto fill_one = [&](auto& slot, const char* name, const char* of_complex) {
    const std::string exported = std::string("cusolverDn") + blas_letter<T> +
                                 (std::is_floating_point_v<T> ? name : of_complex);
    if (!fill(slot, library, exported)) missing.push_back(exported);
  };
#define TREADLE_CUSOLVER(member, exported, parameters)
#define TREADLE_CUSOLVER_OF(member, name, of_complex, parameters) \
  fill_one(table.member, #name, #of_complex);
#include "treadle/library/cusolver.def"
}

CusolverTable cusolver_table(const SharedLibrary& library) {
  CusolverTable table;
  std::vector<std::string> missing;
#define TREADLE_CUSOLVER(member, exported, parameters) \
  if (!fill(table.member, library, exported)) missing.emplace_back(exported);
#define TREADLE_CUSOLVER_OF(member, name, of_complex, parameters)
#include "treadle/library/cusolver.def"
  std::apply([&](auto&... routines) { (fill_routines(routines, library, missing), ...); },
             table.routines);
  require_complete(library, std::move(missing), library_kind("cusolver").hint);
  return table;
}

}  // namespace

std::shared_ptr<const Cusolver> Cusolver::load(int cuda_version) {
  static const auto loaded =
      std::make_shared<const Cusolver>(open_library(library_kind("cusolver"), cuda_version));
  return loaded;
}

Cusolver::Cusolver(SharedLibrary library)
    : table_(cusolver_table(library)),
      path_(library.path()),
      version_(version_text(table_.get_property)) {
  library.keep_loaded();
  watch_process_end();
}

void Cusolver::check(int status, const char* routine, const std::function<std::string()>& detail) {
  if (status != 0) raise_status(status, cusolver_words, routine, detail ? detail() : "");
}

void* Cusolver::create_handle() const {
  void* handle = nullptr;
  check(table_.create(&handle), "cusolverDnCreate");
  return handle;
}

void Cusolver::set_stream(void* handle, std::uint64_t stream, const HandleWorkspace&) const {
  check(table_.set_stream(handle, pointer_of(stream)), "cusolverDnSetStream");
}

}  // namespace treadle::library
