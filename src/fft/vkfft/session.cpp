// SPDX-License-Identifier: MIT
#include "fft/vkfft/session.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/device/deferred.hpp"
#include "treadle/kernel/program.hpp"

namespace treadle::fft::vkfft {
namespace {

thread_local Session* current_session = nullptr;

/// The parameters of the kernel `name` in a text, as it declares them.
std::string parameters_of(const std::string& text, const std::string& name) {
  const std::size_t begin = text.find('(', text.rfind(name));
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find(')', begin) - begin);
}

/// The bytes of the structure of constants: uint or unsigned long fields.
std::size_t constant_bytes_of(const device::Kernel& kernel, const std::string& text) {
  if (kernel.parameters_known() && !kernel.parameters().empty() &&
      kernel.parameters().back().size_bytes != 0)
    return kernel.parameters().back().size_bytes;
  const std::size_t end = text.find("PushConsts;");
  const std::size_t begin = text.rfind('{', end);
  const std::string fields = text.substr(begin, end - begin);
  const std::size_t each =
      fields.find("64") != std::string::npos || fields.find("long") != std::string::npos ? 8 : 4;
  return each * static_cast<std::size_t>(std::ranges::count(fields, ';'));
}

}  // namespace

Memory::~Memory() {
  if (device == nullptr || !location) return;
  try {
    device->free(location);
  } catch (const std::exception&) {
    // A failed device keeps its memory; its failure is reported to those who wait for its work.
  }
}

device::Location Memory::place() {
  if (!location && device != nullptr) location = device->allocate(size_bytes);
  return location;
}

Session::Session(device::Stream& stream, const FusedText* fused)
    : stream_(stream), outer_(std::exchange(current_session, this)), fused_(fused) {}
Session::~Session() { current_session = outer_; }
Session& Session::current() noexcept { return *current_session; }

void Session::require_success(int result, const std::string& what) {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  if (result == 0) return;
  throw NotSupported(what + ": VkFFT refuses with number " + std::to_string(result),
                     "transform on the CPU device, or another length");
}

Memory* Session::allocate(std::size_t size_bytes) { return new Memory(device(), size_bytes); }

void Session::upload(Memory& memory, const void* source, std::size_t size_bytes) {
  const device::LeaveDeferred leave;
  stream_.copy_in(memory.place(), source, size_bytes);
  stream_.synchronize();
}
void Session::download(void* destination, Memory& memory, std::size_t size_bytes) {
  const device::LeaveDeferred leave;
  stream_.copy_out(destination, memory.place(), size_bytes);
  stream_.synchronize();
}

std::vector<std::string>* Session::collected_texts = nullptr;

Kernel* Session::build(const std::string& text, const std::string& name) {
  if (fused_ != nullptr) {
    if (!fused_program_.empty())
      throw NotSupported("texts fused into a transform by several kernels", "");
    fused_program_ = with_fused_text(text, *fused_);
  }
  const std::string& whole = fused_ != nullptr ? fused_program_ : text;
  if (collected_texts != nullptr) collected_texts->push_back(whole);
  const kernel::Program program(device().shared_from_this(), whole, {.source_name = name});
  const std::string parameters = parameters_of(text, name);
  auto made = std::make_unique<Kernel>(Kernel{program.kernel(name), 0, 0});
  made->memories = static_cast<unsigned>(std::ranges::count(parameters, '*'));
  if (parameters.find("PushConsts") != std::string::npos)
    made->constant_bytes = constant_bytes_of(made->kernel, text);
  made->kernel.let_go_of_device();
  return made.release();
}

void Session::launch(const Kernel& kernel, const device::LaunchShape& shape,
                     void* const* arguments) {
  std::vector<device::Argument> list;
  for (unsigned k = 0; k < kernel.memories; ++k)
    list.emplace_back((*static_cast<Memory* const*>(arguments[k]))->place());
  if (kernel.constant_bytes != 0)
    list.emplace_back(arguments[kernel.memories], kernel.constant_bytes,
                      device::ParameterKind::unknown);
  list.insert(list.end(), arguments_.begin(), arguments_.end());
  stream_.launch_arguments(kernel.kernel, shape, list);
}

}  // namespace treadle::fft::vkfft
