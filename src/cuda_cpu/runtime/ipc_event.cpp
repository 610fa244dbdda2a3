// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/ipc_event.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <ctime>

#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/event.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr std::size_t event_page = 4096;

}  // namespace

std::shared_ptr<SharedMark> SharedMark::map(int file) {
  if (file < 0) return nullptr;
  void* const memory = mmap(nullptr, event_page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    close(file);
    return nullptr;
  }
  // Zeros are counters that have counted nothing.
  return std::shared_ptr<SharedMark>(new SharedMark(file, static_cast<Counters*>(memory)));
}

std::shared_ptr<SharedMark> SharedMark::make() { return map(make_shared_file(event_page)); }
std::shared_ptr<SharedMark> SharedMark::open(const SharedName& name) {
  return name.bytes == event_page ? map(open_shared_file(name)) : nullptr;
}

SharedMark::~SharedMark() {
  munmap(counters_, event_page);
  close(file_);
}

void SharedMark::reach(std::uint64_t number) {
  std::uint64_t before = counters_->reached.load();
  while (before < number && !counters_->reached.compare_exchange_weak(before, number)) {
  }
  counters_->changes.fetch_add(1);
  syscall(SYS_futex, &counters_->changes, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

bool SharedMark::wait(std::uint64_t number, std::int64_t nanoseconds) const {
  const std::uint32_t seen = counters_->changes.load();
  if (is_reached(number)) return true;
  const timespec most{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  syscall(SYS_futex, &counters_->changes, FUTEX_WAIT, seen, &most, nullptr, 0);
  return is_reached(number);
}

std::optional<SharedName> SharedMark::name() const {
  auto name = name_shared_file(file_, event_page, SharedKind::event);
  if (name) name->size = event_page;
  return name;
}

}  // namespace treadle::cuda_cpu

using namespace treadle::cuda_cpu;

CUresult cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent event_handle) {
  return with_context([&](const auto&) -> CUresult {
    const auto event = event_handles().find(event_handle);
    if (!event) return CUDA_ERROR_INVALID_HANDLE;
    if (handle == nullptr || event->shared == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto name = event->shared->name();
    if (!name) return CUDA_ERROR_OPERATING_SYSTEM;
    *handle = {};
    std::memcpy(handle->reserved, &*name, sizeof *name);
    return CUDA_SUCCESS;
  });
}

CUresult cuIpcOpenEventHandle(CUevent* event, CUipcEventHandle handle) {
  return with_context([&](const auto& context) -> CUresult {
    if (event == nullptr) return CUDA_ERROR_INVALID_VALUE;
    bool own = false;
    const auto name = read_shared_name(handle.reserved, SharedKind::event, own);
    if (!name) return own ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
    auto mark = SharedMark::open(*name);
    if (mark == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    *event = event_handles().insert(std::make_shared<Event>(
        context, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING, std::move(mark)));
    return CUDA_SUCCESS;
  });
}
