// SPDX-License-Identifier: MIT
#include "treadle/base/cpu_features.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cstring>
#include <vector>

namespace treadle {
namespace {

enum Register : unsigned { eax, ebx, ecx, edx };
/// What the operating system must save on a context switch before the feature may be used.
enum class Saved : std::uint8_t { nothing, ymm, zmm };

struct Feature {
  std::string_view name;  // LLVM's
  std::uint32_t leaf, subleaf;
  Register reg;
  unsigned bit;
  Saved saved = Saved::nothing;
};

constexpr std::uint32_t extended = 0x80000001;

// The position of an entry is its bit: a file format. Never move, remove or reuse one; append only.
constexpr Feature features[] = {
    {"cx8", 1, 0, edx, 8},
    {"cmov", 1, 0, edx, 15},
    {"mmx", 1, 0, edx, 23},
    {"fxsr", 1, 0, edx, 24},
    {"sse", 1, 0, edx, 25},
    {"sse2", 1, 0, edx, 26},
    {"sse3", 1, 0, ecx, 0},
    {"pclmul", 1, 0, ecx, 1},
    {"ssse3", 1, 0, ecx, 9},
    {"cx16", 1, 0, ecx, 13},
    {"sse4.1", 1, 0, ecx, 19},
    {"sse4.2", 1, 0, ecx, 20},
    {"movbe", 1, 0, ecx, 22},
    {"popcnt", 1, 0, ecx, 23},
    {"aes", 1, 0, ecx, 25},
    {"xsave", 1, 0, ecx, 26},
    {"avx", 1, 0, ecx, 28, Saved::ymm},
    {"fma", 1, 0, ecx, 12, Saved::ymm},
    {"f16c", 1, 0, ecx, 29, Saved::ymm},
    {"rdrnd", 1, 0, ecx, 30},
    {"sahf", extended, 0, ecx, 0},
    {"lzcnt", extended, 0, ecx, 5},
    {"sse4a", extended, 0, ecx, 6},
    {"prfchw", extended, 0, ecx, 8},
    {"xop", extended, 0, ecx, 11, Saved::ymm},
    {"fma4", extended, 0, ecx, 16, Saved::ymm},
    {"tbm", extended, 0, ecx, 21},
    {"fsgsbase", 7, 0, ebx, 0},
    {"bmi", 7, 0, ebx, 3},
    {"avx2", 7, 0, ebx, 5, Saved::ymm},
    {"bmi2", 7, 0, ebx, 8},
    {"avx512f", 7, 0, ebx, 16, Saved::zmm},
    {"avx512dq", 7, 0, ebx, 17, Saved::zmm},
    {"rdseed", 7, 0, ebx, 18},
    {"adx", 7, 0, ebx, 19},
    {"avx512ifma", 7, 0, ebx, 21, Saved::zmm},
    {"clflushopt", 7, 0, ebx, 23},
    {"clwb", 7, 0, ebx, 24},
    {"avx512cd", 7, 0, ebx, 28, Saved::zmm},
    {"sha", 7, 0, ebx, 29},
    {"avx512bw", 7, 0, ebx, 30, Saved::zmm},
    {"avx512vl", 7, 0, ebx, 31, Saved::zmm},
    {"avx512vbmi", 7, 0, ecx, 1, Saved::zmm},
    {"avx512vbmi2", 7, 0, ecx, 6, Saved::zmm},
    {"gfni", 7, 0, ecx, 8},
    {"vaes", 7, 0, ecx, 9, Saved::ymm},
    {"vpclmulqdq", 7, 0, ecx, 10, Saved::ymm},
    {"avx512vnni", 7, 0, ecx, 11, Saved::zmm},
    {"avx512bitalg", 7, 0, ecx, 12, Saved::zmm},
    {"avx512vpopcntdq", 7, 0, ecx, 14, Saved::zmm},
    {"rdpid", 7, 0, ecx, 22},
    {"movdiri", 7, 0, ecx, 27},
    {"movdir64b", 7, 0, ecx, 28},
    {"avx512vp2intersect", 7, 0, edx, 8, Saved::zmm},
    {"serialize", 7, 0, edx, 14},
    {"avx512fp16", 7, 0, edx, 23, Saved::zmm},
    {"sha512", 7, 1, eax, 0, Saved::ymm},
    {"sm3", 7, 1, eax, 1, Saved::ymm},
    {"sm4", 7, 1, eax, 2, Saved::ymm},
    {"avxvnni", 7, 1, eax, 4, Saved::ymm},
    {"avx512bf16", 7, 1, eax, 5, Saved::zmm},
    {"cmpccxadd", 7, 1, eax, 7},
    {"avxifma", 7, 1, eax, 23, Saved::ymm},
    {"avxvnniint8", 7, 1, edx, 4, Saved::ymm},
    {"avxneconvert", 7, 1, edx, 5, Saved::ymm},
    {"avxvnniint16", 7, 1, edx, 10, Saved::ymm},
    {"prefetchi", 7, 1, edx, 14},
    {"xsaveopt", 0xd, 1, eax, 0},
    {"xsavec", 0xd, 1, eax, 1},
};
constexpr std::size_t feature_count = std::size(features);
static_assert(feature_count <= 256);

constexpr auto names = [] {
  std::array<std::string_view, feature_count> list{};
  for (std::size_t i = 0; i < feature_count; ++i) list[i] = features[i].name;
  return list;
}();

#if defined(__x86_64__)
using Registers = std::array<unsigned, 4>;

Registers cpuid(std::uint32_t leaf, std::uint32_t subleaf) {
  Registers r{};
  // Asks for the highest leaf first: beyond it old processors answer with another leaf's bits.
  if (__get_cpuid_count(leaf, subleaf, &r[eax], &r[ebx], &r[ecx], &r[edx]) == 0) return {};
  return r;
}

struct SavedState {
  bool ymm = false, zmm = false;
};

SavedState saved_by_system() {
  constexpr unsigned osxsave = 1u << 27;
  if ((cpuid(1, 0)[ecx] & osxsave) == 0) return {};
  unsigned low = 0, high = 0;
  asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  constexpr unsigned ymm_state = 0x06, zmm_state = 0xe6;
  return {(low & ymm_state) == ymm_state, (low & zmm_state) == zmm_state};
}

/// Answers of the processor, each asked for once: in a virtual machine a question costs
/// microseconds, and there are a hundred features in half a dozen leaves.
class Answers {
 public:
  const Registers& operator()(std::uint32_t leaf, std::uint32_t subleaf) {
    const auto known = std::find_if(answers_.begin(), answers_.end(), [&](const Answer& answer) {
      return answer.leaf == leaf && answer.subleaf == subleaf;
    });
    if (known != answers_.end()) return known->registers;
    return answers_.emplace_back(leaf, subleaf, cpuid(leaf, subleaf)).registers;
  }

