// SPDX-License-Identifier: MIT
// A profiler's library as NVTX 3 loads one: it writes the ranges of the process into the file that
// TREADLE_FAKE_PROFILER_LOG names, each with a number for its thread.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace {

using Slot = void (*)();
struct Callbacks {
  std::size_t size;
  int (*give_module)(int module, Slot*** table, unsigned* size);
};

int number_of_this_thread() {
  static int threads = 0;
  thread_local const int number = ++threads;
  return number;
}

void note(const char* what, const char* name) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::FILE* log = std::fopen(std::getenv("TREADLE_FAKE_PROFILER_LOG"), "a");
  if (log == nullptr) return;
  std::fprintf(log, "%d %s%s\n", number_of_this_thread(), what, name);
  std::fclose(log);
}

int push(const char* name) {
  note("push ", name);
  return 0;
}
int pop() {
  note("pop", "");
  return 0;
}

bool put(const Callbacks& client, int module, unsigned slot, Slot function) {
  Slot** table = nullptr;
  unsigned size = 0;
  if (client.give_module(module, &table, &size) == 0 || slot >= size) return false;
  for (unsigned i = 1; i < size; ++i)
    if (table[i] == nullptr) return false;
  if (table[size] != nullptr) return false;
  if (function != nullptr) *table[slot] = function;
  return true;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    const void* (*exports)(std::uint32_t table)) {
  if (std::getenv("TREADLE_FAKE_PROFILER_LOG") == nullptr) return 0;
  const auto* const client = static_cast<const Callbacks*>(exports(1));
  if (client == nullptr || client->size < sizeof(Callbacks) || exports(77) != nullptr) return 0;
  for (int module = 1; module <= 6; ++module)  // real ones ask for each that they know
    if (!put(*client, module, 1, nullptr)) return 0;
  return put(*client, 1, 9, reinterpret_cast<Slot>(&push)) &&
         put(*client, 1, 11, reinterpret_cast<Slot>(&pop)) && !put(*client, 99, 1, nullptr);
}
