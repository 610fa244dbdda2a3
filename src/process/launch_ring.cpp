// SPDX-License-Identifier: MIT
#include "process/launch_ring.hpp"

#include <mutex>
#include <set>

namespace treadle {
namespace {

constinit thread_local LaunchSite current_site;

}  // namespace

void set_launch_site(LaunchSite site) noexcept { current_site = site; }
LaunchSite launch_site() noexcept { return current_site; }

const std::string* lasting_name(const std::string& name) {
  struct Names {
    std::mutex mutex;
    std::set<std::string> all;
  };
  static Names& names = *new Names;
  const std::lock_guard lock(names.mutex);
  return &*names.all.insert(name).first;
}

std::string site_text(const LaunchSite& site) {
  if (site.file == nullptr) return {};
  return " (" + std::string(site.file) + ":" + std::to_string(site.line) + ")";
}

}  // namespace treadle
