// SPDX-License-Identifier: MIT
#include "treadle/codegen/top_k.hpp"

#include <algorithm>

#include "block.hpp"
#include "dealing.hpp"
#include "family_code.hpp"
#include "treadle/codegen/ordered_key.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

class TopKWriter {
 public:
  TopKWriter(const TopKForm& form, const Tiling& tiling, const Dialect& dialect)
      : form_(form),
        tiling_(tiling),
        is_wide_(tiling.schedule == Schedule::wide),
        out_("top_k_" + DType(form.dtype).name(), "generator of largest elements", tiling, dialect),
        element_(out_.types.name_of(unsigned_of(DType(form.dtype).size_bytes()))),
        key_(out_.types.name_of(key_of(form.dtype))),
        room_(number(form.room)) {}

  FamilyText write() {
    write_key_function(code_, form_.dtype, key_);
    if (!is_wide_) write_sort_function();
    out_.open_kernel(
        "top_k_" + DType(form_.dtype).name(),
        joined({"const ", element_, " *elements, ", element_, " *values, long *places, ",
                form_.has_places ? "const long *given, " : "", "long length, long pieces, long k, ",
                key_, " flip"}));
    const std::string& integer = out_.integer;
    code_.declare({"const ", integer}, "group", out_.dialect.group_id);
    code_.declare({"const ", integer}, "row", "group / pieces");
    code_.declare({"const ", integer}, "piece", "group % pieces");
    code_.declare({"const ", integer}, "begin", "row * length + length * piece / pieces");
    code_.declare({"const ", integer}, "end", "row * length + length * (piece + 1) / pieces");
    is_wide_ ? write_wide() : write_narrow();
    open_uints("i", is_wide_ ? out_.dialect.local_id : "0", joined({"(", out_.uint, ")k"}),
               is_wide_ ? out_.size : "");
    code_.assign("values[group * k + i]", "elements[begin + kept[i]]");
    code_.assign("places[group * k + i]",
                 form_.has_places ? "given[begin + kept[i]]" : "begin - row * length + kept[i]");
    code_.close();
    code_.close();
    return out_.take();
  }

 private:
  void open_uints(std::string_view name, std::string_view first, std::string_view end,
                  std::string_view step = "") {
    code_.open_for(out_.uint, name, first, end, step);
  }
  void declare_uint(std::string_view name, tree::Part value) {
    code_.declare(out_.uint, name, std::move(value));
  }
  std::string key_at(std::string_view place) const {
    return joined({"treadle_ordered(elements[", place, "]) ^ flip"});
  }

  // The narrow schedule.

  /// A radix sort from the lowest digit on, in descending order.
  void write_sort_function() {
    const std::string& uint = out_.uint;
    const auto pointer = [](const std::string& type, std::string_view name) {
      return tree::Part(tree::pointer(tree::value(type, name)));
    };
    const unsigned bits = tiling_.digit_bits;
    const std::string all = number(1u << bits);
    const std::string digit =
        joined({"(", uint, ")(keys[i] >> shift) & ", number((1u << bits) - 1)});
    code_.open_function(
        called_function("void", "keep_largest",
                        {pointer(key_, "keys"), pointer(uint, "kept"), pointer(key_, "other_keys"),
                         pointer(uint, "other_kept"), tree::value(uint, "count")}));
    open_uints("shift", "0", number(element_bits(form_.dtype)), number(bits));
    code_.declare_array(uint, "next", all);
    declare_uint("sum", "0");
    open_uints("d", "0", all);
    code_.assign("next[d]", "0");
    code_.close();
    open_uints("i", "0", "count");
    code_.evaluate({"++next[", digit, "]"});
    code_.close();
    code_.open_loop(tree::initialize(tree::value(uint, "d"), all), "d-- > 0", tree::Part(""));
    code_.declare({"const ", uint}, "own", "next[d]");
    code_.assign("next[d]", "sum");
    code_.assign("sum", "own", "+=");
    code_.close();
    open_uints("i", "0", "count");
    code_.declare({"const ", uint}, "place", {"next[", digit, "]++"});
    code_.assign("other_keys[place]", "keys[i]");
    code_.assign("other_kept[place]", "kept[i]");
    code_.close();
    open_uints("i", "0", "count");
    code_.assign("keys[i]", "other_keys[i]");
    code_.assign("kept[i]", "other_kept[i]");
    code_.close();
    code_.close();
    code_.close();
  }

