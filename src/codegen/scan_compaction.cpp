// SPDX-License-Identifier: MIT
// Selections in one pass. A work-item keeps the ones of its elements as bits. The counts of several
// rows are packed into one number, so that a few shuffles scan the counts of all rows. The sum of a
// tile is published before any element moves. Local memory collects the selected elements: the
// value itself if the input reads it anyway, otherwise the place of the element in the tile, and
// the value is evaluated when it is stored.
#include <algorithm>
#include <array>

#include "interval_text.hpp"
#include "scan_writer.hpp"
#include "snippet_reading.hpp"
#include "treadle/base/c_declaration.hpp"
#include "treadle/base/error.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

/// The bits of a row's count, which is at most 32 times the elements of a work-item.
unsigned count_bits(unsigned row_items) { return 32 * row_items < 256 ? 8 : 16; }

}  // namespace

std::string compacting_output(const std::vector<ScanCompaction>& stores, const std::string& total,
                              const Dialect& dialect) {
  tree::BlockBuilder code;
  code.open_if("item != prev_item");
  for (const ScanCompaction& store : stores) {
    tree::NodePtr stored = tree::assign({store.array, "[prev_item]"}, tree::Part(store.value));
    if (store.capacity.empty())
      code.add(std::move(stored));
    else
      code.when({"prev_item < ", store.capacity}, std::move(stored));
  }
  code.close();
  code.when("i == N - 1", tree::assign({"*", total}, "item"));
  return as_users_statements(code.take(), dialect);
}

DType ScanWriter::stored_dtype(const ScanCompaction& store) const {
  const auto found = std::ranges::find(snippet_.parameters, store.array, &ParameterSpec::name);
  if (found == snippet_.parameters.end() || found->kind == ParameterSpec::Kind::scalar)
    throw InvalidArgument("scan " + snippet_.name + " stores into " + store.array +
                              ", which is no array among its arguments",
                          "name one of the pointers");
  return found->dtype;
}

/// Whether the values themselves are moved: those of an array that is read by packs.
bool ScanWriter::is_moved(const ScanCompaction& store) const {
  const DType dtype = stored_dtype(store);
  const std::string value = without_comments(store.value);
  return has_plain_elements(dtype, dialect_, types_) && !may_write(value) &&
         std::ranges::any_of(snippet_.parameters, [&](const ParameterSpec& parameter) {
           return parameter.kind == ParameterSpec::Kind::vector && parameter.dtype == dtype &&
                  reads_every_element(value, snippet_.preamble, parameter.name);
         });
}

std::size_t ScanWriter::staged_bytes() const {
  std::size_t bytes = 0;
  for (const ScanCompaction& store : snippet_.compactions)
    bytes += is_moved(store) ? stored_dtype(store).size_bytes() : sizeof(std::uint16_t);
  return bytes;
}

void ScanWriter::write_flags(Reach reach) {
  if (reach == Reach::packs) write_row_loads();
  open_each_row();
  open_each_of_row();
  if (reach == Reach::elements) code_.open_if("treadle_k < treadle_here");
  code_.declare({"const ", integer_}, "treadle_at", "treadle_from + treadle_k");
  write_input(reached(snippet_.input, reach));
  code_.assign({"treadle_flags[(", own_of_row(), ") / 32]"},
               {"(treadle_value != 0 ? 1u : 0u) << (", own_of_row(), ") % 32"}, "|=");
  if (reach == Reach::elements) code_.close();
  code_.close();
  code_.close();
}

/// For each row, stores in treadle_ranks the rank of the work-item's first element within the
/// sub-group; stores the sub-group's count in treadle_count.
void ScanWriter::write_ranks() {
  const unsigned bits = count_bits(row_items_), side_by_side = 32 / bits;
  const std::string words = number((rows_ + side_by_side - 1) / side_by_side),
                    word = joined({"treadle_row / ", number(side_by_side)}),
                    shift = joined({"treadle_row % ", number(side_by_side), " * ", number(bits)}),
                    mask = joined({number((1u << bits) - 1), "u"}),
                    row_mask = joined({number((std::uint64_t{1} << row_items_) - 1), "u"}),
                    before = joined({"treadle_row * ", number(row_items_)});
  const auto open_each_word = [&] {
    code_.directive("pragma", "unroll");
    code_.open_for(uint_, "treadle_w", "0", words);
  };
  for (const char* array : {"treadle_counts", "treadle_sums", "treadle_totals"})
    code_.declare_array(uint_, array, words);
  open_each_word();
  code_.assign("treadle_counts[treadle_w]", "0");
  code_.close();
  open_each_row();
  code_.assign({"treadle_counts[", word, "]"},
               {expand_words(joined({"treadle_popcount(treadle_flags[", before, " / 32] >> ",
                                     before, " % 32 & ", row_mask, ")"}),
                             dialect_),
                " << ", shift},
               "+=");
  code_.close();
  open_each_word();
  code_.assign("treadle_sums[treadle_w]", "treadle_counts[treadle_w]");
  code_.close();
  open_each_step();
  open_each_word();
  code_.declare({"const ", uint_}, "treadle_earlier",
                shuffled_up("treadle_sums[treadle_w]", "treadle_step", dialect_));
  code_.when("treadle_lane >= treadle_step",
             tree::assign("treadle_sums[treadle_w]", "treadle_earlier", "+="));
  code_.close();
  code_.close();
  open_each_word();
  code_.assign("treadle_totals[treadle_w]", last_of_sub_group("treadle_sums[treadle_w]"));
  code_.assign("treadle_sums[treadle_w]", "treadle_counts[treadle_w]", "-=");
  code_.close();
  code_.declare_array(uint_, "treadle_ranks", number(rows_));
  code_.declare(uint_, "treadle_count", "0");
  open_each_row();
  code_.assign("treadle_ranks[treadle_row]",
               {"treadle_count + (treadle_sums[", word, "] >> ", shift, " & ", mask, ")"});
  code_.assign("treadle_count", {"treadle_totals[", word, "] >> ", shift, " & ", mask}, "+=");
  code_.close();
}

