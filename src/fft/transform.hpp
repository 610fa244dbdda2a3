// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

#include "array/access.hpp"
#include "fft/host_task.hpp"
#include "treadle/array/computation.hpp"
#include "treadle/fft/fft.hpp"

namespace treadle::fft {

/// One transform of one array to another, as it is recorded.
struct Transform final : array::Computation {
  Transform(TransformKind transform_kind, std::vector<std::uint8_t> transformed, bool forward,
            double results_factor)
      : kind(transform_kind),
        axes(std::move(transformed)),
        is_forward(forward),
        factor(results_factor) {}

  TransformKind kind;
  std::vector<std::uint8_t> axes;  ///< each once; the halved one last
  bool is_forward;
  double factor;

  std::string_view name() const override;
  bool equals(const Computation& other) const noexcept override;
  kernel::KernelNote run(device::Stream& stream,
                         const array::ComputationLaunch& launch) const override;
};

/// The factor of results, `count` being the product of the transformed lengths: of the direction
/// that divides, or of both.
double result_factor(Norm norm, bool is_forward, double count);
/// Whether elements of so many bytes lie in C's order, without gaps.
bool is_dense(const array::ArrayPlace& place, std::int64_t element) noexcept;
/// The elements, real or complex, in the dtype in which they are transformed. Throws DTypeError for
/// records.
array::Array in_working_dtype(const char* who, const array::Array& x);

/// For tests: whether generated kernels serve the CPU device, too, as they do other devices.
std::atomic<bool>& generates_everywhere() noexcept;

}  // namespace treadle::fft
