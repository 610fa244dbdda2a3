// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/machine.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

#include "treadle/process/settings.hpp"

namespace treadle::cuda_cpu {
namespace {

std::optional<std::string> first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

std::optional<std::size_t> number_in(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t:"), text.size()));
  std::size_t value = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || stop == text.data()) return std::nullopt;
  return value;
}

std::optional<std::size_t> number_in_file(const std::string& path) {
  const auto line = first_line(path);
  return line ? number_in(*line) : std::nullopt;  // "max" is no number: no limit
}

/// The number after `key` in a file of lines "key: number kB" or "key number".
std::optional<std::size_t> number_after(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.compare(0, key.size(), key) == 0)
      return number_in(std::string_view(line).substr(key.size()));
  return std::nullopt;
}

/// Whether a list such as "cpu,cpuacct" has this entry; the empty list has the empty one.
bool names_controller(std::string_view list, std::string_view controller) {
  while (true) {
    const std::size_t comma = list.find(',');
    if (list.substr(0, comma) == controller) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

/// Folders of this process's cgroup for one controller ("" is version 2), from the leaf to the
/// root.
std::vector<std::string> cgroup_folders(const std::string& root, const std::string& controller) {
  std::string base = root + "/sys/fs/cgroup/" + controller;
  if (controller.empty()) base.pop_back();
  std::string path = "/";
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {  // "0::/path" or "5:memory:/path"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    if (names_controller(std::string_view(line).substr(first + 1, second - first - 1), controller))
      path = line.substr(second + 1);
  }
  std::vector<std::string> folders;
  // Inside a container the path may name a folder of the host that is not visible here; the root
  // always is.
  for (; path.size() > 1; path = path.substr(0, std::max<std::size_t>(path.rfind('/'), 1)))
    folders.push_back(base + path);
  folders.push_back(base);
  return folders;
}

std::size_t installed_memory() {
  const auto pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page);
}

unsigned allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  if (sched_getaffinity(0, sizeof set, &set) == 0) cores = static_cast<unsigned>(CPU_COUNT(&set));
  return std::max(1u, cgroup_cores("", cores));
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.compare(0, 10, "model name") == 0) {
      const std::size_t start = line.find_first_not_of(" \t", line.find(':') + 1);
      if (start != std::string::npos) return line.substr(start);
    }
  return "CPU";
}

unsigned clock_in_khz() {
  if (const auto khz = number_in_file("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"))
    return static_cast<unsigned>(*khz);
  const auto mhz = number_after("/proc/cpuinfo", "cpu MHz\t\t");
  return mhz ? static_cast<unsigned>(*mhz * 1000) : 1'000'000;
}

unsigned chosen_threads(unsigned cores) {
  constexpr unsigned most = 1024;
  try {
    if (const unsigned chosen = settings().cpu_threads) return std::min(chosen, most);
  } catch (...) {
    // A malformed variable was reported by whoever read the settings first; the device still works.
  }
  return std::min(cores, most);
}

std::size_t chosen_memory() {
  try {
    return settings().cpu_memory_bytes;
  } catch (...) {
    return 0;  // as chosen_threads()
  }
}

Machine look() {
  Machine found;
  found.cores = allowed_cores();
  found.threads = chosen_threads(found.cores);
  found.memory_bytes = memory_to_give(cgroup_memory_limit("", installed_memory()),
                                      available_memory_bytes(), chosen_memory());
  const auto cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
  found.level2_cache_bytes = cache > 0 ? static_cast<std::size_t>(cache) : 1u << 20;
  found.clock_khz = clock_in_khz();
  found.processor = processor_name();
  return found;
}

}  // namespace

std::size_t cgroup_memory_limit(const std::string& root, std::size_t otherwise) {
  std::size_t limit = otherwise;
  for (const auto& folder : cgroup_folders(root, ""))
    if (const auto bytes = number_in_file(folder + "/memory.max")) limit = std::min(limit, *bytes);
  for (const auto& folder : cgroup_folders(root, "memory"))
    if (const auto bytes = number_in_file(folder + "/memory.limit_in_bytes"))
      limit = std::min(limit, *bytes);
  return limit;
}

unsigned cgroup_cores(const std::string& root, unsigned otherwise) {
  std::size_t cores = otherwise;
  const auto apply = [&](std::size_t quota, std::size_t period) {
    if (period > 0)
      cores = std::min(cores, std::max<std::size_t>(1, (quota + period - 1) / period));
  };
  for (const auto& folder : cgroup_folders(root, "")) {
    const auto line = first_line(folder + "/cpu.max");  // "200000 100000" or "max 100000"
    const auto quota = line ? number_in(*line) : std::nullopt;
    if (!quota) continue;
    const auto period =
        number_in(std::string_view(*line).substr(std::min(line->find(' '), line->size())));
    apply(*quota, period.value_or(100'000));
  }
  for (const auto& folder : cgroup_folders(root, "cpu"))
    if (const auto quota = number_in_file(folder + "/cpu.cfs_quota_us"))
      apply(*quota, number_in_file(folder + "/cpu.cfs_period_us").value_or(100'000));
  return static_cast<unsigned>(cores);
}

std::size_t memory_to_give(std::size_t usable, std::size_t available, std::size_t chosen) {
  constexpr std::size_t unit = 1u << 20;
  if (chosen != 0) return std::min(chosen, usable);
  const std::size_t share = std::min(usable, available) / 4 * 3;
  return std::max(unit, share / unit * unit);
}

const Machine& machine() {
  // Never destroyed: worker threads may still look while the process exits.
  static const Machine* const found = new Machine(look());
  return *found;
}

std::size_t available_memory_bytes() {
  std::size_t available = std::numeric_limits<std::size_t>::max();
  if (const auto kilobytes = number_after("/proc/meminfo", "MemAvailable:"))
    available = *kilobytes * 1024;
  const auto apply = [&](std::optional<std::size_t> limit, std::optional<std::size_t> used,
                         std::optional<std::size_t> reclaimable) {
    if (!limit || !used) return;
    const std::size_t kept = *used - std::min(*used, reclaimable.value_or(0));
    available = std::min(available, *limit - std::min(*limit, kept));
  };
  for (const auto& folder : cgroup_folders("", ""))
    apply(number_in_file(folder + "/memory.max"), number_in_file(folder + "/memory.current"),
          number_after(folder + "/memory.stat", "inactive_file "));
  for (const auto& folder : cgroup_folders("", "memory"))
    apply(number_in_file(folder + "/memory.limit_in_bytes"),
          number_in_file(folder + "/memory.usage_in_bytes"),
          number_after(folder + "/memory.stat", "total_inactive_file "));
  return available;
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace treadle::cuda_cpu
