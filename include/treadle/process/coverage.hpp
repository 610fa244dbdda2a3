// SPDX-License-Identifier: MIT
// Which lines and branches of kernels ran on the CPU device. With TREADLE_COVERAGE=FILE kernels are
// compiled with counters, which lie in FILE: processes that run at the same time add to the same
// ones, and what a process counted is there however it ends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace treadle {

/// A line that holds code, and how many threads came there.
struct CoveredLine {
  unsigned number = 0;  ///< from 1
  std::uint64_t count = 0;
};

/// A condition, or a label of a switch, and how many threads went each way.
struct CoveredBranch {
  unsigned line = 0, column = 0;  ///< from 1
  std::uint64_t taken = 0;        ///< the condition held; the switch came to this label
  std::uint64_t not_taken = 0;
};

/// A function, which may be there several times, as instances of one template are.
struct CoveredFunction {
  std::string name;   ///< as the source has it
  unsigned line = 0;  ///< where its body begins
  std::uint64_t count = 0;
};

/// The text of kernels, or a header of theirs; each list in the order of lines.
struct CoveredText {
  std::string name;  ///< as messages call it, or as #line says
  std::string text;
  std::vector<CoveredLine> lines;
  std::vector<CoveredBranch> branches;
  std::vector<CoveredFunction> functions;

  /// Lines that nobody reached.
  std::size_t missed_lines() const;
  /// Ways that nobody went; each branch has two.
  std::size_t missed_ways() const;
  /// Lines and ways that were, of all there are; 1 where there are none.
  double share() const;
};

/// What a file of TREADLE_COVERAGE holds now, in the order of names. Texts of one name that differ
/// are apart: the name of the second one ends with " (2)". A file that is not there has none.
/// Throws FileError, and InvalidArgument where it is another file.
std::vector<CoveredText> read_coverage(const std::filesystem::path& file);

/// Sets all counters of the file to zero, for processes that count into it, too. Throws as
/// read_coverage.
void reset_coverage(const std::filesystem::path& file);

/// A table of lines, ways of branches and what was missed, for a terminal.
std::string coverage_table(const std::vector<CoveredText>& texts);
/// A page for a browser, with all texts in it and nothing outside of it.
std::string coverage_page(const std::vector<CoveredText>& texts);
/// What lcov calls a tracefile, for genhtml and for services.
std::string coverage_lcov(const std::vector<CoveredText>& texts);
/// XML in the manner of Cobertura, which is what coverage.py writes.
std::string coverage_xml(const std::vector<CoveredText>& texts);

/// Writes what `report` says: "html:FOLDER", "lcov:FILE" or "xml:FILE"; returns the file. For the
/// programs that read the latter two, texts that are no files are written beside it, into
/// FILE.texts. Throws FileError; InvalidArgument for another report.
std::filesystem::path write_coverage_report(std::vector<CoveredText> texts,
                                            const std::string& report);

}  // namespace treadle
