// SPDX-License-Identifier: MIT
#include "compile/nvrtc.hpp"

#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "compile/digest.hpp"
#include "compile/framing.hpp"
#include "compile/host_code.hpp"
#include "compile/identity.hpp"
#include "treadle/base/embedded.hpp"
#include "treadle/base/error.hpp"

namespace treadle::compile {

namespace nvrtc_headers {
extern const std::span<const EmbeddedFile> embedded_files;
}

namespace {

// NVRTC searches the folder of the program's name, and by default that is the current one. This
// folder cannot exist, below a device; #line gives the source its real name.
constexpr std::string_view nowhere = "/dev/null/";
/// What nvcc has and a compiler lacks: words of its log, and the argument that supplies it.
struct Remedy {
  std::string_view words;
  const char* argument;
};
constexpr const char* default_device = "--device-as-default-execution-space";
constexpr const char* std_names = "--pre-include=treadle/std_names.h";
constexpr const char* pointer_extensions = "--pre-include=treadle/pointer_extensions.h";
constexpr const char* texture_references = "--pre-include=treadle/texture_references.h";
constexpr const char* mixed_math = "--pre-include=treadle/mixed_math.h";
constexpr std::string_view host_variables = "host variables are not allowed in JIT mode";
constexpr Remedy remedies[] = {
    // CUDA 12 took texture<> and surface<> away: NVRTC's words, and the CPU compiler's.
    {"texture is not a template", texture_references},
    {"surface is not a template", texture_references},
    {"no template named 'texture'", texture_references},
    {"no template named 'surface'", texture_references},
    // NVRTC takes no host functions, unless they count as device functions.
    {"host functions are not allowed in JIT mode", default_device},
    {host_variables, default_device},
    {"call to __host__ function", default_device},
    {"reference to __host__ function", default_device},
    // Of a constructor's argument in braces; of members it is a warning by itself.
    {"invalid narrowing conversion", "--diag-warn=2361"},
    {"128-bit integer type is only supported", "--device-int128"},
    // sqrt(int) and pow(float, double), which <cmath> has for the host's compiler.
    {"more than one instance of overloaded function", mixed_math},
    // std::sqrt and std::is_same without an include.
    {"namespace \"std\" has no member", std_names},
    {" in namespace 'std'", std_names}};

const EmbeddedFile* embedded_header(std::string_view name) {
  for (const EmbeddedFile& file : nvrtc_headers::embedded_files)
    if (file.path == name) return &file;
  return nullptr;
}

std::string digest_of_headers() {
  FieldWriter fields;
  for (const EmbeddedFile& file : nvrtc_headers::embedded_files) {
    fields.text(file.path);
    fields.text(file.text);
  }
  return digest_of(fields.bytes()).hex();
}

std::string joined_lines(std::string first, std::string_view second) {
  if (!first.empty() && !second.empty() && !first.ends_with('\n')) first += '\n';
  first += second;
  first.resize(first.find_last_not_of('\n') + 1);
  return first;
}

/// The compiler's program object.
class NvrtcProgram {
 public:
  NvrtcProgram(const NvrtcTable& nvrtc, const CompileJob& job, const std::string& text,
               bool with_headers)
      : nvrtc_(nvrtc) {
    std::vector<const char*> texts, names;
    for (const EmbeddedFile& file : nvrtc_headers::embedded_files) {
      if (!with_headers || std::ranges::find(job.shadowed, file.path) != job.shadowed.end())
        continue;
      texts.push_back(file.text.data());
      names.push_back(file.path.data());
    }
    const std::string name = name_of(job.source_name);
    check(nvrtc.nvrtcCreateProgram(&program_, text.c_str(), name.c_str(),
                                   static_cast<int>(texts.size()), texts.data(), names.data()),
          "nvrtcCreateProgram");
  }
  NvrtcProgram(const NvrtcProgram&) = delete;
  NvrtcProgram& operator=(const NvrtcProgram&) = delete;
  ~NvrtcProgram() { nvrtc_.nvrtcDestroyProgram(&program_); }

