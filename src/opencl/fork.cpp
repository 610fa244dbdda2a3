// SPDX-License-Identifier: MIT
// Platforms run threads, which a forked child does not have: a call there could wait for ever for a
// thread or a lock. So the child makes none.
#include "opencl/fork.hpp"

#include <pthread.h>

#include <mutex>
#include <vector>

namespace treadle::opencl {
namespace {

struct Tables {
  std::mutex mutex;
  std::vector<std::weak_ptr<Table>> all;
  bool any_platform = false;
};
Tables& tables() {
  static Tables& instance = *new Tables;  // never destroyed: processes fork while they exit, too
  return instance;
}

template <class Result, class... Arguments>
constexpr auto closed_slot(Result (*)(Arguments...)) -> Result (*)(Arguments...) {
  return &refuse<forked_process, Result, Arguments...>;
}

// Absent ones are replaced too: every call returns the same.
void close_table(Table& table) {
#define TREADLE_SYMBOL(name, since, presence) table.name = closed_slot(table.name);
#define TREADLE_EXTENSION(name, extension) table.name = closed_slot(table.name);
#include "treadle/opencl/symbols.def"
}

void before_fork() { tables().mutex.lock(); }
void in_parent() { tables().mutex.unlock(); }
void in_child() {
  Tables& known = tables();
  if (known.any_platform)
    for (const auto& each : known.all)
      if (const auto table = each.lock()) close_table(*table);
  known.mutex.unlock();
}

}  // namespace

void close_in_children(const std::shared_ptr<Table>& table) {
  [[maybe_unused]] static const int registered = ::pthread_atfork(before_fork, in_parent, in_child);
  Tables& known = tables();
  const std::lock_guard lock(known.mutex);
  std::erase_if(known.all, [](const auto& each) { return each.expired(); });
  known.all.push_back(table);
  known.any_platform = known.any_platform || table->platform != nullptr;
}

}  // namespace treadle::opencl
