// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace treadle::fft {

/// What is on each side of a transform.
enum class TransformKind : std::uint8_t {
  complex,          ///< complex numbers to as many
  real_to_complex,  ///< n real numbers to the first n / 2 + 1 of n complex ones, on the last axis
  complex_to_real   ///< the same, the other way; one axis only
};

/// A transform of arrays in the host's memory, as plain bytes: a launch carries it by value.
struct HostTask {
  static constexpr unsigned max_rank = 32;  ///< of axes that are left, see `rank`

  std::uint64_t input = 0;   ///< address of the first element
  std::uint64_t output = 0;  ///< likewise; only a complex transform may have the same
  std::array<std::int64_t, max_rank> shape = {};           ///< of the real side, if there is one
  std::array<std::int64_t, max_rank> input_strides = {};   ///< in elements
  std::array<std::int64_t, max_rank> output_strides = {};  ///< in elements
  std::array<std::uint8_t, max_rank> axes = {};            ///< to transform, the halved one last
  double factor = 1;                                       ///< of the results
  std::uint32_t rank = 0;                                  ///< at least 1
  std::uint32_t axis_count = 0;                            ///< at least 1
  std::uint32_t threads = 1;  ///< that may work on it, with a team if more than 1
  TransformKind kind = TransformKind::complex;
  bool is_forward = true;  ///< exp(-2 pi i jk / n)
  bool is_double = false;  ///< float64 rather than float32
};

/// Runs a task on this thread and on those that come to `team`. `team` is null, or 64 bytes of
/// zeros that the threads of one task share. Returns 0, or 1 where memory ran out.
using HostEngine = int (*)(const HostTask& task, unsigned parts, void* team);

/// The engine for this processor, and what it uses of it: "avx2", "baseline".
struct ChosenEngine {
  HostEngine run;
  std::string_view name;
};
/// Chosen once.
const ChosenEngine& host_engine() noexcept;

}  // namespace treadle::fft
