// SPDX-License-Identifier: MIT
// A compiled kernel and the parameters that its text declares, for families whose parameters are
// their own.
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

/// Does not keep the device alive. Never changes; any thread.
class DeclaredKernel {
 public:
  /// The kernel `entry` of a program; errors call it `name`. Which elements it uses, nobody says.
  DeclaredKernel(const Program& program, const std::string& entry, std::string name,
                 std::vector<codegen::ParameterSpec> parameters);
  /// A kernel that is called as errors call it.
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

/// The kernels of a family's program, which is compiled. Throws as Program.
std::vector<DeclaredKernel> declared_kernels(device::Device& device,
                                             const codegen::FamilyText& text);

}  // namespace treadle::kernel
