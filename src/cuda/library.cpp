// SPDX-License-Identifier: MIT
#include "treadle/cuda/library.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "cuda/argument_check.hpp"
#include "cuda/image_size.hpp"
#include "cuda/jit_request.hpp"
#include "cuda/kernel_names.hpp"
#include "cuda/module_state.hpp"
#include "treadle/cuda/allocation.hpp"
#include "treadle/process/census.hpp"

namespace treadle::cuda {

/// A loaded library, and the modules it is in contexts.
class LibraryState : public std::enable_shared_from_this<LibraryState> {
 public:
  enum class Owner { we, others };
  /// `request` was given to the driver, which may write into it as long as the library is loaded.
  LibraryState(const Driver& driver, RawLibrary raw, KernelNames names,
               std::unique_ptr<JitRequest> request, Owner owner = Owner::we) noexcept
      : driver_(driver),
        raw_(raw),
        names_(std::move(names)),
        request_(std::move(request)),
        owner_(owner) {
    live().add();
  }
  LibraryState(const LibraryState&) = delete;
  LibraryState& operator=(const LibraryState&) = delete;
  ~LibraryState() {
    live().remove();
    if (owner_ == Owner::others) return;
    warn_if_failed(table(), table().cuLibraryUnload(raw_), "cuLibraryUnload", "a library");
  }

  const Driver& driver() const noexcept { return driver_; }
  const Table& table() const noexcept { return driver_.table(); }
  RawLibrary raw() const noexcept { return raw_; }
  const KernelNames& names() const noexcept { return names_; }

  Kernel kernel(std::string_view name);
  std::vector<std::string> symbols() const;
  std::shared_ptr<ModuleState> module_in(const Context& context);
  static Module as_module(std::shared_ptr<ModuleState> state) { return Module(std::move(state)); }
  /// A kernel of this library that the driver has given.
  Kernel wrap(RawKernel raw, std::string symbol) {
    return {shared_from_this(), raw, std::move(symbol)};
  }

 private:
  static LiveCount& live() noexcept {
    static LiveCount& count = *new LiveCount("cuda library");
    return count;
  }
  RawKernel find(const std::string& symbol) const;

