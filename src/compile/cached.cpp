// SPDX-License-Identifier: MIT
#include "treadle/compile/cached.hpp"

#include <utility>

#include "compile/build.hpp"
#include "compile/cache_folder.hpp"
#include "compile/compile_record.hpp"
#include "compile/file_system.hpp"
#include "compile/key.hpp"
#include "compile/result_memory.hpp"
#include "treadle/base/error.hpp"
#include "treadle/process/folders.hpp"

namespace treadle::compile {
namespace {

// Compilers that are given text look beside it, and text stands in no folder but the current one;
// which folder they look in first differs from one to the next.
IncludeSearch search_of(const BinaryKey& key) {
  IncludeSearch search;
  search.user_dirs.push_back(current_folder());
  for (const auto& folder : key.include_dirs) search.user_dirs.push_back(absolute_path(folder));
  search.any_order = true;
  return search;
}

CompileRequest request_of(const BinaryKey& key, const std::function<Binary()>& build,
                          const CachePlace& place) {
  CompileRequest request;
  request.key = key;
  request.search = search_of(key);
  request.place = place;
  request.make = [build](BinaryKey&, const IncludeClosure&) {
    Binary binary = build();
    CompileOutcome outcome;
    outcome.image.code = std::move(binary.code);
    outcome.log = std::move(binary.log);
    return outcome;
  };
  return request;
}

/// What a trace shows of the identity: the device, by whatever name the run-time has for it.
std::string target_of(const BinaryKey& key) {
  for (const KeyField& field : key.identity)
    if (field.name == "target" || field.name == "device") return field.value;
  return {};
}

std::vector<CompileResult> cached_all(const std::vector<BinaryRequest>& requests,
                                      const CachePlace& place) {
  std::vector<CompileResult> results;
  for (const BinaryRequest& request : requests)
    results.push_back(cached(request.key, request.build, place));
  return results;
}

/// Whether any of them came from a cache, from which it has been deleted.
bool discard_kept(const std::vector<CompileResult>& results) {
  bool any = false;
  for (const CompileResult& result : results) {
    if (result.origin == Origin::compiled) continue;
    discard_cached(result);
    any = true;
  }
  return any;
}

}  // namespace

std::vector<CompileResult> load_cached(
    const std::vector<BinaryRequest>& requests,
    const std::function<void(const std::vector<CompileResult>&)>& load, const CachePlace& place) {
  std::vector<CompileResult> results = cached_all(requests, place);
  try {
    load(results);
    return results;
  } catch (const OutOfMemory&) {
    throw;  // the binaries are not the cause
  } catch (const Error&) {
    if (!discard_kept(results)) throw;
  }
  results = cached_all(requests, place);
  load(results);
  return results;
}

CompileResult cached(const BinaryKey& key, const std::function<Binary()>& build,
                     const CachePlace& place) {
  CompileSpan span(key.source, key.source_name, target_of(key));
  // What is held has its entry in the folder of this moment, which a program may change.
  std::string reason;
  const auto name = [&] { return request_key(key, chosen_folder(place.folder, reason)); };
  return span.done(remember(name, [&] { return request_of(key, build, place); }, place.use));
}

}  // namespace treadle::compile
