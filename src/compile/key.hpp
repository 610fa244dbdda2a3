// SPDX-License-Identifier: MIT
// The canonical key: all that can change what a compile gives, as bytes. Equal keys,
// interchangeable results.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/include_closure.hpp"
#include "compile/options.hpp"
#include "treadle/compile/program.hpp"

namespace treadle::compile {

struct KeyParts {
  std::string_view compiler;       ///< Compiler::identity()
  const CompilerOptions& options;  ///< target, flags
  std::string_view source;
  std::string_view source_name;
  const std::vector<std::string>& names;
  Output output = Output::cubin;
  bool extern_c = false;
};

/// Key of a compiled program. Of the source's name only the file's own name counts, and of headers
/// only their contents, unless the result holds paths: then those are in the key.
std::string program_key(const KeyParts& parts, const IncludeClosure& closure);

/// Key of a manifest: what a source is and where its headers are looked for, not what they hold.
std::string includes_key(const KeyParts& parts,
                         const std::vector<std::filesystem::path>& toolkit_dirs);

/// What a person wants to know of a key.
struct KeyDescription {
  std::string compiler, target, source_name, source;
};
/// Reads either kind of key; nothing if the bytes are none.
std::optional<KeyDescription> describe_key(std::string_view key);

}  // namespace treadle::compile
