// SPDX-License-Identifier: MIT
#include "treadle/sparse/format_choice.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>

#include "sparse/entries.hpp"
#include "treadle/array/counting.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/array/sets.hpp"
#include "treadle/base/error.hpp"
#include "treadle/sparse/bsr_matrix.hpp"
#include "treadle/sparse/dia_matrix.hpp"
#include "treadle/sparse/ell_matrix.hpp"
#include "treadle/tune/way_choice.hpp"

namespace treadle::sparse {
namespace {

constexpr const char* of_library = "csr cusparse";

/// What decides how fast products are, beside the device.
struct Structure {
  std::vector<std::int64_t> lengths;            // how many rows have 0, 1, 2 ... entries
  std::vector<std::int64_t> offsets;            // of diagonals, if they are few
  std::int64_t sliced = 0;                      // places of a SellMatrix
  std::map<std::int64_t, std::int64_t> blocks;  // how many blocks of each side there are
  bool is_stencil = false;
};

Structure structure_of(const CsrMatrix& a) {
  Structure found;
  const Array lengths = row_lengths(a);
  const std::int64_t rows = a.size().rows, side = 32;
  found.lengths = array::bincount(lengths).as<std::int64_t>();
  const Array all =
      array::zeros({(rows + side - 1) / side, side}, Scalar::int64, {.stream = a.stream()});
  array::ravel(all).at({Index{.stop = rows}}).assign(lengths);
  found.sliced = side * integer_of(array::sum(array::max(all, {.axes = {{1}}})));
  const Entries entries = entries_of(a);
  const Array offsets = diagonals_of(entries, a.size()).offsets;
  // More diagonals than that read more than rows do.
  if (offsets.size() * rows <= 4 * a.entries()) found.offsets = offsets.as<std::int64_t>();
  found.is_stencil = !found.offsets.empty() && StencilMatrix::fits(a);
  for (const std::int64_t block : {2, 3, 4}) {
    if (rows % block != 0 || a.size().columns % block != 0) continue;
    const Array place = floor_divide(entries.rows, block) * (a.size().columns / block) +
                        floor_divide(entries.columns, block);
    found.blocks[block] = array::unique(place).values.size();
  }
  return found;
}

std::vector<FormatCandidate> candidates_of(const CsrMatrix& a, const Structure& structure) {
  const auto value = static_cast<std::int64_t>(a.dtype().size_bytes()),
             column = static_cast<std::int64_t>(a.indices().dtype().size_bytes()),
             entry = value + column, rows = a.size().rows;
  std::vector<FormatCandidate> all{{"csr", a.entries() * entry + 8 * (rows + 1)}};
  const auto longest = static_cast<std::int64_t>(structure.lengths.size()) - 1;
  // Where one row takes as long as many others, as far as the device has work-items that wait.
  const bool is_wide = a.data().device().info().traits.schedule == Schedule::wide;
  if (a.by_library().is_by_library()) all.push_back({of_library, all.front().bytes});
  if (is_wide && longest > 8 * (a.entries() / std::max<std::int64_t>(rows, 1) + 1))
    all.push_back({"csr by length", all.front().bytes + 4 * rows});
  all.push_back({"ell", longest * pitch_of(rows) * entry});
  all.push_back({"sell", structure.sliced * entry + rows / 4});
  const std::int64_t usual = usual_length(structure.lengths, rows);
  std::int64_t rest = 0, longer = 0;
  for (std::int64_t k = usual + 1; k <= longest; ++k) {
    const std::int64_t count = structure.lengths[static_cast<std::size_t>(k)];
    rest += count * (k - usual);
    longer += count;
  }
  if (longer > 0)
    all.push_back({"hyb", usual * pitch_of(rows) * entry + rest * entry + 40 * longer});
  const auto diagonals = static_cast<std::int64_t>(structure.offsets.size());
  if (diagonals > 0) all.push_back({"dia", diagonals * pitch_of(rows) * value});
  if (structure.is_stencil)
    all.push_back({"stencil", rows * (diagonals <= 8 ? 1 : diagonals <= 16 ? 2 : 4)});
  for (const auto& [side, count] : structure.blocks)
    all.push_back({"bsr " + std::to_string(side),
                   count * (side * side * value + column) + 8 * (rows / side + 1)});
  std::ranges::stable_sort(all, {}, &FormatCandidate::bytes);
  return all;
}

std::shared_ptr<const SparseMatrix> made(const CsrMatrix& a, const std::string& format) {
  if (format == "ell") return std::make_shared<EllMatrix>(EllMatrix::of(a));
  if (format == "sell") return std::make_shared<SellMatrix>(SellMatrix::of(a));
  if (format == "hyb") return std::make_shared<HybMatrix>(HybMatrix::of(a));
  if (format == "dia") return std::make_shared<DiaMatrix>(DiaMatrix::of(a));
  if (format == "stencil") return std::make_shared<StencilMatrix>(StencilMatrix::of(a));
  if (format.starts_with("bsr ")) {
    const std::int64_t side = format.back() - '0';
    return std::make_shared<BsrMatrix>(BsrMatrix::of(a, {side, side}));
  }
  if (format == of_library) return std::make_shared<CsrMatrix>(a.by_library());
  return std::make_shared<CsrMatrix>(format == "csr by length" ? a.by_length() : a);
}

/// Of a product, the best of three times.
double seconds_of(const SparseMatrix& a, int products) {
  using Clock = std::chrono::steady_clock;
  const Scalar dtype =
      a.dtype().kind() == ScalarKind::structure ? Scalar::float32 : a.dtype().scalar();
  const Array x = array::ones({a.size().columns}, dtype, {.stream = a.stream()});
  const auto wait = [](const Array& y) {
    array::evaluate({y});
    y.stream()->synchronize();
  };
  wait(a.multiply(x));
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 3; ++round) {
    const auto start = Clock::now();
    for (int k = 1; k < products; ++k) array::evaluate({a.multiply(x)});
    wait(a.multiply(x));
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count() / products);
  }
  return best;
}

