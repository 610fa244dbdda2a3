// SPDX-License-Identifier: MIT
#include "compile/options.hpp"

#define FMT_HEADER_ONLY
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "treadle/base/error.hpp"
#include "treadle/process/folders.hpp"

namespace treadle::compile {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

template <class Visit>  // bool visit(item): true stops
bool any_item(std::string_view list, char separator, const Visit& visit) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(separator), list.size());
    if (end > 0 && visit(list.substr(0, end))) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

struct Match {
  const OptionRule* rule = nullptr;
  std::optional<std::string_view> value;  ///< that stood in the same word
};

// "-std" and "-std=c++17" before "-DX": a glued option is any word that begins with its letter.
Match find_rule(std::string_view word) {
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  for (const OptionRule& rule : option_rules()) {
    if (!any_item(rule.names, ' ', [&](std::string_view n) { return n == name; })) continue;
    if (equals == std::string_view::npos) return {&rule, std::nullopt};
    if (rule.form != Form::flag) return {&rule, word.substr(equals + 1)};
  }
  for (const OptionRule& rule : option_rules()) {
    const std::string_view shortest = rule.names.substr(0, rule.names.find(' '));
    if (rule.form == Form::glued && word.size() > shortest.size() && word.starts_with(shortest))
      return {&rule, trimmed(word.substr(shortest.size()))};
  }
  return {};
}

[[noreturn]] void refuse_unknown(std::string_view word) {
  std::string near;
  for (const OptionRule& rule : option_rules())
    any_item(rule.names, ' ', [&](std::string_view name) {
      const bool alike = word.size() > 3 && (name.starts_with(word.substr(0, 4)) ||
                                             word.starts_with(name.substr(0, 6)));
      if (alike && name.size() > 3) near += fmt::format("{}{}", near.empty() ? "" : ", ", name);
      return false;
    });
  throw InvalidArgument(
      fmt::format("option \"{}\" is unknown to the compilers in this process", word),
      (near.empty() ? std::string() : "near names: " + near + "; ") +
          "docs/options.md lists all; Toolchain::nvcc (TREADLE_COMPILER=nvcc) hands on any option");
}

// "arch=compute_80,code=[sm_80,compute_80]" and its quoted forms -> the words sm_80 and compute_80
// of its code=.
std::vector<std::string> architectures_of(std::string_view text) {
  if (const std::size_t code = text.find("code="); code != std::string_view::npos)
    text.remove_prefix(code + 5);
  std::string plain;
  for (const char c : text)
    if (c != '[' && c != ']' && c != '"' && c != '\'' && c != '\\') plain += c;
  std::vector<std::string> names;
  any_item(plain, ',',
           [&](std::string_view name) { return names.emplace_back(trimmed(name)), false; });
  return names;
}

class OptionReader {
 public:
  OptionReader(const Target& target, Reader reader) : reader_(reader) {
    result_.target = target.name();
  }

