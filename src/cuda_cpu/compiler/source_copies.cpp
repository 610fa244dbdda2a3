// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/source_copies.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/xxhash.h>

#include <filesystem>

#include "treadle/base/line_directive.hpp"
#include "treadle/process/debug_files.hpp"

namespace treadle::cuda_cpu {
namespace {

/// Of all files of a source: #line may name any number, and what is before it becomes empty lines.
constexpr unsigned most_lines = 1u << 20;

std::string text_of(const std::map<unsigned, llvm::StringRef>& lines) {
  std::string text;
  unsigned written = 0;
  for (const auto& [number, line] : lines) {
    text.append(number - 1 - written, '\n').append(line).push_back('\n');
    written = number;
  }
  return text;
}

bool is_inside_its_folder(const std::filesystem::path& name) {
  if (name.empty() || name.is_absolute()) return false;
  for (const std::filesystem::path& step : name)
    if (step == "..") return false;
  return true;
}

}  // namespace

std::map<std::string, std::string> presumed_files(std::string_view text, const std::string& name) {
  std::map<std::string, std::map<unsigned, llvm::StringRef>> files;
  for (LineWalk walk(text); walk.next();) {
    const auto number = static_cast<unsigned>(walk.number());
    if (walk.is_directive() || walk.begin() == text.size()) continue;
    std::map<unsigned, llvm::StringRef>& lines =
        files[walk.name().empty() ? name : unquoted_name(walk.name())];
    if (number > most_lines) continue;
    // A later account of a line is the right one: what wraps a source is counted as a line of it.
    lines.insert_or_assign(lines.end(), number, walk.text());
  }
  std::map<std::string, std::string> texts;
  unsigned lines_left = most_lines;
  for (const auto& [path, lines] : files) {
    const unsigned last = lines.empty() ? 0 : lines.rbegin()->first;
    if (last > lines_left) continue;
    lines_left -= last;
    texts[path] = text_of(lines);
  }
  return texts;
}

std::string source_folder(std::string_view text) {
  const auto digest = llvm::xxh3_128bits(
      llvm::ArrayRef(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
  return (llvm::Twine(debug_source_root) + llvm::utohexstr(digest.high64, /*LowerCase=*/true, 16) +
          llvm::utohexstr(digest.low64, /*LowerCase=*/true, 16))
      .str();
}

void keep_source(std::string_view text, const std::string& name) {
  const std::filesystem::path folder = source_folder(text).substr(debug_source_root.size());
  for (const auto& [path, lines] : presumed_files(text, name))
    if (is_inside_its_folder(path)) debug_files().keep("source" / folder / path, lines);
}

}  // namespace treadle::cuda_cpu
