// SPDX-License-Identifier: MIT
#include "compile/nvcc.hpp"

#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include <cstring>

#include "compile/identity.hpp"
#include "compile/process.hpp"
#include "treadle/base/error.hpp"

namespace treadle::compile {
namespace {

constexpr const char* source_file = "kernel.cu";
constexpr const char* result_file = "kernel.image";
constexpr const char* rule_file = "kernel.d";

std::filesystem::path resolved(const std::filesystem::path& path) {
  std::error_code failure;
  std::filesystem::path real = std::filesystem::canonical(path, failure);
  return failure ? path : real;
}

const char* output_flag(Output output) {
  switch (output) {
    case Output::ptx:
      return "--ptx";
    case Output::fatbin:
      return "--fatbin";
    case Output::cubin:
      break;
  }
  return "--cubin";
}

std::string host_compiler(const std::vector<std::string>& flags) {
  for (std::size_t i = 0; i < flags.size(); ++i) {
    for (const std::string_view name : {"-ccbin", "--compiler-bindir"}) {
      if (flags[i] == name && i + 1 < flags.size()) return flags[i + 1];
      if (flags[i].starts_with(std::string(name) + "=")) return flags[i].substr(name.size() + 1);
    }
  }
  return "gcc";
}

std::string host_compiler_identity(const std::vector<std::string>& flags) {
  const std::string name = host_compiler(flags);
  std::filesystem::path path = find_program(name);
  if (std::error_code failure; std::filesystem::is_directory(name, failure))
    path = std::filesystem::path(name) / "gcc";
  return file_identity(resolved(path));
}

}  // namespace

NvccCompiler::NvccCompiler(const std::string& nvcc) {
  const std::filesystem::path found = find_program(nvcc);
  if (found.empty())
    throw LibraryNotFound("nvcc", {nvcc + ": not found, or not to be run by this user"},
                          "install a CUDA toolkit, or set TREADLE_NVCC to its bin/nvcc; NVRTC "
                          "(Toolchain::nvrtc) needs neither");
  nvcc_ = std::filesystem::absolute(found);
}

std::string NvccCompiler::identity(const CompilerOptions& options) {
  const std::filesystem::path bin = resolved(nvcc_).parent_path();
  std::string text = "nvcc " + file_identity(nvcc_);
  for (const char* part : {"cudafe++", "ptxas", "fatbinary", "nvcc.profile", "../nvvm/bin/cicc"})
    text += fmt::format(" {} {}", part, file_identity(bin / part));
  return text + " host " + host_compiler_identity(options.flags);
}

std::vector<std::string> NvccCompiler::arguments(const CompileJob& job) const {
  std::vector<std::string> all = {nvcc_.string(), output_flag(job.output)};
  std::string architecture = job.options.target;
  if (job.output == Output::ptx && architecture.starts_with("sm_"))
    architecture.replace(0, 3, "compute_");
  all.push_back("-arch=" + architecture);
  all.insert(all.end(), job.options.flags.begin(), job.options.flags.end());
  for (const std::string& name : job.options.pre_includes) {
    all.emplace_back("-include");
    all.push_back(name);
  }
  for (const auto& folder : job.options.include_dirs) all.push_back("-I" + folder.string());
  for (const char* argument : {"-MD", "-MF", rule_file, "-o", result_file, source_file})
    all.emplace_back(argument);
  return all;
}

CompileOutcome NvccCompiler::compile(const CompileJob& job) {
  if (!job.names.empty())
    throw InvalidArgument("nvcc cannot look up name expressions (\"" + job.names.front() + "\")",
                          "compile with NVRTC, or give the kernel an extern \"C\" name");
  const TemporaryFolder folder;
  write_text_file(folder.path() / source_file, job.text);
  const ProcessResult run = run_process(arguments(job), folder.path());
  std::error_code failure;
  if (run.exit_status != 0 || !std::filesystem::exists(folder.path() / result_file, failure))
    throw_compile_error(job, title(), run.output);
  const std::string image = read_text_file(folder.path() / result_file);
  CompileOutcome outcome;
  outcome.log = run.output;
  outcome.image.code.resize(image.size());
  std::memcpy(outcome.image.code.data(), image.data(), image.size());
  if (job.output == Output::ptx) outcome.image.code.push_back(std::byte{0});
  for (std::string& file : files_of_make_rule(read_text_file(folder.path() / rule_file)))
    if (file.starts_with('/'))
      outcome.dependencies.push_back(std::move(file));  // not kernel.cu itself
  return outcome;
}

std::vector<std::string> files_of_make_rule(std::string_view rule) {
  std::vector<std::string> files;
  const std::size_t colon = rule.find(':');
  if (colon == std::string_view::npos) return files;
  std::string file;
  const auto finish = [&] {
    if (!file.empty()) files.push_back(std::move(file));
    file.clear();
  };
  for (std::size_t i = colon + 1; i < rule.size(); ++i) {
    const char c = rule[i];
    const char next = i + 1 < rule.size() ? rule[i + 1] : '\n';
    if (c == '\\' && (next == ' ' || next == '#' || next == '\\')) {
      file += next;
      ++i;
    } else if (c == '$' && next == '$') {
      file += '$';
      ++i;
    } else if (c == ' ' || c == '\n' || c == '\r' || c == '\t' || (c == '\\' && next == '\n')) {
      finish();
    } else {
      file += c;
    }
  }
  finish();
  return files;
}

}  // namespace treadle::compile
