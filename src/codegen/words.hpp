// SPDX-License-Identifier: MIT
// C text taken apart as far as a preprocessor does: identifiers, definitions of one line, and their
// replacement.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/codegen/dialect.hpp"

namespace treadle::codegen {

/// The length of the identifier that `text` begins with; 0: with none.
std::size_t identifier_length(std::string_view text) noexcept;

/// Calls `replace(identifier)` for each identifier of `text`, and returns the text with the results
/// in their place.
template <class Replace>
std::string replace_identifiers(std::string_view text, Replace replace) {
  std::string result;
  while (!text.empty()) {
    std::size_t length = identifier_length(text);
    if (length > 0) {
      result += replace(text.substr(0, length));
    } else {
      // A number with its suffix holds no identifier.
      length = 1;
      if (text[0] >= '0' && text[0] <= '9')
        while (length < text.size() && (identifier_length(text.substr(length)) > 0 ||
                                        (text[length] >= '0' && text[length] <= '9')))
          ++length;
      result += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return result;
}

/// The parts of "a, f(b, c))" up to the bracket that closes the list; removes them from `text`,
/// which begins behind the opening bracket.
std::vector<std::string> take_arguments(std::string_view& text);

/// What a header defines; definitions that go on over several lines are one line.
std::vector<Word> read_words(std::string_view header);
/// By its name; null: there is none.
const Word* find_word(std::span<const Word> words, std::string_view name) noexcept;
/// `text` with every word replaced by its text, the words in that as well.
std::string expand_words(std::string_view text, std::span<const Word> words);
/// The parts, one behind the other. (g++ 12 warns of operator+ behind a literal, its bug 105651.)
std::string joined(std::initializer_list<std::string_view> parts);
/// Whether the identifier stands in the text; in a comment it counts, too.
bool mentions(std::string_view text, std::string_view identifier);
/// The text without line ends, for a macro that is defined as it.
std::string in_one_line(std::string text);
/// `text` with {0}, {1}, ... replaced.
std::string fill_holes(std::string_view text, std::span<const std::string> values);

}  // namespace treadle::codegen
