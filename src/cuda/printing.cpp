// SPDX-License-Identifier: MIT
#include "treadle/cuda/printing.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <mutex>
#include <utility>

#include "cuda/context_state.hpp"
#include "cuda/print_sink.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/table.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::cuda {
namespace {

/// Of the process, as the CPU device's printing is.
struct Printing {
  std::mutex mutex;
  PrintSink sink = nullptr;               ///< the program's
  void (*set)(PrintSink sink) = nullptr;  ///< the CPU device's, once that is open
  bool is_captured = false;               ///< there is a PrintCapture
  bool is_captured_on_cpu = false;        ///< whose sink is in use instead of `sink`
  std::mutex text_mutex;
  std::string text;  ///< what that got
};

Printing& printing() {
  static Printing& instance = *new Printing;  // threads of the driver may print until the end
  return instance;
}

void append_captured(const char* text, std::size_t size_bytes) {
  Printing& all = printing();
  const std::lock_guard lock(all.text_mutex);
  all.text.append(text, size_bytes);
}

/// With the mutex held.
void use_sink(Printing& all) {
  if (all.set != nullptr) all.set(all.is_captured_on_cpu ? append_captured : all.sink);
}

std::string read_all(int file) {
  std::string text;
  char part[4096];
  off_t at = 0;
  for (;;) {
    const ssize_t count = pread(file, part, sizeof part, at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(part, static_cast<std::size_t>(count));
    at += count;
  }
}

}  // namespace

void connect_print_sink(void (*set)(PrintSink sink)) {
  Printing& all = printing();
  const std::lock_guard lock(all.mutex);
  all.set = set;
  use_sink(all);
}

void set_print_sink(PrintSink sink) {
  Printing& all = printing();
  const std::lock_guard lock(all.mutex);
  all.sink = sink;
  if (!all.is_captured_on_cpu) use_sink(all);
}

PrintCapture::PrintCapture(const Context& context) : context_(context) {
  context.synchronize();
  Printing& all = printing();
  const std::lock_guard lock(all.mutex);
  if (all.is_captured)
    throw InvalidState("what kernels print is captured already",
                       "end the other PrintCapture first: there is one in a process");
  if (context.device().driver().provider() == Provider::cpu) {
    all.is_captured_on_cpu = true;
    use_sink(all);
  } else {
    std::fflush(stdout);
    file_ = memfd_create("treadle-printed", MFD_CLOEXEC);
    output_ = file_ < 0 ? -1 : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (output_ < 0 || dup2(file_, STDOUT_FILENO) < 0) {
      const int error = errno;
      if (output_ >= 0) close(output_);
      if (file_ >= 0) close(file_);
      throw FileError(error, "file descriptor 1", "capturing what kernels print");
    }
  }
  is_active_ = all.is_captured = true;
}

std::string PrintCapture::stop() noexcept {
  if (!is_active_) return {};
  is_active_ = false;
  try {
    context_.synchronize();
  } catch (const std::exception&) {  // what was printed before the failure is wanted all the more
  }
  Printing& all = printing();
  const std::lock_guard lock(all.mutex);
  all.is_captured = false;
  if (file_ < 0) {
    all.is_captured_on_cpu = false;
    use_sink(all);
    const std::lock_guard text_lock(all.text_mutex);
    return std::exchange(all.text, {});
  }
  std::fflush(stdout);
  if (dup2(output_, STDOUT_FILENO) < 0) warn("the standard output is lost: dup2 failed");
  std::string text = read_all(file_);
  close(output_);
  close(file_);
  return text;
}

std::string PrintCapture::end() { return stop(); }
PrintCapture::~PrintCapture() { stop(); }

}  // namespace treadle::cuda
