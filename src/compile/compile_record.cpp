// SPDX-License-Identifier: MIT
#include "compile/compile_record.hpp"

#define FMT_HEADER_ONLY
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <string_view>
#include <utility>

#include "base/characters.hpp"
#include "compile/digest.hpp"
#include "compile/process.hpp"
#include "treadle/base/error.hpp"
#include "treadle/process/settings.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::compile {
namespace {

std::string stem_of(const std::string& source_name) {
  std::string stem = std::filesystem::path(source_name).stem();
  return stem.empty() ? "kernel" : stem;
}

std::string extension_of(const Target& target, const Options& options) {
  if (target.is_cpu()) return ".module";
  if (options.output == Output::ptx || target.name().starts_with("compute_")) return ".ptx";
  return options.output == Output::fatbin ? ".fatbin" : ".cubin";
}

/// The name before the next parenthesis that is no attribute's: of the kernel that `at` declares.
std::string_view declared_name(std::string_view source, std::size_t at) {
  for (std::size_t open = at; (open = source.find('(', open)) != std::string_view::npos; ++open) {
    const std::size_t end = source.find_last_not_of(" \t\r\n", open - 1) + 1;
    std::size_t begin = end;
    while (begin > at && is_word(source[begin - 1])) --begin;
    const std::string_view name = source.substr(begin, end - begin);
    if (name != "__launch_bounds__" && name != "__attribute__") return name;
    int depth = 0;
    do {
      depth += source[open] == '(' ? 1 : source[open] == ')' ? -1 : 0;
    } while (depth > 0 && ++open < source.size());
  }
  return {};
}

/// "scale, look_up", of at most four kernels; as good as a look without a compiler is.
std::string kernels_in(std::string_view source) {
  std::string names;
  int count = 0;
  for (const std::string_view mark : {"__global__", "__kernel"})
    for (std::size_t at = 0; (at = source.find(mark, at)) != std::string_view::npos;) {
      at += mark.size();
      const std::string_view name = declared_name(source, at);
      if (name.empty() || count > 4) continue;
      if (count > 0) names += ", ";
      names += ++count > 4 ? "..." : name;
    }
  return names;
}

std::string_view origin_name(Origin origin) {
  switch (origin) {
    case Origin::compiled:
      return "compiled";
    case Origin::disk_cache:
      return "from disk";
    case Origin::memory_cache:
      return "from memory";
  }
  return "";
}

/// For profilers; empty where none listens.
std::string range_name(const std::string& source_name) {
  if (Nvtx::active() == nullptr) return {};
  return "compile " + std::filesystem::path(source_name).filename().string();
}

}  // namespace

CompileSpan::CompileSpan(const std::string& source, const std::string& source_name,
                         std::string target)
    : range_(Nvtx::active(), range_name(source_name)),
      span_(TraceRecorder::active()),
      source_(source),
      source_name_(source_name),
      target_(std::move(target)) {}

CompileResult CompileSpan::done(CompileResult result) {
  if (span_.recording()) {
    origin_ = origin_name(result.origin);
    entry_ = result.entry.filename();
  }
  return result;
}

CompileSpan::~CompileSpan() {
  if (!span_.recording()) return;
  try {
    TraceDetails details;
    details.add("outcome", origin_);
    details.add("kernels", kernels_in(source_));
    details.add("target", target_);
    details.add("source bytes", source_.size());
    if (!entry_.empty()) details.add("entry", entry_);
    const bool is_hit = origin_.starts_with("from");
    const std::string name = std::filesystem::path(source_name_).filename();
    span_.end((is_hit ? "cache hit " : "compile ") + name, is_hit ? "hit" : "compile", details);
  } catch (const std::exception& error) {
    warn(fmt::format("a compile is missing in the trace: {}", error.what()));
  }
}

void dump_source(const BinaryKey& key) {
  const std::filesystem::path& folder = settings().dump;
  if (folder.empty()) return;
  std::string remark = "\n// Treadle compiled this\n// options: ";
  remark += fmt::format("{}\n", fmt::join(key.options, " "));
  for (const KeyField& field : key.identity)
    remark += fmt::format("// {}: {}\n", field.name, field.value);
  const std::string extension = std::filesystem::path(key.source_name).extension();
  const std::string ending = key.language == Language::cuda_c ? ".cu" : ".cl";
  const std::string name = fmt::format("{}-{}{}", stem_of(key.source_name),
                                       digest_of(key.source + remark).hex().substr(0, 12),
                                       extension.empty() ? ending : extension);
  try {
    std::filesystem::create_directories(folder);
    write_text_file(folder / name, key.source + remark);
  } catch (const std::exception& failure) {
    static std::atomic<bool> warned{false};
    if (!warned.exchange(true))
      warn(fmt::format("TREADLE_DUMP: no source is written to {}: {}", folder.string(),
                       failure.what()));
  }
}

std::filesystem::path keep_files(const std::string& source, const Target& target,
                                 const Options& options, const CompileResult& result) {
  TemporaryFolder folder;
  const std::string stem = stem_of(options.source_name);
  write_text_file(folder.path() / (stem + ".cu"), source);
  write_text_file(folder.path() / "options.txt",
                  fmt::format("{}\n{}\n", target.name(), fmt::join(options.flags, "\n")));
  write_text_file(folder.path() / "log.txt", result.log);
  const auto& code = result.image.code;
  write_text_file(folder.path() / (stem + extension_of(target, options)),
                  {reinterpret_cast<const char*>(code.data()), code.size()});
  folder.keep();
  return folder.path();
}

}  // namespace treadle::compile
