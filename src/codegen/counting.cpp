// SPDX-License-Identifier: MIT
#include "treadle/codegen/counting.hpp"

#include "block.hpp"
#include "dealing.hpp"
#include "family_code.hpp"
#include "interval_text.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

std::string counting_name(const CountForm& form) {
  return (form.is_even ? "count_values_" : "count_bins_") + DType(form.dtype).name();
}

class CountWriter {
 public:
  CountWriter(const CountForm& form, const Tiling& tiling, const Dialect& dialect)
      : form_(form),
        tiling_(tiling),
        is_wide_(tiling.schedule == Schedule::wide),
        out_(counting_name(form), "generator of counts", tiling, dialect),
        element_(out_.types.name_of(form.dtype)),
        value_(form.dtype == Scalar::float32 ? "float" : "double"),
        place_(form.is_single ? "float" : "double") {}

  FamilyText write() {
    form_.is_even ? write_even_bin() : write_own_bin();
    const std::string even = joined({", const ", value_, " *edges, ", place_, " first, ", place_,
                                     " scale, ", place_, " margin"});
    out_.open_kernel(
        counting_name(form_),
        joined({"const ", element_, " *elements, uint *counts", form_.is_even ? even : "",
                ", long N, long treadle_length, uint bin_count, uint copies"}));
    write_interval_bounds(code_, out_.integer, out_.dialect);
    is_wide_ ? write_wide() : write_narrow();
    code_.close();
    return out_.take();
  }

 private:
  bool has_own() const { return form_.own_counters > 0; }

  /// Writes a function from an element to its bin; an element without a bin gives bin_count.
  void write_own_bin() {
    code_.open_function(called_function(
        out_.uint, "bin_of", {tree::value(element_, "x"), tree::value(out_.uint, "bin_count")}));
    code_.return_value({"(", out_.types.name_of(Scalar::uint64), ")x >= bin_count ? bin_count : (",
                        out_.uint, ")x"});
    code_.close();
  }
  void write_even_bin() {
    code_.open_function(called_function(
        out_.uint, "bin_of",
        {tree::value(element_, "x"), pointer_parameter(value_, "edges", {.is_read_only = true}),
         tree::value(place_, "first"), tree::value(place_, "scale"), tree::value(place_, "margin"),
         tree::value(out_.uint, "bin_count")}));
    code_.declare("const int", "last", "(int)bin_count - 1");
    code_.declare({"const ", value_}, "value", "x");
    code_.declare("const int", "is_within", "(value >= edges[0]) & (value <= edges[bin_count])");
    code_.declare({"const ", place_}, "place",
                  {"((is_within ? (", place_, ")value : first) - first) * scale"});
    code_.declare("int", "bin", "(int)place");
    code_.assign("bin", "bin < 0 ? 0 : bin > last ? last : bin");
    // Many bins make reads of edges slow, because the work-items of a group read different edges;
    // few elements need to read them. On a processor the loop has no branch, so that it becomes
    // vector code.
    if (is_wide_) code_.open_if("!(place - bin > margin && place - bin < 1 - margin)");
    code_.assign("bin", "(value < edges[bin]) & (bin > 0)", "-=");
    code_.assign("bin", "(value >= edges[bin + 1]) & (bin < last)", "+=");
    if (is_wide_) code_.close();
    code_.return_value({"is_within ? (", out_.uint, ")bin : bin_count"});
    code_.close();
  }
  std::string bin_of(std::string_view at) const {
    return joined({"bin_of(elements[", at, "], ",
                   form_.is_even ? "edges, first, scale, margin, " : "", "bin_count)"});
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
    code_.assign("bins[k]", bin_of("treadle_from + k"));
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
    const std::string items = number(tiling_.loads_in_flight);
    const std::string at = joined({"treadle_from + treadle_q * ", out_.size});
    if (has_own()) {
      code_.declare_local(out_.uint, "own", number(form_.own_counters));
      out_.open_each("bin_count");
      code_.assign("own[treadle_k]", "0");
      code_.close();
      code_.evaluate(out_.dialect.barrier);
    }
    code_.open_for(out_.integer, "treadle_from", {"treadle_begin + ", out_.dialect.local_id},
                   "treadle_end", joined({out_.size, " * ", items}));
    code_.declare_array(out_.uint, "bins", items);
    out_.open_loads(items);
    code_.assign("bins[treadle_q]", {at, " < treadle_end ? ", bin_of(at), " : bin_count"});
    code_.close();
    out_.open_loads(items);
    code_.when("bins[treadle_q] < bin_count",
               tree::statement(
                   added(has_own() ? "own[bins[treadle_q]]" : "counts[bins[treadle_q]]", "1u")));
    code_.close();
    code_.close();
    if (!has_own()) return;
    code_.evaluate(out_.dialect.barrier);
    out_.open_each("bin_count");
    code_.when("own[treadle_k] != 0",
               tree::statement(added("counts[treadle_k]", "own[treadle_k]")));
    code_.close();
  }

  const CountForm& form_;
  const Tiling& tiling_;
  bool is_wide_;
  FamilyCode out_;
  tree::BlockBuilder& code_ = out_.code;
  std::string element_, value_, place_;
};

}  // namespace

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
