// SPDX-License-Identifier: MIT
// The words of a sort that sweeps are `passes << bits` counts, a ticket for each pass, and two
// arrays with a word for each digit and tile. One array is used in this pass, the other in the
// next; a tile clears its words of the next pass. A word is 0 at first; then it is the tile's count
// of the digit plus one; then, with the highest bit set, the place for the next tile's elements of
// the digit. One read gets a complete word, so no fence is needed. A tile waits only for tiles with
// earlier tickets, which have started.
#include <algorithm>
#include <array>

#include "interval_text.hpp"
#include "program.hpp"
#include "radix_sort_writer.hpp"
#include "snippet_reading.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/snippet.hpp"

namespace treadle::codegen {
/// The elements of a work-item of a sweep; 0: local memory has no room.
unsigned RadixSortWriter::sweep_items(const RadixSortSnippet& snippet, const Tiling& tiling) {
  std::size_t largest = 1;
  for (const ParameterSpec& parameter : snippet.parameters) {
    if (std::ranges::find(snippet.sorted, parameter.name) == snippet.sorted.end()) continue;
    if (parameter.dtype.alignment() > WarpRank::room_alignment) return 0;
    largest = std::max(largest, parameter.dtype.size_bytes());
  }
  // Local memory holds elements, or earlier the counters, and the digits, a byte each.
  const std::uint64_t group = std::uint64_t{tiling.sweep_warps} * sub_group,
                      counters = sizeof(std::uint32_t) * tiling.sweep_warps << tiling.sweep_bits;
  if (counters >= tiling.sweep_bytes) return 0;
  return static_cast<unsigned>(std::min<std::uint64_t>(
      {tiling.sweep_bytes / (group * (largest + 1)), (tiling.sweep_bytes - counters) / group,
       std::uint64_t{tiling.sweep_items}}));
}

WarpRank RadixSortWriter::warp_rank() const {
  return {.group_size = tiling_.sweep_warps * sub_group,
          .items = sweep_items(snippet_, tiling_),
          .bits = tiling_.sweep_bits,
          .dialect = dialect_};
}
unsigned RadixSortWriter::sweep_passes() const {
  return (key_bits() + tiling_.sweep_bits - 1) / tiling_.sweep_bits;
}
std::uint64_t RadixSortWriter::sweep_zeros() const {
  return (std::uint64_t{sweep_passes()} << tiling_.sweep_bits) + sweep_passes();
}

RadixSortText RadixSortWriter::write_sweeps() {
  require_valid();
  if (!can_sweep(snippet_, tiling_, dialect_))
    throw NotSupported("radix sort " + snippet_.name + " cannot sweep here",
                       "make it without RadixSortSnippet::sweeps");
  RadixSortText made = described();
  const WarpRank rank = warp_rank();
  made.group_size = rank.group_size;
  made.tile = rank.tile();
  made.digit_bits = rank.bits;
  made.passes = sweep_passes();
  made.sweeps = true;
  write_head("each pass in one sweep");
  code_.define_type(snippet_.index_dtype == Scalar::int32 ? uint_ : types_.name_of(Scalar::uint64),
                    "treadle_word");
  code_.blank();
  open_sweep(made.counts, {}, "treadle_passes", group_size_);
  write_sweep_counts();
  code_.close();
  code_.blank();
  open_sweep(made.places, made.targets, "treadle_pass", rank.group_size, tiling_.sweep_groups);
  write_sweep();
  code_.close();
  made.program = code_.take();
  made.text = printed(made.program, dialect_);
  return made;
}

void RadixSortWriter::open_sweep(const std::string& name, std::vector<ParameterSpec> parameters,
                                 std::string_view pass, unsigned group_size, unsigned groups) {
  open_parameters(name, std::move(parameters),
                  {tree::value(uint_, pass), tree::value(integer_, "treadle_tiles"),
                   pointer_parameter("treadle_word", "treadle_words")},
                  group_size, groups);
}

std::string RadixSortWriter::added_to_word(const std::string& place,
                                           const std::string& value) const {
  return added_atomically(place, value, dialect_, snippet_.index_dtype != Scalar::int32);
}
std::string RadixSortWriter::load_word(const std::string& place) const {
  const bool is_short = snippet_.index_dtype == Scalar::int32;
  return fill_holes(is_short ? dialect_.load_uint : dialect_.load_word,
                    std::array{joined({"(", place, ")"})});
}
void RadixSortWriter::store_word(const std::string& place, const std::string& value) {
  const bool is_short = snippet_.index_dtype == Scalar::int32;
  code_.evaluate(fill_holes(is_short ? dialect_.store_uint : dialect_.store_word,
                            std::array{joined({"(", place, ")"}), value}));
}

void RadixSortWriter::write_sweep_counts() {
  const std::string id = dialect_.local_id, size = number(group_size_),
                    digits = number(1u << tiling_.sweep_bits), bits = number(tiling_.sweep_bits),
                    passes = number(sweep_passes()), items = number(tiling_.strided_items),
                    bins = number(std::uint64_t{sweep_passes()} << tiling_.sweep_bits);
  const auto open_all = [&](const std::string& end) {
    code_.open_for(uint_, "treadle_k", id, end, size);
  };
  code_.declare_local(uint_, "treadle_bins", bins);
  open_all(bins);
  code_.assign("treadle_bins[treadle_k]", "0");
  code_.close();
  code_.comment("Words of the first pass.");
  code_.open_for(integer_, "treadle_k",
                 {"(", integer_, ")", dialect_.group_id, " * ", size, " + ", id},
                 joined({"treadle_tiles * ", digits}), joined({dialect_.group_count, " * ", size}));
  code_.assign({"treadle_words[", number(sweep_zeros()), " + treadle_k]"}, "0");
  code_.close();
  code_.evaluate(dialect_.barrier);
  const std::string all = number(group_size_ * tiling_.strided_items);
  code_.open_for(integer_, "treadle_from", {"(", integer_, ")", dialect_.group_id, " * ", all}, "N",
                 joined({"(", integer_, ")", dialect_.group_count, " * ", all}));
  const auto count = [&] {
    code_.evaluate(added_atomically(joined({"treadle_bins + treadle_p * ", digits, " + ((", uint_,
                                            ")(treadle_keys[treadle_k] >> treadle_p * ", bits,
                                            ") & ", number((1u << tiling_.sweep_bits) - 1), ")"}),
                                    "1u", dialect_));
  };
  const auto open_each = [&] {
    code_.directive("pragma", "unroll");
    code_.open_for(uint_, "treadle_k", "0", items);
  };
  const auto open_passes = [&] {
    code_.directive("pragma", "unroll");
    code_.open_for(uint_, "treadle_p", "0", passes);
    code_.open_if("treadle_p < treadle_passes");
  };
  code_.declare_array("treadle_key", "treadle_keys", items);
  code_.declare({"const ", integer_}, "treadle_own", {"treadle_from + ", id});
  code_.comment("Where all are there, addresses are one and distances from it.");
  code_.open_if({"N - treadle_from >= ", all});
  code_.declare("const treadle_index", "treadle_first", "(treadle_index)treadle_own");
  open_each();
  code_.declare("const treadle_index", "i",
                {"treadle_first + (treadle_index)(treadle_k * ", size, ")"});
  code_.assign("treadle_keys[treadle_k]", tree::cast("treadle_key", in_brackets(snippet_.key)));
  code_.close();
  open_passes();
  open_each();
  count();
  code_.close();
  code_.close();
  code_.close();
  code_.close();
  code_.open_else();
  open_each();
  code_.declare({"const ", integer_}, "treadle_at", {"treadle_own + treadle_k * ", size});
  code_.open_if("treadle_at < N");
  code_.declare("const treadle_index", "i", "(treadle_index)treadle_at");
  code_.assign("treadle_keys[treadle_k]", tree::cast("treadle_key", in_brackets(snippet_.key)));
  open_passes();
  count();
  code_.close();
  code_.close();
  code_.close();
  code_.close();
  code_.close();
  code_.close();
  code_.evaluate(dialect_.barrier);
  open_all(bins);
  code_.when("treadle_bins[treadle_k] != 0",
             tree::statement(added_to_word("treadle_words + treadle_k",
                                           "(treadle_word)treadle_bins[treadle_k]")));
  code_.close();
}

/// Loads the elements of a work-item from an array. Places after the last element load the tile's
/// first element instead. In a whole tile all addresses have constant distances from one address.
void RadixSortWriter::load_elements(std::size_t which) {
  const WarpRank rank = warp_rank();
  const std::string &name = snippet_.sorted[which], last = number(rank.digits() - 1);
  code_.declare_array(types_.name_of(dtype_of(name)), {"treadle_own_", name}, number(rank.items));
  for (const bool is_full : {true, false}) {
    is_full ? code_.open_if({"treadle_there == ", number(rank.tile())}) : code_.open_else();
    rank.open_each_item(code_);
    if (is_full) {
      code_.declare("const treadle_index", "i",
                    {"(treadle_index)(treadle_begin + ", WarpRank::element_at(), ")"});
    } else {
      code_.declare({"const ", uint_}, "treadle_at", WarpRank::element_at());
      code_.declare(
          "const treadle_index", "i",
          "(treadle_index)(treadle_begin + (treadle_at < treadle_there ? treadle_at : 0))");
    }
    code_.assign({"treadle_own_", name, "[treadle_k]"}, {name, "[i]"});
    if (which == 0) {
      code_.declare("const treadle_key", "treadle_whole",
                    tree::cast("treadle_key", in_brackets(snippet_.key)));
      const std::string digit = joined(
          {"(", uint_, ")(treadle_whole >> treadle_pass * ", number(rank.bits), ") & ", last});
      code_.assign("treadle_digits[treadle_k]",
                   is_full ? digit : joined({"treadle_at < treadle_there ? ", digit, " : ", last}));
    }
    code_.close();
    code_.close();
  }
}

/// The key of the element at `treadle_at` after the elements moved, if the sort has one array;
/// empty if the key depends on more than the element. Digits are then moved as well.
std::string RadixSortWriter::moved_key() const {
  const std::string& name = snippet_.sorted.front();
  if (snippet_.sorted.size() > 1 || !reads_every_element(snippet_.key, snippet_.preamble, name))
    return {};
  const std::string key =
      with_elements(snippet_.key, name, joined({"treadle_moved_", name, "[treadle_at]"}));
  const std::vector<std::string> macros = defined_macros(snippet_.preamble);
  bool is_known = true;
  each_identifier(key, [&](std::string_view word) {
    const auto parameter = std::ranges::find(snippet_.parameters, word, &ParameterSpec::name);
    is_known =
        is_known && word != "i" && std::ranges::find(macros, word) == macros.end() &&
        (parameter == snippet_.parameters.end() || parameter->kind == ParameterSpec::Kind::scalar);
  });
  return is_known ? key : std::string();
}

/// Moves the elements of an array within the tile, and stores them.
void RadixSortWriter::write_exchange(std::size_t which) {
  const WarpRank rank = warp_rank();
  const std::string &name = snippet_.sorted[which], moved = "treadle_moved_" + name;
  const std::string type = types_.name_of(dtype_of(name)), key = moved_key();
  code_.add(tree::initialize(tree::local_pointer(tree::value(type, moved)),
                             {"(", type, " *)treadle_room"}));
  rank.open_each_item(code_);
  code_.declare({"const ", uint_}, "treadle_rank", WarpRank::rank_of("treadle_digits[treadle_k]"));
  code_.assign({moved, "[treadle_rank]"}, {"treadle_own_", name, "[treadle_k]"});
  if (which == 0 && key.empty())
    code_.assign("treadle_moved[treadle_rank]", {"(", types_.name_of(Scalar::uint8), ")",
                                                 WarpRank::digit_of("treadle_digits[treadle_k]")});
  code_.close();
  const bool is_last = which + 1 == snippet_.sorted.size();
  if (!is_last) load_elements(which + 1);
  code_.evaluate(dialect_.barrier);
  rank.open_each_item(code_);
  code_.declare({"const ", uint_}, "treadle_at",
                {"treadle_k * ", number(rank.group_size), " + ", dialect_.local_id});
  code_.open_if("treadle_at < treadle_there");
  std::string digit = "treadle_moved[treadle_at]";
  if (!key.empty()) {
    code_.declare("const treadle_key", "treadle_whole",
                  tree::cast("treadle_key", in_brackets(key)));
    digit = joined({"(", uint_, ")(treadle_whole >> treadle_pass * ", number(rank.bits), ") & ",
                    number(rank.digits() - 1)});
  }
  code_.assign(
      {"treadle_sorted_", name, "[(treadle_index)(treadle_base[", digit, "] + treadle_at)]"},
      {moved, "[treadle_at]"});
  code_.close();
  code_.close();
  if (!is_last) code_.evaluate(dialect_.barrier);
}

/// Adds the counts of a digit in earlier tiles to treadle_found, backwards from the tile before, as
/// far as a tile that has published the count of all tiles up to itself. The first tile always
/// publishes that.
void RadixSortWriter::write_look_back() {
  const WarpRank rank = warp_rank();
  const std::string digits = number(rank.digits()), window = number(tiling_.words_in_flight),
                    id = dialect_.local_id;
  const auto load = [&](const std::string& tile) {
    return load_word(joined({"treadle_states + (", tile, ") * ", digits, " + ", id}));
  };
  const auto open_each = [&] {
    code_.directive("pragma", "unroll");
    code_.open_for(uint_, "treadle_q", "0", window);
  };
  code_.declare(uint_, "treadle_before", "treadle_tile");
  code_.open_while("treadle_before > 0");
  code_.declare({"const ", uint_}, "treadle_last", "treadle_before - 1");
  code_.declare_array("treadle_word", "treadle_seen", window);
  open_each();
  code_.assign("treadle_seen[treadle_q]",
               load("treadle_q < treadle_last ? treadle_last - treadle_q : 0"));
  code_.close();
  open_each();
  code_.open_if("treadle_before > 0");
  code_.open_while("treadle_seen[treadle_q] == 0");
  code_.assign("treadle_seen[treadle_q]", load("treadle_last - treadle_q"));
  code_.close();
  code_.open_if("(treadle_seen[treadle_q] & treadle_all) != 0");
  code_.assign("treadle_found", "treadle_seen[treadle_q] - treadle_all", "+=");
  code_.assign("treadle_before", "0");
  code_.close();
  code_.open_else();
  code_.assign("treadle_found", "treadle_seen[treadle_q] - 1", "+=");
  code_.evaluate("--treadle_before");
  code_.close();
  code_.close();
  code_.close();
  code_.close();
}

void RadixSortWriter::write_sweep() {
  const WarpRank rank = warp_rank();
  const std::string id = dialect_.local_id, digits = number(rank.digits()),
                    tile = number(rank.tile()), zeros = number(sweep_zeros());
  std::size_t largest = 1;
  for (const std::string& name : snippet_.sorted)
    largest = std::max(largest, dtype_of(name).size_bytes());
  rank.declare(code_, largest);
  rank.declare_sums(code_, "treadle_found", "treadle_word");
  if (moved_key().empty())
    code_.declare_local(types_.name_of(Scalar::uint8), "treadle_moved", tile);
  code_.declare_local("treadle_word", "treadle_base", digits);
  code_.declare_local(uint_, "treadle_taken");
  code_.when({id, " == 0"},
             tree::assign("treadle_taken",
                          {"(", uint_, ")",
                           added_to_word(joined({"treadle_words + ",
                                                 number(std::uint64_t{sweep_passes()} << rank.bits),
                                                 " + treadle_pass"}),
                                         "1")}));
  rank.clear(code_);
  code_.evaluate(dialect_.barrier);
  code_.declare({"const ", uint_}, "treadle_tile", "treadle_taken");
  code_.declare({"const ", integer_}, "treadle_begin", {"(", integer_, ")treadle_tile * ", tile});
  code_.declare({"const ", uint_}, "treadle_there",
                {"N - treadle_begin < ", tile, " ? (", uint_, ")(N - treadle_begin) : ", tile});
  code_.declare("const treadle_word", "treadle_all",
                {"(treadle_word)1 << ", snippet_.index_dtype == Scalar::int32 ? "31" : "63"});
  for (const bool is_own : {true, false})
    code_.add(tree::initialize(tree::global_pointer(tree::value(
                                   "treadle_word", is_own ? "treadle_states" : "treadle_next")),
                               {"treadle_words + ", zeros, " + (treadle_pass % 2 == ",
                                is_own ? "0" : "1", " ? 0 : treadle_tiles * ", digits, ")"}));
  load_elements(0);
  const std::string own_word = joined({"treadle_tile * ", digits, " + ", id});
  rank.count(code_, [&] {
    code_.open_if("treadle_tile > 0");
    store_word("treadle_states + " + own_word, "treadle_sum + 1");
    code_.close();
    code_.assign({"treadle_next[", own_word, "]"}, "0");
  });
  code_.declare("treadle_word", "treadle_found", "0");
  code_.comment("The first tile says where digits begin.");
  code_.open_if("treadle_tile == 0");
  code_.when(rank.has_digit(), tree::assign("treadle_found", {"treadle_words[treadle_pass * ",
                                                              digits, " + ", id, "]"}));
  rank.sum_before(code_, "treadle_found", "treadle_word");
  code_.close();
  rank.rank(code_);
  code_.open_if(rank.has_digit());
  write_look_back();
  store_word("treadle_states + " + own_word, "treadle_all | (treadle_found + treadle_sum)");
  code_.assign({"treadle_base[", id, "]"}, "treadle_found - treadle_start");
  code_.close();
  code_.evaluate(dialect_.barrier);
  for (std::size_t i = 0; i < snippet_.sorted.size(); ++i) write_exchange(i);
}

SweepRoom sweep_room(const RadixSortText& made, std::uint64_t tiles) {
  const std::uint64_t zeros = (std::uint64_t{made.passes} << made.digit_bits) + made.passes;
  return {.words = zeros + (2 * tiles << made.digit_bits), .zeros = zeros};
}

bool can_sweep(const RadixSortSnippet& snippet, const Tiling& tiling, const Dialect& dialect) {
  return tiling.schedule == Schedule::wide && WarpRank::fits(dialect) &&
         RadixSortWriter::sweep_items(snippet, tiling) > 0;
}

}  // namespace treadle::codegen
