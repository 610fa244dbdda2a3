// SPDX-License-Identifier: MIT
// What the families of arrays' kernels are measured by.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "treadle/array/array.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::tune {

/// Something that a family's kernels compute.
struct ArrayWorkload {
  std::string name;
  std::uint64_t elements = 0;  ///< of the arrays that it reads
  /// Queues it, with the numbers that the device has then.
  std::function<void()> queue;
  /// What the last one gave: numbers that other tilings have to give, too, nearly.
  std::function<std::vector<double>()> results;
};

/// Up to some thousand of its elements, evenly.
std::vector<double> some_numbers(const array::Array& x);

/// How many elements the problems of a family have, from the smallest on: some that a cache holds,
/// and some that none does.
std::vector<std::uint64_t> array_sizes(const std::string& family, device::DeviceKind kind);

/// Those of a family with nearly so many elements. On the current stream, so that a StreamScope is
/// needed around all calls.
std::vector<ArrayWorkload> array_workloads(const std::string& family,
                                           const std::shared_ptr<device::Stream>& stream,
                                           std::uint64_t elements);

}  // namespace treadle::tune
