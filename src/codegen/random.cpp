// SPDX-License-Identifier: MIT
#include "treadle/codegen/random.hpp"

#include <array>
#include <vector>

#include "program.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/element_text.hpp"
#include "treadle/codegen/signature.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

bool is_float(Scalar dtype) { return dtype == Scalar::float32 || dtype == Scalar::float64; }

/// A line of distributions.def.
struct Distribution {
  std::string_view name;
  bool counts;
  std::array<RandomParameter, 3> parameters;  ///< unused parameters have no names
};
constexpr auto distributions = [] {
  using enum ParameterRange;
  constexpr bool real = false, count = true;
  return std::to_array<Distribution>({
#define TREADLE_DISTRIBUTION(name, numbers, ...) {#name, numbers, {{__VA_ARGS__}}},
#include "treadle/codegen/distributions.def"
#undef TREADLE_DISTRIBUTION
  });
}();
constexpr auto first_listed = static_cast<std::size_t>(RandomKind::poisson_of_elements) + 1;
const Distribution& distribution_of(RandomKind kind) {
  return distributions[static_cast<std::size_t>(kind) - first_listed];
}

/// The largest double that an integer dtype can hold; larger counts become this number.
std::string_view largest_count(Scalar dtype) {
  switch (dtype) {
    case Scalar::int32:
      return "2147483647.0";
    case Scalar::uint32:
      return "4294967295.0";
    case Scalar::int64:
      return "9223372036854774784.0";
    default:
      return "18446744073709549568.0";
  }
}

class RandomWriter {
 public:
  RandomWriter(const RandomForm& form, const Tiling& tiling, const Dialect& dialect)
      : form_(form),
        tiling_(tiling),
        dialect_(dialect),
        length_(block_length(form.kind, form.dtype)),
        dtype_(DType(form.dtype).name()),
        type_(stored_type(form.dtype, dialect)),
        int64_(stored_type(Scalar::int64, dialect)),
        uint64_(stored_type(Scalar::uint64, dialect)),
        uint32_(stored_type(Scalar::uint32, dialect)) {}

  RandomText write() {
    const std::string name = joined({"random_", form_.is_unit ? "unit" : kind_name(form_.kind),
                                     form_.of_elements ? "_of_elements_" : "_", dtype_});
    code_.open_kernel(name, parameters(), tiling_.group_size);
    if (!dialect_.has_addresses) code_.assign("x", "x_offset", "+=");
    tiling_.schedule == Schedule::wide ? write_wide() : write_narrow();
    code_.close();
    tree::BlockBuilder program;
    program.comment(comment(name));
    write_exact(program, code_.take(), dialect_);
    tree::NodePtr whole = program.take();
    std::string text = printed(whole, dialect_);
    return {name, std::move(text), tiling_.group_size, group_blocks(), std::move(whole)};
  }

 private:
  std::string group_size() const { return std::to_string(tiling_.group_size); }
  std::uint64_t group_blocks() const {
    if (tiling_.schedule == Schedule::wide) return tiling_.group_size * item_blocks();
    return tiling_.chunk_bytes / (length_ * DType(form_.dtype).size_bytes());
  }
  /// Wide: if the number of draws varies, a work-item makes one block, so that another work-item
  /// draws for the next number.
  unsigned item_blocks() const { return length_ == 1 ? 1 : tiling_.random_blocks; }
  bool is_poisson() const {
    return form_.kind == RandomKind::poisson || form_.kind == RandomKind::poisson_of_elements;
  }
  std::span<const RandomParameter> listed_parameters() const { return parameters_of(form_.kind); }
  bool takes_two_words() const { return length_ == 2; }

  std::string comment(const std::string& name) const {
    return joined({name, ", made by treadle's random generator: ",
                   form_.generator == RandomGenerator::philox ? "Philox4x32-10" : "Threefry4x32-20",
                   ", ", std::to_string(length_),
                   length_ == 1 ? " number of a block, " : " numbers of a block, ",
                   schedule_name(tiling_.schedule), " schedule"});
  }
  tree::Parts parameters() const {
    tree::Parts all{pointer_parameter(type_, "x", {.is_apart = true})};
    const auto add = [&](const std::string& type, std::initializer_list<const char*> names) {
      for (const char* name : names) all.push_back(tree::value(type, name));
    };
    if (!dialect_.has_addresses) add(int64_, {"x_offset"});
    add(int64_, {"n"});
    add(uint64_, {"seed", "stream", "position"});
    switch (form_.kind) {
      case RandomKind::words:
        break;
      case RandomKind::integers:
        add(uint64_, {"first", "count"});
        break;
      case RandomKind::uniform:
        if (form_.is_unit) break;
        add(type_, {"low", "width", "first", "last"});
        add(uint32_, {"shift"});
        break;
      case RandomKind::normal:
        add(type_, {"mean", "deviation"});
        break;
      case RandomKind::poisson:
        add("double", {"given_mean"});
        break;
      case RandomKind::poisson_of_elements:
        break;
      default:
        if (form_.of_elements) break;
        for (const RandomParameter& parameter : listed_parameters())
          all.push_back(tree::value("double", joined({"given_", parameter.name})));
    }
    return all;
  }

