// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/base/language.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/device/current.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/module.hpp"

namespace treadle::kernel {

/// Options of a Program.
struct ProgramOptions {
  /// The language of the text, which must be one that the device takes; no value: the device's own.
  std::optional<Language> language = {};
  /// Flags in the compiler's own spelling: nvcc's for CUDA C, those of OpenCL's build call for
  /// OpenCL C.
  std::vector<std::string> flags = {};
  /// Searched in this order; passed as -I on OpenCL.
  std::vector<std::filesystem::path> include_dirs = {};
  /// CUDA C: C++ names of kernels to make available, "scale<float, 4>".
  std::vector<std::string> name_expressions = {};
  std::string source_name = "kernel";  ///< the name of the source in messages
  /// Disabled: always compiles, and stores nothing. Reading: stores nothing.
  compile::CacheUse cache = compile::CacheUse::enabled;
  std::filesystem::path cache_dir = {};  ///< empty: settings().cache_dir
};

/// A kernel text that is compiled for a device, or found compiled in the cache, and loaded there.
/// Cheap to copy; any thread.
class Program {
 public:
  /// Compiles and loads. Every device takes a text that includes treadle/dialect.h, because such a
  /// text uses the words of both languages. Blocking. Throws CompileError (log with the text's own
  /// lines, source, options), NotSupported for a language that the device does not take,
  /// LibraryNotFound if the compiler is missing.
  Program(const std::shared_ptr<device::Device>& device, const std::string& text,
          const ProgramOptions& options = {});
  /// For the current device.
  explicit Program(const std::string& text, const ProgramOptions& options = {})
      : Program(device::current_device(), text, options) {}

  /// The kernel with this name. Throws InvalidArgument naming similar names.
  device::Kernel kernel(std::string_view name) const { return module_->kernel(name); }
  /// The names of all kernels; empty if the run-time cannot list them (CUDA before 12.4).
  std::vector<std::string> kernel_names() const { return module_->kernel_names(); }

  /// The device on which it is loaded.
  device::Device& device() const noexcept { return module_->device(); }
  /// The loaded module; lives as long as this Program or one of its kernels.
  device::Module& module() const noexcept { return *module_; }
  /// The compiler's messages, which a successful build may have, too.
  const std::string& log() const noexcept { return log_; }
  /// Where the binary comes from.
  compile::Origin origin() const noexcept { return origin_; }
  /// Time to compile or find the binary, without loading.
  double seconds() const noexcept { return seconds_; }

 private:
  void build_cuda(device::Device& device, const std::string& source, const ProgramOptions& options);
  void build_text(device::Device& device, const std::string& source, const ProgramOptions& options);
  void note(const compile::CompileResult& program);

  std::shared_ptr<device::Module> module_;
  std::string log_;
  compile::Origin origin_ = compile::Origin::compiled;
  double seconds_ = 0;
};

}  // namespace treadle::kernel

namespace treadle {

using kernel::Program;
using kernel::ProgramOptions;

}  // namespace treadle