/// Moves the selected values, or their places, together in local memory.
void ScanWriter::write_moves(std::size_t store, Reach reach) {
  const ScanCompaction& own = snippet_.compactions[store];
  const std::string place = joined({"treadle_moved_", number(store), "[treadle_to]"});
  open_each_row();
  code_.declare(uint_, "treadle_to", "treadle_group + treadle_ranks[treadle_row]");
  open_each_of_row();
  code_.open_if({"treadle_flags[(", own_of_row(), ") / 32] >> (", own_of_row(), ") % 32 & 1"});
  if (is_moved(own)) {
    code_.declare("const treadle_index", "i", "(treadle_index)(treadle_from + treadle_k)");
    code_.evaluate("(void)i");  // the text may not use i
    code_.assign(place, in_brackets(reached(own.value, reach)));
  } else {
    code_.assign(place, {"(", types_.name_of(Scalar::uint16), ")treadle_k"});
  }
  code_.assign("treadle_to", "1", "+=");
  code_.close();
  code_.close();
  code_.close();
}

/// Stores the selection; neighbouring work-items store neighbouring elements.
void ScanWriter::write_compacted() {
  code_.declare("const treadle_item", "treadle_base",
                "treadle_ticket > 0 ? treadle_before_tile : 0");
  code_.when({dialect_.local_id, " == 0 && treadle_ticket + 1 == treadle_tiles"},
             tree::assign({"*", snippet_.total}, "treadle_base + treadle_all"));
  code_.directive("pragma", {"unroll ", number(tiling_.loads_in_flight)});
  code_.open_for(uint_, "treadle_k", dialect_.local_id, "treadle_all", number(group_size_));
  code_.declare("const treadle_item", "treadle_to", "treadle_base + treadle_k");
  for (std::size_t k = 0; k < snippet_.compactions.size(); ++k) {
    const ScanCompaction& store = snippet_.compactions[k];
    const std::string moved = joined({"treadle_moved_", number(k), "[treadle_k]"});
    store.capacity.empty() ? code_.open() : code_.open_if({"treadle_to < (", store.capacity, ")"});
    if (!is_moved(store))
      code_.declare("const treadle_index", "i",
                    joined({"(treadle_index)(treadle_from + ", moved, ")"}));
    code_.assign({store.array, "[treadle_to]"},
                 is_moved(store) ? tree::Part(moved) : in_brackets(store.value));
    code_.close();
  }
  code_.close();
}

void ScanWriter::write_compaction() {
  const std::string sub_groups = number(group_size_ / sub_group);
  code_.declare_local(uint_, "treadle_own", sub_groups);
  for (std::size_t k = 0; k < snippet_.compactions.size(); ++k)
    code_.declare_local(
        types_.name_of(is_moved(snippet_.compactions[k]) ? stored_dtype(snippet_.compactions[k])
                                                         : DType(Scalar::uint16)),
        joined({"treadle_moved_", number(k)}), number(tile_));
  write_place_in_tile();
  const std::string words = number((own_items_ + 31) / 32);
  code_.declare_array(uint_, "treadle_flags", words);
  code_.directive("pragma", "unroll");
  code_.open_for(uint_, "treadle_w", "0", words);
  code_.assign("treadle_flags[treadle_w]", "0");
  code_.close();
  declare_packs();
  write_each_way([this](Reach reach) { write_flags(reach); });
  write_ranks();
  code_.when("treadle_lane == 0", tree::assign("treadle_own[treadle_sub_group]", "treadle_count"));
  code_.evaluate(dialect_.barrier);
  code_.declare(uint_, "treadle_group", "0");
  code_.declare(uint_, "treadle_all", "0");
  code_.directive("pragma", "unroll");
  code_.open_for(uint_, "treadle_k", "0", sub_groups);
  code_.declare({"const ", uint_}, "treadle_next", "treadle_own[treadle_k]");
  code_.when("treadle_k < treadle_sub_group", tree::assign("treadle_group", "treadle_next", "+="));
  code_.assign("treadle_all", "treadle_next", "+=");
  code_.close();
  const LookBack::Sum own{"(treadle_item)treadle_all", ""};
  look_back().hand_on(code_, own);
  for (std::size_t k = 0; k < snippet_.compactions.size(); ++k) {
    if (is_moved(snippet_.compactions[k]))
      write_each_way([&](Reach reach) { write_moves(k, reach); });
    else
      write_moves(k, Reach::elements);
  }
  look_back().wait(code_, own);
  write_compacted();
}

}  // namespace treadle::codegen