  /// Defines x0, x1, ..., the first `count` numbers of `block`.
  void write_numbers(unsigned count) {
    if (is_poisson()) return write_poisson_number();
    if (is_listed(form_.kind)) return write_listed_number();
    code_.declare("const uint4", "words",
                  {"treadle_", generator_name(form_.generator), "_block(position + (", uint64_,
                   ")block, stream, seed)"});
    if (form_.kind == RandomKind::normal) {
      write_pair("0", word(0), word(1));
      if (!takes_two_words()) write_pair("1", word(2), word(3));
    }
    for (unsigned i = 0; i < count; ++i)
      code_.declare({"const ", type_}, {"x", std::to_string(i)}, number(i));
  }
  void write_poisson_number() {
    const bool is_given = form_.kind == RandomKind::poisson;
    code_.declare("const double", "mean",
                  {"treadle_poisson_mean(", is_given ? "given_mean" : "(double)x[start]", ")"});
    code_.declare({"const ", uint64_}, "key", "treadle_poisson_key(stream, seed)");
    code_.declare("double", "number", "-1.0");
    code_.declare("double", "time", "0.0");
    code_.declare("double", "count", "0.0");
    code_.open_loop(tree::initialize(tree::value(uint32_, "draw"), "0"), "number < 0.0", "++draw");
    code_.declare("const uint4", "words",
                  {"treadle_", generator_name(form_.generator), "_block(position + (", uint64_,
                   ")block, stream << 32 | draw, key)"});
    code_.assign("number", "treadle_poisson_step(words, mean, &time, &count)");
    code_.close();
    code_.declare({"const ", type_}, "x0", {"(", type_, ")number"});
  }
  /// Draws a number from the sub-stream of kernels/elements/distributions.h.
  void write_listed_number() {
    code_.add(tree::initialize_array(tree::value(uint64_, "own[6]"),
                                     {joined({"position + (", uint64_, ")block"}), "stream << 32",
                                      "treadle_poisson_key(stream, seed)", "0", "0",
                                      form_.generator == RandomGenerator::philox ? "0" : "1"}));
    std::string call = joined({"treadle_random_", kind_name(form_.kind), "(own"});
    for (std::size_t k = 0; k < listed_parameters().size(); ++k) {
      if (!form_.of_elements)
        call += joined({", given_", listed_parameters()[k].name});
      else
        call += k == 0 ? ", x[start]" : joined({", x[", std::to_string(k), " * n + start]"});
    }
    code_.declare("const double", "number", call + ")");
    std::string number = joined({"(", type_, ")number"});
    if (counts(form_.kind) && !is_float(form_.dtype)) {
      const std::string_view largest = largest_count(form_.dtype);
      number = joined({"(", type_, ")(number < ", largest, " ? number : ", largest, ")"});
    }
    code_.declare({"const ", type_}, "x0", number);
  }
  void write_pair(const std::string& name, const std::string& a, const std::string& b) {
    code_.declare({"const ", vector_type(form_.dtype, 2, dialect_)}, {"pair", name},
                  {"treadle_normal_pair_", dtype_, "(", a, ", ", b, ")"});
  }
  /// The random bits for number i.
  std::string word(unsigned i) const {
    const std::string_view names = "xyzw";
    if (!takes_two_words()) return joined({"words.", names.substr(i, 1)});
    return joined({"treadle_joined_words(words.", names.substr(2 * i, 1), ", words.",
                   names.substr(2 * i + 1, 1), ")"});
  }
  std::string number(unsigned i) const {
    switch (form_.kind) {
      case RandomKind::words:
        return joined({"(", type_, ")", word(i)});
      case RandomKind::integers:
        return joined({"(", type_, ")(first + treadle_random_below(", word(i), ", count))"});
      case RandomKind::uniform:
        if (form_.is_unit) return joined({"treadle_unit_", dtype_, "(", word(i), ", 0)"});
        return joined({"treadle_between_", dtype_, "(low + width * treadle_unit_", dtype_, "(",
                       word(i), ", shift), first, last)"});
      case RandomKind::normal:
        return joined({"mean + deviation * pair", i < 2 ? "0." : "1.", i % 2 == 0 ? "x" : "y"});
      default:
        break;
    }
    return "";
  }

  void write_whole_block() {
    if (!form_.has_vectors || length_ == 1 || tiling_.schedule == Schedule::narrow) {
      for (unsigned i = 0; i < length_; ++i) write_store(i);
      return;
    }
    const std::string vector = vector_type(form_.dtype, length_, dialect_);
    code_.assign({"*(", dialect_.global, vector, " *)(x + start)"},
                 {expand_words(joined({"treadle_make_vector(", vector, ")"}), dialect_), "(",
                  length_ == 4 ? "x0, x1, x2, x3" : "x0, x1", ")"});
  }
  void write_store(unsigned i) {
    const std::string at = std::to_string(i);
    code_.assign({"x[start", i == 0 ? "" : " + " + at, "]"}, {"x", at});
  }
  /// Writes the last block, which is not complete.
  void write_partial_block() {
    write_store(0);
    for (unsigned i = 1; i + 1 < length_; ++i) {
      code_.open_if({"n - start > ", std::to_string(i)});
      write_store(i);
      code_.close();
    }
  }

