// SPDX-License-Identifier: MIT
#include "treadle/cuda/table.hpp"

#include <string>
#include <utility>
#include <vector>

#include "cuda/launch_ranges.hpp"
#include "cuda/print_sink.hpp"
#include "cuda/trace.hpp"
#include "process/nvtx.hpp"
#include "process/trace_recorder.hpp"
#include "treadle/process/launch_site.hpp"
#include "treadle/process/library.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::cuda {
namespace {

constexpr bool required = true, optional = false;

/// Fills a slot if the library exports the symbol; otherwise the slot stays absent.
template <class Slot>
bool fill(Slot& slot, const SharedLibrary& library, const char* exported) {
  void* address = library.symbol(exported);
  if (address == nullptr) return false;
  slot = reinterpret_cast<Slot>(address);
  return true;
}

// Expands the list of entry points; the names of the required ones that are missing are its result.
std::vector<std::string> fill_all(Table& table, const SharedLibrary& library) {
  std::vector<std::string> missing;
#define TREADLE_SYMBOL(name, suffix, presence) \
  if (!fill(table.name, library, #name suffix) && (presence)) missing.emplace_back(#name suffix);
#define TREADLE_OLDER_SYMBOL(member, exported, ...) fill(table.member, library, exported);
#include "treadle/cuda/symbols.def"
  return missing;
}

/// What errors of the CPU device name allocations by.
int site_of_this_thread(const char** file) {
  const LaunchSite site = launch_site();
  *file = site.file;
  return site.line;
}

std::shared_ptr<const Table> make_table(SharedLibrary library, Provider provider,
                                        const std::string& hint) {
  auto table = std::make_shared<Table>();
  std::vector<std::string> missing = fill_all(*table, library);
  if (!missing.empty()) {
    for (std::string& name : missing) name = library.path().string() + ": does not export " + name;
    throw LibraryNotFound("a complete " + library.path().filename().string(), std::move(missing),
                          hint);
  }
  table->provider = provider;
  table->library = library.path();
  if (provider == Provider::cpu) {
    fill(table->last_fault, library, "treadleCpuLastFault");
    fill(table->parameter_info, library, "treadleCpuParameterInfo");
    fill(table->set_wait_hook, library, "treadle_cpu_set_wait_hook");
    fill(table->set_print_sink, library, "treadle_cpu_set_print_sink");
    if (table->set_print_sink != nullptr) connect_print_sink(table->set_print_sink);
    fill(table->end_work, library, "treadle_cpu_end_work");
    fill(table->wait_for_work, library, "treadle_cpu_wait_for_work");
    fill(table->fill_pattern, library, "treadle_cpu_fill_pattern");
    void (*set_site_source)(int (*source)(const char** file)) = nullptr;
    fill(set_site_source, library, "treadle_cpu_set_site_source");
    if (set_site_source != nullptr) set_site_source(site_of_this_thread);
  }
  if (TraceRecorder* recorder = TraceRecorder::active()) trace_calls(*table, *recorder);
  if (const Nvtx* nvtx = Nvtx::active()) mark_launches(*table, *nvtx);
  // Drivers run threads of their own and are not made to be closed.
  library.keep_loaded();
  return table;
}

std::vector<std::string> nvidia_candidates() {
  if (const auto& chosen = settings().libcuda; !chosen.empty()) return {chosen.string()};
  return {"libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1"};
}

}  // namespace

std::shared_ptr<const Table> load_nvidia_driver() {
  // An exception leaves the variable uninitialised: the next call looks again.
  static const std::shared_ptr<const Table> table = [] {
    const std::string hint =
        "install NVIDIA's driver, or unset TREADLE_DEVICE to run on the CPU device";
    return make_table(SharedLibrary("libcuda.so.1", nvidia_candidates(), hint), Provider::nvidia,
                      hint);
  }();
  return table;
}

std::shared_ptr<const Table> load_cpu_driver() {
  static const std::shared_ptr<const Table> table =
      make_table(open_own_library("libtreadle_cpu.so"), Provider::cpu,
                 "the library is of another version of Treadle: reinstall");
  return table;
}

}  // namespace treadle::cuda
