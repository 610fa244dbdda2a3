// SPDX-License-Identifier: MIT
#include "treadle/base/cpu_features.hpp"
#include "treadle/base/error.hpp"
#include "treadle/compile/compile.hpp"

namespace treadle::compile {
namespace {

constexpr std::string_view digits = "0123456789";

// "90", "90a", "100f": what follows sm_ or compute_.
bool is_capability(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of(digits), text.size());
  if (end < 2 || end > 3) return false;
  const std::string_view variant = text.substr(end);
  return variant.empty() || variant == "a" || variant == "f";
}

bool is_gpu_target(std::string_view name) {
  for (const std::string_view prefix : {"sm_", "compute_"})
    if (name.starts_with(prefix)) return is_capability(name.substr(prefix.size()));
  return false;
}

}  // namespace

Target Target::host_cpu() {
  static const Target host("cpu:" + feature_digits(host_cpu_features()));
  return host;
}

Target Target::parse(const std::string& name) {
  if (name == "cpu") return host_cpu();
  const bool other_cpu = name.starts_with("cpu:") && name.size() == 4 + 64 &&
                         name.find_first_not_of("0123456789abcdef", 4) == std::string::npos;
  if (other_cpu && name != host_cpu().name())
    throw InvalidArgument("target \"" + name + "\" is another processor than this one",
                          "compile on that machine; \"cpu\" means this one");
  if (!other_cpu && !is_gpu_target(name))
    throw InvalidArgument("target \"" + name + "\" is not known",
                          "sm_90, sm_90a, compute_80 (PTX), or cpu");
  return Target(name);
}

}  // namespace treadle::compile
