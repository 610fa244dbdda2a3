// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/printing.hpp"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cuda_cpu/runtime/driver_api.hpp"

namespace treadle::cuda_cpu {
namespace {

struct Printed {
  std::mutex text_mutex, write_mutex;
  std::string text;
  std::atomic<bool> waiting{false};
  PrintSink sink = nullptr;  // guarded by write_mutex
};

Printed& printed() {
  static Printed* const instance = new Printed;  // workers may print until the process is gone
  return *instance;
}

int count_conversions(const char* format) {
  int count = 0;
  for (; *format != '\0'; ++format)
    if (*format == '%' && *++format != '%') {
      if (*format == '\0') break;
      ++count;
    }
  return count;
}

void collect(const char* text, std::size_t length, std::size_t limit_bytes) {
  Printed& all = printed();
  bool full = false;
  {
    const std::lock_guard lock(all.text_mutex);
    all.text.append(text, length);
    full = all.text.size() > limit_bytes;
    all.waiting.store(true, std::memory_order_release);
  }
  if (full) flush_printed();
}

}  // namespace

int print_formatted(const char* format, std::va_list arguments, std::size_t limit_bytes) {
  // Formatted before any lock is taken: a bad %s pointer faults in here and must leave nothing
  // locked.
  char line[512];
  std::va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(line, sizeof line, format, arguments);
  if (length < 0) return -1;
  const auto size = static_cast<std::size_t>(length);
  if (size < sizeof line) {
    collect(line, size, limit_bytes);
  } else {
    std::vector<char> text(size + 1);
    std::vsnprintf(text.data(), text.size(), format, again);
    collect(text.data(), size, limit_bytes);
  }
  va_end(again);
  return count_conversions(format);
}

void flush_printed() {
  Printed& all = printed();
  if (!all.waiting.load(std::memory_order_acquire)) return;
  const std::lock_guard order(
      all.write_mutex);  // held while writing, so that two flushes keep the order
  std::string text;
  {
    const std::lock_guard lock(all.text_mutex);
    text.swap(all.text);
    all.waiting.store(false, std::memory_order_relaxed);
  }
  if (all.sink != nullptr) return all.sink(text.data(), text.size());
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace treadle::cuda_cpu

/// `sink` gets what kernels print, instead of stdout, on the thread that synchronizes, or on any
/// where much has collected. It is called with a lock held: it must not call the driver, nor wait.
/// Null: stdout again. What has collected goes where it went before.
TREADLE_CPU_EXPORT void treadle_cpu_set_print_sink(treadle::cuda_cpu::PrintSink sink) {
  treadle::cuda_cpu::flush_printed();
  treadle::cuda_cpu::Printed& all = treadle::cuda_cpu::printed();
  const std::lock_guard lock(all.write_mutex);
  all.sink = sink;
}
