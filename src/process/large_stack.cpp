// SPDX-License-Identifier: MIT
#include "treadle/process/large_stack.hpp"

#include <sys/mman.h>

#include <array>
#include <exception>

namespace treadle {
namespace {

constexpr std::array<std::size_t, 3> stack_sizes = {std::size_t{1} << 30, std::size_t{1} << 28,
                                                    std::size_t{1} << 24};
constexpr std::size_t guard_bytes = 64 * 1024;  ///< below the stack, no access

struct Work {
  const std::function<void()>* function;
  std::exception_ptr thrown = nullptr;
};

void* run_work(void* data) {
  auto& work = *static_cast<Work*>(data);
  try {
    (*work.function)();
  } catch (...) {
    work.thrown = std::current_exception();
  }
  return nullptr;
}

}  // namespace

LargeStackThread::LargeStackThread() noexcept {
  for (const std::size_t size : stack_sizes) {
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) continue;
    base_ = static_cast<char*>(memory);
    size_bytes_ = size;
    mprotect(base_, guard_bytes, PROT_NONE);
    madvise(base_, size_bytes_, MADV_NOHUGEPAGE);
    return;
  }
}

LargeStackThread::~LargeStackThread() {
  if (base_ != nullptr) munmap(base_, size_bytes_);
}

int LargeStackThread::start(void* (*run)(void*), void* data) noexcept {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (base_ != nullptr)
    pthread_attr_setstack(&attributes, base_ + guard_bytes, size_bytes_ - guard_bytes);
  const int failed = pthread_create(&thread_, &attributes, run, data);
  pthread_attr_destroy(&attributes);
  return failed;
}

void LargeStackThread::join() noexcept { pthread_join(thread_, nullptr); }

void run_on_large_stack(const std::function<void()>& work) {
  LargeStackThread thread;
  Work shared{&work};
  if (thread.start(&run_work, &shared) != 0) return work();
  thread.join();
  if (shared.thrown) std::rethrow_exception(shared.thrown);
}

}  // namespace treadle
