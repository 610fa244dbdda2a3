// SPDX-License-Identifier: MIT
#include "treadle/library/host_blas.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "library/symbols.hpp"
#include "treadle/base/error.hpp"
#include "treadle/library/search.hpp"

namespace treadle::library {
namespace {

/// How a library names what it exports: scipy_cblas_dgemm64_, scipy_dgesv_64_.
struct Naming {
  std::string prefix, suffix;
};

/// The naming of which cblas_dgemm is exported.
Naming naming_of(const SharedLibrary& library) {
  std::vector<std::string> tried;
  for (const char* prefix : {"", "scipy_"})
    for (const char* suffix : {"", "64_", "_64", "64"}) {
      const std::string name = std::string(prefix) + "cblas_dgemm" + suffix;
      if (library.symbol(name.c_str()) != nullptr) return {prefix, suffix};
      tried.push_back(library.path().string() + ": does not export " + name);
    }
  throw LibraryNotFound("a CBLAS", std::move(tried), library_kind("blas").hint);
}

template <class Slot>
void fill_first(Slot& slot, const SharedLibrary& blas, const std::vector<SharedLibrary>& others,
                const std::string& name) {
  if (fill(slot, blas, name)) return;
  for (const SharedLibrary& library : others)
    if (fill(slot, library, name)) return;
}

template <class T, class Int>
void fill_routines(HostRoutines<T, Int>& table, const SharedLibrary& blas,
                   const std::vector<SharedLibrary>& others, const Naming& naming) {
  const auto& [prefix, suffix] = naming;
  constexpr bool is_real = std::is_floating_point_v<T>;
  constexpr char letter = blas_letter<T> - 'A' + 'a';
  const std::string cblas = prefix + "cblas_" + letter, lapack = prefix + letter;
#define TREADLE_CBLAS(name, parameters) fill(table.name, blas, cblas + #name + suffix);
#define TREADLE_LAPACK(name, of_complex, parameters) \
  fill_first(table.name, blas, others, lapack + (is_real ? #name : #of_complex) + "_" + suffix);
#define TREADLE_LAPACK_REAL(member, name, parameters) \
  if (is_real) fill_first(table.member, blas, others, lapack + #name + "_" + suffix);
#define TREADLE_LAPACK_COMPLEX(member, name, parameters) \
  if (!is_real) fill_first(table.member, blas, others, lapack + #name + "_" + suffix);
#include "treadle/library/host_blas.def"
}

/// LAPACK beside a library that has only BLAS, as the reference has it.
std::vector<SharedLibrary> open_lapack(const std::filesystem::path& blas) {
  std::vector<SharedLibrary> opened;
  const std::array candidates = {(blas.parent_path() / "liblapack.so.3").string(),
                                 std::string("liblapack.so.3")};
  try {
    opened.emplace_back("LAPACK", candidates, "");
  } catch (const LibraryNotFound&) {
    // Decompositions say so when they are asked for.
  }
  return opened;
}

}  // namespace

std::shared_ptr<const HostBlas> HostBlas::load() {
  // An exception leaves the variable uninitialised: the next call looks again.
  static const std::shared_ptr<const HostBlas> loaded = [] {
    SharedLibrary blas = open_library(library_kind("blas"));
    const bool has_lapack =
        blas.symbol("dgesv_") != nullptr || blas.symbol("cblas_dgemm") == nullptr;
    std::vector<SharedLibrary> lapack;
    if (!has_lapack) lapack = open_lapack(blas.path());
    return std::make_shared<const HostBlas>(std::move(blas), std::move(lapack));
  }();
  return loaded;
}

HostBlas::HostBlas(SharedLibrary blas, std::vector<SharedLibrary> lapack)
    : blas_(std::move(blas)), lapack_(std::move(lapack)) {
  const Naming naming = naming_of(blas_);
  prefix_ = naming.prefix;
  suffix_ = naming.suffix;
  const std::string openblas = naming.prefix + "openblas_";
  char* (*get_config)() = nullptr;
  if (fill(get_config, blas_, openblas + "get_config" + naming.suffix)) version_ = get_config();
  const bool is_wide = version_.find("USE64BITINT") != std::string::npos;
  integer_bytes_ = naming.suffix.empty() && !is_wide ? 4 : 8;
  if (integer_bytes_ == 8)
    fill_all<std::int64_t>(naming.prefix, naming.suffix);
  else
    fill_all<std::int32_t>(naming.prefix, naming.suffix);
  fill(get_threads_, blas_, openblas + "get_num_threads" + naming.suffix);
  fill(set_threads_, blas_, openblas + "set_num_threads" + naming.suffix);
  if (set_threads_ == nullptr) {
    fill(get_threads_, blas_, "MKL_Get_Max_Threads");
    fill(set_threads_, blas_, "MKL_Set_Num_Threads");
  }
  // Such libraries have threads of their own and are not made to be closed.
  blas_.keep_loaded();
  for (SharedLibrary& library : lapack_) library.keep_loaded();
}

template <class Int>
void HostBlas::fill_all(const std::string& prefix, const std::string& suffix) {
  const Naming naming{prefix, suffix};
  const auto fill_one = [&](auto& table) { fill_routines(table, blas_, lapack_, naming); };
  fill_one(std::get<HostRoutines<float, Int>>(routines_));
  fill_one(std::get<HostRoutines<double, Int>>(routines_));
  fill_one(std::get<HostRoutines<std::complex<float>, Int>>(routines_));
  fill_one(std::get<HostRoutines<std::complex<double>, Int>>(routines_));
  has_lapack_ = std::get<HostRoutines<double, Int>>(routines_).gesv != nullptr;
}

void* HostBlas::symbol(const std::string& name) const {
  const std::string exported = prefix_ + name + suffix_;
  void* found = blas_.symbol(exported.c_str());
  for (const SharedLibrary& library : lapack_)
    if (found == nullptr) found = library.symbol(exported.c_str());
  return found;
}

int HostBlas::threads() const { return get_threads_ != nullptr ? get_threads_() : 0; }
void HostBlas::set_threads(int count) const {
  if (set_threads_ != nullptr && count > 0) set_threads_(count);
}

BlasThreads::BlasThreads(const HostBlas& blas, int count) : blas_(blas) {
  const std::lock_guard lock(blas_.threads_mutex_);
  const int now = blas_.threads();
  if (now == count && blas_.thread_changes_ == 0) return;
  if (blas_.thread_changes_++ == 0) blas_.threads_before_ = now;
  changes_ = true;
  blas_.set_threads(count);
}
BlasThreads::~BlasThreads() {
  if (!changes_) return;
  const std::lock_guard lock(blas_.threads_mutex_);
  if (--blas_.thread_changes_ == 0) blas_.set_threads(blas_.threads_before_);
}

}  // namespace treadle::library
