// SPDX-License-Identifier: MIT
// One build past the memory cache, with any compiler: headers followed, key made, disk asked,
// compiler run, result published.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compile/compiled.hpp"
#include "compile/compiler.hpp"
#include "compile/include_closure.hpp"
#include "treadle/compile/cached.hpp"

namespace treadle::compile {

struct CompileRequest {
  BinaryKey key;
  IncludeSearch search;
  std::vector<std::string> warnings;  ///< handed on with every result
  Dependencies dependencies = Dependencies::followed;
  CachePlace place;
  /// Runs the compiler. It may correct the key: what counts is the compiler that was run, not the
  /// one that was found.
  std::function<CompileOutcome(BinaryKey& key, const IncludeClosure& closure)> make;
  bool repeatable = false;  ///< `make` owns what it uses: it may be called at any later time
  /// What the disk gave and a run-time refused to load: it is not read again but replaced. If the
  /// new code differs, the entry was at fault: that is counted and reported.
  std::shared_ptr<const Compiled> refused = {};
};

/// Never null. Throws what `request.make` throws.
std::shared_ptr<const Compiled> build_or_load(CompileRequest request);

}  // namespace treadle::compile
