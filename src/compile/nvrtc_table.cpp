// SPDX-License-Identifier: MIT
#include "compile/nvrtc_table.hpp"

#include <array>
#include <string>

#include "treadle/base/error.hpp"
#include "treadle/base/library.hpp"

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

}  // namespace

std::shared_ptr<const NvrtcTable> open_nvrtc(const std::filesystem::path& path) {
  const std::array candidates = {path.string()};
  SharedLibrary library(path.filename().string(), candidates,
                        "reinstall the package that holds it, or set TREADLE_LIBNVRTC");
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
