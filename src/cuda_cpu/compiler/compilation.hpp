// SPDX-License-Identifier: MIT
// One program of the NVRTC interface: a source that is compiled, and what came of it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cuda_cpu/compiler/frontend.hpp"

namespace treadle::cuda_cpu {

struct CompileOptions;

enum class CompileStatus { success, invalid_option, failed };

/// Not thread-safe by itself; different programs may be compiled at the same time.
class Compilation {
 public:
  Compilation(std::string source, std::string name, std::vector<HeaderText> headers);

  /// May be called again; each call replaces log, image and names.
  CompileStatus compile(const std::vector<std::string_view>& options);
  void add_name_expression(std::string expression);

  bool compiled() const noexcept { return compiled_; }
  const std::string& log() const noexcept { return log_; }
  const std::vector<char>& image() const noexcept { return image_; }
  /// Null for what was never asked for.
  const std::string* lowered_name(const std::string& expression) const;

 private:
  void build(FrontendRequest request, const CompileOptions& given, const std::string& arguments);

  FrontendRequest request_;
  bool compiled_ = false;
  std::string log_;
  std::vector<char> image_;
  std::map<std::string, std::string> lowered_names_;
};

}  // namespace treadle::cuda_cpu
