// SPDX-License-Identifier: MIT
#include "treadle/opencl/table.hpp"

#include <string>
#include <utility>
#include <vector>

#include "opencl/fork.hpp"
#include "opencl/launch_ranges.hpp"
#include "opencl/query.hpp"
#include "opencl/trace.hpp"
#include "process/nvtx.hpp"
#include "process/trace_recorder.hpp"
#include "treadle/opencl/platform.hpp"
#include "treadle/process/library.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::opencl {
namespace {

constexpr bool required = true, optional = false;

/// Fills a slot if there is an address; otherwise it stays as it is.
template <class Slot>
bool fill(Slot& slot, void* address) {
  if (address == nullptr) return false;
  slot = reinterpret_cast<Slot>(address);
  return true;
}

// Expands the list of entry points; the names of the required ones that are missing are its result.
std::vector<std::string> fill_all(Table& table, const SharedLibrary& library) {
  std::vector<std::string> missing;
#define TREADLE_SYMBOL(name, since, presence) \
  if (!fill(table.name, library.symbol(#name)) && (presence)) missing.emplace_back(#name);
#define TREADLE_EXTENSION(name, extension) fill(table.name, library.symbol(#name));
#include "treadle/opencl/symbols.def"
  return missing;
}

std::vector<std::string> candidates() {
  if (const auto& chosen = settings().libopencl; !chosen.empty()) return {chosen.string()};
  return {"libOpenCL.so.1", "libOpenCL.so"};
}

constexpr const char* loader_hint = "apt install ocl-icd-libopencl1 pocl-opencl-icd";

Version parse(std::string_view since) { return {since[0] - '0', since[2] - '0'}; }

/// Empties the slots of calls that came after `version`: a newer loader exports them, but calling
/// them ends in a function that an older platform never filled in.
void drop_newer(Table& table, Version version) {
#define TREADLE_SYMBOL(name, since, presence) \
  if (parse(since) > version) table.name = absent_slot(table.name);
#include "treadle/opencl/symbols.def"
}

void fill_extensions(Table& table) {
  const auto address = [&](const char* name) -> void* {
    if (is_present(table.clGetExtensionFunctionAddressForPlatform))
      return table.clGetExtensionFunctionAddressForPlatform(table.platform, name);
    return table.clGetExtensionFunctionAddress(name);
  };
#define TREADLE_EXTENSION(name, extension) fill(table.name, address(#name));
#include "treadle/opencl/symbols.def"
}

}  // namespace

std::shared_ptr<const Table> load_loader() {
  // An exception leaves the variable uninitialised: the next call looks again.
  static const std::shared_ptr<const Table> loaded = [] {
    SharedLibrary library("libOpenCL.so.1", candidates(), loader_hint);
    auto table = std::make_shared<Table>();
    std::vector<std::string> missing = fill_all(*table, library);
    for (std::string& name : missing) name = library.path().string() + ": does not export " + name;
    if (!missing.empty())
      throw LibraryNotFound("a complete " + library.path().filename().string(), std::move(missing),
                            loader_hint);
    table->library = library.path();
    // Platforms run threads of their own and are not made to be closed.
    library.keep_loaded();
    close_in_children(table);
    return table;
  }();
  return loaded;
}

std::shared_ptr<const Table> load_platform_table(const Table& loader, RawPlatform platform) {
  auto table = std::make_shared<Table>(loader);
  table->platform = platform;
  drop_newer(*table, Platform(table).version());
  fill_extensions(*table);
  if (TraceRecorder* recorder = TraceRecorder::active()) trace_calls(*table, loader, *recorder);
  if (const Nvtx* nvtx = Nvtx::active()) mark_launches(*table, *nvtx);
  close_in_children(table);
  return table;
}

}  // namespace treadle::opencl
