// SPDX-License-Identifier: MIT
#include "tune/kernel_usage.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "treadle/base/error.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/kernel/program.hpp"

namespace treadle::tune {
namespace {

/// CUDA's programming guide, "Technical specifications per compute capability".
struct Multiprocessor {
  std::string_view architecture;
  unsigned warps, blocks, shared_bytes;
};
constexpr Multiprocessor multiprocessors[] = {
    {"sm_75", 32, 16, 65536},   {"sm_80", 64, 32, 167936},  {"sm_86", 48, 16, 102400},
    {"sm_87", 48, 16, 167936},  {"sm_89", 48, 24, 102400},  {"sm_90", 64, 32, 233472},
    {"sm_100", 64, 32, 233472}, {"sm_103", 64, 32, 233472}, {"sm_120", 48, 24, 102400}};
constexpr unsigned registers_there = 65536, registers_at_once = 256, lanes = 32,
                   shared_of_system = 1024, shared_at_once = 128;

/// The number in front of `words`.
std::optional<unsigned> number_before(const std::string& text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string::npos) return std::nullopt;
  std::size_t begin = at;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(text[begin - 1])) != 0) --begin;
  if (begin == at) return std::nullopt;
  return static_cast<unsigned>(std::stoul(text.substr(begin, at - begin)));
}

unsigned rounded(unsigned number, unsigned step) { return (number + step - 1) / step * step; }

}  // namespace

std::string usage_on(const std::string& architecture, const KernelSubject& subject,
                     const NamedValues& problem) {
  const JudgedKernel& given = subject.given();
  compile::Options options{.flags = given.options.flags,
                           .include_dirs = given.options.include_dirs,
                           .name_expressions = given.options.name_expressions,
                           .source_name = given.options.source_name};
  options.flags.emplace_back("--resource-usage");
  const auto made =
      compile::compile_cuda(given.text, compile::Target::parse(architecture), options);
  // One text may have several kernels: what is told of this one ends where the next begins.
  const auto& names = made.image.lowered_names;
  const auto lowered = names.find(subject.name());
  const std::string& name = lowered != names.end() ? lowered->second : subject.name();
  const std::size_t begin = made.log.find("'" + name + "'");
  const std::size_t end =
      made.log.find("Compiling entry function", std::min(begin, made.log.size()));
  const std::string log =
      begin == std::string::npos ? std::string() : made.log.substr(begin, end - begin);
  const auto registers = number_before(log, " registers");
  if (!registers)
    throw NotSupported("the compiler does not tell what kernel " + subject.name() + " uses",
                       "compile with NVRTC 12.8 or later, and without a C++ name");
  const device::LaunchShape shape = subject.shape(problem);
  const unsigned threads = shape.group_size.x * shape.group_size.y * shape.group_size.z;
  const unsigned shared = number_before(log, " bytes smem").value_or(0) + shape.local_bytes;
  std::string text = architecture + ": " + std::to_string(*registers) + " registers, " +
                     std::to_string(shared) + " bytes of shared memory";
  const unsigned spilled = number_before(log, " bytes spill stores").value_or(0);
  if (spilled > 0) text += ", " + std::to_string(spilled) + " bytes spilled";
  const auto* const there =
      std::ranges::find(multiprocessors, architecture, &Multiprocessor::architecture);
  if (there == std::end(multiprocessors)) return text;
  const unsigned warps = (threads + lanes - 1) / lanes;
  const unsigned each_warp = rounded(*registers * lanes, registers_at_once);
  const unsigned by_warps = there->warps / warps,
                 by_registers = registers_there / each_warp / warps,
                 by_shared =
                     there->shared_bytes / rounded(shared + shared_of_system, shared_at_once);
  const unsigned blocks = std::min({by_warps, by_registers, by_shared, there->blocks});
  text += "; with " + std::to_string(threads) + " threads a block " + std::to_string(blocks) +
          " blocks a multiprocessor, " + std::to_string(100 * blocks * warps / there->warps) +
          " % of its warps";
  if (blocks == by_warps) return text;
  return text + (blocks == by_registers ? ", limited by registers"
                 : blocks == by_shared  ? ", limited by shared memory"
                                        : ", limited by the number of blocks");
}

}  // namespace treadle::tune
