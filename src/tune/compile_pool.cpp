// SPDX-License-Identifier: MIT
#include "tune/compile_pool.hpp"

#include <algorithm>
#include <utility>

#include "treadle/compile/variants.hpp"
#include "treadle/kernel/precompile.hpp"

namespace treadle::tune {

CompilePool::CompilePool(std::shared_ptr<device::Device> device, unsigned threads,
                         std::function<Measured(const Variant&)> elsewhere, bool loads)
    : device_(std::move(device)), elsewhere_(std::move(elsewhere)), loads_(loads) {
  if (threads == 0) threads = compile::cores_of_process();
  for (unsigned k = 0; k < threads; ++k)
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
}

CompilePool::~CompilePool() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

void CompilePool::put(std::uint64_t number, Variant variant) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({.number = number, .put = put_++, .variant = std::move(variant)});
  }
  wanted_.notify_one();
}

std::optional<CompiledVariant> CompilePool::take() {
  std::unique_lock lock(mutex_);
  if (ready_.empty() && std::exchange(is_paused_, false)) wanted_.notify_all();
  changed_.wait(lock,
                [&] { return !ready_.empty() || (waiting_.empty() && being_compiled_ == 0); });
  if (ready_.empty()) return {};
  CompiledVariant next = std::move(ready_.front());
  ready_.pop_front();
  return next;
}

void CompilePool::wait(std::optional<std::chrono::steady_clock::time_point> until) {
  std::unique_lock lock(mutex_);
  const auto is_compiled = [&] { return waiting_.empty() && being_compiled_ == 0; };
  if (!until) {
    changed_.wait(lock, is_compiled);
  } else if (!changed_.wait_until(lock, *until, is_compiled)) {
    is_paused_ = true;
    changed_.wait(lock, [&] { return being_compiled_ == 0; });
  }
  std::ranges::sort(ready_, {}, &CompiledVariant::put);
}

std::size_t CompilePool::size() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size() + being_compiled_ + ready_.size();
}
std::size_t CompilePool::ready() const {
  const std::lock_guard lock(mutex_);
  return ready_.size();
}

void CompilePool::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (wanted_.wait(lock, stop, [&] { return !waiting_.empty() && !is_paused_; })) {
    if (stop.stop_requested()) return;
    CompiledVariant item = std::move(waiting_.front());
    waiting_.pop_front();
    ++being_compiled_;
    lock.unlock();
    compile(item);
    lock.lock();
    --being_compiled_;
    ready_.push_back(std::move(item));
    changed_.notify_all();
  }
}

void CompilePool::compile(CompiledVariant& item) const {
  try {
    const Variant& variant = item.variant;
    if (elsewhere_) {
      Measured made = elsewhere_(variant);
      item.seconds = made.compile_seconds;
      if (!made.is_right())
        item.failure = std::move(made);
      else if (loads_ && device_->info().traits.builds_text)
        item.program.emplace(variant.program_to_try(device_));
    } else if (device_->info().traits.builds_text) {
      item.program.emplace(variant.program_to_try(device_));
      item.seconds = item.program->seconds();
    } else {
      item.seconds = kernel::precompile(device_->info(), variant.source, variant.options).seconds;
    }
  } catch (...) {
    item.error = std::current_exception();
  }
}

}  // namespace treadle::tune
