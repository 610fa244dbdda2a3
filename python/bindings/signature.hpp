// SPDX-License-Identifier: MIT
// Parses a function's signature in the form of its stub.
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
  std::string default_text;  ///< empty: the argument is required
  Kind kind = Kind::either;

  bool is_rest() const { return kind == Kind::all_places || kind == Kind::all_names; }
  bool is_needed() const { return default_text.empty() && !is_rest(); }
};

class Signature {
 public:
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  /// Parses `def name(self, a: int, b: object = \0) -> None`, where \N is the number of a default.
  Signature(std::string_view text, nb::handle defaults);
  /// The parameter that receives the argument at this position.
  std::size_t place_of(std::size_t position) const;
  std::size_t place_of(std::string_view name) const;
  /// The number of positional parameters, without self.
  std::size_t positional_count() const;
  bool is_method() const { return !parameters.empty() && parameters[0].name == "self"; }
  /// `call(a, b=0, *, c=None)`, without self.
  std::string shown_as(const std::string& call) const;

  std::vector<Parameter> parameters;

 private:
  void add(std::string_view text, nb::handle defaults);
};

/// Whether a value has a type; `perhaps` if this cannot be decided.
enum class Fit : unsigned char { no, perhaps, yes };
/// `type` has the form of stubs. Names without dots are looked up in `module`.
Fit fit_of(std::string_view type, nb::handle value, nb::handle module);
/// Whether `kind` is one of the alternatives of `type`, which bars separate.
bool may_be_of(std::string_view type, std::string_view kind);
/// Whether the value is a numpy.bool_, which does not derive from bool.
bool is_numpy_bool(nb::handle value);
/// Whether the value is an os.PathLike.
bool is_path(nb::handle value);
/// Returns false for an object of the extension whose constructor has not run.
bool is_made(nb::handle value);
/// The place of a surrogate in a str, which UTF-8 cannot encode; negative if there is none.
long surrogate_in(nb::handle text);
/// Whether an int needs more than 63 bits.
bool is_huge_integer(nb::handle value);
/// Whether an int is negative or beyond 31 bits, so that a C++ integer may not hold it.
bool is_unusual_integer(nb::handle value);

}  // namespace treadle::bindings
