// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "treadle/codegen/signature.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/kernel.hpp"

namespace treadle::kernel {

/// The names of dtypes in users' texts for a device. `types` are the user's names, which win over
/// the language's. Throws InvalidArgument without a device, naming `kernel`: "a ScanKernel".
codegen::TypeNames type_names(const std::shared_ptr<device::Device>& device,
                              const std::vector<std::pair<std::string, DType>>& types,
                              const std::string& kernel);

/// What a user declares, as kernels of the device take it. Throws as codegen::parse_parameters().
std::vector<codegen::ParameterSpec> declared_parameters(std::string_view arguments,
                                                        const codegen::TypeNames& types,
                                                        const device::Device& device);

/// The arguments that a user passes for declared parameters, as the kernel takes them: numbers are
/// converted to the declared types, and memory without addresses is a buffer and an offset.
class DeclaredArguments {
 public:
  /// `kernel` is what errors call it: "elementwise kernel axpy".
  DeclaredArguments(const std::vector<codegen::ParameterSpec>& parameters, std::string kernel);

  /// Throws InvalidArgument for another number of arguments than is declared, for memory where a
  /// value is declared or the other way round, and for memory of another device.
  void read(std::span<const device::Argument> arguments, const device::Device& device);
  /// What was read; views of this object and of the arguments. The caller appends its own.
  std::vector<device::Argument>& all() noexcept { return all_; }

 private:
  const std::vector<codegen::ParameterSpec>& parameters_;
  std::string kernel_;
  std::vector<std::array<std::byte, 16>> values_;
  std::vector<std::int64_t> offsets_;
  std::vector<device::Argument> all_;
};

}  // namespace treadle::kernel