/// Equal for matrices whose products take equal steps, in every process (FNV-1a).
std::string digest_of(const CsrMatrix& a, const Structure& structure) {
  std::uint64_t hash = 14695981039346656037u;
  const auto add = [&](std::int64_t number) {
    for (int k = 0; k < 8; ++k)
      hash = (hash ^ (static_cast<std::uint64_t>(number) >> 8 * k & 255)) * 1099511628211u;
  };
  for (const std::int64_t number : {a.size().rows, a.size().columns, a.entries()}) add(number);
  for (const std::int64_t count : structure.lengths) add(count);
  for (const std::int64_t offset : structure.offsets) add(offset);
  for (const auto& [side, count] : structure.blocks) add(count);
  char text[20];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

tune::ProblemSignature problem_of(const CsrMatrix& a, const Structure& structure) {
  return {{"structure", digest_of(a, structure)},
          {"dtype", a.dtype().name()},
          {"columns", a.indices().dtype().name()},
          {"is_stencil", structure.is_stencil}};
}

/// The same of a candidate; none where the library that it needs refuses.
std::optional<double> seconds_of(const SparseMatrix& a, const FormatCandidate& candidate,
                                 const FormatOptions& options) {
  try {
    return seconds_of(a, std::max(options.products, 1));
  } catch (const DeviceError&) {
    if (candidate.format != of_library) throw;
    return std::nullopt;
  }
}

/// Times those that read the least, compressed rows among them, and takes the fastest.
std::vector<tune::WayTime> take_fastest(FormatChoice& choice, const CsrMatrix& a,
                                        const FormatOptions& options) {
  int others = std::max(options.candidates - 1, 0);
  double best = std::numeric_limits<double>::infinity();
  std::vector<tune::WayTime> times;
  for (FormatCandidate& candidate : choice.candidates) {
    // What needs no conversion, or as good as none, is timed beside them.
    if (!candidate.format.starts_with("csr") && others-- <= 0) continue;
    std::shared_ptr<const SparseMatrix> matrix = made(a, candidate.format);
    const auto seconds = seconds_of(*matrix, candidate, options);
    if (!seconds) continue;
    candidate.seconds = *seconds;
    times.push_back({candidate.format, *seconds});
    if (candidate.seconds >= best) continue;
    best = candidate.seconds;
    choice.matrix = std::move(matrix);
    choice.chosen = candidate.format;
  }
  return times;
}

}  // namespace

std::string FormatChoice::explain() const {
  std::string text;
  for (const FormatCandidate& candidate : candidates) {
    char line[120];
    std::snprintf(line, sizeof line, "%s %-10s %14lld bytes",
                  candidate.format == chosen ? "->" : "  ", candidate.format.c_str(),
                  static_cast<long long>(candidate.bytes));
    text += line;
    if (candidate.seconds > 0) {
      std::snprintf(line, sizeof line, " %12.3f us", candidate.seconds * 1e6);
      text += line;
    }
    text += '\n';
  }
  return text + (is_known ? "known from the store\n" : "");
}

FormatChoice choose_format(const SparseMatrix& a, const FormatOptions& options) {
  const CsrMatrix rows = a.to_csr();
  FormatChoice choice{.matrix = std::make_shared<CsrMatrix>(rows), .candidates = {}};
  choice.chosen = "csr";
  if (rows.entries() == 0) {
    choice.candidates = {{"csr", rows.size_bytes()}};
    return choice;
  }
  const Structure structure = structure_of(rows);
  choice.candidates = candidates_of(rows, structure);
  if (!options.is_timed) {
    choice.chosen = choice.candidates.front().format;
    choice.matrix = made(rows, choice.chosen);
    return choice;
  }
  const auto measure = [&] { return take_fastest(choice, rows, options); };
  if (options.store == nullptr) {
    measure();
    return choice;
  }
  tune::WayChoice ways("sparse format", rows.data().device(), options.store);
  const auto fastest = ways.choose(problem_of(rows, structure), measure);
  if (!fastest) {
    measure();  // another thread measures: the verdict is this matrix's alone
  } else if (fastest->is_known) {
    choice.chosen = fastest->way;
    choice.matrix = made(rows, choice.chosen);
    choice.is_known = true;
  }
  return choice;
}

}  // namespace treadle::sparse
