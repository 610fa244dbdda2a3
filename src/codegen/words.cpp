// SPDX-License-Identifier: MIT
#include "words.hpp"

#include <algorithm>

namespace treadle::codegen {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\n')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

/// Splits the text after #define into its parts.
Word read_word(std::string_view line) {
  Word word;
  word.name = line.substr(0, identifier_length(line));
  line.remove_prefix(word.name.size());
  word.is_called = line.starts_with('(');
  if (word.is_called) {
    line.remove_prefix(1);
    word.parameters = take_arguments(line);
  }
  word.text = replace_identifiers(trimmed(line), [&](std::string_view name) {
    const auto found = std::ranges::find(word.parameters, name);
    if (found == word.parameters.end()) return std::string(name);
    return joined({"{", std::to_string(found - word.parameters.begin()), "}"});
  });
  // The holes are filled with text, so the pasting operator is not needed.
  for (std::size_t at; (at = word.text.find("##")) != std::string::npos;) word.text.erase(at, 2);
  return word;
}

}  // namespace

std::vector<std::string> take_arguments(std::string_view& text) {
  std::vector<std::string> arguments;
  std::size_t start = 0, end = 0;
  for (int depth = 1; end < text.size(); ++end) {
    if (text[end] == '(') ++depth;
    if (text[end] == ')') --depth;
    if (depth == 0 || (depth == 1 && text[end] == ',')) {
      const std::string_view argument = trimmed(text.substr(start, end - start));
      if (!argument.empty() || depth == 1 || !arguments.empty()) arguments.emplace_back(argument);
      start = end + 1;
    }
    if (depth == 0) break;
  }
  text.remove_prefix(std::min(end + 1, text.size()));
  return arguments;
}

std::vector<Word> read_words(std::string_view header) {
  std::string lines(header);
  for (std::size_t at; (at = lines.find("\\\n")) != std::string::npos;)
    lines.erase(at, std::min(lines.find_first_not_of(' ', at + 2), lines.size()) - at);
  std::vector<Word> words;
  const std::string_view directive = "\n#define ";
  for (std::size_t at = 0; (at = lines.find(directive, at)) != std::string::npos;) {
    at += directive.size();
    words.push_back(read_word(std::string_view(lines).substr(at, lines.find('\n', at) - at)));
  }
  std::ranges::sort(words, {}, &Word::name);
  return words;
}

const Word* find_word(std::span<const Word> words, std::string_view name) noexcept {
  // All words of a header begin with the header's name, so most names can be refused at once.
  if (words.empty() || name < words.front().name || name > words.back().name) return nullptr;
  const auto found = std::ranges::lower_bound(words, name, {}, &Word::name);
  return found != words.end() && found->name == name ? &*found : nullptr;
}

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string result;
  for (const std::string_view part : parts) result += part;
  return result;
}

std::string fill_holes(std::string_view text, std::span<const std::string> values) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{' && at + 2 < text.size() && is_digit(text[at + 1]) && text[at + 2] == '}') {
      const auto index = static_cast<std::size_t>(text[at + 1] - '0');
      if (index < values.size()) result += values[index];
      at += 2;
    } else {
      result += text[at];
    }
  }
  return result;
}

std::string expand_words(std::string_view text, std::span<const Word> words) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0, copied = 0;;) {
    // Most identifiers of a text are not words. They are skipped, and copied later with the text
    // between them.
    while (at < text.size() && identifier_length(text.substr(at, 1)) == 0) ++at;
    if (at == text.size()) return result.append(text.substr(copied));
    const std::size_t begin = at;
    at += identifier_length(text.substr(at));
    const Word* word = find_word(words, text.substr(begin, at - begin));
    if (word == nullptr) continue;
    result.append(text.substr(copied, begin - copied));
    std::vector<std::string> arguments;
    if (word->is_called && at < text.size() && text[at] == '(') {
      std::string_view rest = text.substr(at + 1);
      for (const std::string& argument : take_arguments(rest))
        arguments.push_back(expand_words(argument, words));
      at = text.size() - rest.size();
    }
    result += expand_words(fill_holes(word->text, arguments), words);
    copied = at;
  }
}

bool mentions(std::string_view text, std::string_view identifier) {
  bool found = false;
  each_identifier(text, [&](std::string_view word) { found |= word == identifier; });
  return found;
}

std::string in_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace treadle::codegen
