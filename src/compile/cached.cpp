// SPDX-License-Identifier: MIT
#include "treadle/compile/cached.hpp"

#include <utility>

#include "compile/build.hpp"
#include "compile/file_system.hpp"
#include "compile/key.hpp"
#include "compile/program_memory.hpp"

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

BuildRequest request_of(const BinaryKey& key, const std::function<Binary()>& build,
                        const CachePlace& place) {
  BuildRequest request;
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

}  // namespace

Program cached(const BinaryKey& key, const std::function<Binary()>& build,
               const CachePlace& place) {
  return remember([&] { return request_key(key, place.folder); },
                  [&] { return request_of(key, build, place); }, place.use);
}

}  // namespace treadle::compile
