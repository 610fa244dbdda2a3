// SPDX-License-Identifier: MIT
// The caches for every compiler: what compile_cuda() does for CUDA C++, any other compiler gets by
// naming what its result depends on.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "treadle/base/language.hpp"
#include "treadle/compile/compile.hpp"

namespace treadle::compile {

/// One named part of a key; the name is what `treadle cache explain-miss` shows.
struct KeyField {
  std::string name, value;  ///< neither need be text: they are framed by their lengths
  bool operator==(const KeyField&) const = default;
};

/// All that can change what a build gives. Equal keys, interchangeable binaries: what is left out
/// here is a wrong hit later. The contents of every header that the source includes are added to
/// it.
struct BinaryKey {
  Language language = Language::cuda_c;  ///< of the source
  std::string source;                    ///< the text itself
  std::string source_name = "kernel";    ///< of a path only the last part counts
  std::vector<std::string> options;      ///< canonical, in the caller's order, without folders
  /// Folders that the compiler searches for headers, in its order; relative ones are the current
  /// folder's. Their names are no part of the key, the headers found in them are.
  std::vector<std::filesystem::path> include_dirs;
  /// Who compiles and for what: platform, its version, driver version, device, device version...
  /// The order counts.
  std::vector<KeyField> identity;
  bool holds_paths = false;  ///< the result holds the source's path, as debug information does
};

/// What a build made.
struct Binary {
  std::vector<std::byte> code;  ///< kept as it is, never looked into
  std::string log;              ///< what the compiler said although it succeeded
};

/// Where results are kept.
struct CachePlace {
  CacheUse use = CacheUse::enabled;   ///< disabled: `build` runs for every call
  std::filesystem::path folder = {};  ///< empty: settings().cache_dir
};

/// The binary of `key`: from memory, from disk, or from `build`, whose result is then kept in both.
/// Blocking; any thread. Of several threads with the same key one builds and the others wait for
/// its result. What `build` throws goes to the caller, and nothing is kept; no failure of the cache
/// is thrown. Headers are followed as `#include` names them, in every folder that may hold them;
/// sources whose headers cannot be known so, or that name the time, are built each time
/// (`CompileResult::not_cached` says why). Where a run-time may refuse a binary, load_cached() is
/// for it.
CompileResult cached(const BinaryKey& key, const std::function<Binary()>& build,
                     const CachePlace& place = {});

/// A binary that is wanted, and how it is made where there is none.
struct BinaryRequest {
  BinaryKey key;                  ///< as for cached()
  std::function<Binary()> build;  ///< as for cached()
};

/// The binaries of all `requests` by cached(), given to `load` together: those of a program for
/// several devices, or of one. If `load` refuses with any Error but OutOfMemory, those that were
/// not built just now are unusable, whatever their keys say: each is deleted, counted as healed,
/// reported once and built again, and `load` is called a second time, whose error goes to the
/// caller. Blocking; any thread. Returns what `load` was given last.
std::vector<CompileResult> load_cached(
    const std::vector<BinaryRequest>& requests,
    const std::function<void(const std::vector<CompileResult>&)>& load,
    const CachePlace& place = {});

}  // namespace treadle::compile
