// SPDX-License-Identifier: MIT
#include "compile/nvrtc_table.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <system_error>

#include "treadle/base/error.hpp"
#include "treadle/process/library.hpp"

namespace treadle::compile {
namespace {

template <class Pointer>
void read_symbol(const SharedLibrary& library, const char* name, bool required, Pointer& into) {
  into = reinterpret_cast<Pointer>(library.symbol(name));
  if (into == nullptr && required)
    throw LibraryNotFound(library.path().filename().string(),
                          {library.path().string() + ": has no " + name},
                          "it is no NVRTC 12 or newer; set TREADLE_LIBNVRTC to one");
}

// NVRTC opens its builtins by their bare name, and the library of a PyPI wheel has no RUNPATH that
// leads to them: the ones beside it are loaded first, so that the name finds them.
void load_builtins(const std::filesystem::path& nvrtc) {
  std::error_code failure;
  std::filesystem::directory_iterator file(nvrtc.parent_path(), failure), end;
  for (; !failure && file != end; file.increment(failure)) {
    const std::string name = file->path().filename().string();
    if (!name.starts_with("libnvrtc-builtins.so.")) continue;
    try {
      const std::array candidates = {file->path().string()};
      SharedLibrary(name, candidates, "").keep_loaded();
    } catch (const LibraryNotFound&) {
      // The first compile says what is missing, in NVRTC's own words.
    }
  }
}

}  // namespace

std::shared_ptr<const NvrtcTable> open_nvrtc(const std::filesystem::path& path) {
  const std::array candidates = {path.string()};
  SharedLibrary library(path.filename().string(), candidates,
                        "reinstall the package that holds it, or set TREADLE_LIBNVRTC");
  load_builtins(path);
  auto table = std::make_shared<NvrtcTable>();
#define TREADLE_NVRTC_SYMBOL(result, name, parameters) \
  read_symbol(library, #name, true, table->name);
#define TREADLE_NVRTC_OPTIONAL(result, name, parameters) \
  read_symbol(library, #name, false, table->name);
#include "compile/nvrtc_symbols.def"
  library.keep_loaded();
  return table;
}

}  // namespace treadle::compile