  void write_narrow() {
    const std::string &uint = out_.uint, chunk = number(std::max(tiling_.keys_at_once, 1u));
    const std::string keep = "keep_largest(keys, kept, other_keys, other_kept, count)";
    for (const char* name : {"keys", "other_keys"}) code_.declare_array(key_, name, room_);
    for (const char* name : {"kept", "other_kept"}) code_.declare_array(uint, name, room_);
    declare_uint("count", "0");
    declare_uint("is_open", "1");
    code_.declare(key_, "least", "0");
    code_.open_for(out_.integer, "from", "begin", "end", chunk);
    code_.declare({"const ", uint}, "some",
                  {"end - from < ", chunk, " ? (", uint, ")(end - from) : ", chunk});
    code_.declare_array(key_, "seen", chunk);
    declare_uint("any", "is_open");
    write_vector_loop(code_);
    open_uints("i", "0", "some");
    code_.assign("seen[i]", key_at("from + i"));
    code_.assign("any", "seen[i] > least", "|=");
    code_.close();
    code_.when("any == 0", tree::continue_());
    open_uints("i", "0", "some");
    code_.assign("keys[count]", "seen[i]");
    code_.assign("kept[count]", {"(", uint, ")(from - begin) + i"});
    code_.assign("count", "is_open | (seen[i] > least)", "+=");
    code_.when({"count < ", room_}, tree::continue_());
    code_.evaluate(keep);
    code_.assign("count", {"(", uint, ")k"});
    code_.assign("least", "keys[k - 1]");
    code_.assign("is_open", "0");
    code_.close();
    code_.close();
    code_.evaluate(keep);
  }

  // The wide schedule.

  std::string items() const { return number(std::max(tiling_.loads_in_flight, 1u)); }
  void barrier() { code_.evaluate(out_.dialect.barrier); }
  void open_first() { code_.open_if({out_.dialect.local_id, " == 0"}); }

  void write_wide() {
    const std::string& uint = out_.uint;
    code_.declare_local(uint, "counts", number(1u << tiling_.select_bits));
    code_.declare_local(uint, "partials", out_.size);
    code_.declare_local(key_, "keys", room_);
    code_.declare_local(uint, "kept", room_);
    for (const char* name : {"chosen", "before", "total"}) code_.declare_local(uint, name);
    code_.declare({"const ", uint}, "id", out_.dialect.local_id);
    code_.declare({"const ", uint}, "size", {"(", uint, ")(end - begin)"});
    code_.comment("Of the k-th: its key's digits, as far as they are known, and its place's,");
    code_.comment("reversed; how many with these are taken, and how many with larger ones.");
    code_.declare(key_, "digits", "0");
    declare_uint("place_digits", "0");
    declare_uint("left", {"(", uint, ")k"});
    declare_uint("taken", "0");
    code_.comment("Not yet known; and how many elements have the digits that are.");
    declare_uint("key_bits", number(element_bits(form_.dtype)));
    declare_uint("place_bits", "32");
    declare_uint("among", "size");
    code_.open_while({"taken + among > ", room_});
    write_counts();
    write_choice();
    write_step();
    code_.close();
    write_taken();
    write_exchanges();
  }

  /// Opens the loops over the elements of a work-item: `seen` holds their keys, `at` is a place.
  void open_seen() {
    const std::string at = joined({"from + treadle_q * ", out_.size});
    open_uints("from", "id", "size", joined({out_.size, " * ", items()}));
    code_.declare_array(key_, "seen", items());
    out_.open_loads(items());
    code_.assign("seen[treadle_q]", {at, " < size ? ", key_at(joined({"begin + ", at})), " : 0"});
    code_.close();
    out_.open_loads(items());
    code_.declare({"const ", out_.uint}, "at", at);
    code_.when("at >= size", tree::break_());
  }

