// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "treadle/opencl/context.hpp"
#include "treadle/opencl/kernel.hpp"

namespace treadle::opencl {

class ProgramState;

/// What a program was made from.
enum class ProgramKind { unknown, source, binary, il };

/// What a program was compiled from.
struct ProgramText {
  std::string source, options;
};

/// Code for the devices of a context. Copies are the same program, which kernels keep. Building
/// blocks; building one program on two threads at once is refused by platforms, all else is safe.
class Program : public Queries<Program, ProgramInfo> {
 public:
  Program() = default;
  /// OpenCL C; not yet built.
  static Program from_source(const Context& context, std::string_view source);
  /// One binary a device, as binaries() gives them. Throws DeviceError CL_INVALID_BINARY naming the
  /// device that refused its own. Must be built all the same. `text` tells of the kernels what
  /// platforms do not: the local memory of their variables.
  static Program from_binaries(const Context& context, std::span<const Device> devices,
                               std::span<const Bytes> binaries,
                               std::shared_ptr<const ProgramText> text = nullptr);
  /// SPIR-V. Needs OpenCL 2.1 or cl_khr_il_program; NotSupported says so.
  static Program from_il(const Context& context, std::span<const std::byte> il);
  /// Kernels that devices bring along; `names` separated by semicolons.
  static Program from_built_in_kernels(const Context& context, std::span<const Device> devices,
                                       const std::string& names);
  /// Joins compiled programs; throws BuildError. `devices` empty: all of the context.
  static Program link(const Context& context, std::span<const Program> programs,
                      const std::string& options = {}, std::span<const Device> devices = {});
  /// Wraps a program of another library.
  Program(std::shared_ptr<const Table> table, RawProgram raw, Ownership ownership);

  /// Compiles and links; `devices` empty: for all of the program's. Throws BuildError with every
  /// device's log.
  void build(const std::string& options = {}, std::span<const Device> devices = {}) const;
  /// A header's name, as #include has it, and its text as a program.
  using Header = std::pair<std::string, Program>;
  /// Compiles for a later link(). Throws BuildError.
  void compile(const std::string& options = {}, std::span<const Header> headers = {},
               std::span<const Device> devices = {}) const;
  /// Before a build: the value of a SPIR-V specialization constant.
  void set_specialization_constant(unsigned id, std::span<const std::byte> value) const;

  /// Throws DeviceError CL_INVALID_VALUE for parameters the platform does not know.
  InfoValue info(ProgramInfo parameter) const;
  /// Of the last build for `device`; throws as info().
  InfoValue build_info(const Device& device, ProgramBuildInfo parameter) const;
  /// What the compiler said at the last build, warnings included.
  std::string build_log(const Device& device) const;
  /// What it can be built for, which binaries() follows in order.
  std::vector<Device> devices() const;
  /// One for each of devices(); empty where not built.
  std::vector<Bytes> binaries() const;
  /// Of the last build. Throws DeviceError CL_INVALID_PROGRAM_EXECUTABLE before one.
  std::vector<std::string> kernel_names() const;
  /// Throws DeviceError CL_INVALID_KERNEL_NAME naming the kernels there are.
  Kernel kernel(const std::string& name) const;
  /// One for each of kernel_names(), created by each call.
  std::vector<Kernel> kernels() const;

  /// `unknown` for a program of another library that does not tell.
  ProgramKind kind() const noexcept;
  /// Where it was made.
  const Context& context() const;
  /// False where there is no program: every question throws InvalidState then.
  explicit operator bool() const noexcept { return state_ != nullptr; }
  /// For calls of OpenCL itself, without a reference of its own.
  RawProgram raw() const;
  /// The platform's entry points; valid as long as the program.
  const Table& table() const { return *shared_table(); }
  /// The same, to keep them.
  const std::shared_ptr<const Table>& shared_table() const;
  bool operator==(const Program& other) const noexcept;

 private:
  explicit Program(std::shared_ptr<const ProgramState> state) noexcept;
  std::shared_ptr<const ProgramState> state_;
};

}  // namespace treadle::opencl
