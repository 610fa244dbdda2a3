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
#include "treadle/device/device.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/module.hpp"

namespace treadle::kernel {

/// How to compile a program for a device.
struct ProgramOptions {
  /// What the text is written in, checked against what the device takes; none: the device's own.
  std::optional<Language> language = {};
  /// The compiler's own spellings: nvcc's for CUDA C, those of OpenCL's build call for OpenCL C.
  std::vector<std::string> flags = {};
  std::vector<std::filesystem::path> include_dirs = {};  ///< in this order; on OpenCL as -I
  /// CUDA C: C++ names to look up in the result, "scale<float, 4>".
  std::vector<std::string> name_expressions = {};
  std::string source_name = "kernel";                    ///< how messages call the source
  compile::CacheUse cache = compile::CacheUse::enabled;  ///< disabled: compiles, and keeps nothing
  std::filesystem::path cache_dir = {};                  ///< empty: settings().cache_dir
};

/// Kernel text, compiled for a device (or found compiled in the cache) and loaded there. A cheap
/// value; any thread.
class Program {
 public:
  /// Compiles and loads. Text that includes treadle/dialect.h is written in the words of both
  /// languages and is taken by every device. Blocking. Throws CompileError (log with the text's own
  /// lines, source, options), NotSupported for a language that the device does not take,
  /// LibraryNotFound where its compiler is missing.
  Program(const std::shared_ptr<device::Device>& device, const std::string& text,
          const ProgramOptions& options = {});

  /// The kernel of this name. Throws InvalidArgument naming the nearest there are.
  device::Kernel kernel(std::string_view name) const { return module_->kernel(name); }
  /// Those there are; empty where the run-time cannot tell (CUDA before 12.4).
  std::vector<std::string> kernel_names() const { return module_->kernel_names(); }

  /// Where it is loaded.
  device::Device& device() const noexcept { return module_->device(); }
  /// To load kernels by; lives as long as this Program or a kernel of it.
  device::Module& module() const noexcept { return *module_; }
  /// What the compiler said although it succeeded.
  const std::string& log() const noexcept { return log_; }
  /// Where the binary came from.
  compile::Origin origin() const noexcept { return origin_; }
  double seconds() const noexcept { return seconds_; }  ///< to compile or find it, not to load it

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
