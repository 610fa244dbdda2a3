// SPDX-License-Identifier: MIT
#include "treadle/cuda/module.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "cuda/cleanup.hpp"
#include "cuda/cubin_parameters.hpp"
#include "cuda/function_state.hpp"
#include "cuda/image_size.hpp"
#include "cuda/kernel_names.hpp"

namespace treadle::cuda {
namespace {

void unload_module(const Context& context, RawModule raw) noexcept {
  clean_up(context, "a module", "cuModuleUnload", &Table::cuModuleUnload, raw);
}

}  // namespace

template <>
inline constexpr const char* handle_kind<unload_module> = "cuda module";

namespace {

/// Options for the driver, with room for its logs.
class JitRequest {
 public:
  explicit JitRequest(std::span<const std::pair<JitOption, unsigned>> numbers) {
    add(CU_JIT_INFO_LOG_BUFFER, info_.data());
    add_number(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, info_.size());
    add(CU_JIT_ERROR_LOG_BUFFER, error_.data());
    add_number(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, error_.size());
    for (const auto& [option, number] : numbers)
      add_number(static_cast<CUjit_option>(option), number);
  }
  JitRequest(const JitRequest&) = delete;
  JitRequest& operator=(const JitRequest&) = delete;

  int load(const Table& cu, RawModule& raw, const void* code) {
    return cu.cuModuleLoadDataEx(&raw, code, static_cast<unsigned>(options_.size()),
                                 options_.data(), values_.data());
  }
  JitLog log() const { return {text(info_), text(error_)}; }

 private:
  using Buffer = std::array<char, 32 * 1024>;
  void add(CUjit_option option, void* value) {
    options_.push_back(option);
    values_.push_back(value);
  }
  void add_number(CUjit_option option, std::size_t number) {
    add(option, reinterpret_cast<void*>(number));  // the driver takes numbers in the pointer itself
  }
  static std::string text(const Buffer& buffer) {
    std::string all(buffer.data(), strnlen(buffer.data(), buffer.size()));
    return all.substr(0, all.find_last_not_of(" \n\r\t") + 1);
  }

  Buffer info_{}, error_{};
  std::vector<CUjit_option> options_;
  std::vector<void*> values_;
};

/// The driver reads PTX up to a NUL. Binary images say their size themselves.
bool needs_terminator(std::span<const std::byte> code) {
  const auto is_text = [](std::byte byte) {
    const auto c = static_cast<unsigned char>(byte);
    return c == '\n' || c == '\t' || c == '\r' || (c >= 32 && c < 127);
  };
  return !code.empty() && is_text(code.back()) && is_text(code.front()) &&
         std::ranges::find(code, std::byte{0}) == code.end();
}

RawModule load(const Context& context, std::span<const std::byte> code,
               std::span<const std::pair<JitOption, unsigned>> options, JitLog* log) {
  if (code.empty()) throw InvalidArgument("the module to load is empty");
  std::vector<std::byte> terminated;
  if (needs_terminator(code)) {
    terminated.assign(code.begin(), code.end());
    terminated.push_back(std::byte{0});
    code = terminated;
  }
  const Activation active(context);
  if (const std::uint64_t stated = stated_size(code); stated > code.size())
    raise(active.table(), CUDA_ERROR_INVALID_IMAGE, "cuModuleLoadDataEx",
          "the image is cut off: " + std::to_string(stated) + " bytes by its own headers, " +
              std::to_string(code.size()) + " are there");
  JitRequest request(options);
  RawModule raw = nullptr;
  const int result = request.load(active.table(), raw, code.data());
  JitLog said = request.log();
  if (log != nullptr) *log = said;
  check(active.table(), result, "cuModuleLoadDataEx", [&] {
    return said.error.empty() ? "loading a module of " + std::to_string(code.size()) +
                                    " bytes on " + context.device().name()
                              : said.error;
  });
  return raw;
}

/// Whether the driver has judged the code itself, so that other code might be taken.
bool refuses_code(int code) {
  return code == CUDA_ERROR_INVALID_IMAGE || code == CUDA_ERROR_NO_BINARY_FOR_GPU ||
         code == CUDA_ERROR_INVALID_PTX || code == CUDA_ERROR_UNSUPPORTED_PTX_VERSION ||
         code == CUDA_ERROR_INVALID_SOURCE || code == CUDA_ERROR_SHARED_OBJECT_INIT_FAILED ||
         code == CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND;
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return text;
}

}  // namespace

/// A loaded module and what is known of the names in it.
class ModuleState : public std::enable_shared_from_this<ModuleState> {
 public:
  ModuleState(Context context, RawModule raw, std::span<const std::byte> code,
              const std::map<std::string, std::string>& lowered = {})
      : handle_(std::move(context), raw) {
    if (!is_present(this->context().state()->table().cuFuncGetParamInfo))
      code_.assign(code.begin(), code.end());
    for (const auto& [expression, symbol] : lowered) lowered_.emplace(squeeze(expression), symbol);
  }

