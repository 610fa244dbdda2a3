// SPDX-License-Identifier: MIT
// What the processor this process runs on can do, without asking a compiler.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace treadle {

/// A set of at most 256 processor features. Bit numbers are a file format: they stand in the
/// headers of compiled modules (src/cuda_cpu/module_abi.h) and in cache keys. A bit is never
/// reused; new features are appended.
struct CpuFeatures {
  std::array<std::uint64_t, 4> bits{};  ///< by the numbers of cpu_feature_bit()

  /// `bit` is less than 256.
  bool has(unsigned bit) const noexcept { return (bits[bit / 64] >> (bit % 64) & 1) != 0; }
  /// `bit` is less than 256; a bit that is set stays so.
  void set(unsigned bit) noexcept { bits[bit / 64] |= std::uint64_t{1} << (bit % 64); }
  /// Whether code that needs `needed` runs where this set is what there is.
  bool covers(const CpuFeatures& needed) const noexcept;
  bool operator==(const CpuFeatures&) const = default;
};

/// The name of bit `i` is cpu_feature_names()[i]: LLVM's subtarget feature name, for example
/// "avx2".
std::span<const std::string_view> cpu_feature_names() noexcept;
/// The bit of an LLVM feature name; -1 for a name that is not in the list.
int cpu_feature_bit(std::string_view name) noexcept;

/// This processor's features, restricted to those that the operating system saves and the compiler
/// uses rightly. Asked once.
const CpuFeatures& host_cpu_features();
/// The features as "+avx,+avx2,...", sorted by bit, as LLVM's target machine takes them.
std::string llvm_feature_string(const CpuFeatures& features);
/// 64 hexadecimal digits: the four words, word 0 first. The text after "cpu:" in a target's full
/// name.
std::string feature_digits(const CpuFeatures& features);
/// The processor's name as it gives it, for example "Intel(R) Xeon(R) Platinum 8480C".
const std::string& cpu_name();

}  // namespace treadle