 private:
  struct Answer {
    Answer(std::uint32_t l, std::uint32_t s, Registers r) : leaf(l), subleaf(s), registers(r) {}
    std::uint32_t leaf, subleaf;
    Registers registers;
  };
  std::vector<Answer> answers_;
};

/// LLVM 19 exchanges the operands of a masked vcmpph when it folds a load into it, and leaves the
/// predicate as it is: of `rest < 0 != (b < 0)` with a b that was float16 it asked 0 < b.
constexpr std::string_view miscompiled = "avx512fp16";

CpuFeatures ask_processor() {
  const SavedState saved = saved_by_system();
  Answers answers;
  CpuFeatures found;
  for (unsigned i = 0; i < feature_count; ++i) {
    const Feature& feature = features[i];
    if (feature.name == miscompiled) continue;
    if (feature.saved == Saved::ymm && !saved.ymm) continue;
    if (feature.saved == Saved::zmm && !saved.zmm) continue;
    const unsigned word = answers(feature.leaf, feature.subleaf)[feature.reg];
    if ((word >> feature.bit & 1) != 0) found.set(i);
  }
  return found;
}

std::string ask_name() {
  std::string text;
  for (std::uint32_t leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
    const Registers r = cpuid(leaf, 0);
    text.append(reinterpret_cast<const char*>(r.data()), sizeof r);
  }
  text.resize(std::strlen(text.c_str()));
  const auto first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "x86-64 processor";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}
#else
CpuFeatures ask_processor() { return {}; }
std::string ask_name() { return "processor"; }
#endif

}  // namespace

bool CpuFeatures::covers(const CpuFeatures& needed) const noexcept {
  for (std::size_t word = 0; word < bits.size(); ++word)
    if ((needed.bits[word] & ~bits[word]) != 0) return false;
  return true;
}

std::span<const std::string_view> cpu_feature_names() noexcept { return names; }

int cpu_feature_bit(std::string_view name) noexcept {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

const CpuFeatures& host_cpu_features() {
  static const CpuFeatures host = ask_processor();
  return host;
}

std::string llvm_feature_string(const CpuFeatures& set) {
  std::string text;
  for (unsigned bit = 0; bit < feature_count; ++bit) {
    if (!set.has(bit)) continue;
    if (!text.empty()) text += ',';
    text += '+';
    text += names[bit];
  }
  return text;
}

std::string feature_digits(const CpuFeatures& set) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t word : set.bits)
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[word >> shift & 15];
  return text;
}

const std::string& cpu_name() {
  static const std::string name = ask_name();
  return name;
}

}  // namespace treadle
