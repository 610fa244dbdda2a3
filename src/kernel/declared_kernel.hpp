// SPDX-License-Identifier: MIT
// A compiled kernel and its declared parameters, for families whose generator declares the
// parameters.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "treadle/codegen/family_text.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/declared_arguments.hpp"
#include "treadle/kernel/program.hpp"

namespace treadle::kernel {

/// Does not keep the device alive. Immutable; any thread.
class DeclaredKernel {
 public:
  /// The kernel `entry` of a program; errors call it `name`. Nothing is known of the elements that
  /// it uses.
  DeclaredKernel(const Program& program, const std::string& entry, std::string name,
                 std::vector<codegen::ParameterSpec> parameters);
  /// A kernel whose name in errors is its own name.
  DeclaredKernel(const Program& program, const std::string& name,
                 std::vector<codegen::ParameterSpec> parameters)
      : DeclaredKernel(program, name, name, std::move(parameters)) {}

  /// Queues a launch. Throws as DeclaredArguments::read() and Stream::launch_arguments().
  void launch(device::Stream& stream, std::span<const UserArgument> arguments,
              const device::LaunchShape& shape, const device::Order& order) const;
  /// The same of groups along one dimension.
  void launch(device::Stream& stream, std::span<const UserArgument> arguments, std::uint64_t groups,
              unsigned group_size, const device::Order& order) const {
    launch(stream, arguments, {.groups = static_cast<unsigned>(groups), .group_size = group_size},
           order);
  }

 private:
  DeclaredArguments arguments_;
  device::Kernel kernel_;
};

/// Compiles a family's program and returns its kernels. Throws as Program.
std::vector<DeclaredKernel> declared_kernels(device::Device& device,
                                             const codegen::FamilyText& text);

}  // namespace treadle::kernel
