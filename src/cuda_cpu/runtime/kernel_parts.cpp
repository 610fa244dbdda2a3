// SPDX-License-Identifier: MIT
// Kernels that are compiled when they are first asked for. The compiler is opened for them, as on
// any cache miss.
#include "cuda_cpu/runtime/kernel_parts.hpp"

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>

#include "compile/compiled.hpp"
#include "compile/disk_cache.hpp"
#include "cuda_cpu/runtime/compiler_library.hpp"
#include "treadle/base/error.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::cuda_cpu {
namespace {

using compile::DiskCache;
using compile::EntryKind;

std::string compile(const ModuleDescriptor& module, const Kernel& kernel, LoadFailure& failure) {
  std::string bytes;
  const auto take = [](void* receiver, const char* data, std::size_t size) {
    static_cast<std::string*>(receiver)->assign(data, size);
  };
  try {
    const auto compile_kernel =
        reinterpret_cast<CompileKernel>(compiler_symbol("treadle_clang_compile_kernel"));
    if (compile_kernel == nullptr)
      failure = {CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "libtreadle_clang.so is of another version"};
    else if (compile_kernel(&module, kernel.name, take, &bytes) != 0)
      failure = {CUDA_ERROR_INVALID_SOURCE, std::move(bytes)};
  } catch (const Error& error) {
    failure = {CUDA_ERROR_JIT_COMPILER_NOT_FOUND, error.what()};
  }
  return failure.code == CUDA_SUCCESS ? bytes : std::string();
}

/// Where the code of one kernel is kept between processes: in the folder that its module's image
/// names. Where that is not to be found, the image came from elsewhere.
class KeptPart {
 public:
  KeptPart(const LoadedCode& module, const char* kernel)
      : key_("kernel of a CPU module\n" + module.digest() + "\n" + kernel) {
    if (!settings().cache || module.note() == kept_nowhere) return;
    std::error_code ignored;
    const bool named = std::filesystem::is_directory(module.note(), ignored);
    own_ = compile::disk_cache_of(named ? module.note() : std::string());
    if (own_) readable_.push_back(own_);
    for (const auto& shared : compile::shared_caches())
      if (!own_ || shared->folder() != own_->folder()) readable_.push_back(shared);
  }

  std::unique_ptr<LoadedCode> load() const {
    for (const auto& disk : readable_) {
      const auto entry = disk->load(EntryKind::program, key_);
      ModuleImage image;
      std::string log;
      if (!entry || !compile::unpack_payload(entry->payload, image, log)) continue;
      LoadFailure failure;  // of a processor with other features, perhaps: it is compiled anew
      if (auto code = load_image(image.code.data(), image.code.size(), failure)) return code;
    }
    return nullptr;
  }

  void store(const std::string& bytes) const {
    if (!own_) return;
    const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
    own_->store(EntryKind::program, key_,
                compile::pack_payload({.code = {first, first + bytes.size()}}, ""));
  }

 private:
  const std::string key_;
  std::shared_ptr<DiskCache> own_;  ///< null: none
  std::vector<std::shared_ptr<DiskCache>> readable_;
};

}  // namespace

std::unique_ptr<LoadedCode> KernelParts::obtain(const Kernel& kernel, LoadFailure& failure) const {
  const KeptPart kept(base_, kernel.name);
  std::unique_ptr<LoadedCode> code = kept.load();
  if (!code) {
    const std::string bytes = compile(base_.descriptor(), kernel, failure);
    if (failure.code != CUDA_SUCCESS) return nullptr;
    code = load_image(bytes.data(), bytes.size(), failure);
    if (!code) return nullptr;
    kept.store(bytes);
  }
  if (connect(code->descriptor())) return code;
  failure = {CUDA_ERROR_INVALID_IMAGE, "the kernel's code is of another module"};
  return nullptr;
}

/// Gives the part the variables of its module. False if it does not fit.
bool KernelParts::connect(const ModuleDescriptor& part) const {
  const ModuleDescriptor& base = base_.descriptor();
  const auto variables = std::span(base.globals, base.global_count);
  for (const Global& wanted : std::span(part.globals, part.global_count)) {
    const auto found = std::ranges::find_if(variables, [&](const Global& variable) {
      return std::string_view(variable.name) == wanted.name;
    });
    if (found == variables.end() || wanted.size != sizeof found->address) return false;
    *static_cast<void**>(wanted.address) = found->address;
  }
  return part.kernel_count == 1 && (part.kernels->flags & kernel_is_deferred) == 0;
}

const Kernel* KernelParts::complete(const Kernel& kernel, LoadFailure& failure) {
  Part* part = nullptr;
  {
    const std::lock_guard lock(mutex_);
    part = &parts_[&kernel];
  }
  const std::lock_guard lock(part->mutex);
  if (!part->code) {
    part->code = obtain(kernel, failure);
    if (!part->code) return nullptr;
    const std::lock_guard map_lock(mutex_);
    loaded_.push_back(part->code.get());
  }
  return part->code->descriptor().kernels;
}

bool KernelParts::hold(std::uintptr_t address) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(loaded_, [&](const LoadedCode* code) { return code->holds(address); });
}

}  // namespace treadle::cuda_cpu