  static std::string name_of(const std::string& source_name) {
    const std::string file = std::filesystem::path(source_name).filename();
    return std::string(nowhere) + (file.empty() ? "kernel.cu" : file);
  }

  nvrtcResult compile(const std::vector<std::string>& arguments) {
    std::vector<const char*> pointers;
    for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
    return nvrtc_.nvrtcCompileProgram(program_, static_cast<int>(pointers.size()), pointers.data());
  }

  std::string log(const std::string& source_name) {
    std::size_t size = 0;
    if (nvrtc_.nvrtcGetProgramLogSize(program_, &size) != NVRTC_SUCCESS || size <= 1) return {};
    std::string text(size, '\0');
    if (nvrtc_.nvrtcGetProgramLog(program_, text.data()) != NVRTC_SUCCESS) return {};
    text.resize(std::min(text.find('\0'), text.size()));
    text.resize(text.find_last_not_of(" \n\r\t") + 1);  // npos + 1 is 0
    const std::string internal = name_of(source_name);
    for (std::size_t at = 0; (at = text.find(internal, at)) != std::string::npos;)
      text.replace(at, internal.size(), source_name);
    return text;
  }

  std::vector<std::byte> result(bool as_ptx) {
    std::size_t size = 0;
    std::vector<std::byte> code;
    if (as_ptx) {
      check(nvrtc_.nvrtcGetPTXSize(program_, &size), "nvrtcGetPTXSize");
      code.resize(size);
      check(nvrtc_.nvrtcGetPTX(program_, reinterpret_cast<char*>(code.data())), "nvrtcGetPTX");
    } else {
      check(nvrtc_.nvrtcGetCUBINSize(program_, &size), "nvrtcGetCUBINSize");
      code.resize(size);
      check(nvrtc_.nvrtcGetCUBIN(program_, reinterpret_cast<char*>(code.data())), "nvrtcGetCUBIN");
    }
    return code;
  }

  void add_name(const std::string& name) {
    check(nvrtc_.nvrtcAddNameExpression(program_, name.c_str()), "nvrtcAddNameExpression");
  }
  std::string lowered(const std::string& name) {
    const char* symbol = nullptr;
    check(nvrtc_.nvrtcGetLoweredName(program_, name.c_str(), &symbol), "nvrtcGetLoweredName");
    return symbol;
  }

 private:
  void check(nvrtcResult result, const char* call) const {
    if (result == NVRTC_SUCCESS) return;
    throw CompileError(fmt::format("{} failed: {}", call, nvrtc_.nvrtcGetErrorString(result)), "",
                       "", {});
  }

