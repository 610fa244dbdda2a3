// SPDX-License-Identifier: MIT
#include "compile/memory_cache.hpp"

#include <new>

#include "compile/digest.hpp"

namespace treadle::compile {
namespace {

std::uint64_t bytes_of(std::string_view request, const Compiled& result) {
  std::uint64_t bytes = 512 + 2 * request.size() + result.image.code.size() + result.log.size();
  for (const IncludedFile& file : result.closure.files) bytes += 128 + file.path.size();
  for (const std::string& path : result.closure.absent) bytes += 48 + path.size();
  return bytes;
}

}  // namespace

std::size_t MemoryCache::Hash::operator()(std::string_view text) const noexcept {
  return fast_hash(text);
}

MemoryCache::Result MemoryCache::get(std::string_view request, const Build& build, bool& found) {
  found = true;
  if (const Result held = find(request))
    if (Result usable = fresh(request, held)) return usable;
  std::unique_lock lock(mutex_);
  if (const auto flight = flights_.find(request); flight != flights_.end()) {
    const std::shared_ptr<Flight> other = flight->second;
    other->landed.wait(lock, [&] { return other->done; });
    if (other->failure) std::rethrow_exception(other->failure);
    return other->result;
  }
  // It may have been stored between the lookup and the lock; what is held now was built or checked
  // just now.
  if (const auto item = index_.find(request); item != index_.end()) return item->second->result;
  found = false;
  return fly(request, build, lock);
}

MemoryCache::Result MemoryCache::fly(std::string_view request, const Build& build,
                                     std::unique_lock<std::mutex>& lock) {
  const auto flight = std::make_shared<Flight>();
  flights_.emplace(request, flight);
  lock.unlock();
  try {
    flight->result = build();
  } catch (...) {
    flight->failure = std::current_exception();
  }
  lock.lock();
  flight->done = true;
  flights_.erase(flights_.find(request));
  flight->landed.notify_all();  // they go on when the lock is released, whatever happens until then
  if (flight->result && flight->result->not_cached.empty()) try {
      insert(request, flight->result);
    } catch (const std::bad_alloc&) {
      // It is not held, then. It was made all the same, and is what the caller asked for.
    }
  lock.unlock();
  if (flight->failure) std::rethrow_exception(flight->failure);
  return flight->result;
}

MemoryCache::Result MemoryCache::find(std::string_view request) {
  const std::lock_guard lock(mutex_);
  const auto item = index_.find(request);
  if (item == index_.end()) return nullptr;
  items_.splice(items_.begin(), items_, item->second);
  return item->second->result;
}

// Null if a header changed. Looks at files, so it is called without the lock.
MemoryCache::Result MemoryCache::fresh(std::string_view request, const Result& result) {
  if (result->closure.nothing_to_check()) return result;
  Restamps restamps;
  const Freshness freshness = check_closure(result->closure, restamps);
  if (freshness == Freshness::unchanged) return result;
  const std::lock_guard lock(mutex_);
  const auto item = index_.find(request);
  if (item != index_.end() && item->second->result == result) erase(item->second);
  if (freshness == Freshness::changed) return nullptr;
  auto restamped = std::make_shared<Compiled>(*result);
  for (const auto& [place, stamp] : restamps) restamped->closure.files[place].stamp = stamp;
  if (!index_.contains(request)) insert(request, restamped);
  return restamped;
}

void MemoryCache::insert(std::string_view request, const Result& result) {
  if (const auto old = index_.find(request); old != index_.end()) erase(old->second);
  const std::uint64_t bytes = bytes_of(request, *result);
  if (bytes > max_bytes_) return;
  items_.push_front({std::string(request), result, bytes});
  try {
    index_.emplace(items_.front().request, items_.begin());
  } catch (...) {
    items_.pop_front();
    throw;
  }
  bytes_ += bytes;
  while (bytes_ > max_bytes_) erase(std::prev(items_.end()));
}

void MemoryCache::erase(Items::iterator item) {
  bytes_ -= item->bytes;
  index_.erase(item->request);
  items_.erase(item);
}

void MemoryCache::replace(std::string_view entry_path, const Result& result) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> requests;
  for (const Item& item : items_)
    if (item.result->entry_path == entry_path) requests.push_back(item.request);
  for (const std::string& request : requests) {
    if (result->not_cached.empty())
      insert(request, result);
    else
      erase(index_.at(request));
  }
}

void MemoryCache::forget(std::string_view entry_path) {
  const std::lock_guard lock(mutex_);
  for (auto item = items_.begin(); item != items_.end();) {
    const auto next = std::next(item);
    if (entry_path.empty() || item->result->entry_path == entry_path) erase(item);
    item = next;
  }
}

}  // namespace treadle::compile
