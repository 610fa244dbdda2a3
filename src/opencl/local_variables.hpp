// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace treadle::opencl {

/// The bytes of local memory that variables of a kernel take for each group, or less, as far as its
/// program's text and build options say: nothing that #if decides is counted, and one byte for an
/// element or an extent that is not understood. 0 if the text has no such kernel.
std::uint64_t declared_local_bytes(std::string_view text, std::string_view options,
                                   std::string_view kernel);

}  // namespace treadle::opencl
