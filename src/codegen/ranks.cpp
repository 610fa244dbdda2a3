// SPDX-License-Identifier: MIT
#include "treadle/codegen/ranks.hpp"

#include <algorithm>

#include "block.hpp"
#include "dealing.hpp"
#include "family_code.hpp"
#include "interval_text.hpp"
#include "treadle/codegen/ordered_key.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

class RanksWriter {
 public:
  RanksWriter(Scalar dtype, const Tiling& tiling, const Dialect& dialect)
      : dtype_(dtype),
        tiling_(tiling),
        is_wide_(tiling.schedule == Schedule::wide),
        bins_(number(1u << tiling.select_bits)),
        out_("ranks_" + DType(dtype).name(), "generator of ranks", tiling, dialect),
        element_(out_.types.name_of(unsigned_of(DType(dtype).size_bytes()))),
        key_(out_.types.name_of(key_of(dtype))),
        whole_(out_.types.name_of(Scalar::uint64)) {}

  FamilyText write() {
    const std::string name = "ranks_" + DType(dtype_).name();
    write_key_function(code_, dtype_, key_);
    write_element_function(code_, dtype_, key_);
    out_.open_kernel(name + "_begin",
                     joined({"const long *places, ulong *known, ", is_wide_ ? "uint *counts, " : "",
                             "uint rank_count"}));
    write_begin();
    code_.close();
    out_.open_kernel(name + "_count",
                     joined({"const ", element_,
                             " *elements, const ulong *known, uint *counts, long N, long "
                             "treadle_length, uint rank_count, uint width, uint shift"}));
    write_interval_bounds(code_, out_.integer, out_.dialect);
    code_.declare({"const ", out_.uint}, "bins", "1u << width");
    code_.declare({"const ", out_.uint}, "above", "width + shift");
    is_wide_ ? write_wide_count() : write_narrow_count();
    code_.close();
    out_.open_kernel(name + "_choose",
                     joined({"ulong *known, ", is_wide_ ? "" : "const ", "uint *counts, ", element_,
                             " *found, long groups, uint rank_count, uint width, uint shift"}));
    code_.declare({"const ", out_.uint}, "bins", "1u << width");
    is_wide_ ? write_wide_choose() : write_narrow_choose();
    code_.close();
    return out_.take();
  }

 private:
  /// The number `which` of the numbers that describe a place.
  static std::string known(std::string_view place, unsigned which) {
    const std::string start = joined({"known[", number(numbers_of_place), " * ", place});
    return joined({start, which == 0 ? "" : " + " + number(which), "]"});
  }
  void open_ranks() {
    code_.open_for(out_.uint, "r", is_wide_ ? out_.dialect.local_id : "0", "rank_count",
                   is_wide_ ? out_.size : "");
  }
  std::string all_counts() const { return joined({"rank_count * ", bins_}); }

  void write_begin() {
    if (is_wide_) write_zeros("counts", all_counts());
    open_ranks();
    code_.assign(known("r", 0), "0");
    code_.assign(known("r", 1), {"(", whole_, ")places[r]"});
    code_.assign(known("r", 2), "0");
    code_.close();
  }
  /// Writes a loop in which a group sets an array to 0.
  void write_zeros(std::string_view array, std::string_view end) {
    out_.open_each(end);
    code_.assign({array, "[treadle_k]"}, "0");
    code_.close();
  }
  /// Appends the digit `bin` to the known digits of place `r`; `rest` becomes its rank among the
  /// elements with these digits.
  void write_digit(std::string_view rest) {
    code_.assign(known("r", 0), {"(", known("r", 0), " << width) | bin"});
    code_.assign(known("r", 1), rest);
    code_.when("shift == 0", tree::assign("found[r]", {"(", element_, ")treadle_element((", key_,
                                                       ")", known("r", 0), ")"}));
  }
  /// Finds, for each place, the first place with the same digits.
  void write_same() {
    code_.open_for(out_.uint, "r", "0", "rank_count");
    code_.declare(out_.uint, "same", "0");
    code_.open_while({known("same", 0), " != ", known("r", 0)});
    code_.evaluate("++same");
    code_.close();
    code_.assign(known("r", 2), "same");
    code_.close();
  }

