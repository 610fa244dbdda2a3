// SPDX-License-Identifier: MIT
// A function's signature as its stub has it, taken apart.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::bindings {

namespace nb = nanobind;

struct Parameter {
  enum class Kind : unsigned char { place_only, either, name_only, all_places, all_names };
  std::string name, type;
  std::string default_text;  ///< empty: it is needed
  Kind kind = Kind::either;

  bool is_rest() const { return kind == Kind::all_places || kind == Kind::all_names; }
  bool is_needed() const { return default_text.empty() && !is_rest(); }
};

class Signature {
 public:
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  /// Of `def name(self, a: int, b: object = \0) -> None`, where \N stands for a default's number.
  Signature(std::string_view text, nb::handle defaults);
  /// The parameter that an argument goes to.
  std::size_t place_of(std::size_t position) const;
  std::size_t place_of(std::string_view name) const;
  /// How many may come by place, without what a method is called on.
  std::size_t positional_count() const;
  bool is_method() const { return !parameters.empty() && parameters[0].name == "self"; }
  /// `call(a, b=0, *, c=None)`, without what a method is called on.
  std::string shown_as(const std::string& call) const;

  std::vector<Parameter> parameters;

 private:
  void add(std::string_view text, nb::handle defaults);
};

/// Whether a value is one of a type; perhaps, where nobody can tell.
enum class Fit : unsigned char { no, perhaps, yes };
/// The type is written as in stubs. Names without dots are looked up in `module`.
Fit fit_of(std::string_view type, nb::handle value, nb::handle module);
/// Whether `kind` is one of the types between the bars of `type`.
bool may_be_of(std::string_view type, std::string_view kind);
/// Whether it is numpy.bool_, which no bool is derived from.
bool is_numpy_bool(nb::handle value);
/// Whether it is an os.PathLike.
bool is_path(nb::handle value);
/// False of an object of the extension whose constructor has not run.
bool is_made(nb::handle value);
/// Where a str has half a character, which no UTF-8 has; negative: nowhere.
long surrogate_in(nb::handle text);
/// Beyond 63 bits.
bool is_huge_integer(nb::handle value);
/// Negative, or beyond 31 bits: what integers of C++ may not take.
bool is_unusual_integer(nb::handle value);

}  // namespace treadle::bindings