  Function function(std::string_view name) const;
  Global global(std::string_view name) const;
  std::vector<std::string> symbols() const;
  const Context& context() const noexcept { return handle_.context(); }
  RawModule raw() const noexcept { return handle_.raw(); }

 private:
  std::string symbol_for(const std::string& squeezed) const;
  RawFunction find(const Table& cu, const std::string& symbol) const;
  Function wrap(RawFunction raw, const std::string& symbol) const;
  [[noreturn]] void raise_unknown_function(const Table& cu, std::string_view name,
                                           const std::vector<std::string>& matches) const;

  Handle<RawModule, unload_module> handle_;
  std::vector<std::byte> code_;  // kept only where the driver does not tell parameters
  std::map<std::string, std::string> lowered_;  // squeezed name expression -> symbol
};

std::string ModuleState::symbol_for(const std::string& squeezed) const {
  // The address of a variable or function is a name expression too: "&table".
  for (const std::string& key : {squeezed, "&" + squeezed})
    if (const auto found = lowered_.find(key); found != lowered_.end()) return found->second;
  return {};
}

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
  const std::string wanted = squeeze(name);
  if (const std::string symbol = symbol_for(wanted); !symbol.empty())
    if (const RawFunction raw = find(cu, symbol)) return wrap(raw, symbol);
  if (const RawFunction raw = find(cu, std::string(name))) return wrap(raw, std::string(name));

  // Not a symbol: perhaps a demangled name.
  std::vector<std::string> matches;
  for (const std::string& symbol : symbols()) {
    const std::string readable = demangle(symbol);
    if (squeeze(kernel_name(readable)) == wanted || squeeze(readable) == wanted)
      matches.push_back(symbol);
  }
  if (matches.size() == 1)
    if (const RawFunction raw = find(cu, matches.front())) return wrap(raw, matches.front());
  raise_unknown_function(cu, name, matches);
}

void ModuleState::raise_unknown_function(const Table& cu, std::string_view name,
                                         const std::vector<std::string>& matches) const {
  std::vector<std::string> readable;
  std::string detail;
  if (!matches.empty()) {
    for (const std::string& symbol : matches) readable.push_back(demangle(symbol));
    detail = "kernel \"" + std::string(name) + "\" is overloaded: " + quoted_list(readable);
  } else {
    for (const std::string& symbol : symbols()) readable.push_back(kernel_name(demangle(symbol)));
    for (const auto& [expression, symbol] : lowered_) readable.push_back(expression);
    std::ranges::sort(readable);
    const auto repeated = std::ranges::unique(readable);
    readable.erase(repeated.begin(), repeated.end());
    detail = "the module has no kernel \"" + std::string(name) + "\"";
    if (const auto nearest = near_matches(name, readable); !nearest.empty())
      detail += "; near it: " + quoted_list(nearest);
    else if (!readable.empty() && readable.size() <= 8)
      detail += "; it has " + quoted_list(readable);
  }
  raise(cu, CUDA_ERROR_NOT_FOUND, "cuModuleGetFunction", std::move(detail));
}

Global ModuleState::global(std::string_view name) const {
  const Activation active(context());
  const Table& cu = active.table();
  const std::string lowered = symbol_for(squeeze(name));
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
  check(active.table(), active.table().cuModuleLoad(&raw, path.c_str()), "cuModuleLoad",
        [&] { return path.string(); });
  return Module(std::make_shared<ModuleState>(context, raw, std::span<const std::byte>{}));
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