  /// The number of places for which a wide group counts at a time.
  std::string at_once() const {
    return number(std::max<std::uint64_t>(
        (tiling_.scan_bytes >> tiling_.select_bits) / sizeof(std::uint32_t), 1));
  }
  void write_wide_count() {
    const std::string &uint = out_.uint, &id = out_.dialect.local_id;
    code_.declare_local(uint, "own", {at_once(), " * ", bins_});
    code_.declare_local(uint, "chosen", at_once());
    code_.declare_local(key_, "chosen_digits", at_once());
    code_.declare_local(uint, "chosen_count");
    code_.declare_local(uint, "next_rank");
    code_.when({id, " == 0"}, tree::assign("next_rank", "0"));
    code_.evaluate(out_.dialect.barrier);
    code_.open_while("next_rank < rank_count");
    code_.evaluate(out_.dialect.barrier);
    write_chosen();
    write_zeros("own", joined({at_once(), " * ", bins_}));
    code_.evaluate(out_.dialect.barrier);
    code_.declare({"const ", uint}, "count", "chosen_count");
    write_counts_of_group();
    code_.evaluate(out_.dialect.barrier);
    code_.open_for(uint, "c", "0", "count");
    code_.open_for(uint, "bin", id, "bins", out_.size);
    const std::string own = joined({"own[c * ", bins_, " + bin]"});
    code_.open_if({own, " != 0"});
    code_.evaluate(
        added_atomically(joined({"&counts[chosen[c] * ", bins_, " + bin]"}), own, out_.dialect));
    code_.close();
    code_.close();
    code_.close();
    code_.close();
  }
  /// Chooses the next places that have counts of their own.
  void write_chosen() {
    code_.open_if({out_.dialect.local_id, " == 0"});
    code_.declare(out_.uint, "r", "next_rank");
    code_.declare(out_.uint, "count", "0");
    code_.open_loop(tree::Part(""), {"r < rank_count && count < ", at_once()}, "++r");
    code_.when({known("r", 2), " != r"}, tree::continue_());
    code_.assign("chosen[count]", "r");
    code_.assign("chosen_digits[count++]", {"(", key_, ")", known("r", 0)});
    code_.close();
    code_.assign("next_rank", "r");
    code_.assign("chosen_count", "count");
    code_.close();
  }
  void write_counts_of_group() {
    const std::string items = number(std::max(tiling_.loads_in_flight, 1u));
    const std::string at = joined({"treadle_from + treadle_q * ", out_.size});
    code_.open_for(out_.integer, "treadle_from", {"treadle_begin + ", out_.dialect.local_id},
                   "treadle_end", joined({out_.size, " * ", items}));
    code_.declare_array(key_, "seen", items);
    out_.open_loads(items);
    code_.assign("seen[treadle_q]",
                 {"treadle_ordered(elements[", at, " < treadle_end ? ", at, " : treadle_begin])"});
    code_.close();
    out_.open_loads(items);
    code_.when({at, " >= treadle_end"}, tree::break_());
    code_.declare({"const ", key_}, "before",
                  {"above == ", number(element_bits(dtype_)), " ? 0 : seen[treadle_q] >> above"});
    code_.declare({"const ", out_.uint}, "bin",
                  {"(", out_.uint, ")(seen[treadle_q] >> shift) & (bins - 1)"});
    code_.open_for(out_.uint, "c", "0", "count");
    code_.open_if("before == chosen_digits[c]");
    code_.evaluate(added_atomically(joined({"&own[c * ", bins_, " + bin]"}), "1u", out_.dialect));
    code_.close();
    code_.close();
    code_.close();
    code_.close();
  }

  /// The scan of the sums of the work-items' bins.
  BlockScan sums() const {
    return {.fields = {{{"end", out_.uint}, "sums"}},
            .combine =
                [](tree::BlockBuilder& code, const BlockScan::Earlier& earlier) {
                  code.assign("end", earlier("end"), "+=");
                },
            .group_size = tiling_.group_size,
            .is_there = {},
            .prefix = "treadle_",
            .dialect = out_.dialect,
            .keeps_arrays = false};
  }
  void write_wide_choose() {
    const std::string& uint = out_.uint;
    sums().declare(code_);
    code_.declare({"const ", uint}, "share",
                  {"(bins + ", number(tiling_.group_size - 1), ") / ", out_.size});
    code_.declare({"const ", uint}, "first", {out_.dialect.local_id, " * share"});
    code_.open_for(uint, "r", "0", "rank_count");
    code_.add(tree::initialize(tree::global_pointer(tree::value(joined({"const ", uint}), "own")),
                               {"counts + ", known("r", 2), " * ", bins_}));
    code_.declare({"const ", whole_}, "place", known("r", 1));
    code_.declare(uint, "sum", "0");
    code_.open_loop(tree::initialize(tree::value(uint, "bin"), "first"),
                    "bin < first + share && bin < bins", "++bin");
    code_.assign("sum", "own[bin]", "+=");
    code_.close();
    code_.declare(uint, "end", "sum");
    sums().write(code_);
    code_.declare({"const ", uint}, "begin", "end - sum");
    code_.open_if("begin <= place && place < end");
    code_.declare(uint, "bin", "first");
    code_.declare(whole_, "rest", "place - begin");
    code_.open_loop(tree::Part(""), "rest >= own[bin]", "++bin");
    code_.assign("rest", "own[bin]", "-=");
    code_.close();
    write_digit("rest");
    code_.close();
    code_.evaluate(out_.dialect.barrier);
    code_.close();
    code_.open_if({out_.dialect.local_id, " == 0"});
    write_same();
    code_.close();
    write_zeros("counts", all_counts());
  }

