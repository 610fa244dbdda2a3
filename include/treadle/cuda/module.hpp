// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "treadle/base/module_image.hpp"
#include "treadle/cuda/context.hpp"
#include "treadle/cuda/function.hpp"
#include "treadle/cuda/texture.hpp"

namespace treadle::cuda {

class ModuleState;

/// CUjit_option, those that take a number.
enum class JitOption : int {
  max_registers = 0,
  threads_per_block = 1,
  optimization_level = 7,
  target_from_context = 8,
  target = 9,
  fallback_strategy = 10,
  generate_debug_info = 11,
  log_verbose = 12,
  generate_line_info = 13,
  cache_mode = 14,
};

/// What the driver's compiler said while it turned PTX into machine code; empty for cubins.
struct JitLog {
  std::string info, error;  ///< each at most 32 KiB; the driver cuts off the rest
};

/// A variable of a module, in device memory.
struct Global {
  DevicePointer address;   ///< valid while the module is loaded
  std::size_t size_bytes;  ///< of the whole variable, arrays included
};

/// Code loaded into a context. A cheap value: Functions keep it loaded, and it keeps its context
/// alive.
class Module {
 public:
  /// Loads what a compiler made into the current context: cubin, PTX, fatbin, or the CPU device's
  /// module. Code from a cache that the driver refuses is compiled again, once
  /// (ModuleImage::remake). Throws DeviceError with the driver's log as its detail.
  explicit Module(const ModuleImage& image);
  /// Loads `code`. `log`, if given, is filled whether or not loading succeeds. PTX need not end in
  /// NUL.
  explicit Module(std::span<const std::byte> code,
                  std::span<const std::pair<JitOption, unsigned>> options = {},
                  JitLog* log = nullptr);
  Module(const Module&) = default;  // and no move: every Module is loaded
  Module& operator=(const Module&) = default;
  /// The driver reads the file. Throws DeviceError CUDA_ERROR_FILE_NOT_FOUND naming `path`.
  static Module load_file(const std::filesystem::path& path);

  /// The module of another library in `context`, which unloads it and must let it live as long as
  /// this and what is made from it. Throws InvalidArgument for null.
  static Module wrap(const Context& context, RawModule raw);
  /// The function of such a module in the current context.
  static Function wrap_function(RawFunction raw);

  /// The kernel called `name`: a symbol ("twice"), a C++ name expression ("scale<float, 4>", blanks
  /// do not matter), or the plain name of a C++ kernel that is not overloaded. Throws DeviceError
  /// CUDA_ERROR_NOT_FOUND naming the nearest kernels there are.
  Function function(std::string_view name) const;
  /// The `__device__`, `__constant__` or `__managed__` variable called `name`.
  Global global(std::string_view name) const;
  /// The variable called `name` that was declared as `texture<float, 2> name;`. Throws DeviceError
  /// CUDA_ERROR_NOT_FOUND, InvalidArgument for a variable that is something else.
  TextureReference texture_reference(std::string_view name) const;
  /// The same for `surface<void, 2> name;`.
  SurfaceReference surface_reference(std::string_view name) const;
  /// Kernels as a reader knows them, demangled; empty where the driver cannot list them (before
  /// CUDA 12.4).
  std::vector<std::string> function_names() const;

  /// Where it was loaded.
  const Context& context() const noexcept;
  /// CUmodule, for calls of the driver itself while this Module or a Function of it lives.
  RawModule raw() const noexcept;
  /// Whether the module is unloaded where this ends: no other Module, Function or reference of it
  /// lives.
  bool is_last() const noexcept { return state_.use_count() == 1; }

 private:
  friend class LibraryState;
  explicit Module(std::shared_ptr<ModuleState> state) noexcept;
  std::shared_ptr<ModuleState> state_;
};

}  // namespace treadle::cuda
