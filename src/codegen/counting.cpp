// SPDX-License-Identifier: MIT
#include "treadle/codegen/counting.hpp"

#include <algorithm>
#include <array>

#include "block.hpp"
#include "dealing.hpp"
#include "family_code.hpp"
#include "interval_text.hpp"
#include "treadle/codegen/element_text.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

std::string counting_name(const CountForm& form) {
  return (form.is_even ? "count_values_" : "count_bins_") + DType(form.dtype).name();
}

/// The number of adjacent elements that a work-item of the wide schedule loads by one access.
unsigned pack_length(Scalar dtype, const Tiling& tiling) {
  return static_cast<unsigned>(
      std::max<std::size_t>(tiling.access_bytes / DType(dtype).size_bytes(), 1));
}
/// The number of these accesses that are in flight. A warp counts its elements one after the other,
/// so more accesses only take registers.
unsigned pack_count(Scalar dtype, const Tiling& tiling) {
  return std::max(1u, tiling.loads_in_flight * 2 / pack_length(dtype, tiling));
}

class CountWriter {
 public:
  CountWriter(const CountForm& form, const Tiling& tiling, const Dialect& dialect)
      : form_(form),
        tiling_(tiling),
        is_wide_(tiling.schedule == Schedule::wide),
        is_rounded_(finds_by_rounding(form, tiling)),
        pack_length_(pack_length(form.dtype, tiling)),
        out_(counting_name(form), "generator of counts", tiling, dialect),
        element_(out_.types.name_of(form.dtype)),
        value_(form.dtype == Scalar::float32 ? "float" : "double"),
        place_(form.is_single ? "float" : "double") {}

  FamilyText write() {
    if (is_wide_)
      write_structure(code_, "treadle_pack",
                      {tree::array(tree::value(element_, "at"), number(pack_length_))},
                      fill_holes(out_.dialect.aligned, std::array{number(pack_bytes())}));
    const std::string_view first = is_rounded_ ? "shift" : "first",
                           margin = is_rounded_ ? "inside" : "margin";
    const std::string even = joined({", const ", value_, " *edges, ", place_, " ", first, ", ",
                                     place_, " scale, ", place_, " ", margin});
    out_.open_kernel(
        counting_name(form_),
        joined({"const ", element_, " *elements, uint *counts", form_.is_even ? even : "",
                ", long N, long treadle_length, uint bin_count, uint copies"}));
    write_interval_bounds(code_, out_.integer, out_.dialect);
    if (form_.is_even) {
      code_.declare({"const ", value_}, "lowest", "edges[0]");
      code_.declare({"const ", value_}, "highest", "edges[bin_count]");
    }
    is_wide_ ? write_wide() : write_narrow();
    code_.close();
    return out_.take();
  }