  void write_wide() {
    const unsigned blocks = item_blocks();
    const std::string first = joined({"(", int64_, ")", dialect_.group_id, " * ",
                                      std::to_string(group_blocks()), " + ", dialect_.local_id});
    if (blocks == 1) {
      code_.declare({"const ", int64_}, "block", first);
      write_wide_block(tree::return_());
      return;
    }
    code_.declare({"const ", int64_}, "first_block", first);
    // Unrolled, the key of each round is computed once, and the rounds of several blocks overlap.
    if (length_ == 4) code_.directive("pragma", "unroll");
    code_.open_for("int", "k", "0", std::to_string(blocks));
    code_.declare({"const ", int64_}, "block", {"first_block + k * ", group_size()});
    write_wide_block(tree::break_());
    code_.close();
  }
  /// `leave` is the statement for a work-item after the last element.
  void write_wide_block(tree::NodePtr leave) {
    code_.declare({"const ", int64_}, "start", {"block * ", std::to_string(length_)});
    code_.when("start >= n", std::move(leave));
    write_numbers(length_);
    if (length_ == 1) return write_whole_block();
    code_.open_if({"n - start >= ", std::to_string(length_)});
    write_whole_block();
    code_.close();
    code_.open_else();
    write_partial_block();
    code_.close();
  }
  void write_narrow() {
    const std::string blocks = std::to_string(group_blocks()), length = std::to_string(length_);
    code_.declare({"const ", int64_}, "chunk",
                  {"(", int64_, ")", dialect_.group_id, " * ", blocks});
    code_.declare({"const ", int64_}, "whole", {"n / ", length});
    code_.declare({"const ", int64_}, "end",
                  {"whole - chunk < ", blocks, " ? whole : chunk + ", blocks});
    code_.open_for(int64_, "block", "chunk", "end");
    code_.declare({"const ", int64_}, "start", {"block * ", length});
    write_numbers(length_);
    write_whole_block();
    code_.close();
    if (length_ == 1) return;
    code_.open_if({"end == whole && n % ", length, " != 0"});
    code_.declare({"const ", int64_}, "block", "whole");
    code_.declare({"const ", int64_}, "start", {"block * ", length});
    write_numbers(length_ - 1);
    write_partial_block();
    code_.close();
  }

  const RandomForm& form_;
  const Tiling& tiling_;
  const Dialect& dialect_;
  unsigned length_;
  std::string dtype_, type_, int64_, uint64_, uint32_;
  tree::BlockBuilder code_;
};

}  // namespace

bool is_listed(RandomKind kind) noexcept { return static_cast<std::size_t>(kind) >= first_listed; }

std::span<const RandomParameter> parameters_of(RandomKind kind) noexcept {
  if (!is_listed(kind)) return {};
  const std::span<const RandomParameter> all = distribution_of(kind).parameters;
  std::size_t count = 0;
  while (count < all.size() && !all[count].name.empty()) ++count;
  return all.first(count);
}

bool counts(RandomKind kind) noexcept { return is_listed(kind) && distribution_of(kind).counts; }

std::string_view kind_name(RandomKind kind) noexcept {
  if (is_listed(kind)) return distribution_of(kind).name;
  constexpr std::array<std::string_view, 6> names{"words",  "integers", "uniform",
                                                  "normal", "poisson",  "poisson_of_elements"};
  return names[static_cast<std::size_t>(kind)];
}

unsigned block_length(RandomKind kind, Scalar dtype) {
  const DType type(dtype);
  const std::size_t size = type.size_bytes();
  const auto require = [&](bool is_possible, const char* possible) {
    if (!is_possible)
      throw DTypeError(
          "random " + std::string(kind_name(kind)) + " cannot be of dtype '" + type.name() + "'",
          possible);
  };
  if (kind == RandomKind::words)
    require(type.is_integer() && size >= 4, "int32, uint32, int64 and uint64 can");
  else if (kind == RandomKind::integers)
    require(type.is_integer() || dtype == Scalar::boolean, "bool and integers of any width can");
  else if (kind == RandomKind::poisson || kind == RandomKind::poisson_of_elements || counts(kind))
    require((type.is_integer() && size >= 4) || is_float(dtype),
            "integers of 32 and 64 bits, float32 and float64 can");
  else
    require(is_float(dtype), "float32 and float64 can");
  if (kind == RandomKind::poisson || kind == RandomKind::poisson_of_elements || is_listed(kind))
    return 1;
  return size == 8 || kind == RandomKind::integers ? 2 : 4;
}

RandomText generate_random(const RandomForm& form, const Tiling& tiling, const Dialect& dialect) {
  return RandomWriter(form, tiling, dialect).write();
}

}  // namespace treadle::codegen
