// SPDX-License-Identifier: MIT
// What a compile made, as the caches hold it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/include_closure.hpp"
#include "treadle/base/module_image.hpp"
#include "treadle/compile/compile.hpp"

namespace treadle::compile {

struct CompileRequest;

/// Never changed once it is shared.
struct Compiled {
  ModuleImage image;
  std::string log;
  std::vector<std::string> warnings;
  std::string entry_path;  ///< its file in the disk cache; empty if it is not there
  std::string not_cached;  ///< why it may be used for this call only; empty if it may be kept
  IncludeClosure closure;  ///< to look at again before it is used again
  Origin origin = Origin::compiled;
  /// How to make it again; only of what was read from disk, and only where that can be done later.
  std::shared_ptr<const CompileRequest> request;
};

/// Payload of an entry: image, lowered names, log. Same result, same bytes.
std::string pack_payload(const ModuleImage& image, std::string_view log);
/// False if the bytes are not such a payload.
bool unpack_payload(std::string_view payload, ModuleImage& image, std::string& log);

}  // namespace treadle::compile