  const NvrtcTable& nvrtc_;
  nvrtcProgram program_ = nullptr;
};

}  // namespace

NvrtcCompiler::NvrtcCompiler(NvrtcLibrary library, std::vector<std::filesystem::path> toolkit_dirs)
    : reader_(Reader::nvrtc),
      library_(std::move(library)),
      toolkit_dirs_(std::move(toolkit_dirs)) {}

NvrtcCompiler::NvrtcCompiler(std::filesystem::path cpu_compiler)
    : reader_(Reader::cpu), library_{std::move(cpu_compiler), {}} {}

std::string NvrtcCompiler::title() const {
  if (reader_ == Reader::cpu) return "the CPU compiler";
  return fmt::format("NVRTC {}.{}", library_.version.major, library_.version.minor);
}

std::string NvrtcCompiler::identity(const CompilerOptions&) {
  const std::lock_guard lock(mutex_);
  // Once the library is open, a newer file in its place changes nothing for this process.
  if (!identity_.empty()) return identity_;
  identity_ = file_identity(library_.path);
  if (reader_ == Reader::nvrtc) {
    const auto builtins =
        library_.path.parent_path() /
        fmt::format("libnvrtc-builtins.so.{}.{}", library_.version.major, library_.version.minor);
    static const std::string headers = digest_of_headers();
    identity_ =
        fmt::format("nvrtc {} builtins {} headers {}", identity_, file_identity(builtins), headers);
  } else {
    identity_ = "treadle_clang " + identity_;
  }
  return identity_;
}

void NvrtcCompiler::load() {
  const std::lock_guard lock(mutex_);
  if (table_) return;
  table_ = open_nvrtc(library_.path);
  identity_.clear();  // the file may have been replaced since it was asked for
}

bool NvrtcCompiler::embeds(std::string_view name) const {
  return reader_ == Reader::nvrtc && embedded_header(name) != nullptr;
}

std::vector<std::string> NvrtcCompiler::arguments(const CompileJob& job) const {
  std::vector<std::string> all;
  std::string architecture = job.options.target;
  if (reader_ == Reader::cpu) architecture = "cpu";
  if (job.output == Output::ptx && architecture.starts_with("sm_"))
    architecture.replace(0, 3, "compute_");
  all.push_back("--gpu-architecture=" + architecture);
  const auto is_standard = [](const std::string& flag) { return flag.starts_with("--std="); };
  if (std::ranges::none_of(job.options.flags, is_standard)) all.emplace_back("--std=c++17");
  if (reader_ == Reader::cpu) all.emplace_back("--no-source-include");
  all.insert(all.end(), job.options.flags.begin(), job.options.flags.end());
  for (const auto& folder : job.options.include_dirs)
    all.push_back("--include-path=" + folder.string());
  for (const auto& folder : toolkit_dirs_) all.push_back("--include-path=" + folder.string());
  if (reader_ == Reader::nvrtc) all.push_back(std::string("--pre-include=") + prelude_name);
  for (const std::string& name : job.options.pre_includes) all.push_back("--pre-include=" + name);
  return all;
}

CompileOutcome NvrtcCompiler::compile(const CompileJob& job) {
  load();
  std::vector<std::string> given = arguments(job);
  Attempt last = attempt(job, job.text, given);
  if (last.succeeded) return std::move(last.outcome);
  HostCode host(job.text, job.source_name);
  const auto add = [&](const char* argument) {
    const bool is_new = std::ranges::find(given, argument) == given.end();
    if (is_new) given.emplace_back(argument);
    return is_new;
  };
  while (!last.succeeded) {
    const std::string& log = last.outcome.log;
    const auto says = [&](std::string_view words) { return log.find(words) != std::string::npos; };
    const bool marked = says(host_variables) && host.mark_references();
    bool better = marked;
    for (const auto& [words, argument] : remedies)
      if (says(words) && !(marked && words == host_variables)) better |= add(argument);
    if (!better && !host.leave_out(log) && !host.mend_linkage(log) && !host.mend_literals(log) &&
        !host.mend_lambdas(log)) {
      if (!host.mend_pointers(log)) break;
      add(pointer_extensions);
    }
    last = attempt(job, host.text(), given);
  }
  if (!last.succeeded)
    throw_compile_error(job, title(), joined_lines(last.outcome.log, host.missed()));
  if (std::ranges::find(given, "--disable-warnings") == given.end())
    last.outcome.log = joined_lines(last.outcome.log, host.warnings());
  return std::move(last.outcome);
}

NvrtcCompiler::Attempt NvrtcCompiler::attempt(const CompileJob& job, const std::string& text,
                                              const std::vector<std::string>& given) const {
  NvrtcProgram program(*table_, job, text, reader_ == Reader::nvrtc);
  for (const std::string& name : job.names) program.add_name(name);
  const nvrtcResult result = program.compile(given);
  Attempt attempt;
  attempt.succeeded = result == NVRTC_SUCCESS;
  attempt.outcome.log = program.log(job.source_name);
  if (result == NVRTC_ERROR_INVALID_OPTION && reader_ == Reader::cpu)
    throw InvalidArgument(attempt.outcome.log, "docs/options.md lists the options");
  if (!attempt.succeeded) {
    if (attempt.outcome.log.empty()) attempt.outcome.log = table_->nvrtcGetErrorString(result);
    return attempt;
  }
  const bool as_ptx = reader_ == Reader::nvrtc &&
                      (job.output == Output::ptx || job.options.target.starts_with("compute_"));
  attempt.outcome.image.code = program.result(as_ptx);
  for (const std::string& name : job.names)
    attempt.outcome.image.lowered_names.emplace(name, program.lowered(name));
  return attempt;
}

}  // namespace treadle::compile