 private:
  bool has_own() const { return form_.own_counters > 0; }
  std::size_t pack_bytes() const { return pack_length_ * DType(form_.dtype).size_bytes(); }
  /// Defines `bin`, the bin of an element; an element without a bin has bin_count or more.
  void write_bin(std::string_view element) {
    if (!form_.is_even) {
      code_.declare({"const ", out_.uint}, "bin",
                    {"(", out_.types.name_of(Scalar::uint64), ")", element,
                     " >= bin_count ? bin_count : (", out_.uint, ")", element});
      return;
    }
    code_.declare({"const ", value_}, "value", element);
    code_.declare("const int", "is_within", "(value >= lowest) & (value <= highest)");
    if (is_rounded_) {
      write_rounded_bin();
    } else {
      code_.declare({"const ", place_}, "place",
                    {"((is_within ? (", place_, ")value : first) - first) * scale"});
      code_.declare("int", "near", "(int)place");
    }
    code_.assign("near", "near < 0 ? 0 : near >= (int)bin_count ? (int)bin_count - 1 : near");
    // Few elements are so near to an edge that the edge itself has to decide. On a processor the
    // loop has no branch, so that it becomes vector code.
    const bool has_branch = is_wide_ && !is_rounded_;
    if (has_branch) code_.open_if("!(place - near > margin && place - near < 1 - margin)");
    code_.assign("near", "(value < edges[near]) & (near > 0)", "-=");
    code_.assign("near", "(value >= edges[near + 1]) & (near < (int)bin_count - 1)", "+=");
    if (has_branch) code_.close();
    const std::string bin = joined({"is_within ? (", out_.uint, ")near : bin_count"});
    if (!is_rounded_) return code_.declare({"const ", out_.uint}, "bin", bin);
    code_.assign("bin", bin);
    code_.close();
  }
  /// Finds the bin by rounding the place of the bin's middle to an integer: the sum with 1.5 * 2^23
  /// has that integer in its last bits. On a GPU, conversions between floats and integers take
  /// eight times as long as additions. Elements beyond the edges get bins beyond bin_count. Opens
  /// the branch of elements near an edge, and defines `near` there.
  void write_rounded_bin() {
    const auto word = [&](std::string text) { return expand_words(std::move(text), out_.dialect); };
    code_.declare("const float", "place", "fma(value, scale, shift)");
    code_.declare("const float", "rounded", "place + 12582912.0f");
    code_.declare("const float", "offset", "place - (rounded - 12582912.0f)");
    code_.declare(out_.uint, "bin", word("treadle_as_uint(rounded) - 0x4b400000u"));
    code_.open_if("!(fabs(offset) < inside)");
    code_.declare("int", "near", "is_within ? (int)(place + 0.5f) : 0");
  }
  std::string added(std::string_view place, const std::string& count) const {
    return added_atomically(joined({"&", place}), count, out_.dialect);
  }

  void write_narrow() {
    const std::string &uint = out_.uint, most = number(tiling_.keys_at_once);
    if (has_own()) {
      code_.declare_array(uint, "own", number(form_.own_counters));
      code_.declare({"const ", uint}, "all", "copies * (bin_count + 1)");
      code_.open_for(uint, "k", "0", "all");
      code_.assign("own[k]", "0");
      code_.close();
    }
    // The bins are computed first, in a loop that compilers vectorise.
    code_.open_for(out_.integer, "treadle_from", "treadle_begin", "treadle_end", most);
    code_.declare({"const ", uint}, "some",
                  {"treadle_end - treadle_from < ", most, " ? (", uint,
                   ")(treadle_end - treadle_from) : ", most});
    code_.declare_array(uint, "bins", most);
    write_vector_loop(code_);
    code_.open_for(uint, "k", "0", "some");
    write_bin("elements[treadle_from + k]");
    code_.assign("bins[k]", "bin");
    code_.close();
    code_.open_for(uint, "k", "0", "some");
    if (has_own())
      code_.evaluate("++own[k % copies * (bin_count + 1) + bins[k]]");
    else
      code_.when("bins[k] < bin_count", tree::statement(added("counts[bins[k]]", "1u")));
    code_.close();
    code_.close();
    if (!has_own()) return;
    code_.open_for(uint, "bin", "0", "bin_count");
    code_.declare(uint, "sum", "0");
    code_.open_for(uint, "k", "0", "copies");
    code_.assign("sum", "own[k * (bin_count + 1) + bin]", "+=");
    code_.close();
    code_.when("sum != 0", tree::statement(added("counts[bin]", "sum")));
    code_.close();
  }

