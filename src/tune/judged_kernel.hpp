// SPDX-License-Identifier: MIT
// What a kernel's signature allows: its parameters, problems of some sizes, and what arrays hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "treadle/device/kernel.hpp"
#include "treadle/tune/formula.hpp"
#include "treadle/tune/judge.hpp"
#include "tune/dice.hpp"
#include "tune/judged_type.hpp"

namespace treadle::tune {

using NamedValues = std::map<std::string, Value>;

/// What arrays hold before a run.
enum class Contents : std::uint8_t { random, extreme, special };

/// A parameter of the kernel that is judged.
struct JudgedParameter {
  std::string name;
  JudgedType type = {};  ///< of the value, or of an element
  bool is_pointer = false;
  JudgedUse use = JudgedUse::input;
  std::optional<Formula> elements = {}, range = {};
};

/// A parameter that is no pointer, or a part of one: "p.n".
struct JudgedNumber {
  std::string name;
  Scalar dtype = Scalar::int32;
  std::vector<Value> values = {};  ///< that are tried; empty for a size: some
};

/// Whether a text is in OpenCL C.
bool is_of_opencl(const std::string& text);

/// A kernel taken apart.
class KernelSubject {
 public:
  explicit KernelSubject(const JudgedKernel& given);

  const JudgedKernel& given() const { return given_; }
  const std::string& name() const { return name_; }
  const std::vector<JudgedParameter>& parameters() const { return parameters_; }
  bool writes(const JudgedParameter& parameter) const {
    return parameter.is_pointer &&
           (parameter.use == JudgedUse::output || parameter.use == JudgedUse::updated);
  }
  /// Values for all that is no pointer, a small problem first. Not empty.
  std::vector<NamedValues> problems() const;
  /// A run of a problem; the same for a seed.
  JudgedCase make_case(const NamedValues& problem, Contents contents, std::uint64_t seed) const;
  /// Whether it reads floating-point numbers from memory.
  bool reads_floats() const;
  device::LaunchShape shape(const NamedValues& problem) const;
  /// "n=257, m=3".
  static std::string text_of(const NamedValues& problem);

 private:
  JudgedParameter parameter_of(const device::Parameter& declared) const;
  void add_numbers(const JudgedParameter& parameter);
  std::size_t elements_of(const JudgedParameter& parameter, const NamedValues& problem) const;
  std::int64_t whole(const Formula& formula, const NamedValues& values, std::int64_t least,
                     const std::string& what) const;
  Value evaluated(const Formula& formula, const NamedValues& values) const;
  double drawn(Scalar dtype, double range, Contents contents, Dice& dice) const;

  JudgedKernel given_;
  std::string name_;
  std::vector<JudgedParameter> parameters_;
  std::vector<JudgedNumber> numbers_;
  std::vector<Formula> groups_, group_size_;
  std::optional<Formula> local_bytes_, where_;
};

}  // namespace treadle::tune
