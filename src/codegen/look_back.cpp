// SPDX-License-Identifier: MIT
#include "look_back.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "words.hpp"

namespace treadle::codegen {
namespace {

using Parts = std::vector<std::string>;

/// The payloads of an item, 32 bits each.
Parts payloads_of(const DType& dtype, const Dialect& dialect, const std::string& value,
                  const std::string& uint, const std::string& word) {
  if (dtype == Scalar::float32) return {expand_words("treadle_as_uint(" + value + ")", dialect)};
  if (dtype.size_bytes() <= 4) return {joined({"(", uint, ")", value})};
  const std::string bits = dtype == Scalar::float64
                               ? expand_words("treadle_as_uint64(" + value + ")", dialect)
                               : joined({"(", word, ")", value});
  return {joined({"(", uint, ")", bits}), joined({"(", uint, ")(", bits, " >> 32)"})};
}

/// The item with these payloads.
std::string number_of(const DType& dtype, const Dialect& dialect, const Parts& payloads,
                      const std::string& word) {
  if (dtype == Scalar::float32)
    return expand_words("treadle_as_float(" + payloads[0] + ")", dialect);
  if (payloads.size() == 1) return joined({"(treadle_item)", payloads[0]});
  const std::string bits = joined({"((", word, ")", payloads[1], " << 32 | ", payloads[0], ")"});
  return dtype == Scalar::float64 ? expand_words("treadle_as_double(" + bits + ")", dialect)
                                  : joined({"(treadle_item)", bits});
}

/// Larger items of a whole stretch would not fit local memory beside those of a tile.
bool is_small(const DType& dtype) { return dtype.size_bytes() <= sizeof(double) * 2; }

}  // namespace

bool LookBack::goes_by_words(const DType& dtype) {
  return shuffle_of(dtype) == BlockField::Shuffle::whole && dtype.kind() != ScalarKind::structure;
}

unsigned LookBack::slot_words() const { return keeps_items() || dtype.size_bytes() <= 4 ? 1 : 2; }

unsigned LookBack::stretch(const DType& dtype, unsigned anchored_tiles) {
  return is_small(dtype) ? std::max(anchored_tiles, 1u) : 1;
}

bool LookBack::has_shuffles() const {
  return !keeps_items() && SubGroupFold::fits(group_size, dialect);
}

void LookBack::append_parameters(tree::Parts& list) const {
  list.push_back(tree::value(wide_type(), "treadle_tiles"));
  list.push_back(tree::value(wide_type(), "treadle_word_count"));
  list.push_back(pointer_parameter(word_type(), "treadle_words", {}));
  if (keeps_items()) list.push_back(pointer_parameter("treadle_item", "treadle_kept", {}));
}

void LookBack::declare(tree::BlockBuilder& code) const {
  if (!has_groups()) return;
  code.declare_local(uint_type(), "treadle_ticket_taken");
  code.declare_local(uint_type(), "treadle_epoch_taken");
  code.declare_local("treadle_item", "treadle_before_tile");
  if (!has_stretches() || has_shuffles()) return;
  code.declare_local("treadle_item", "treadle_stretch_sums", number(anchored));
  if (has_marks)
    code.declare_local(types.name_of(Scalar::uint8), "treadle_stretch_marks", number(anchored));
}

void LookBack::open_first(tree::BlockBuilder& code) const {
  has_groups() ? code.open_if({dialect.local_id, " == 0"}) : code.open();
}

void LookBack::take_ticket(tree::BlockBuilder& code) const {
  const std::string uint = uint_type(), word = word_type(), wide = wide_type();
  if (!has_groups()) {
    code.declare(uint, "treadle_ticket_taken");
    code.declare(uint, "treadle_epoch_taken");
    code.declare("treadle_item", "treadle_before_tile");
  }
  open_first(code);
  code.declare({"const ", word}, "treadle_taken", {dialect.add_word, "(treadle_words, 1)"});
  code.assign("treadle_ticket_taken", {"(", uint, ")treadle_taken"});
  code.assign("treadle_epoch_taken", {"(", uint, ")(treadle_taken >> 32)"});
  code.comment("Nobody takes another one of this launch.");
  code.open_if("treadle_ticket_taken + 1 == treadle_tiles");
  code.evaluate(
      fill_holes(dialect.store_word,
                 std::array<std::string, 2>{"treadle_words",
                                            joined({"(", word,
                                                    ")(treadle_epoch_taken == 0x7fffffffu ? 1u : "
                                                    "treadle_epoch_taken + 1) << 32"})}));
  code.close();
  code.comment(
      "Of words that no launch has used for long, each is cleared before its epoch returns.");
  code.open_if("treadle_ticket_taken == 0");
  code.declare({"const ", wide}, "treadle_old",
               "1 + treadle_epoch_taken % (treadle_word_count - 1)");
  const std::string slots =
      has_stretches() ? joined({"(treadle_tiles + (treadle_tiles - 1) / ", number(anchored), ")"})
                      : "(treadle_tiles - 1)";
  code.open_if({"treadle_old > ", slots, slot_words() == 1 ? "" : " * ",
                slot_words() == 1 ? "" : number(slot_words())});
  code.evaluate(fill_holes(dialect.store_word,
                           std::array<std::string, 2>{"(treadle_words + treadle_old)", "0"}));
  code.close();
  code.close();
  code.close();
  if (has_groups()) code.evaluate(dialect.barrier);
  code.declare({"const ", uint}, "treadle_ticket", "treadle_ticket_taken");
  code.declare({"const ", uint}, "treadle_epoch", "treadle_epoch_taken");
}

/// The slots of tiles come first; then each stretch but the first has a slot for the sum before it.
/// If each tile is a stretch, there are only the slots of stretches. A launch writes all slots that
/// it uses.
std::string LookBack::slot_of_stretch(std::string_view stretch_before) const {
  return has_stretches() ? joined({"treadle_tiles + ", stretch_before})
                         : std::string(stretch_before);
}

void LookBack::publish(tree::BlockBuilder& code, std::string_view slot, const Sum& sum) const {
  const std::string word = word_type(), wide = wide_type();
  code.open();
  code.declare({"const ", wide}, "treadle_slot", slot);
  const std::string tag =
      has_marks
          ? joined({"((", word, ")(treadle_epoch << 1 | ((", sum.mark, ") != 0 ? 1u : 0u)) << 32)"})
          : joined({"((", word, ")(treadle_epoch << 1) << 32)"});
  const auto store = [&](const std::string& at, const std::string& value) {
    code.evaluate(
        fill_holes(dialect.store_word,
                   std::array<std::string, 2>{joined({"(treadle_words + 1 + ", at, ")"}), value}));
  };
  if (keeps_items()) {
    code.assign("treadle_kept[treadle_slot]", sum.item);
    code.evaluate(dialect.fence);
    store("treadle_slot", tag);
  } else {
    const Parts all = payloads_of(dtype, dialect, sum.item, uint_type(), word);
    for (std::size_t k = 0; k < all.size(); ++k)
      store(all.size() == 1 ? "treadle_slot"
                            : joined({"treadle_slot * ", number(all.size()), " + ", number(k)}),
            joined({tag, " | ", all[k]}));
  }
  code.close();
}

/// Waits for the sum in a slot, and stores it in treadle_value and treadle_mark_there.
void LookBack::await(tree::BlockBuilder& code, std::string_view slot) const {
  const std::string word = word_type(), wide = wide_type(), uint = uint_type();
  code.open();
  code.declare({"const ", wide}, "treadle_slot", slot);
  const unsigned count = slot_words();
  Parts payloads, names, loads;
  for (unsigned k = 0; k < count; ++k) {
    const std::string at =
        count == 1 ? "treadle_slot" : joined({"treadle_slot * ", number(count), " + ", number(k)});
    names.push_back(joined({"treadle_word_", number(k)}));
    loads.push_back(fill_holes(
        dialect.load_word, std::array<std::string, 1>{joined({"(treadle_words + 1 + ", at, ")"})}));
    payloads.push_back(joined({"(", uint, ")", names.back()}));
    code.declare(word, names.back(), loads.back());
  }
  for (unsigned k = 0; k < count; ++k) {
    code.open_while({"(", uint, ")(", names[k], " >> 33) != treadle_epoch"});
    code.assign(names[k], loads[k]);
    code.close();
  }
  if (keeps_items()) {
    code.evaluate(dialect.fence);
    code.assign("treadle_value", "treadle_kept[treadle_slot]");
  } else {
    code.assign("treadle_value", number_of(dtype, dialect, payloads, word));
  }
  if (has_marks) code.assign("treadle_mark_there", {"(", uint, ")(treadle_word_0 >> 32) & 1u"});
  code.close();
}

void LookBack::put_behind(tree::BlockBuilder& code, const Sum& first, const Sum& second,
                          const Sum& into) const {
  code.assign(into.item, combined(first.item, second.item, second.mark));
  if (has_marks) code.assign(into.mark, {first.mark, " | ", second.mark});
}

/// The first work-item folds the sums of the earlier tiles of this stretch into treadle_folded and
/// treadle_mark_folded.
void LookBack::fold_by_shuffles(tree::BlockBuilder& code) const {
  const std::string uint = uint_type(), id = dialect.local_id;
  SubGroupFold fold{.fields = {{"treadle_value", "treadle_item"}},
                    .combine =
                        [this](tree::BlockBuilder& block, const SubGroupFold::Other& later) {
                          put_behind(block, {"treadle_value", "treadle_mark_there"},
                                     {later("treadle_value"), later("treadle_mark_there")},
                                     {"treadle_value", "treadle_mark_there"});
                        },
                    .count = "treadle_there",
                    .dialect = dialect};
  if (has_marks) fold.fields.push_back({"treadle_mark_there", uint});
  const std::string width = SubGroupFold::width();
  code.open_for(uint, "treadle_window", "0", "treadle_place", width);
  code.declare(
      {"const ", uint}, "treadle_there",
      {"treadle_place - treadle_window < ", width, " ? treadle_place - treadle_window : ", width});
  code.open_if({id, " < treadle_there"});
  await(code, joined({"treadle_ticket - treadle_place + treadle_window + ", id}));
  code.close();
  fold.write(code);
  code.open_if({id, " == 0"});
  code.open_if("treadle_window > 0");
  put_behind(code, {"treadle_folded", "treadle_mark_folded"},
             {"treadle_value", "treadle_mark_there"}, {"treadle_value", "treadle_mark_there"});
  code.close();
  code.assign("treadle_folded", "treadle_value");
  if (has_marks) code.assign("treadle_mark_folded", "treadle_mark_there");
  code.close();
  code.close();
}

/// Like fold_by_shuffles(), in local memory: some work-items fold parts of the stretch, and the
/// first work-item folds the parts.
void LookBack::fold_in_memory(tree::BlockBuilder& code) const {
  const std::string uint = uint_type(), id = dialect.local_id, size = number(group_size);
  // About as many parts as a part has sums.
  const unsigned own = 1u << (std::bit_width(anchored) - 1) / 2;
  const std::string step = number(own);
  code.open_for(uint, "treadle_k", id, "treadle_place", size);
  await(code, "treadle_ticket - treadle_place + treadle_k");
  code.assign("treadle_stretch_sums[treadle_k]", "treadle_value");
  if (has_marks) code.assign("treadle_stretch_marks[treadle_k]", "treadle_mark_there");
  code.close();
  code.evaluate(dialect.barrier);
  const auto fold = [&](const std::string& from, const std::string& end, const std::string& by) {
    code.assign("treadle_folded", {"treadle_stretch_sums[", from, "]"});
    if (has_marks) code.assign("treadle_mark_folded", {"treadle_stretch_marks[", from, "]"});
    code.open_for(uint, "treadle_j", {from, " + ", by}, end, by == "1" ? "" : by);
    code.assign("treadle_value", "treadle_stretch_sums[treadle_j]");
    if (has_marks) code.assign("treadle_mark_there", "treadle_stretch_marks[treadle_j]");
    put_behind(code, {"treadle_folded", "treadle_mark_folded"},
               {"treadle_value", "treadle_mark_there"}, {"treadle_value", "treadle_mark_there"});
    code.assign("treadle_folded", "treadle_value");
    if (has_marks) code.assign("treadle_mark_folded", "treadle_mark_there");
    code.close();
  };
  code.open_for(uint, "treadle_k", {id, " * ", step}, "treadle_place", number(group_size * own));
  code.declare({"const ", uint}, "treadle_end",
               {"treadle_place - treadle_k < ", step, " ? treadle_place : treadle_k + ", step});
  fold("treadle_k", "treadle_end", "1");
  code.assign("treadle_stretch_sums[treadle_k]", "treadle_folded");
  if (has_marks) code.assign("treadle_stretch_marks[treadle_k]", "treadle_mark_folded");
  code.close();
  code.evaluate(dialect.barrier);
  code.open_if({id, " == 0 && treadle_place > 0"});
  fold("0", "treadle_place", step);
  code.close();
}

void LookBack::end_first(tree::BlockBuilder& code) const {
  code.close();
  if (has_groups()) code.evaluate(dialect.barrier);
}

void LookBack::hand_on(tree::BlockBuilder& code, const Sum& own) const {
  if (!has_stretches()) return;
  open_first(code);
  publish(code, "treadle_ticket", own);
  code.close();
}

void LookBack::wait(tree::BlockBuilder& code, const Sum& own) const {
  const std::string uint = uint_type();
  const Sum folded{"treadle_folded", "treadle_mark_folded"},
      value{"treadle_value", "treadle_mark_there"};
  code.declare("treadle_item", value.item);
  code.declare("treadle_item", folded.item);
  if (has_marks) {
    code.declare(uint, value.mark, "0");
    code.declare(uint, folded.mark, "0");
  }
  if (has_stretches()) {
    code.declare({"const ", uint}, "treadle_place", {"treadle_ticket % ", number(anchored)});
    code.declare({"const ", uint}, "treadle_stretch", {"treadle_ticket / ", number(anchored)});
    has_shuffles() ? fold_by_shuffles(code) : fold_in_memory(code);
  } else {
    code.declare({"const ", uint}, "treadle_stretch", "treadle_ticket");
  }
  open_first(code);
  code.open_if("treadle_stretch > 0");
  await(code, slot_of_stretch("treadle_stretch - 1"));
  if (has_stretches()) {
    code.open_if("treadle_place > 0");
    put_behind(code, value, folded, value);
    code.close();
  }
  code.assign(folded.item, value.item);
  if (has_marks) code.assign(folded.mark, value.mark);
  code.close();
  code.open_if({has_stretches() ? joined({"treadle_place + 1 == ", number(anchored), " && "})
                                : std::string(),
                "treadle_ticket + 1 < treadle_tiles"});
  code.assign(value.item, own.item);
  if (has_marks) code.assign(value.mark, own.mark);
  code.open_if("treadle_ticket > 0");
  put_behind(code, folded, value, value);
  code.close();
  publish(code, slot_of_stretch("treadle_stretch"), value);
  code.close();
  code.assign("treadle_before_tile", folded.item);
  end_first(code);
}

}  // namespace treadle::codegen
