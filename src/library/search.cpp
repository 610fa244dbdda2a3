// SPDX-License-Identifier: MIT
#include "treadle/library/search.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "library/candidates.hpp"
#include "treadle/base/error.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::library {
namespace {

constexpr const char* setting = "TREADLE_LIBRARIES";
constexpr const char* off = "off";  // in the place of a path

std::string hint_of(const std::string& install, const char* name) {
  return install + ", or set " + setting + "=" + name + "=PATH to the library";
}
/// For what comes with the extra.
std::string cuda_hint(const std::string& wheel, const char* name) {
  return hint_of("pip install \"treadle[linalg]\", or " + wheel, name);
}

/// The file that the environment names for a kind; empty if it names none.
std::filesystem::path chosen_file(const LibraryKind& kind) {
  const auto& chosen = settings().libraries;
  for (const auto& [name, path] : chosen) library_kind(name);  // a name that is none is told
  const auto found = chosen.find(kind.name);
  return found != chosen.end() ? found->second : std::filesystem::path{};
}

struct Candidates {
  std::vector<std::string> files, tried;
};

Candidates candidates_of(const LibraryKind& kind, const SearchScope& scope) {
  Candidates found;
  if (const auto chosen = chosen_file(kind); !chosen.empty()) {
    if (chosen == off) {
      found.tried.push_back(setting + ("=" + kind.name) + "=off: switched off");
      return found;
    }
    const bool exists = scope.machine.exists(chosen);
    found.tried.push_back(chosen.string() + " (" + setting + ")" +
                          (exists ? "" : ": no such file"));
    found.files.push_back(chosen.string());
    return found;
  }
  found.files = kind.candidates(scope, found.tried);
  return found;
}

std::vector<LibraryKind> make_kinds() {
  return {
      {"blas", "CBLAS and LAPACK",
       std::string("pip install scipy-openblas64, or apt install libopenblas0, or set ") + setting +
           "=blas=PATH to a library with CBLAS and LAPACK",
       &blas_candidates},
      {"cublas", "cuBLAS", cuda_hint("nvidia-cublas", "cublas"),
       [](const SearchScope& scope, std::vector<std::string>& tried) {
         return cuda_candidates(
             scope, tried,
             {{"libcublas.so.13", 13}, {"libcublas.so.12", 12}, {"libcublas.so.11", 11}});
       }},
      {"cublaslt", "cuBLASLt", cuda_hint("nvidia-cublas", "cublaslt"),
       [](const SearchScope& scope, std::vector<std::string>& tried) {
         return cuda_candidates(
             scope, tried,
             {{"libcublasLt.so.13", 13}, {"libcublasLt.so.12", 12}, {"libcublasLt.so.11", 11}});
       }},
      // Numbers of these are one behind those of CUDA.
      {"cufft", "cuFFT", hint_of("pip install nvidia-cufft", "cufft"),
       [](const SearchScope& scope, std::vector<std::string>& tried) {
         return cuda_candidates(
             scope, tried,
             {{"libcufft.so.12", 13}, {"libcufft.so.11", 12}, {"libcufft.so.10", 11}});
       }},
      {"cusolver", "cuSOLVER", cuda_hint("nvidia-cusolver", "cusolver"),
       [](const SearchScope& scope, std::vector<std::string>& tried) {
         return cuda_candidates(scope, tried,
                                {{"libcusolver.so.12", 13}, {"libcusolver.so.11", 12}});
       }},
      // cuSOLVER needs it, so that it comes with the same extra.
      {"cusparse", "cuSPARSE", cuda_hint("nvidia-cusparse", "cusparse"),
       [](const SearchScope& scope, std::vector<std::string>& tried) {
         return cuda_candidates(scope, tried,
                                {{"libcusparse.so.12", 12}, {"libcusparse.so.11", 11}});
       }},
      {"curand", "cuRAND", hint_of("pip install nvidia-curand", "curand"),
       [](const SearchScope& scope, std::vector<std::string>& tried) {
         return cuda_candidates(scope, tried, {{"libcurand.so.10", 11}});
       }},
      {"clblast", "CLBlast",
       hint_of("apt install libclblast1, or conda install -c conda-forge clblast", "clblast"),
       &clblast_candidates},
  };
}

}  // namespace

std::span<const LibraryKind> library_kinds() {
  static const auto& kinds = *new std::vector<LibraryKind>(make_kinds());
  return kinds;
}

const LibraryKind& library_kind(std::string_view name) {
  std::string names;
  for (const LibraryKind& kind : library_kinds()) {
    if (kind.name == name) return kind;
    names += (names.empty() ? "" : ", ") + kind.name;
  }
  throw InvalidArgument("there is no library \"" + std::string(name) + "\"; there are " + names,
                        std::string(setting) + "=blas=/opt/lib/libopenblas.so");
}

SharedLibrary open_library(const LibraryKind& kind, int cuda_version) {
  const auto packages = package_folders();
  Candidates found = candidates_of(kind, {this_machine(), packages, cuda_version});
  try {
    return SharedLibrary(kind.title, found.files, kind.hint);
  } catch (const LibraryNotFound& refused) {
    found.tried.insert(found.tried.end(), refused.tried().begin(), refused.tried().end());
    throw LibraryNotFound(kind.title, std::move(found.tried), kind.hint);
  }
}

LibraryStatus library_status(const LibraryKind& kind, const SearchScope& scope) {
  LibraryStatus status;
  status.name = kind.name;
  status.title = kind.title;
  Candidates found = candidates_of(kind, scope);
  const auto file = std::ranges::find_if(found.files, [&](const std::string& name) {
    return name.find('/') != std::string::npos && scope.machine.exists(name);
  });
  status.tried = std::move(found.tried);
  if (file != found.files.end()) {
    status.path = *file;
  } else if (chosen_file(kind) == off) {
    status.problem = "switched off";
    status.hint = std::string("unset ") + setting;
  } else {
    status.problem = "not found";
    status.hint = kind.hint;
  }
  return status;
}

std::vector<LibraryStatus> library_status() {
  const auto packages = package_folders();
  std::vector<LibraryStatus> all;
  for (const LibraryKind& kind : library_kinds())
    all.push_back(library_status(kind, {this_machine(), packages}));
  return all;
}

}  // namespace treadle::library
