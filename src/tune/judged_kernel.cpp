// SPDX-License-Identifier: MIT
#include "tune/judged_kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "treadle/base/c_declaration.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/c_parameters.hpp"
#include "tune/numbers.hpp"

namespace treadle::tune {
namespace {

constexpr std::int64_t most_elements = 1 << 20;
constexpr std::size_t most_problems = 6;
constexpr std::int64_t items_of_group = 128;

device::KernelText chosen_kernel(const std::string& text, const std::string& name) {
  if (name.find('<') != std::string::npos)
    if (auto instance = device::kernel_instance_in(text, name)) return *std::move(instance);
  const auto there = device::kernels_in(text);
  const auto found = std::ranges::find(there, name, &device::KernelText::name);
  if (found != there.end()) return *found;
  std::string names;
  for (const auto& each : there) names += (names.empty() ? "" : ", ") + each.name;
  if (name.empty() && there.size() == 1) return there.front();
  throw InvalidArgument(name.empty() ? "kernel is empty, and the text has more or less than one"
                                     : "kernel is '" + name + "', which is not in the text",
                        names.empty()
                            ? "pass a text with a kernel in plain sight, or the name of one"
                            : "use one of " + names);
}

std::vector<Formula> formulas_of(const std::vector<std::string>& texts) {
  if (texts.size() > 3)
    throw InvalidArgument("a launch has " + std::to_string(texts.size()) + " formulas",
                          "pass three at most, for x, y and z");
  return {texts.begin(), texts.end()};
}

bool is_integer(Scalar dtype) {
  const ScalarKind kind = DType(dtype).kind();
  return kind == ScalarKind::signed_integer || kind == ScalarKind::unsigned_integer ||
         kind == ScalarKind::boolean;
}

template <class Map, class Named>
void require_names(const Map& given, const std::vector<Named>& parameters, const char* what) {
  for (const auto& [name, unused] : given)
    if (std::ranges::find(parameters, name, &Named::name) == parameters.end())
      throw InvalidArgument(std::string(what) + " has '" + name + "', which is no parameter",
                            "use the names of the kernel's parameters");
}

}  // namespace

bool is_of_opencl(const std::string& text) {
  return text.find("__global__") == std::string::npos &&
         text.find("treadle/dialect.h") == std::string::npos;
}

KernelSubject::KernelSubject(const JudgedKernel& given)
    : given_(given),
      groups_(formulas_of(given.groups)),
      group_size_(formulas_of(given.group_size)) {
  const device::KernelText kernel = chosen_kernel(given.text, given.kernel);
  name_ = kernel.name;
  auto& names = given_.options.name_expressions;
  if (name_.find('<') != std::string::npos && std::ranges::find(names, name_) == names.end())
    names.push_back(name_);
  if (!given.local_bytes.empty()) local_bytes_.emplace(given.local_bytes);
  if (!given.where.empty()) where_.emplace(given.where);
  for (const device::Parameter& declared : kernel.parameters) {
    parameters_.push_back(parameter_of(declared));
    if (!parameters_.back().is_pointer) add_numbers(parameters_.back());
  }
  require_names(given.elements, parameters_, "elements");
  require_names(given.uses, parameters_, "uses");
  require_names(given.values, numbers_, "values");
  require_names(given.ranges, parameters_, "ranges");
}

JudgedParameter KernelSubject::parameter_of(const device::Parameter& declared) const {
  const Declaration type = read_type(declared.type);
  JudgedParameter made{.name = declared.name, .is_pointer = type.is_pointer};
  const auto known = judged_type(type.type, given_.text, is_of_opencl(given_.text));
  if (!known || declared.kind == device::ParameterKind::local)
    throw InvalidArgument("parameter '" + declared.name + "' of " + name_ + " is '" +
                              declared.type + "', which no judge can make up",
                          "judge kernels of numbers, vectors, structures of them that the text "
                          "defines, and pointers to these in global memory");
  made.type = *known;
  if (made.is_pointer) {
    const bool is_read = !given_.read || given_.read->contains(made.name);
    made.use = type.points_to_const ? JudgedUse::input
               : is_read            ? JudgedUse::updated
                                    : JudgedUse::output;
    if (const auto found = given_.uses.find(made.name); found != given_.uses.end())
      made.use = found->second;
    if (const auto found = given_.elements.find(made.name); found != given_.elements.end())
      made.elements.emplace(found->second);
    if (const auto found = given_.ranges.find(made.name); found != given_.ranges.end())
      made.range.emplace(found->second);
  }
  return made;
}

void KernelSubject::add_numbers(const JudgedParameter& parameter) {
  const auto add = [&](const std::string& name, Scalar dtype) {
    JudgedNumber made{.name = name, .dtype = dtype};
    if (const auto found = given_.values.find(name); found != given_.values.end())
      made.values = found->second;
    else if (!is_integer(dtype))
      made.values = {Value(0.5), Value(-2.0), Value(3.0)};
    numbers_.push_back(std::move(made));
  };
  if (parameter.type.parts.empty()) add(parameter.name, parameter.type.dtype);
  for (const JudgedPart& part : parameter.type.parts)
    add(parameter.name + "." + part.name, part.dtype);
}

Value KernelSubject::evaluated(const Formula& formula, const NamedValues& values) const {
  std::vector<Value> used;
  for (const std::string& name : formula.names()) {
    const auto found = values.find(name);
    if (found == values.end())
      throw InvalidArgument("'" + name + "' in '" + formula.text() +
                                "' is no parameter of kernel " + name_ + " but a pointer",
                            "use its integer parameters");
    used.push_back(found->second);
  }
  return formula(used);
}

std::int64_t KernelSubject::whole(const Formula& formula, const NamedValues& values,
                                  std::int64_t least, const std::string& what) const {
  const Value value = evaluated(formula, values);
  const auto* const integer = std::get_if<std::int64_t>(&value);
  if (integer == nullptr || *integer < least || *integer > std::numeric_limits<int>::max())
    throw InvalidArgument(what + " is '" + formula.text() + "', " + value_text(value) + " for " +
                              text_of(values) + ", expected an integer from " +
                              std::to_string(least) + " on",
                          "round up with ceil_div(), or say where the kernel may run");
  return *integer;
}

std::size_t KernelSubject::elements_of(const JudgedParameter& parameter,
                                       const NamedValues& problem) const {
  if (parameter.elements)
    return static_cast<std::size_t>(
        whole(*parameter.elements, problem, 1, "elements of '" + parameter.name + "'"));
  std::int64_t product = 1;
  for (const JudgedNumber& each : numbers_)
    if (is_integer(each.dtype) && !given_.values.contains(each.name))
      product *= std::get<std::int64_t>(problem.at(each.name));
  return static_cast<std::size_t>(product);
}

std::vector<NamedValues> KernelSubject::problems() const {
  static constexpr std::array<std::int64_t, 5> one_size = {1, 33, 64, 257, 1000},
                                               of_many = {1, 17, 32, 65, 100};
  static constexpr std::array<std::int64_t, 4> equal = {32, 64, 128, 256};
  const auto sizes = static_cast<std::size_t>(std::ranges::count_if(
      numbers_, [](const JudgedNumber& each) { return each.values.empty(); }));
  const auto& list = sizes > 1 ? of_many : one_size;
  std::vector<NamedValues> made;
  const auto add = [&](std::size_t k, std::optional<std::int64_t> all) {
    NamedValues values;
    std::int64_t product = 1;
    std::size_t number = 0;
    for (const JudgedNumber& each : numbers_) {
      if (!each.values.empty()) {
        values[each.name] = each.values[k % each.values.size()];
        continue;
      }
      const std::int64_t size = all ? *all : list[(k + 2 * number++) % list.size()];
      values[each.name] = size;
      product *= size;
    }
    if (product > most_elements || made.size() == most_problems) return;
    if (where_ && !is_true(evaluated(*where_, values))) return;
    if (std::ranges::find(made, values) == made.end()) made.push_back(std::move(values));
  };
  std::size_t rounds = list.size();
  for (const JudgedNumber& each : numbers_)
    rounds = std::max(rounds, std::min(each.values.size(), most_problems));
  for (std::size_t k = 0; k < rounds; ++k) add(k, {});
  if (where_ || sizes > 1)
    for (std::size_t k = 0; k < equal.size(); ++k) add(k, equal[k]);
  if (made.empty())
    throw InvalidArgument("no problem fulfils '" + given_.where + "'",
                          "pass values of the kernel's parameters that do");
  return made;
}

bool KernelSubject::reads_floats() const {
  return std::ranges::any_of(parameters_, [](const auto& each) {
    return each.is_pointer && default_tolerance(each.type.dtype) > 0 &&
           (each.use == JudgedUse::input || each.use == JudgedUse::updated);
  });
}

double KernelSubject::drawn(Scalar dtype, double range, Contents contents, Dice& dice) const {
  const ScalarKind kind = DType(dtype).kind();
  if (kind == ScalarKind::boolean) range = 2;
  if (is_integer(dtype)) {
    const double low = range == 0 && kind == ScalarKind::signed_integer ? -100 : 0;
    const auto width = range > 0 ? range : 100 - low + 1;
    return low + static_cast<double>(dice.below(static_cast<std::uint64_t>(width)));
  }
  const double exponents = dtype == Scalar::float16 ? 10 : 40;
  static constexpr double odd[] = {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL,
                                   -0.0};
  double made = 2 * dice.number() - 1;
  if (contents == Contents::extreme) made *= std::exp2(exponents * (2 * dice.number() - 1));
  if (contents == Contents::special && dice.below(8) == 0) made = odd[dice.below(4)];
  return made;
}

JudgedCase KernelSubject::make_case(const NamedValues& problem, Contents contents,
                                    std::uint64_t seed) const {
  JudgedCase made{.values = problem};
  Dice dice(seed);
  for (const JudgedParameter& each : parameters_) {
    if (!each.is_pointer) continue;
    const bool is_complex = DType(each.type.dtype).kind() == ScalarKind::complex;
    const auto& parts = each.type.parts;
    const std::size_t of_one = is_complex ? 2 : std::max<std::size_t>(parts.size(), 1);
    const double range =
        each.range ? static_cast<double>(whole(*each.range, problem, 1, "the range")) : 0;
    std::vector<double> numbers(elements_of(each, problem) * of_one);
    for (std::size_t k = 0; k < numbers.size(); ++k)
      numbers[k] =
          drawn(parts.empty() ? each.type.dtype : parts[k % of_one].dtype, range, contents, dice);
    made.arrays.push_back({each.name, each.type.dtype, each.use,
                           tune::elements_of(each.type, numbers), parts, each.type.size_bytes,
                           each.type.is_vector});
  }
  return made;
}

device::LaunchShape KernelSubject::shape(const NamedValues& problem) const {
  const auto extent = [&](const std::vector<Formula>& formulas, const char* what) {
    std::array<unsigned, 3> made = {1, 1, 1};
    for (std::size_t k = 0; k < formulas.size(); ++k)
      made[k] = static_cast<unsigned>(whole(formulas[k], problem, 1, what));
    return device::Extent{made[0], made[1], made[2]};
  };
  device::LaunchShape made{.group_size = extent(group_size_, "group_size")};
  if (group_size_.empty()) made.group_size = {static_cast<unsigned>(items_of_group), 1, 1};
  if (groups_.empty()) {
    std::size_t most = 1;
    for (const JudgedParameter& each : parameters_)
      if (writes(each)) most = std::max(most, elements_of(each, problem));
    const std::size_t each_group = made.group_size.x;
    made.groups = {static_cast<unsigned>((most + each_group - 1) / each_group), 1, 1};
  } else {
    made.groups = extent(groups_, "groups");
  }
  if (local_bytes_)
    made.local_bytes = static_cast<unsigned>(whole(*local_bytes_, problem, 0, "local_bytes"));
  return made;
}

std::string KernelSubject::text_of(const NamedValues& problem) {
  std::string text;
  for (const auto& [name, value] : problem)
    text += (text.empty() ? "" : ", ") + name + "=" + value_text(value);
  return text;
}

}  // namespace treadle::tune
