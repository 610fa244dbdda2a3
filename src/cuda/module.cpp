// SPDX-License-Identifier: MIT
#include "treadle/cuda/module.hpp"

#include <utility>

#include "cuda/argument_check.hpp"
#include "cuda/cleanup.hpp"
#include "cuda/cubin_parameters.hpp"
#include "cuda/function_state.hpp"
#include "cuda/image_size.hpp"
#include "cuda/jit_request.hpp"
#include "cuda/module_state.hpp"
#include "treadle/cuda/allocation.hpp"

namespace treadle::cuda {

void unload_module(const Context& context, RawModule raw) noexcept {
  clean_up(context, "a module", "cuModuleUnload", &Table::cuModuleUnload, raw);
}

namespace {

RawModule load(const Context& context, std::span<const std::byte> code,
               std::span<const std::pair<JitOption, unsigned>> options, JitLog* log) {
  if (code.empty()) throw InvalidArgument("the module to load is empty");
  std::vector<std::byte> copy;
  code = terminated(code, copy);
  const Activation active(context);
  if (const std::uint64_t stated = stated_size(code); stated > code.size())
    raise(active.table(), CUDA_ERROR_INVALID_IMAGE, "cuModuleLoadDataEx",
          "the image is cut off: " + std::to_string(stated) + " bytes by its own headers, " +
              std::to_string(code.size()) + " are there");
  JitRequest request(options);
  RawModule raw = nullptr;
  const int result = allocated([&] {
    return active.table().cuModuleLoadDataEx(&raw, code.data(), request.count(), request.options(),
                                             request.values());
  });
  JitLog said = request.log();
  if (log != nullptr) *log = said;
  check(active.table(), result, "cuModuleLoadDataEx", [&] {
    return said.error.empty() ? "loading a module of " + std::to_string(code.size()) +
                                    " bytes on " + context.device().name()
                              : said.error;
  });
  return raw;
}

}  // namespace

bool refuses_code(int code) noexcept {
  return code == CUDA_ERROR_INVALID_IMAGE || code == CUDA_ERROR_NO_BINARY_FOR_GPU ||
         code == CUDA_ERROR_INVALID_PTX || code == CUDA_ERROR_UNSUPPORTED_PTX_VERSION ||
         code == CUDA_ERROR_INVALID_SOURCE || code == CUDA_ERROR_SHARED_OBJECT_INIT_FAILED ||
         code == CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND;
}

ModuleState::ModuleState(Context context, RawModule raw, std::span<const std::byte> code,
                         const std::map<std::string, std::string>& lowered)
    : handle_(std::move(context), raw), names_(lowered) {
  if (!is_present(this->context().state()->table().cuFuncGetParamInfo))
    code_.assign(code.begin(), code.end());
}

ModuleState::ModuleState(Context context, RawModule raw, KernelNames names,
                         std::shared_ptr<const void> owner)
    : handle_(std::move(context), raw), names_(std::move(names)), owner_(std::move(owner)) {}

ModuleState::~ModuleState() {
  if (owner_) handle_.release();
}

ReferenceSet& references_of(const ModuleState& module) { return module.references(); }

RawFunction ModuleState::find(const Table& cu, const std::string& symbol) const {
  RawFunction raw = nullptr;
  const int code = cu.cuModuleGetFunction(&raw, this->raw(), symbol.c_str());
  if (code == CUDA_ERROR_NOT_FOUND) return nullptr;
  check(cu, code, "cuModuleGetFunction", [&] { return "kernel \"" + symbol + "\""; });
  return raw;
}

Function ModuleState::wrap(RawFunction raw, const std::string& symbol) const {
  auto state = std::make_shared<const FunctionState>(shared_from_this(), context(), raw, symbol,
                                                     kernel_name(demangle(symbol)),
                                                     cubin_parameters(code_, symbol));
  return Function(std::move(state));
}

std::vector<std::string> ModuleState::symbols() const {
  const Activation active(context());
  const Table& cu = active.table();
  if (!is_present(cu.cuModuleEnumerateFunctions) || !is_present(cu.cuFuncGetName)) return {};
  unsigned count = 0;
  check(cu, cu.cuModuleGetFunctionCount(&count, raw()), "cuModuleGetFunctionCount");
  std::vector<RawFunction> functions(count);
  if (count != 0)
    check(cu, cu.cuModuleEnumerateFunctions(functions.data(), count, raw()),
          "cuModuleEnumerateFunctions");
  std::vector<std::string> names;
  for (const RawFunction function : functions) {
    const char* name = nullptr;
    check(cu, cu.cuFuncGetName(&name, function), "cuFuncGetName");
    names.emplace_back(name);
  }
  return names;
}

Function ModuleState::function(std::string_view name) const {
  const Activation active(context());
  const Table& cu = active.table();
  const auto [raw, symbol] = names_.find(
      name, [&](const std::string& each) { return find(cu, each); }, [&] { return symbols(); });
  if (raw != nullptr) return wrap(raw, symbol);
  raise(cu, CUDA_ERROR_NOT_FOUND, "cuModuleGetFunction",
        names_.why_unknown("the module", name, symbols()));
}

Global ModuleState::global(std::string_view name) const {
  const Activation active(context());
  const Table& cu = active.table();
  const std::string lowered = names_.symbol_for(name);
  const std::string symbol = lowered.empty() ? std::string(name) : lowered;
  Global global{};
  check(cu, cu.cuModuleGetGlobal(&global.address, &global.size_bytes, raw(), symbol.c_str()),
        "cuModuleGetGlobal",
        [&] { return "the module has no variable \"" + std::string(name) + "\""; });
  return global;
}

namespace {

std::shared_ptr<ModuleState> load_image(const Context& context, const ModuleImage& image) {
  return std::make_shared<ModuleState>(context, load(context, image.code, {}, nullptr), image.code,
                                       image.lowered_names);
}

}  // namespace

Module::Module(const ModuleImage& image) {
  const Context context = Context::current();
  try {
    state_ = load_image(context, image);
  } catch (const DeviceError& refusal) {
    // A cached binary may be intact and still unusable; then the compiler runs again, once.
    if (!image.remake || !refuses_code(refusal.code())) throw;
    const ModuleImage remade = image.remake();
    if (remade.code == image.code) throw;
    state_ = load_image(context, remade);
  }
}

Module::Module(std::span<const std::byte> code,
               std::span<const std::pair<JitOption, unsigned>> options, JitLog* log) {
  const Context context = Context::current();
  state_ = std::make_shared<ModuleState>(context, load(context, code, options, log), code);
}

Module::Module(std::shared_ptr<ModuleState> state) noexcept : state_(std::move(state)) {}

Module Module::load_file(const std::filesystem::path& path) {
  const Context context = Context::current();
  const Activation active(context);
  RawModule raw = nullptr;
  check(active.table(), allocated([&] { return active.table().cuModuleLoad(&raw, path.c_str()); }),
        "cuModuleLoad", [&] { return path.string(); });
  return Module(std::make_shared<ModuleState>(context, raw, std::span<const std::byte>{}));
}

Module Module::wrap(const Context& context, RawModule raw) {
  refuse_null_handle("module", raw);
  static const auto somebody = std::make_shared<int>();
  return Module(std::make_shared<ModuleState>(context, raw, KernelNames(), somebody));
}

Function Module::wrap_function(RawFunction raw) {
  refuse_null_handle("function", raw);
  const Context context = Context::current();
  const Activation active(context);
  const Table& cu = active.table();
  RawModule module = nullptr;
  const char* symbol = nullptr;
  check(cu, cu.cuFuncGetModule(&module, raw), "cuFuncGetModule",
        [] { return "a function to wrap"; });
  check(cu, cu.cuFuncGetName(&symbol, raw), "cuFuncGetName");
  return wrap(context, module).state_->wrap(raw, symbol);
}

Function Module::function(std::string_view name) const { return state_->function(name); }
Global Module::global(std::string_view name) const { return state_->global(name); }

std::vector<std::string> Module::function_names() const {
  std::vector<std::string> names;
  for (const std::string& symbol : state_->symbols()) names.push_back(demangle(symbol));
  return names;
}

const Context& Module::context() const noexcept { return state_->context(); }
RawModule Module::raw() const noexcept { return state_->raw(); }

}  // namespace treadle::cuda
