// SPDX-License-Identifier: MIT
// What a program hands over as code, for modules and libraries alike: a module image, an object
// that is linked first, or a file of one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuda_cpu/runtime/module_image.hpp"

namespace treadle::cuda_cpu {

/// The bytes of a regular file; none if it cannot be read.
std::optional<std::string> read_module_file(const char* path);
/// As load_image(); an object is linked first. `kept`, if given, becomes the image, to be loaded
/// again.
std::unique_ptr<LoadedCode> load_source(const void* source, std::optional<std::size_t> size,
                                        LoadFailure& failure, std::vector<char>* kept = nullptr);

}  // namespace treadle::cuda_cpu
