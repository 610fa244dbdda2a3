// SPDX-License-Identifier: MIT
// Results of this process, by the caller's request; two threads never run the same compile.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "compile/compiled.hpp"

namespace treadle::compile {

class MemoryCache {
 public:
  using Result = std::shared_ptr<const Compiled>;
  using Build = std::function<Result()>;

  explicit MemoryCache(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}

  /// The result held for `request`, if its headers are unchanged; else what `build` makes. Of
  /// several threads with the same request one builds and the others wait for it, or for its
  /// exception; other requests go on. `found` is set to whether this call built nothing.
  Result get(std::string_view request, const Build& build, bool& found);

  /// Holds `result` where a result with the entry on disk `entry_path` is held.
  void replace(std::string_view entry_path, const Result& result);

  /// Forgets the results whose entry on disk is `entry_path`; all if it is empty.
  void forget(std::string_view entry_path);

 private:
  struct Item {
    std::string request;
    Result result;
    std::uint64_t bytes = 0;
  };
  using Items = std::list<Item>;
  struct Flight {
    std::condition_variable landed;  ///< waits on mutex_
    bool done = false;
    Result result;
    std::exception_ptr failure;
  };
  struct Hash {
    using is_transparent = void;  ///< looking a request up allocates nothing
    std::size_t operator()(std::string_view text) const noexcept;
  };

  Result find(std::string_view request);
  Result fresh(std::string_view request, const Result& result);
  void insert(std::string_view request, const Result& result);
  void erase(Items::iterator item);
  Result fly(std::string_view request, const Build& build, std::unique_lock<std::mutex>& lock);

  const std::uint64_t max_bytes_;
  std::mutex mutex_;
  Items items_;  ///< most recently used first; this and all below guarded by mutex_
  std::unordered_map<std::string_view, Items::iterator, Hash> index_;  ///< views of Item::request
  std::unordered_map<std::string, std::shared_ptr<Flight>, Hash, std::equal_to<>> flights_;
  std::uint64_t bytes_ = 0;
};

}  // namespace treadle::compile
