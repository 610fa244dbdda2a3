// SPDX-License-Identifier: MIT
// What the families of arrays' kernels are measured by.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "treadle/device/stream.hpp"

namespace treadle::tune {

/// Something that a family's kernels compute.
struct ArrayWorkload {
  std::string name;
  /// Queues it, with the numbers that the device has then.
  std::function<void()> queue;
  /// What the last one gave: numbers that other tilings have to give, too, nearly.
  std::function<std::vector<double>()> results;
};

/// Those of a family. `size`: of the problems, of those that fit the kind of device. On the current
/// stream, so that a StreamScope is needed around all calls.
std::vector<ArrayWorkload> array_workloads(const std::string& family,
                                           const std::shared_ptr<device::Stream>& stream,
                                           double size);

}  // namespace treadle::tune
