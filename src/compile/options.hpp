// SPDX-License-Identifier: MIT
// Option spellings are nvcc's. One table (option_table.cpp, printed in docs/options.md) says what
// becomes of each.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/compile/compile.hpp"

namespace treadle::compile {

enum class Treatment {
  translated,  ///< handed on, in NVRTC's spelling, which libtreadle_clang takes too
  accepted,    ///< nothing to do: it concerns host code, or it is so anyway
  ignored,     ///< left out, with a warning that gives the remark
  refused      ///< InvalidArgument that names the option and gives the remark
};
enum class Form {
  flag,   ///< -w
  value,  ///< -std=c++17, -std c++17
  glued   ///< -DX, -D X, -D=X
};
/// What else than handing it on an option does.
enum class Meaning {
  plain,
  include_dir,         ///< -I: one more folder, after the ones before
  system_include_dir,  ///< -isystem: behind all -I
  pre_include,
  list,          ///< the value is a list with commas; each item is handed on by itself
  embeds_paths,  ///< the result holds the source's path
  architecture,
  code,
  generate_code,
  machine,
  standard,
  output  ///< what Options::output chooses; refused by nvcc's path too
};

struct OptionRule {
  std::string_view names;  ///< all spellings, separated by a blank; the usual one first
  Form form;
  Meaning meaning;
  Treatment nvrtc, cpu;
  std::string_view spelling;  ///< where translated: NVRTC's, a value follows directly
  std::string_view remark;    ///< why, and what to do instead
};
std::span<const OptionRule> option_rules();

/// Who is going to read the options.
enum class Reader { nvrtc, cpu, nvcc };

struct CompilerOptions {
  std::vector<std::string> flags;  ///< canonical, in the caller's order, without folders
  std::vector<std::filesystem::path> include_dirs;  ///< absolute, in search order
  std::vector<std::string> pre_includes;            ///< as the caller wrote them
  std::vector<std::string> warnings;
  std::string target;  ///< what the code is for, after -arch, -code and -gencode
  bool embeds_paths = false;
};

/// Throws InvalidArgument for an option that is refused, unknown or lacks its value. For nvcc every
/// option but those that choose its output is handed on as it is.
CompilerOptions read_options(const std::vector<std::string>& flags,
                             const std::vector<std::filesystem::path>& include_dirs,
                             const Target& target, Reader reader);

}  // namespace treadle::compile
