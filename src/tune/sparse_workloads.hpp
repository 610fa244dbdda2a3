// SPDX-License-Identifier: MIT
// Problems of sparse matrices. Room sparse lies above this one, so that kernels are launched here.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "treadle/device/stream.hpp"
#include "tune/array_workloads.hpp"

namespace treadle::tune {

/// Products with vectors, of matrices with so many entries.
std::vector<ArrayWorkload> sparse_workloads(const std::shared_ptr<device::Stream>& stream,
                                            std::uint64_t entries);
/// Steps of conjugate gradients with so many rows, for devices that have float64.
std::vector<ArrayWorkload> conjugate_workloads(const std::shared_ptr<device::Stream>& stream,
                                               std::uint64_t rows);

}  // namespace treadle::tune
