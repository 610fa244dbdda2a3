// SPDX-License-Identifier: MIT
#include "compile/cuda_build.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "compile/compile_record.hpp"
#include "compile/source_text.hpp"
#include "treadle/process/compiler_scope.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::compile {
namespace {

// The source's own folder, if its name has one, comes first: that is where its author looks for
// "header.h".
std::vector<std::filesystem::path> include_dirs(const Options& options) {
  std::vector<std::filesystem::path> folders = options.include_dirs;
  const auto own = std::filesystem::path(options.source_name).parent_path();
  if (!own.empty()) folders.insert(folders.begin(), own);
  return folders;
}

const char* output_name(Output output) {
  switch (output) {
    case Output::cubin:
      return "cubin";
    case Output::ptx:
      return "ptx";
    case Output::fatbin:
      return "fatbin";
  }
  return "";
}

BinaryKey key_of(const std::string& source, const Options& options, const CompilerOptions& read,
                 std::string compiler) {
  BinaryKey key;
  key.language = Language::cuda_c;
  key.source = source;
  key.source_name = options.source_name;
  key.options = read.flags;
  key.holds_paths = read.embeds_paths;
  key.identity = {{"compiler", std::move(compiler)},
                  {"target", read.target},
                  {"output", output_name(options.output)},
                  {"extern C", options.extern_c ? "1" : "0"}};
  for (const std::string& name : options.name_expressions)
    key.identity.push_back({"name expression", name});
  return key;
}

IncludeSearch search_of(const std::shared_ptr<Compiler>& compiler, const CompilerOptions& read) {
  IncludeSearch search;
  search.user_dirs = read.include_dirs;
  if (compiler->dependencies() != Dependencies::told)
    search.toolkit_dirs = compiler->toolkit_dirs();
  search.pre_includes = read.pre_includes;
  search.is_embedded = [compiler](std::string_view name) { return compiler->embeds(name); };
  return search;
}

/// Whether somebody wants to know which lines of it ran. What generators write begins with a
/// comment that says so; around a user's text they write little.
bool is_users_text(std::string_view source, const Options& options) {
  if (options.source_name.starts_with("treadle_")) return false;
  const std::string_view first_line = source.substr(0, source.find('\n'));
  return !first_line.starts_with("// ") ||
         first_line.find(", made by treadle's ") == std::string_view::npos ||
         first_line.find(" around a ") != std::string_view::npos;
}

}  // namespace

CompileRequest cuda_build(const std::string& source, const Target& target, const Options& options) {
  const std::shared_ptr<Compiler> compiler = choose_compiler(target, options);
  CompilerOptions read =
      read_options(options.flags, include_dirs(options), target, compiler->reader());
  // As an option it is part of the key: a checked kernel is another binary.
  const bool are_chosen = std::ranges::any_of(
      read.flags, [](const std::string& flag) { return flag.starts_with("--treadle-check="); });
  if (const Checks& checks = settings().checks; target.is_cpu() && checks.any() && !are_chosen)
    read.flags.push_back("--treadle-check=" + checks.names());
  if (!settings().coverage.empty() && target.is_cpu() && is_users_text(source, options)) {
    read.flags.emplace_back("--treadle-coverage");
    read.embeds_paths = true;
  }
  CompileRequest request;
  request.key = key_of(source, options, read, compiler->identity(read));
  request.search = search_of(compiler, read);
  request.warnings = read.warnings;
  request.dependencies = compiler->dependencies();
  request.place = {.use = options.cache, .folder = options.cache_dir};
  request.make = [compiler, read, options](BinaryKey& key, const IncludeClosure& closure) {
    compiler->load();
    // The compiler's file may have been replaced since its identity was read: what counts is what
    // was loaded.
    key.identity.front().value = compiler->identity(read);
    const CompileJob job{.text = compiler_text(key.source, options.source_name, options.extern_c),
                         .source = key.source,
                         .source_name = options.source_name,
                         .given_options = options.flags,
                         .options = read,
                         .names = options.name_expressions,
                         .shadowed = closure.shadowed,
                         .output = options.output};
    const CompilerScope scope;
    return compiler->compile(job);
  };
  request.repeatable = true;
  return request;
}

}  // namespace treadle::compile
