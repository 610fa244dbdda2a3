// SPDX-License-Identifier: MIT
// Code that is loaded once for all contexts. Where a Module belongs to the context it was loaded
// in, a Library belongs to the driver, and its kernels give a Function in whichever context is
// current:
//
//   const cuda::Library library(image);
//   const cuda::Kernel scale = library.kernel("scale<float>");
//   scale.function().launch(config, memory, 2.0f);  // loaded here, if it was not
//
// Variables have a copy in each context. Needs a driver of CUDA 12; NotSupported says so.
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
#include "treadle/cuda/device.hpp"
#include "treadle/cuda/function.hpp"
#include "treadle/cuda/module.hpp"

namespace treadle::cuda {

class LibraryState;
class Library;

/// A kernel of a library, which it keeps loaded. A cheap value; any thread.
class Kernel {
 public:
  /// The kernel of a library that another library loaded, and keeps loaded as long as this. Throws
  /// InvalidArgument for null.
  static Kernel wrap(const Driver& driver, RawKernel raw);

  /// In the current context, where the library is loaded by this if it was not. Throws what loading
  /// a module throws.
  Function function() const;

  /// Offsets and sizes, without names; asked from the driver at each call. Unknown before CUDA
  /// 12.4.
  ParameterLayout parameters() const;
  /// As Function::attribute(), on one device. Throws DeviceError.
  int attribute(FunctionAttribute attribute, const Device& device) const;
  /// For the functions of all contexts of the device that do not have a value of their own.
  void set_attribute(FunctionAttribute attribute, int value, const Device& device) const;
  /// The same for Function::set_cache_config().
  void set_cache_config(CacheConfig config, const Device& device) const;

  /// As a reader knows it: demangled.
  const std::string& name() const noexcept { return name_; }
  /// As the library's symbol table has it.
  const std::string& symbol() const noexcept { return symbol_; }
  /// Where it is from.
  Library library() const;
  /// CUkernel, for calls of the driver itself while this Kernel or its library lives. The driver
  /// takes it for a CUfunction of the current context, too.
  RawKernel raw() const noexcept { return raw_; }
  bool operator==(const Kernel& other) const noexcept { return raw_ == other.raw_; }

 private:
  friend class LibraryState;
  Kernel(std::shared_ptr<LibraryState> library, RawKernel raw, std::string symbol);

  std::shared_ptr<LibraryState> library_;
  RawKernel raw_;
  std::string symbol_, name_;
};

/// Loaded code. A cheap value: Kernels, and the Modules and Functions made from it, keep it loaded.
class Library {
 public:
  /// Loads what a compiler made, as Module does; no context need be current. Throws DeviceError
  /// where the driver refuses the code, some of it at the first use in a context.
  explicit Library(const ModuleImage& image, const Driver& driver = default_driver());
  /// Loads `code`. `log`, if given, is filled whether or not loading succeeds.
  explicit Library(std::span<const std::byte> code,
                   std::span<const std::pair<JitOption, unsigned>> options = {},
                   JitLog* log = nullptr, const Driver& driver = default_driver());
  Library(const Library&) = default;  // and no move: every Library is loaded
  Library& operator=(const Library&) = default;
  /// The driver reads the file. Throws DeviceError CUDA_ERROR_FILE_NOT_FOUND naming `path`.
  static Library load_file(const std::filesystem::path& path,
                           const Driver& driver = default_driver());

  /// The library that another library loaded, and keeps loaded as long as this and what is made
  /// from it. Throws InvalidArgument for null.
  static Library wrap(const Driver& driver, RawLibrary raw);

  /// The kernel called `name`, as Module::function() finds it. Throws DeviceError
  /// CUDA_ERROR_NOT_FOUND naming the nearest kernels there are.
  Kernel kernel(std::string_view name) const;
  /// Kernels as a reader knows them, demangled; empty where the driver cannot list them (before
  /// CUDA 12.4).
  std::vector<std::string> kernel_names() const;
  /// The copy of a `__device__` or `__constant__` variable in the current context; valid while the
  /// library is loaded and the context there.
  Global global(std::string_view name) const;
  /// A `__managed__` variable, of which there is one for all contexts.
  Global managed(std::string_view name) const;
  /// The address of a function that the host and all devices call by it. Throws DeviceError where
  /// there is none of that name, and on devices without such functions, the CPU device among them.
  void* unified_function(std::string_view name) const;
  /// The library as a module of the current context: its functions, variables and references.
  Module module() const;

  /// The driver it was loaded by.
  const Driver& driver() const noexcept;
  /// CUlibrary, for calls of the driver itself while this Library or a Kernel of it lives.
  RawLibrary raw() const noexcept;
  bool operator==(const Library& other) const noexcept { return state_ == other.state_; }

 private:
  friend class Kernel;
  explicit Library(std::shared_ptr<LibraryState> state) noexcept;
  std::shared_ptr<LibraryState> state_;
};

}  // namespace treadle::cuda
