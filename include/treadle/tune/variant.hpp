// SPDX-License-Identifier: MIT
// A kernel that can be written in many ways, and one of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "treadle/codegen/keywords.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/kernel/program.hpp"
#include "treadle/tune/space.hpp"

namespace treadle::tune {

/// How the values of a configuration get into a text.
enum class Writing : std::uint8_t {
  macros,  ///< each parameter is a macro, by an option `-Dtile=16`; a truth value is 0 or 1
  keys,    ///< values stand in the place of keys, `%(tile)s`: codegen::replace_keys()
};

/// A kernel that can be written in many ways, and how each of them is launched. The formulas are
/// over the parameters of a space and what Space::let() said: `{"n // tile", "n // tile"}`.
struct KernelTemplate {
  std::string text = {};                                     ///< in the device's language
  std::string kernel = {};                                   ///< the name of the kernel in it
  Writing writing = Writing::macros;                         ///< how values get into it
  codegen::KeyStyle key_style = codegen::KeyStyle::percent;  ///< of Writing::keys
  /// Writes the text of a configuration; in the place of `text`.
  std::function<std::string(const Configuration&)> write = {};
  std::vector<std::string> groups = {};      ///< formulas for x, y, z; what is missing is 1
  std::vector<std::string> group_size = {};  ///< the same
  std::string local_bytes = {};              ///< a formula; empty: 0
  /// Says how a configuration is launched; in the place of the formulas.
  std::function<device::LaunchShape(const Configuration&)> shape = {};
  kernel::ProgramOptions options = {};  ///< to compile it
};

/// One way to write a kernel, ready to be compiled.
struct Variant {
  std::string source;              ///< the text
  std::string kernel;              ///< its name
  kernel::ProgramOptions options;  ///< with the macros
  device::LaunchShape shape;       ///< of its launches

  /// Compiled, or found compiled, and loaded. What a run-time compiles itself is not kept on disk:
  /// of many variants one will win, and PoCL takes a third longer where a binary is kept. Throws as
  /// Program.
  kernel::Program program_to_try(const std::shared_ptr<device::Device>& device) const;
};

/// Writes variants. A cheap value; any thread, if `write` and `shape` are for any thread.
class VariantWriter {
 public:
  /// Throws InvalidArgument for a template without text, name or shape, and for formulas that
  /// cannot be read. The space must outlive it.
  VariantWriter(KernelTemplate written, const Space& space);

  /// The variant of a configuration of the space. Throws InvalidArgument for a shape that is not of
  /// positive integers and for keys without a value, and what `write` and `shape` throw.
  Variant operator()(const Configuration& configuration) const;
  /// What was given.
  const KernelTemplate& written() const noexcept;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace treadle::tune
