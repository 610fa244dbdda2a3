// SPDX-License-Identifier: MIT
// The canonical key: all that can change what a compile gives, as bytes. Equal keys,
// interchangeable results.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/include_closure.hpp"
#include "treadle/compile/cached.hpp"

namespace treadle::compile {

/// Key of a compiled program. Of the source's name only the file's own name counts, and of headers
/// only their contents, unless the result holds paths: then those are in the key.
std::string program_key(const BinaryKey& inputs, const IncludeClosure& closure);

/// Key of a manifest: what a source is and where its headers are looked for, not what they hold.
std::string includes_key(const BinaryKey& inputs, const IncludeSearch& search);

/// Key of the memory cache: all that the caller gave, before any header was looked for.
std::string request_key(const BinaryKey& inputs, const std::filesystem::path& cache_folder);

/// The readable parts of a key.
struct KeyDescription {
  std::string language, source_name, source;
  std::vector<std::string> options;
  std::vector<KeyField> identity;
  // Of a program's key only:
  Digest structure;                ///< of the includes: which name led to which file
  std::vector<Digest> headers;     ///< of the contents, in the order of their first use
  std::vector<std::string> paths;  ///< of source and headers, where the result holds them
  /// The value of an identity field; empty if the key has none of that name.
  std::string field(std::string_view name) const;
};
/// Reads either kind of key; nothing if the bytes are none.
std::optional<KeyDescription> describe_key(std::string_view key);

}  // namespace treadle::compile
