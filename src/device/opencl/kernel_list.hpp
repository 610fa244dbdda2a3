// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "treadle/device/kernel.hpp"

namespace treadle::device {

/// What the kernels of a program take, by their names.
using KernelList = std::map<std::string, std::vector<Parameter>>;

/// A binary with the list of its kernels in front: run-times tell a kernel's parameters only where
/// they compiled its source themselves, so what they said then is kept with what they made.
std::vector<std::byte> with_kernel_list(const KernelList& kernels,
                                        std::span<const std::byte> binary);

struct ListedBinary {
  KernelList kernels;
  std::span<const std::byte> binary;  ///< within what was given
};
/// Takes the two apart; a binary without a list has an empty one. Throws InvalidArgument if a list
/// is begun and damaged.
ListedBinary split_kernel_list(std::span<const std::byte> image);

}  // namespace treadle::device
