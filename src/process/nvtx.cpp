// SPDX-License-Identifier: MIT
// The client's side of NVTX 3, as its documentation has it: the profiler's library is asked to
// initialise itself, and given a function by which it finds tables of addresses of slots. It puts
// its own functions into the slots that it wants.
#include "process/nvtx.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>

#include "treadle/base/error.hpp"
#include "treadle/process/library.hpp"
#include "treadle/process/warning.hpp"

namespace treadle {
namespace {

using NvtxSlot = void (*)();
using NvtxExports = const void* (*)(std::uint32_t table);

/// The functions of one module of NVTX; a number names a slot. A profiler may want all the modules
/// that it knows, although nothing here calls what it puts into most of them.
template <std::size_t count>
struct NvtxSlots {
  std::array<NvtxSlot, count> slots{};
  std::array<NvtxSlot*, count + 1> table{};  ///< of the slots, and null at the end

  NvtxSlots() {
    for (std::size_t i = 1; i < count; ++i) table[i] = &slots[i];
  }
  int give(NvtxSlot*** to, unsigned* size) {
    if (to != nullptr) *to = table.data();
    if (size != nullptr) *size = count;
    return 1;
  }
};

constexpr std::size_t range_push_slot = 9, range_pop_slot = 11;  // of the core's

NvtxSlots<16>& nvtx_core() {
  static NvtxSlots<16>& slots = *new NvtxSlots<16>;
  return slots;
}

/// One of the modules that only the profiler uses.
template <unsigned module, std::size_t count>
int give_unused(NvtxSlot*** to, unsigned* size) {
  static NvtxSlots<count>& slots = *new NvtxSlots<count>;
  return slots.give(to, size);
}

int give_nvtx_module(int module, NvtxSlot*** to, unsigned* size) {
  switch (module) {
    case 1:
      return nvtx_core().give(to, size);
    case 2:
      return give_unused<2, 9>(to, size);  // names for objects of CUDA's driver
    case 3:
      return give_unused<3, 15>(to, size);  // of OpenCL
    case 4:
      return give_unused<4, 7>(to, size);  // of CUDA's run-time system
    case 5:
      return give_unused<5, 16>(to, size);  // domains
    case 6:
      return give_unused<6, 7>(to, size);  // locks
    default:
      return 0;
  }
}

const void* give_nvtx_exports(std::uint32_t table) {
  struct Callbacks {
    std::size_t size;
    int (*give_module)(int module, NvtxSlot*** to, unsigned* size);
  };
  struct Version {
    std::size_t size;
    std::uint32_t version, reserved;
    void (*set_version)(std::uint32_t version);  // the profiler tells its own
  };
  static constexpr Callbacks callbacks{sizeof(Callbacks), &give_nvtx_module};
  static constexpr Version version{sizeof(Version), 3, 0, [](std::uint32_t /*version*/) {}};
  if (table == 1) return &callbacks;
  if (table == 3) return &version;
  return nullptr;
}

std::optional<Nvtx> load_chosen() {
  const char* const path = std::getenv("NVTX_INJECTION64_PATH");
  if (path == nullptr || *path == '\0') return std::nullopt;
  try {
    return Nvtx::load(path);
  } catch (const std::exception& error) {
    warn(std::string("profilers see no ranges: ") + error.what());
    return std::nullopt;
  }
}

}  // namespace

std::optional<Nvtx> Nvtx::load(const std::filesystem::path& library) {
  const std::string candidates[] = {library.string()};
  SharedLibrary opened("the profiler's library", candidates,
                       "NVTX_INJECTION64_PATH names it; profilers set that themselves");
  using Initialize = int (*)(NvtxExports);
  const auto initialize = reinterpret_cast<Initialize>(opened.symbol("InitializeInjectionNvtx2"));
  if (initialize == nullptr || initialize(&give_nvtx_exports) == 0) return std::nullopt;
  opened.keep_loaded();
  const auto& slots = nvtx_core().slots;
  if (slots[range_push_slot] == nullptr || slots[range_pop_slot] == nullptr) return std::nullopt;
  return Nvtx(reinterpret_cast<Push>(slots[range_push_slot]),
              reinterpret_cast<Pop>(slots[range_pop_slot]));
}

const Nvtx* Nvtx::active() {
  static const std::optional<Nvtx> one = load_chosen();
  return one ? &*one : nullptr;
}

}  // namespace treadle
