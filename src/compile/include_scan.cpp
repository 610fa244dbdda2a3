// SPDX-License-Identifier: MIT
#include "compile/include_scan.hpp"

#include <algorithm>

#include "base/characters.hpp"

namespace treadle::compile {
namespace {

constexpr std::string_view blanks = " \t\v\f\r";

// A backslash at the end of a line joins it with the next, even inside a word; "%:" is another
// spelling of '#'.
std::string spliced(std::string_view text) {
  std::string joined;
  joined.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      const std::size_t next = text.find_first_not_of(blanks, i + 1);
      if (next != std::string_view::npos && text[next] == '\n') {
        i = next;
        continue;
      }
    }
    joined += text[i];
  }
  for (std::size_t at = 0; (at = joined.find("%:", at)) != std::string::npos; ++at) {
    joined[at] = '#';
    joined[at + 1] = ' ';
  }
  return joined;
}

// Skips blanks and comments that close on this line.
std::string_view skip_blanks(std::string_view line) {
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    if (!line.starts_with("/*")) return line;
    const std::size_t end = line.find("*/", 2);
    if (end == std::string_view::npos) return {};
    line.remove_prefix(end + 2);
  }
}

std::string_view take_word(std::string_view& line) {
  const auto end = std::ranges::find_if_not(line, is_word);
  const std::string_view word = line.substr(0, static_cast<std::size_t>(end - line.begin()));
  line.remove_prefix(word.size());
  return word;
}

// "name" or <name> at the start of `operand`; false if it is something else.
bool read_name(std::string_view operand, IncludeName& into) {
  if (operand.empty() || (operand[0] != '"' && operand[0] != '<')) return false;
  into.quoted = operand[0] == '"';
  const std::size_t end = operand.find(into.quoted ? '"' : '>', 1);
  if (end == std::string_view::npos || end == 1) return false;
  into.name = operand.substr(1, end - 1);
  return true;
}

// A directive may follow blanks and the end of a comment; anything else before '#' is an operator
// in a macro.
bool starts_directive(std::string_view before) {
  if (const std::size_t comment = before.rfind("*/"); comment != std::string_view::npos)
    before.remove_prefix(comment + 2);
  return before.find_first_not_of(blanks) == std::string_view::npos;
}

class Scanner {
 public:
  IncludeScan scan(std::string_view text) {
    find_words(text);
    for (std::size_t at = 0; (at = text.find('#', at)) != std::string_view::npos; ++at) {
      const std::size_t line_start = text.rfind('\n', at) + 1;  // npos + 1 is 0
      const std::size_t line_end = std::min(text.find('\n', at), text.size());
      if (starts_directive(text.substr(line_start, at - line_start)))
        directive(text.substr(at + 1, line_end - at - 1));
    }
    return std::move(found_);
  }

 private:
  void directive(std::string_view line) {
    line = skip_blanks(line);
    const std::string_view word = take_word(line);
    if (word == "include" || word == "include_next" || word == "import" || word == "embed") {
      IncludeName include;
      include.next = word == "include_next";
      if (read_name(skip_blanks(line), include)) {
        found_.includes.push_back(std::move(include));
      } else {
        found_.obstacle = '#';
        found_.obstacle.append(word).append(" of a macro");
      }
    } else if (word == "if" || word == "elif" || word == "define") {
      questions(line, word == "define");
    }
  }

  // Wrappers as #define HAS(x) __has_include(x) are common, so every "(<name>)" of a condition
  // counts.
  void questions(std::string_view line, bool is_definition) {
    for (std::size_t at = 0; (at = line.find('(', at)) != std::string_view::npos; ++at) {
      IncludeName question;
      if (read_name(skip_blanks(line.substr(at + 1)), question) &&
          question.name.find_first_of(" \t(){};,\\%") == std::string::npos)
        found_.questions.push_back(std::move(question));
    }
    for (const std::string_view word : {"__has_include", "__has_embed"}) {
      for (std::size_t at = 0; (at = line.find(word, at)) != std::string_view::npos;) {
        at += word.size();
        if (line.substr(at).starts_with("_next")) at += 5;
        const std::string_view rest = skip_blanks(line.substr(at));
        IncludeName name;
        // In a definition the operand may be the macro's parameter, whose value a condition shows.
        if (!is_definition && rest.starts_with('(') &&
            !read_name(skip_blanks(rest.substr(1)), name))
          found_.obstacle.assign(word).append(" of a macro");
      }
    }
  }

  void find_words(std::string_view text) {
    for (std::size_t at = 0; (at = text.find("__", at)) != std::string_view::npos;) {
      std::string_view rest = text.substr(at);
      const std::string_view word = take_word(rest);
      found_.names_its_file |= word == "__FILE__" || word == "__BASE_FILE__" ||
                               word == "__builtin_FILE" || word == "__FILE_NAME__";
      found_.names_the_time |= word == "__DATE__" || word == "__TIME__" || word == "__TIMESTAMP__";
      at += std::max<std::size_t>(word.size(), 2);
    }
    found_.names_its_file |= text.find("assert") != std::string_view::npos ||
                             text.find("source_location") != std::string_view::npos;
  }

  IncludeScan found_;
};

}  // namespace

IncludeScan scan_includes(std::string_view text) {
  const bool is_plain =
      text.find('\\') == std::string_view::npos && text.find("%:") == std::string_view::npos;
  return is_plain ? Scanner().scan(text) : Scanner().scan(spliced(text));
}

}  // namespace treadle::compile
