// SPDX-License-Identifier: MIT
#include "compile/compile_record.hpp"

#define FMT_HEADER_ONLY
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>

#include "compile/digest.hpp"
#include "compile/process.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/settings.hpp"
#include "treadle/base/warning.hpp"

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

}  // namespace

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