  void write_wide() {
    if (has_own()) {
      code_.declare_local(out_.uint, "own", number(form_.own_counters));
      out_.open_each("bin_count");
      code_.assign("own[treadle_k]", "0");
      code_.close();
      code_.evaluate(out_.dialect.barrier);
    }
    const std::string tile = number(count_tile(form_, tiling_));
    code_.declare(
        "const int", "has_packs",
        {"(", out_.types.name_of(Scalar::uint64), ")elements % ", number(pack_bytes()), " == 0"});
    code_.open_for(out_.integer, "treadle_from", "treadle_begin", "treadle_end", tile);
    code_.open_if({"treadle_end - treadle_from >= ", tile});
    write_whole_tile();
    code_.close();
    code_.open_else();
    code_.open_for(out_.integer, "treadle_k", {"treadle_from + ", out_.dialect.local_id},
                   "treadle_end", out_.size);
    write_counted("elements[treadle_k]");
    code_.close();
    code_.close();
    code_.close();
    if (!has_own()) return;
    code_.evaluate(out_.dialect.barrier);
    out_.open_each("bin_count");
    code_.when("own[treadle_k] != 0",
               tree::statement(added("counts[treadle_k]", "own[treadle_k]")));
    code_.close();
  }
  /// All loads are in flight before the first element is counted. The order of the elements does
  /// not matter.
  void write_whole_tile() {
    const std::string packs = number(pack_count(form_.dtype, tiling_)),
                      length = number(pack_length_), place = joined({" * ", out_.size, " + "});
    code_.declare_array("treadle_pack", "packs", packs);
    code_.open_if("has_packs");
    out_.open_loads(packs);
    code_.assign("packs[treadle_q]",
                 {"*(const ", out_.dialect.global, "treadle_pack *)(elements + treadle_from + (",
                  "treadle_q", place, out_.dialect.local_id, ") * ", length, ")"});
    code_.close();
    code_.close();
    code_.open_else();
    open_each_of_packs(packs);
    code_.assign("packs[treadle_q].at[treadle_j]",
                 {"elements[treadle_from + (treadle_q * ", length, " + treadle_j)", place,
                  out_.dialect.local_id, "]"});
    close_each_of_packs();
    code_.close();
    open_each_of_packs(packs);
    write_counted("packs[treadle_q].at[treadle_j]");
    close_each_of_packs();
  }
  void open_each_of_packs(const std::string& packs) {
    out_.open_loads(packs);
    code_.directive("pragma", "unroll");
    code_.open_for(out_.uint, "treadle_j", "0", number(pack_length_));
  }
  void close_each_of_packs() {
    code_.close();
    code_.close();
  }
  void write_counted(std::string_view element) {
    write_bin(element);
    code_.when("bin < bin_count",
               tree::statement(added(has_own() ? "own[bin]" : "counts[bin]", "1u")));
  }

  const CountForm& form_;
  const Tiling& tiling_;
  bool is_wide_, is_rounded_;
  unsigned pack_length_;
  FamilyCode out_;
  tree::BlockBuilder& code_ = out_.code;
  std::string element_, value_, place_;
};

}  // namespace

bool finds_by_rounding(const CountForm& form, const Tiling& tiling) {
  return form.is_even && form.is_single && tiling.schedule == Schedule::wide;
}

unsigned count_tile(const CountForm& form, const Tiling& tiling) {
  if (tiling.schedule != Schedule::wide) return tiling.interval_length;
  return tiling.group_size * pack_length(form.dtype, tiling) * pack_count(form.dtype, tiling);
}

FamilyText generate_count(const CountForm& form, const Tiling& tiling, const Dialect& dialect) {
  return CountWriter(form, tiling, dialect).write();
}

ScanTexts bin_sums(const Dialect& dialect) {
  const std::string another = "bins[i] != bins[i ";
  ScanTexts texts;
  texts.arguments = "const uint *bins, const double *weights, double *sums, long bin_count";
  texts.input = "weights[i]";
  texts.scan = "across_seg_boundary ? b : a + b";
  texts.output = as_users_statements(
      tree::if_then({"(i == N - 1 || ", another, "+ 1]) && bins[i] < bin_count"},
                    tree::Part(tree::assign("sums[bins[i]]", "item"))),
      dialect);
  texts.segment_start = "i == 0 || " + another + "- 1]";
  return texts;
}

}  // namespace treadle::codegen
