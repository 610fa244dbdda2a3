// SPDX-License-Identifier: MIT
#include "cuda/launch_ring.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "cuda/context_state.hpp"

namespace treadle::cuda {
namespace {

constinit thread_local LaunchSite current_site;

}  // namespace

std::string dim_text(const Dim3& dim) {
  return std::to_string(dim.x) + "x" + std::to_string(dim.y) + "x" + std::to_string(dim.z);
}

void set_launch_site(LaunchSite site) noexcept { current_site = site; }

std::vector<LaunchRecord> last_launches(const Context& context) {
  const ContextState* state = context.state();
  return state == nullptr ? std::vector<LaunchRecord>{} : state->launches().records();
}

const std::string* lasting_name(const std::string& name) {
  struct Names {
    std::mutex mutex;
    std::set<std::string> all;
  };
  static Names& names = *new Names;
  const std::lock_guard lock(names.mutex);
  return &*names.all.insert(name).first;
}

void LaunchRing::note(const std::string* kernel, const LaunchConfig& config) noexcept {
  const std::uint64_t number = count_.fetch_add(1, std::memory_order_relaxed) + 1;
  Place& place = places_[number % size];
  if (place.taken.test_and_set(std::memory_order_acquire)) return;
  place.number = number;
  place.kernel = kernel;
  place.config = config;
  place.site = current_site;
  place.taken.clear(std::memory_order_release);
}

std::vector<LaunchRecord> LaunchRing::records() const {
  std::vector<std::pair<std::uint64_t, LaunchRecord>> found;
  for (const Place& place : places_) {
    while (place.taken.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    const std::uint64_t number = place.number;
    const std::string* kernel = place.kernel;
    LaunchRecord record{{}, place.config, place.site};
    place.taken.clear(std::memory_order_release);
    if (number == 0) continue;
    record.kernel = *kernel;
    found.emplace_back(number, std::move(record));
  }
  std::ranges::sort(found, std::greater{}, [](const auto& each) { return each.first; });
  std::vector<LaunchRecord> records;
  for (auto& [number, record] : found) records.push_back(std::move(record));
  return records;
}

std::string shape_text(const LaunchConfig& config) {
  std::string text = "grid " + dim_text(config.grid) + ", block " + dim_text(config.block);
  if (config.shared_bytes != 0)
    text += ", " + std::to_string(config.shared_bytes) + " bytes of shared memory";
  return text;
}

std::string launches_text(const LaunchRing& ring) {
  std::string text;
  for (const LaunchRecord& record : ring.records()) {
    text += text.empty() ? "last launches, the latest first: \"" : "; \"";
    text += record.kernel + "\", " + shape_text(record.config);
    if (record.site.file != nullptr)
      text += " (" + std::string(record.site.file) + ":" + std::to_string(record.site.line) + ")";
  }
  return text;
}

}  // namespace treadle::cuda