  /// Counts the elements whose digits equal the known digits, by their next digit.
  void write_counts() {
    const std::string &uint = out_.uint, width = number(tiling_.select_bits);
    code_.declare({"const ", uint}, "of_keys", "key_bits > 0");
    code_.declare({"const ", uint}, "rest", "of_keys ? key_bits : place_bits");
    code_.declare({"const ", uint}, "width", {"rest < ", width, " ? rest : ", width});
    code_.declare({"const ", uint}, "shift", "rest - width");
    out_.open_each(number(1u << tiling_.select_bits));
    code_.assign("counts[treadle_k]", "0");
    code_.close();
    barrier();
    open_seen();
    code_.declare({"const ", uint}, "reversed", "~at");
    const auto count = [&](std::string_view digits) {
      code_.evaluate(added_atomically(joined({"&counts[", digits, " & ((1u << width) - 1)]"}), "1u",
                                      out_.dialect));
    };
    code_.open_if("of_keys");
    code_.open_if({"key_bits == ", number(element_bits(form_.dtype)),
                   " || seen[treadle_q] >> key_bits == digits"});
    count(joined({"(", uint, ")(seen[treadle_q] >> shift)"}));
    code_.close();
    code_.close();
    code_.open_else();
    code_.open_if(
        "seen[treadle_q] == digits && (place_bits == 32 || "
        "reversed >> place_bits == place_digits)");
    count("reversed >> shift");
    code_.close();
    code_.close();
    code_.close();
    code_.close();
    barrier();
  }
  /// Finds the digit of the k-th element: from the sums of each work-item's digits, then from the
  /// digits.
  void write_choice() {
    const std::string share = number((1u << tiling_.select_bits) / tiling_.group_size);
    declare_uint("sum", "0");
    open_uints("d", "0", share);
    code_.assign("sum", {"counts[id * ", share, " + d]"}, "+=");
    code_.close();
    code_.assign("partials[id]", "sum");
    barrier();
    open_first();
    declare_uint("part", number(tiling_.group_size - 1));
    declare_uint("above", "0");
    code_.open_while("part > 0 && above + partials[part] < left");
    code_.assign("above", "partials[part--]", "+=");
    code_.close();
    declare_uint("bin", {"(part + 1) * ", share, " - 1"});
    code_.declare({"const ", out_.uint}, "first", {"part * ", share});
    code_.open_while("bin > first && above + counts[bin] < left");
    code_.assign("above", "counts[bin--]", "+=");
    code_.close();
    code_.assign("chosen", "bin");
    code_.assign("before", "above");
    code_.assign("total", "counts[bin]");
    code_.close();
    barrier();
  }
  /// Appends this digit to the known digits.
  void write_step() {
    code_.open_if("of_keys");
    code_.assign("digits", {"key_bits == ", number(element_bits(form_.dtype)), " ? (", key_,
                            ")chosen : digits << width | chosen"});
    code_.assign("key_bits", "shift");
    code_.close();
    code_.open_else();
    code_.assign("place_digits", "place_bits == 32 ? chosen : place_digits << width | chosen");
    code_.assign("place_bits", "shift");
    code_.close();
    code_.assign("taken", "before", "+=");
    code_.assign("left", "before", "-=");
    code_.assign("among", "total");
    barrier();
  }

  /// Copies the elements that do not come after the known digits into local memory.
  void write_taken() {
    code_.when("id == 0", tree::assign("total", "0"));
    barrier();
    open_seen();
    code_.declare(
        {"const ", key_}, "known",
        {"key_bits == ", number(element_bits(form_.dtype)), " ? 0 : seen[treadle_q] >> key_bits"});
    code_.declare({"const ", out_.uint}, "known_place", "place_bits == 32 ? 0 : ~at >> place_bits");
    code_.open_if("known > digits || (known == digits && known_place >= place_digits)");
    code_.declare({"const ", out_.uint}, "slot", added_atomically("&total", "1u", out_.dialect));
    code_.assign("keys[slot]", "seen[treadle_q]");
    code_.assign("kept[slot]", "at");
    code_.close();
    code_.close();
    code_.close();
    barrier();
  }
  /// Sorts these elements.
  void write_exchanges() {
    const std::string& uint = out_.uint;
    code_.declare({"const ", uint}, "count", "total");
    declare_uint("all", "2");
    code_.open_while("all < count");
    code_.assign("all", "2", "*=");
    code_.close();
    open_uints("i", "count + id", "all", out_.size);
    code_.assign("keys[i]", "0");
    code_.assign("kept[i]", "~0u");
    code_.close();
    barrier();
    code_.open_loop(tree::initialize(tree::value(uint, "run"), "2"), "run <= all", "run *= 2");
    code_.open_loop(tree::initialize(tree::value(uint, "distance"), "run / 2"), "distance > 0",
                    "distance /= 2");
    open_uints("pair", "id", "all / 2", out_.size);
    code_.declare({"const ", uint}, "low", "2 * pair - (pair & (distance - 1))");
    code_.declare({"const ", uint}, "high", "low + distance");
    code_.declare({"const ", key_}, "a", "keys[low]");
    code_.declare({"const ", key_}, "b", "keys[high]");
    code_.declare({"const ", uint}, "p", "kept[low]");
    code_.declare({"const ", uint}, "q", "kept[high]");
    code_.declare({"const ", uint}, "is_behind", "a < b || (a == b && p > q)");
    code_.open_if("is_behind == ((low & run) == 0)");
    code_.assign("keys[low]", "b");
    code_.assign("keys[high]", "a");
    code_.assign("kept[low]", "q");
    code_.assign("kept[high]", "p");
    code_.close();
    code_.close();
    barrier();
    code_.close();
    code_.close();
  }

  const TopKForm& form_;
  const Tiling& tiling_;
  bool is_wide_;
  FamilyCode out_;
  tree::BlockBuilder& code_ = out_.code;
  std::string element_, key_, room_;
};

}  // namespace

FamilyText generate_top_k(const TopKForm& form, const Tiling& tiling, const Dialect& dialect) {
  return TopKWriter(form, tiling, dialect).write();
}

}  // namespace treadle::codegen
