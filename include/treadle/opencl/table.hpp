// SPDX-License-Identifier: MIT
// OpenCL's entry points as an object. The only public header that includes CL/cl.h; programs that
// use the classes need neither.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
// Older platforms have only what newer versions of the standard call deprecated.
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_gl.h>

#include <filesystem>
#include <memory>
#include <tuple>
#include <type_traits>

#include "treadle/opencl/error.hpp"
#include "treadle/opencl/raw.hpp"

static_assert(CL_TARGET_OPENCL_VERSION >= 300,
              "treadle/opencl/table.hpp needs all of OpenCL 3.0: include it before CL/cl.h");

namespace treadle::opencl {

/// Answers as an entry point would, with `code`, and does nothing.
template <int code, class Result, class... Arguments>
Result refuse([[maybe_unused]] Arguments... arguments) {
  if constexpr (std::is_same_v<Result, cl_int>) {
    return code;
  } else if constexpr (!std::is_void_v<Result>) {
    if constexpr (sizeof...(Arguments) > 0) {
      auto last = std::get<sizeof...(Arguments) - 1>(std::make_tuple(arguments...));
      if constexpr (std::is_same_v<decltype(last), cl_int*>)
        if (last != nullptr) *last = code;
    }
    return Result{};
  }
}
/// Stands in every slot whose entry point is missing: check() turns its code into NotSupported, so
/// no call needs a test for null.
template <class Result, class... Arguments>
constexpr auto absent_slot(Result (*)(Arguments...)) -> Result (*)(Arguments...) {
  return &refuse<absent_entry_point, Result, Arguments...>;
}

/// The entry points of one loader, or of one platform behind it: then with the extensions that only
/// that platform has. Slots are called as the headers' functions are. An empty Table has every slot
/// absent; copies may be changed freely before they are shared, as fakes and fault-injecting
/// wrappers do. Every object keeps its table alive.
struct Table {
#define TREADLE_SYMBOL(name, since, presence) \
  decltype(&::name) name = absent_slot(static_cast<decltype(&::name)>(nullptr));
#define TREADLE_EXTENSION(name, extension) TREADLE_SYMBOL(name, extension, optional)
#include "treadle/opencl/symbols.def"

  RawPlatform platform = nullptr;  ///< null in the table of a loader
  /// Where the entry points came from; empty for a table filled in by hand.
  std::filesystem::path library;
  /// Whether launches through it are recorded or marked with their launch_site(): whoever launches
  /// needs to set that only then.
  bool shows_launch_sites = false;
};

/// Whether the loader or platform has this entry point: `is_present(table.clSVMAlloc)`.
template <class Result, class... Arguments>
bool is_present(Result (*slot)(Arguments...)) noexcept {
  return slot != absent_slot(slot);
}

/// The ICD loader: settings().libopencl, else the system's libOpenCL.so.1. Opened once and never
/// closed. Throws LibraryNotFound (each path tried with the loader's answer; each required entry
/// point that is missing).
std::shared_ptr<const Table> load_loader();
/// A copy of a loader's table with the platform's own extensions in their slots.
/// From then on a forked child is one of a process that used OpenCL: there every call through a
/// table of load_loader() or of this function is a DeviceError that names "spawn".
std::shared_ptr<const Table> load_platform_table(const Table& loader, RawPlatform platform);

}  // namespace treadle::opencl