  /// One more bin is for elements with other earlier digits.
  void write_narrow_count() {
    const std::string &uint = out_.uint, copies = number(tiling_.counter_copies);
    const auto open_copies = [&] { code_.open_for(uint, "k", "0", copies); };
    code_.declare({"const ", out_.integer}, "group", out_.dialect.group_id);
    code_.open_for(uint, "r", "0", "rank_count");
    code_.when({known("r", 2), " != r"}, tree::continue_());
    code_.declare({"const ", key_}, "digits", {"(", key_, ")", known("r", 0)});
    code_.declare_array(uint, "own", {"(", bins_, " + 1) * ", copies});
    code_.open_for(uint, "k", "0", joined({"(bins + 1) * ", copies}));
    code_.assign("own[k]", "0");
    code_.close();
    write_chosen_bins();
    code_.when("any == 0", tree::continue_());
    code_.open_for(uint, "k", "0", "some");
    code_.evaluate({"++own[k % ", copies, " * (bins + 1) + chosen[k]]"});
    code_.close();
    code_.close();
    code_.open_for(uint, "bin", "0", "bins");
    code_.declare(uint, "sum", "0");
    open_copies();
    code_.assign("sum", "own[k * (bins + 1) + bin]", "+=");
    code_.close();
    code_.assign("counts[((group * rank_count + r) << width) + bin]", "sum");
    code_.close();
    code_.close();
  }
  /// Opens the loop over elements, in blocks, and finds the bins of a block.
  void write_chosen_bins() {
    const std::string &uint = out_.uint, most = number(tiling_.keys_at_once);
    const std::string key = "treadle_ordered(elements[treadle_from + k])";
    code_.open_for(out_.integer, "treadle_from", "treadle_begin", "treadle_end", most);
    code_.declare({"const ", uint}, "some",
                  {"treadle_end - treadle_from < ", most, " ? (", uint,
                   ")(treadle_end - treadle_from) : ", most});
    code_.declare_array(uint, "chosen", most);
    code_.declare(uint, "any", "0");
    const auto open_some = [&] {
      write_vector_loop(code_);
      code_.open_for(uint, "k", "0", "some");
    };
    code_.open_if({"above == ", number(element_bits(dtype_))});
    code_.assign("any", "1");
    open_some();
    code_.assign("chosen[k]", {"(", uint, ")(", key, " >> shift)"});
    code_.close();
    code_.close();
    code_.open_else();
    open_some();
    code_.declare({"const ", key_}, "whole", key);
    code_.declare({"const ", uint}, "is_one", "whole >> above == digits");
    code_.assign("chosen[k]", {"is_one ? (", uint, ")(whole >> shift) & (bins - 1) : bins"});
    code_.assign("any", "is_one", "+=");
    code_.close();
    code_.close();
  }

  void write_narrow_choose() {
    code_.open_for(out_.uint, "r", "0", "rank_count");
    code_.declare({"const ", whole_}, "same", known("r", 2));
    code_.declare(whole_, "before", known("r", 1));
    code_.declare(out_.uint, "bin", "0");
    code_.open_loop(tree::Part(""), "bin < bins", "++bin");
    code_.declare(whole_, "sum", "0");
    code_.open_for(out_.integer, "group", "0", "groups");
    code_.assign("sum", "counts[((group * rank_count + same) << width) + bin]", "+=");
    code_.close();
    code_.when("before < sum", tree::break_());
    code_.assign("before", "sum", "-=");
    code_.close();
    write_digit("before");
    code_.close();
    write_same();
  }

  Scalar dtype_;
  const Tiling& tiling_;
  bool is_wide_;
  std::string bins_;
  FamilyCode out_;
  tree::BlockBuilder& code_ = out_.code;
  std::string element_, key_, whole_;
};

}  // namespace

FamilyText generate_ranks(Scalar dtype, const Tiling& tiling, const Dialect& dialect) {
  return RanksWriter(dtype, tiling, dialect).write();
}

}  // namespace treadle::codegen
