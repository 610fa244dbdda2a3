// SPDX-License-Identifier: MIT
// What a cache of binaries needs of OpenCL: how one is made, and what it depends on.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "treadle/opencl/program.hpp"

namespace treadle::opencl {

/// A program compiled for one device, as bytes to keep.
struct ProgramBinary {
  Bytes code;       ///< as Program::from_binaries() takes it
  std::string log;  ///< what the compiler said although it succeeded
};

/// Compiles OpenCL C for one device of `context`. Blocking. Throws BuildError, and NotSupported
/// where the platform gives no binaries.
ProgramBinary compile_binary(const Context& context, const Device& device, std::string_view source,
                             const std::string& options = {});

/// The same of a program that was made from source and not built. It is built afterwards, or has
/// the log of its failure, whatever is thrown.
ProgramBinary compile_binary(const Program& program, const Device& device,
                             const std::string& options = {});

/// Whether the platform takes long for a program's binary, and keeps builds of source itself: PoCL
/// compiles each kernel of the program for it, used or not, which takes minutes of large programs.
bool is_costly_as_binary(const Device& device, std::string_view source);

/// What a binary for `device` depends on besides source and options, as names and values: platform
/// and device with their vendors and versions, and the driver's version. A change of any of them
/// may change the binary.
std::vector<std::pair<std::string, std::string>> binary_identity(const Device& device);

}  // namespace treadle::opencl
