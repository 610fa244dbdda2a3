// SPDX-License-Identifier: MIT
#include "treadle/kernel/program.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "treadle/base/error.hpp"
#include "treadle/base/line_directive.hpp"
#include "treadle/codegen/dialect_header.hpp"
#include "treadle/compile/cached.hpp"
#include "treadle/kernel/precompile.hpp"

namespace treadle::kernel {
namespace {

void require_language(const device::DeviceInfo& info, const ProgramOptions& options) {
  if (!options.language || *options.language == info.language) return;
  throw NotSupported("the text is " + std::string(language_name(*options.language)) + ", and " +
                         info.id + " (" + info.name + ") takes " +
                         std::string(language_name(info.language)),
                     "ask DeviceInfo::language which text to write");
}

/// The position and length of the line of `source` that includes treadle/dialect.h; npos and 0 if
/// there is none.
std::pair<std::size_t, std::size_t> dialect_include(const std::string& source) {
  for (std::size_t at = source.find("treadle/dialect.h"); at != std::string::npos;
       at = source.find("treadle/dialect.h", at + 1)) {
    const std::size_t newline = source.rfind('\n', at);
    const std::size_t start = newline == std::string::npos ? 0 : newline + 1;
    std::string before;
    for (const char c : source.substr(start, at - start))
      if (c != ' ' && c != '\t') before += c;
    if (before == "#include\"" || before == "#include<")
      return {start, std::min(source.find('\n', at), source.size())};
  }
  return {std::string::npos, 0};
}

/// Not every compiler searches Treadle's headers, so the header's text replaces the first line that
/// includes it. Messages keep the line numbers of the text. Later lines that include it, as in
/// concatenated headers, become empty.
std::string with_dialect(const std::string& source, Language language) {
  const auto [start, end] = dialect_include(source);
  if (start == std::string::npos) return source;
  std::string behind = source.substr(std::min(end + 1, source.size()));
  for (auto [again, stop] = dialect_include(behind); again != std::string::npos;
       std::tie(again, stop) = dialect_include(behind))
    behind.erase(again, stop - again);
  return source.substr(0, start) + std::string(codegen::dialect_header(language)) +
         line_directive_behind(source.substr(0, end) + '\n', "") + behind;
}

std::vector<std::string> with_folders(const ProgramOptions& options) {
  std::vector<std::string> all = options.flags;
  for (const auto& folder : options.include_dirs) all.push_back("-I" + folder.string());
  return all;
}

compile::BinaryKey key_of(const device::DeviceInfo& info, const std::string& source,
                          const ProgramOptions& options) {
  compile::BinaryKey key;
  key.language = info.language;
  key.source = source;
  key.source_name = options.source_name;
  key.options = options.flags;
  key.include_dirs = options.include_dirs;
  for (const auto& [name, value] : info.build_identity) key.identity.push_back({name, value});
  return key;
}

compile::CompileResult compile_source(const device::DeviceInfo& info, const std::string& source,
                                      const ProgramOptions& options) {
  const compile::Options how{.flags = options.flags,
                             .include_dirs = options.include_dirs,
                             .name_expressions = options.name_expressions,
                             .source_name = options.source_name,
                             .cache = options.cache,
                             .cache_dir = options.cache_dir};
  return compile::compile_cuda(source, compile::Target::parse(info.target), how);
}

}  // namespace

compile::CompileResult precompile(const device::DeviceInfo& info, const std::string& text,
                                  const ProgramOptions& options) {
  require_language(info, options);
  if (info.traits.builds_text)
    throw NotSupported(info.id + " compiles and loads as one", "make a Program");
  return compile_source(info, with_dialect(text, info.language), options);
}

Program::Program(const std::shared_ptr<device::Device>& device, const std::string& text,
                 const ProgramOptions& options) {
  if (device == nullptr) throw InvalidArgument("a Program needs a device");
  require_language(device->info(), options);
  const std::string source = with_dialect(text, device->info().language);
  if (device->info().traits.builds_text)
    build_text(*device, source, options);
  else
    build_cuda(*device, source, options);
}

void Program::note(const compile::CompileResult& program) {
  log_ = program.log;
  origin_ = program.origin;
  seconds_ = program.seconds;
}

void Program::build_cuda(device::Device& device, const std::string& source,
                         const ProgramOptions& options) {
  const compile::CompileResult program = compile_source(device.info(), source, options);
  module_ = device.load(program.image);
  note(program);
}

void Program::build_text(device::Device& device, const std::string& source,
                         const ProgramOptions& options) {
  if (!options.name_expressions.empty())
    throw InvalidArgument("name_expressions are C++, and " + device.info().id + " takes " +
                              std::string(language_name(device.info().language)),
                          "ask for kernels by the names they have in the text");
  // A build keeps its module, so that its binary is not loaded a second time.
  const auto build = [&] {
    device::BuildResult built =
        device.build({source, with_folders(options), options.cache == compile::CacheUse::enabled});
    module_ = std::move(built.module);
    return compile::Binary{std::move(built.image.code), std::move(built.log)};
  };
  const auto load = [&](const std::vector<compile::CompileResult>& found) {
    if (module_ == nullptr) module_ = device.load(found.front().image);
  };
  const auto found = compile::load_cached({{key_of(device.info(), source, options), build}}, load,
                                          {options.cache, options.cache_dir});
  note(found.front());
}

}  // namespace treadle::kernel