  const Driver driver_;
  const RawLibrary raw_;
  const KernelNames names_;
  const std::unique_ptr<JitRequest> request_;
  const Owner owner_;
  std::mutex mutex_;
  /// One for each context while somebody holds it: its references must be the same for all.
  std::map<const ContextState*, std::weak_ptr<ModuleState>> modules_;
};

RawKernel LibraryState::find(const std::string& symbol) const {
  RawKernel found = nullptr;
  const int code = table().cuLibraryGetKernel(&found, raw_, symbol.c_str());
  if (code == CUDA_ERROR_NOT_FOUND) return nullptr;
  check(table(), code, "cuLibraryGetKernel", [&] { return "kernel \"" + symbol + "\""; });
  return found;
}

Kernel LibraryState::kernel(std::string_view name) {
  auto [found, symbol] = names_.find(
      name, [&](const std::string& each) { return find(each); }, [&] { return symbols(); });
  if (found == nullptr)
    raise(table(), CUDA_ERROR_NOT_FOUND, "cuLibraryGetKernel",
          names_.why_unknown("the library", name, symbols()));
  return wrap(found, std::move(symbol));
}

std::vector<std::string> LibraryState::symbols() const {
  const Table& cu = table();
  if (!is_present(cu.cuLibraryEnumerateKernels) || !is_present(cu.cuKernelGetName)) return {};
  unsigned count = 0;
  check(cu, cu.cuLibraryGetKernelCount(&count, raw_), "cuLibraryGetKernelCount");
  std::vector<RawKernel> kernels(count);
  if (count != 0)
    check(cu, cu.cuLibraryEnumerateKernels(kernels.data(), count, raw_),
          "cuLibraryEnumerateKernels");
  std::vector<std::string> names;
  for (const RawKernel kernel : kernels) {
    const char* name = nullptr;
    check(cu, cu.cuKernelGetName(&name, kernel), "cuKernelGetName");
    names.emplace_back(name);
  }
  return names;
}

std::shared_ptr<ModuleState> LibraryState::module_in(const Context& context) {
  if (context.driver() != driver_)
    throw InvalidArgument("the current context is of another driver than the library",
                          "load the library with the driver of the context");
  const std::lock_guard lock(mutex_);
  std::erase_if(modules_, [](const auto& each) { return each.second.expired(); });
  std::weak_ptr<ModuleState>& known = modules_[context.state()];
  if (auto module = known.lock()) return module;
  const Activation active(context);
  RawModule raw = nullptr;
  check(table(), table().cuLibraryGetModule(&raw, raw_), "cuLibraryGetModule",
        [&] { return "loading a library on " + context.device().name(); });
  auto module = std::make_shared<ModuleState>(context, raw, names_, shared_from_this());
  known = module;
  return module;
}

namespace {

std::shared_ptr<LibraryState> load_library(std::span<const std::byte> code,
                                           std::span<const std::pair<JitOption, unsigned>> options,
                                           KernelNames names, JitLog* log, const Driver& driver) {
  if (code.empty()) throw InvalidArgument("the library to load is empty");
  std::vector<std::byte> copy;
  code = terminated(code, copy);
  driver.initialize();
  const Table& cu = driver.table();
  if (const std::uint64_t stated = stated_size(code); stated > code.size())
    raise(cu, CUDA_ERROR_INVALID_IMAGE, "cuLibraryLoadData",
          "the image is cut off: " + std::to_string(stated) + " bytes by its own headers, " +
              std::to_string(code.size()) + " are there");
  auto request = std::make_unique<JitRequest>(options);
  RawLibrary raw = nullptr;
  const int result = allocated([&] {
    return cu.cuLibraryLoadData(&raw, code.data(), request->options(), request->values(),
                                request->count(), nullptr, nullptr, 0);
  });
  JitLog said = request->log();
  if (log != nullptr) *log = said;
  check(cu, result, "cuLibraryLoadData", [&] {
    return said.error.empty() ? "loading a library of " + std::to_string(code.size()) + " bytes"
                              : said.error;
  });
  return std::make_shared<LibraryState>(driver, raw, std::move(names), std::move(request));
}

}  // namespace

Library::Library(const ModuleImage& image, const Driver& driver) {
  const KernelNames names(image.lowered_names);
  try {
    state_ = load_library(image.code, {}, names, nullptr, driver);
  } catch (const DeviceError& refusal) {
    // As Module does: a cached binary may be intact and still unusable.
    if (!image.remake || !refuses_code(refusal.code())) throw;
    const ModuleImage remade = image.remake();
    if (remade.code == image.code) throw;
    state_ = load_library(remade.code, {}, KernelNames(remade.lowered_names), nullptr, driver);
  }
}

Library::Library(std::span<const std::byte> code,
                 std::span<const std::pair<JitOption, unsigned>> options, JitLog* log,
                 const Driver& driver)
    : state_(load_library(code, options, KernelNames(), log, driver)) {}

Library::Library(std::shared_ptr<LibraryState> state) noexcept : state_(std::move(state)) {}

Library Library::load_file(const std::filesystem::path& path, const Driver& driver) {
  driver.initialize();
  const Table& cu = driver.table();
  RawLibrary raw = nullptr;
  check(cu, allocated([&] {
          return cu.cuLibraryLoadFromFile(&raw, path.c_str(), nullptr, nullptr, 0, nullptr, nullptr,
                                          0);
        }),
        "cuLibraryLoadFromFile", [&] { return path.string(); });
  return Library(std::make_shared<LibraryState>(driver, raw, KernelNames(), nullptr));
}

Library Library::wrap(const Driver& driver, RawLibrary raw) {
  refuse_null_handle("library", raw);
  return Library(std::make_shared<LibraryState>(driver, raw, KernelNames(), nullptr,
                                                LibraryState::Owner::others));
}

Kernel Library::kernel(std::string_view name) const { return state_->kernel(name); }

std::vector<std::string> Library::kernel_names() const {
  std::vector<std::string> names;
  for (const std::string& symbol : state_->symbols()) names.push_back(demangle(symbol));
  return names;
}

Global Library::global(std::string_view name) const {
  const Activation active(Context::current());
  const std::string lowered = state_->names().symbol_for(name);
  Global found{};
  check(active.table(),
        active.table().cuLibraryGetGlobal(&found.address, &found.size_bytes, raw(),
                                          (lowered.empty() ? std::string(name) : lowered).c_str()),
        "cuLibraryGetGlobal",
        [&] { return "the library has no variable \"" + std::string(name) + "\""; });
  return found;
}

Global Library::managed(std::string_view name) const {
  const Table& cu = state_->table();
  Global found{};
  check(cu,
        cu.cuLibraryGetManaged(&found.address, &found.size_bytes, raw(), std::string(name).c_str()),
        "cuLibraryGetManaged",
        [&] { return "the library has no managed variable \"" + std::string(name) + "\""; });
  return found;
}

void* Library::unified_function(std::string_view name) const {
  const Table& cu = state_->table();
  void* found = nullptr;
  check(cu, cu.cuLibraryGetUnifiedFunction(&found, raw(), std::string(name).c_str()),
        "cuLibraryGetUnifiedFunction", [&] { return "function \"" + std::string(name) + "\""; });
  return found;
}

Module Library::module() const {
  return LibraryState::as_module(state_->module_in(Context::current()));
}

const Driver& Library::driver() const noexcept { return state_->driver(); }
RawLibrary Library::raw() const noexcept { return state_->raw(); }

Kernel::Kernel(std::shared_ptr<LibraryState> library, RawKernel raw, std::string symbol)
    : library_(std::move(library)),
      raw_(raw),
      symbol_(std::move(symbol)),
      name_(kernel_name(demangle(symbol_))) {}

Kernel Kernel::wrap(const Driver& driver, RawKernel raw) {
  refuse_null_handle("kernel", raw);
  const Table& cu = driver.table();
  RawLibrary library = nullptr;
  const char* symbol = nullptr;
  check(cu, cu.cuKernelGetLibrary(&library, raw), "cuKernelGetLibrary",
        [] { return "a kernel to wrap"; });
  check(cu, cu.cuKernelGetName(&symbol, raw), "cuKernelGetName");
  return Library::wrap(driver, library).state_->wrap(raw, symbol);
}

Library Kernel::library() const { return Library(library_); }

Function Kernel::function() const {
  const Context context = Context::current();
  const auto module = library_->module_in(context);
  const Activation active(context);
  RawFunction raw = nullptr;
  check(active.table(), active.table().cuKernelGetFunction(&raw, raw_), "cuKernelGetFunction",
        [&] { return "kernel \"" + name_ + "\""; });
  return module->wrap(raw, symbol_);
}

ParameterLayout Kernel::parameters() const {
  const Table& cu = library_->table();
  ParameterLayout layout;
  if (!is_present(cu.cuKernelGetParamInfo)) return layout;
  for (std::size_t index = 0;; ++index) {
    KernelParameter parameter;
    // The first index that is refused is the number of parameters.
    const int code = cu.cuKernelGetParamInfo(raw_, index, &parameter.offset, &parameter.size);
    if (code == CUDA_ERROR_INVALID_VALUE) break;
    check(cu, code, "cuKernelGetParamInfo", [&] { return "kernel \"" + name_ + "\""; });
    layout.buffer_bytes = parameter.offset + parameter.size;
    layout.parameters.push_back(std::move(parameter));
  }
  layout.known = true;
  return layout;
}

int Kernel::attribute(FunctionAttribute attribute, const Device& device) const {
  const Table& cu = library_->table();
  int value = 0;
  check(cu,
        cu.cuKernelGetAttribute(&value, static_cast<CUfunction_attribute>(attribute), raw_,
                                device.raw()),
        "cuKernelGetAttribute", [&] { return "kernel \"" + name_ + "\""; });
  return value;
}

void Kernel::set_attribute(FunctionAttribute attribute, int value, const Device& device) const {
  const Table& cu = library_->table();
  check(cu,
        cu.cuKernelSetAttribute(static_cast<CUfunction_attribute>(attribute), value, raw_,
                                device.raw()),
        "cuKernelSetAttribute",
        [&] { return "kernel \"" + name_ + "\", value " + std::to_string(value); });
}

void Kernel::set_cache_config(CacheConfig config, const Device& device) const {
  const Table& cu = library_->table();
  check(cu, cu.cuKernelSetCacheConfig(raw_, static_cast<CUfunc_cache>(config), device.raw()),
        "cuKernelSetCacheConfig", [&] { return "kernel \"" + name_ + "\""; });
}

}  // namespace treadle::cuda
