// SPDX-License-Identifier: MIT
// What a module's counters count, as its compiler wrote it down.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// A sum of counters, each taken away where its sign says so: clang counts few places and computes
/// the others.
struct CounterSum {
  struct Term {
    std::uint32_t counter;
    bool is_negative;
  };
  std::vector<Term> terms;  ///< none: nobody comes there
};

/// The texts, and the places in them; `text` of a place is an index into `texts`.
struct CoverageMap {
  struct Text {
    std::string name, text;
  };
  struct Line {
    std::uint32_t text, line;
    std::vector<CounterSum> counts;  ///< of the pieces of code on it; the largest is the line's
  };
  struct Branch {
    std::uint32_t text, line, column;
    CounterSum taken, not_taken;
  };
  struct Function {
    std::string name;
    std::uint32_t text, line;
    CounterSum count;
  };
  std::vector<Text> texts;
  std::vector<Line> lines;
  std::vector<Branch> branches;
  std::vector<Function> functions;

  /// In words and numbers, one place a line.
  std::string encoded() const;
  /// Reads what `encoded` wrote. Throws InvalidArgument if it is something else.
  static CoverageMap decode(std::string_view bytes);
};

}  // namespace treadle
