// SPDX-License-Identifier: MIT
// Which format of a matrix has the fastest products: what each would read is counted from the
// lengths of rows and the diagonals, the most promising are made and timed, and the verdict is kept
// for matrices of the same structure.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "treadle/sparse/sparse_matrix.hpp"
#include "treadle/tune/store.hpp"

namespace treadle::sparse {

/// How a format is chosen.
struct FormatOptions {
  /// Whether candidates are timed; else the one that reads the least is taken.
  bool is_timed = true;
  /// How many are made and timed, compressed rows among them; cuSPARSE beside these.
  int candidates = 3;
  int products = 10;  ///< of each, one after the other
  /// Where verdicts are kept and looked for; null: nowhere.
  std::shared_ptr<tune::Store> store = {};
};

/// What is known of a format for a matrix.
struct FormatCandidate {
  std::string format;  ///< SparseMatrix::format(); of blocks with their size: "bsr 3"; "csr
                       ///< merged", "csr cusparse"
  std::int64_t bytes;  ///< that a product would read beside vectors
  double seconds = 0;  ///< of a product; 0: not timed
};

/// The choice.
struct FormatChoice {
  std::shared_ptr<const SparseMatrix> matrix;  ///< in the format that was chosen
  std::vector<FormatCandidate> candidates;     ///< the one that reads the least first
  bool is_known = false;                       ///< the verdict was in the store
  /// For people: a line for each candidate, with an arrow before the one that was chosen.
  std::string explain() const;

  std::string chosen = {};  ///< the candidate's format
};
/// Chooses, and waits. Throws as the formats do, OutOfMemory where compressed rows do not fit.
FormatChoice choose_format(const SparseMatrix& a, const FormatOptions& options = {});

}  // namespace treadle::sparse

namespace treadle {

using sparse::FormatChoice;
using sparse::FormatOptions;

}  // namespace treadle