  void read(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string_view word = trimmed(words[i]);
      if (word.empty()) continue;
      const Match match = find_rule(word);
      if (match.rule == nullptr) {
        if (reader_ != Reader::nvcc) refuse_unknown(word);
        result_.flags.emplace_back(word);
        continue;
      }
      std::string_view value;
      if (match.rule->form != Form::flag) {
        if (!match.value && i + 1 == words.size())
          throw InvalidArgument(fmt::format("option \"{}\" lacks its value", word),
                                "give it as the next item, or as " + std::string(word) + "=VALUE");
        value = match.value ? *match.value : trimmed(words[++i]);
      }
      apply(*match.rule, word, value, !match.value && match.rule->form != Form::flag);
    }
  }

  CompilerOptions finish(const std::vector<std::filesystem::path>& include_dirs) {
    for (const auto& folder : include_dirs) add_folder(folder, result_.include_dirs);
    for (auto& folder : system_dirs_) result_.include_dirs.push_back(std::move(folder));
    choose_target();
    return std::move(result_);
  }

 private:
  void apply(const OptionRule& rule, std::string_view word, std::string_view value, bool separate) {
    const Treatment treatment = reader_ == Reader::cpu ? rule.cpu : rule.nvrtc;
    const bool handed_to_nvcc = reader_ == Reader::nvcc && rule.meaning != Meaning::output;
    if (treatment == Treatment::refused && !handed_to_nvcc)
      throw InvalidArgument(fmt::format("option \"{}\" is refused: {}", word, rule.remark),
                            "docs/options.md lists what becomes of each nvcc option");
    if (take_meaning(rule, value)) return;
    if (handed_to_nvcc) {
      result_.flags.emplace_back(word);
      if (separate) result_.flags.emplace_back(value);
    } else if (treatment == Treatment::ignored) {
      result_.warnings.push_back(fmt::format("option \"{}\" is ignored: {}", word, rule.remark));
    } else if (treatment == Treatment::translated) {
      translate(rule, value);
    }
  }

  void translate(const OptionRule& rule, std::string_view value) {
    const std::string spelling(rule.spelling);
    if (rule.meaning == Meaning::list) {
      any_item(value, ',', [&](std::string_view item) {
        return result_.flags.push_back(spelling + std::string(item)), false;
      });
    } else if (rule.meaning == Meaning::standard) {
      result_.flags.push_back(spelling + standard_of(value));
    } else {
      result_.flags.push_back(spelling + std::string(value));
    }
  }

  static std::string standard_of(std::string_view value) {
    std::string standard(value);
    if (standard.starts_with("gnu++")) standard.replace(0, 3, "c");
    constexpr std::array known = {"c++03", "c++11", "c++14", "c++17", "c++20"};
    if (std::ranges::find(known, standard) == known.end())
      throw InvalidArgument(fmt::format("option -std={}: no such language standard", value),
                            "c++11, c++14, c++17 or c++20");
    return standard;
  }

  // Options that are not handed on as a flag; true where the rule is done with.
  bool take_meaning(const OptionRule& rule, std::string_view value) {
    switch (rule.meaning) {
      case Meaning::include_dir:
        return add_folder(value, result_.include_dirs), true;
      case Meaning::system_include_dir:
        return add_folder(value, system_dirs_), true;
      case Meaning::pre_include:
        return add_pre_include(value), true;
      case Meaning::embeds_paths:
        return result_.embeds_paths = true, false;
      case Meaning::architecture:
        return arch_ = value, true;
      case Meaning::code:
        return code_ = value, true;
      case Meaning::generate_code:
        for (std::string& name : architectures_of(value)) generated_.push_back(std::move(name));
        return true;
      case Meaning::machine:
        if (value == "64" || reader_ == Reader::nvcc) return false;
        throw InvalidArgument(
            fmt::format("option -m{} is refused: there is no such device code", value),
            "leave it out");
      default:
        return false;
    }
  }

  void add_folder(const std::filesystem::path& folder, std::vector<std::filesystem::path>& to) {
    if (folder.empty())
      throw InvalidArgument("an include folder has an empty name", "leave it out");
    to.push_back(absolute_path(folder));
  }

  // As the host compilers do: a file of the current folder, else one on the search path.
  void add_pre_include(const std::filesystem::path& name) {
    std::error_code failure;
    const bool is_here = !name.empty() && std::filesystem::is_regular_file(name, failure);
    result_.pre_includes.push_back(is_here ? absolute_path(name) : name);
  }

  void choose_target() {
    if (reader_ == Reader::cpu) return;  // the host's own code is the only kind there is
    std::vector<std::string> named = architectures_of(!code_.empty() ? code_ : arch_);
    if (named.empty()) named = std::move(generated_);
    std::erase(named, "native");
    if (named.empty() || std::ranges::find(named, result_.target) != named.end()) return;
    const auto is_real = [](const std::string& name) { return name.starts_with("sm_"); };
    const auto real = std::ranges::find_if(named, is_real);
    if (code_.empty() && arch_.empty() && std::ranges::count_if(named, is_real) > 1) {
      result_.warnings.push_back(
          fmt::format("options -gencode are ignored: none is for {}, which is compiled for ({})",
                      result_.target, fmt::join(named, ", ")));
      return;
    }
    const std::string& chosen = real != named.end() ? *real : named.front();
    result_.target = Target::parse(chosen).name();
  }

  const Reader reader_;
  CompilerOptions result_;
  std::vector<std::filesystem::path> system_dirs_;
  std::string arch_, code_;
  std::vector<std::string> generated_;
};

}  // namespace

CompilerOptions read_options(const std::vector<std::string>& flags,
                             const std::vector<std::filesystem::path>& include_dirs,
                             const Target& target, Reader reader) {
  OptionReader options(target, reader);
  options.read(flags);
  return options.finish(include_dirs);
}

}  // namespace treadle::compile
