// SPDX-License-Identifier: MIT
#include "treadle/codegen/search.hpp"

#include "program.hpp"
#include "treadle/codegen/ordered_key.hpp"
#include "treadle/codegen/signature.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

/// Writes the statements for a wanted element, and the functions that they call.
class SearchWriter {
 public:
  explicit SearchWriter(const Dialect& dialect)
      : dialect_(dialect),
        types_(dialect),
        integer_(types_.name_of(Scalar::int64)),
        uint_(types_.name_of(Scalar::uint32)) {}

  SearchText write(Scalar dtype) {
    const bool is_complex = DType(dtype).kind() == ScalarKind::complex;
    const Scalar part = dtype == Scalar::complex64    ? Scalar::float32
                        : dtype == Scalar::complex128 ? Scalar::float64
                                                      : dtype;
    const std::string element = types_.name_of(unsigned_of(DType(part).size_bytes()));
    write_functions(part, is_complex);
    is_complex ? write_complex() : write_real();
    code_.assign("places[i]", "low");
    return {.arguments = joined({"const ", element, " *sorted, const ", element,
                                 " *wanted, long *places, long length, uint behind"}),
            .operation = as_users_statements(code_.take(), dialect_),
            .preamble = printed(functions_.take(), dialect_)};
  }

  SearchText write_of_numbers(const std::string& start, const std::string& key) {
    open_halving("n_keys");
    close_halving({"(", integer_, ")keys[middle] < i"});
    code_.assign("starts[i]", "low");
    return {.arguments = joined({start, " *starts, const ", key, " *keys, long n_keys"}),
            .operation = as_users_statements(code_.take(), dialect_)};
  }

 private:
  void write_functions(Scalar part, bool is_complex) {
    functions_.define_type(types_.name_of(key_of(part)), "treadle_key");
    write_key_function(functions_, part, "treadle_key");
    if (!is_complex) return;
    functions_.open_function(inlined_function(
        uint_, "treadle_nans", {tree::value("treadle_key", "r"), tree::value("treadle_key", "m")}));
    functions_.comment("The key of NaN is the largest that there is.");
    functions_.declare("const treadle_key", "nan", "~(treadle_key)0");
    functions_.return_value("(r == nan ? 2u : 0u) + (m == nan ? 1u : 0u)");
    functions_.close();
  }

  /// Opens the loop after which `low` is the place.
  void open_halving(std::string_view length) {
    code_.declare(integer_, "low", "0");
    code_.declare(integer_, "high", length);
    code_.open_while("low < high");
    code_.declare({"const ", integer_}, "middle", "low + (high - low) / 2");
  }
  /// Closes the loop; `is_before` says whether the element at `middle` precedes the place.
  void close_halving(tree::Part is_before) {
    code_.open_if(std::move(is_before));
    code_.assign("low", "middle + 1");
    code_.close();
    code_.open_else();
    code_.assign("high", "middle");
    code_.close();
    code_.close();
  }
  void declare_key(std::string_view name, std::string_view element) {
    code_.declare("const treadle_key", name, {"treadle_ordered(", element, ")"});
  }

  void write_real() {
    declare_key("wanted_key", "wanted[i]");
    open_halving("length");
    declare_key("key", "sorted[middle]");
    close_halving("key < wanted_key || (behind != 0 && key == wanted_key)");
  }
  void write_complex() {
    declare_key("real", "wanted[2 * i]");
    declare_key("imaginary", "wanted[2 * i + 1]");
    code_.declare({"const ", uint_}, "nans", "treadle_nans(real, imaginary)");
    open_halving("length");
    declare_key("r", "sorted[2 * middle]");
    declare_key("m", "sorted[2 * middle + 1]");
    code_.declare({"const ", uint_}, "n", "treadle_nans(r, m)");
    code_.declare("const int", "is_equal", "n == nans && r == real && m == imaginary");
    code_.declare("const int", "is_less",
                  "n != nans ? n < nans : r != real ? r < real : m < imaginary");
    close_halving("is_less || (behind != 0 && is_equal)");
  }

  const Dialect& dialect_;
  TypeNames types_;
  std::string integer_, uint_;
  tree::BlockBuilder code_, functions_;
};

}  // namespace

SearchText generate_search(Scalar dtype, const Dialect& dialect) {
  return SearchWriter(dialect).write(dtype);
}

SearchText generate_search_of_numbers(const std::string& start, const std::string& key,
                                      const Dialect& dialect) {
  return SearchWriter(dialect).write_of_numbers(start, key);
}

}  // namespace treadle::codegen
