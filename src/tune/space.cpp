// SPDX-License-Identifier: MIT
#include "treadle/tune/space.hpp"

#include <algorithm>
#include <cctype>
#include <mutex>
#include <numeric>
#include <set>
#include <utility>

#include "treadle/base/error.hpp"
#include "tune/diagram.hpp"
#include "tune/dice.hpp"
#include "tune/refused_name.hpp"

namespace treadle::tune {
namespace {

// A table of what was found out of a constraint has at most so many entries.
constexpr std::uint64_t most_entries = std::uint64_t{1} << 22;

struct SpaceParameter {
  std::vector<Value> values;
  std::uint32_t listed = 0;  ///< of them; behind those `otherwise` alone
  bool is_ordered = false;
  std::optional<Formula> when = {};
  std::uint32_t otherwise = 0;
};

struct SpaceConstraint {
  std::string text;  ///< how errors call it
  std::vector<std::size_t> parameters;
  std::function<bool(std::span<const Value>)> function;  ///< of their values, in that order
};

bool is_name(std::string_view name) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name.front())) &&
         std::ranges::all_of(name, is_part);
}

bool is_monotonic(const std::vector<Value>& values) {
  std::vector<double> numbers;
  for (const Value& value : values) {
    if (const auto* whole = std::get_if<std::int64_t>(&value))
      numbers.push_back(static_cast<double>(*whole));
    else if (const auto* real = std::get_if<double>(&value))
      numbers.push_back(*real);
    else
      return false;
  }
  return std::ranges::is_sorted(numbers) || std::ranges::is_sorted(numbers, std::greater<>());
}

std::optional<std::uint32_t> position_of(const std::vector<Value>& values, const Value& value) {
  const auto found =
      std::ranges::find_if(values, [&](const Value& each) { return are_equal(each, value); });
  if (found == values.end()) return {};
  return static_cast<std::uint32_t>(found - values.begin());
}

std::string quoted_list(const std::vector<Value>& values) {
  std::string made;
  for (std::size_t k = 0; k < std::min<std::size_t>(values.size(), 16); ++k)
    made += (k == 0 ? "" : ", ") + value_text(values[k]);
  return values.size() > 16 ? made + ", ..." : made;
}

}  // namespace

struct Space::State {
  State() = default;
  State(const State& other)
      : names(other.names),
        parameters(other.parameters),
        constants(other.constants),
        formulas(other.formulas),
        late(other.late),
        functions(other.functions) {}

  std::shared_ptr<std::vector<std::string>> names = std::make_shared<std::vector<std::string>>();
  std::vector<SpaceParameter> parameters;
  std::map<std::string, Value> constants;
  std::vector<Formula> formulas, late;
  std::vector<std::pair<std::vector<std::string>, std::function<bool(std::span<const Value>)>>>
      functions;
  std::mutex mutex;  // guards what follows
  std::unique_ptr<const Diagram> diagram;

  void change() {
    const std::lock_guard lock(mutex);
    diagram.reset();
    // Configurations that were handed out keep their names.
    names = std::make_shared<std::vector<std::string>>(*names);
  }

  Configuration configuration(std::span<const std::uint32_t> where) const {
    std::vector<Value> values;
    for (std::size_t k = 0; k < where.size(); ++k) values.push_back(parameters[k].values[where[k]]);
    return {names, std::move(values)};
  }

  std::size_t number_of(std::string_view name) const {
    const auto found = std::ranges::find(*names, name);
    if (found != names->end()) return static_cast<std::size_t>(found - names->begin());
    refuse_name("the space has no parameter '" + std::string(name) + "'", name, *names, "add it");
  }

  // The formula as a constraint over the parameters in it.
  SpaceConstraint constraint(const Formula& formula) const {
    SpaceConstraint made{formula.text(), {}, {}};
    std::vector<Value> values;
    std::vector<std::optional<std::size_t>> sources;
    for (const std::string& name : formula.names()) {
      const auto known = constants.find(name);
      values.push_back(known == constants.end() ? Value(false) : known->second);
      sources.push_back(known == constants.end() ? std::optional(made.parameters.size())
                                                 : std::nullopt);
      if (known == constants.end()) made.parameters.push_back(named(formula, name));
    }
    made.function = [formula, values, sources](std::span<const Value> given) mutable {
      for (std::size_t k = 0; k < sources.size(); ++k)
        if (sources[k]) values[k] = given[*sources[k]];
      return is_true(formula(values));
    };
    return made;
  }
  std::size_t named(const Formula& formula, const std::string& name) const {
    const auto found = std::ranges::find(*names, name);
    if (found != names->end()) return static_cast<std::size_t>(found - names->begin());
    std::vector<std::string> all = *names;
    for (const auto& [constant, value] : constants) all.push_back(constant);
    refuse_name(
        "the formula '" + formula.text() + "' has the name '" + name + "', which is no parameter",
        name, all, "add a parameter of that name, or say what it is with let()");
  }

  std::vector<SpaceConstraint> constraints() const {
    std::vector<SpaceConstraint> made;
    for (const Formula& formula : formulas) made.push_back(constraint(formula));
    for (const auto& [parameters_read, function] : functions) {
      std::vector<std::size_t> numbers;
      for (const std::string& name : parameters_read) numbers.push_back(number_of(name));
      made.push_back({"a function", numbers, function});
    }
    return made;
  }

  DiagramConstraint over_positions(const SpaceConstraint& constraint) const {
    std::vector<std::size_t> sorted = constraint.parameters;
    std::ranges::sort(sorted);
    sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
    auto values = std::make_shared<std::vector<Value>>(constraint.parameters.size());
    return {sorted, [this, values, constraint](std::span<const std::uint32_t> positions) {
              for (std::size_t k = 0; k < values->size(); ++k) {
                const std::size_t parameter = constraint.parameters[k];
                (*values)[k] = parameters[parameter].values[positions[parameter]];
              }
              return constraint.function(*values);
            }};
  }

  // With a table of what is known already.
  DiagramConstraint tabulated(const DiagramConstraint& plain) const {
    std::uint64_t entries = 1;
    for (const std::size_t parameter : plain.parameters)
      entries = std::min(most_entries + 1, entries * parameters[parameter].values.size());
    if (entries > most_entries) return plain;
    enum : std::uint8_t { unknown, no, yes };
    auto table = std::make_shared<std::vector<std::uint8_t>>(entries, std::uint8_t{unknown});
    return {plain.parameters, [this, plain, table](std::span<const std::uint32_t> positions) {
              std::size_t entry = 0;
              for (const std::size_t parameter : plain.parameters)
                entry = entry * parameters[parameter].values.size() + positions[parameter];
              std::uint8_t& known = (*table)[entry];
              if (known == unknown) known = plain.holds(positions) ? yes : no;
              return known == yes;
            }};
  }

  // A parameter that means nothing where `when` is false is `otherwise` there.
  DiagramConstraint conditional(std::size_t parameter, DiagramConstraint made) const {
    const SpaceParameter& at = parameters[parameter];
    const auto condition = made.holds;
    const bool is_extra = at.otherwise >= at.listed;
    if (!std::ranges::binary_search(made.parameters, parameter))
      made.parameters.insert(std::ranges::upper_bound(made.parameters, parameter), parameter);
    made.holds = [condition, parameter, is_extra,
                  otherwise = at.otherwise](std::span<const std::uint32_t> positions) {
      const bool is_otherwise = positions[parameter] == otherwise;
      return condition(positions) ? !(is_otherwise && is_extra) : is_otherwise;
    };
    return made;
  }

  std::unique_ptr<const Diagram> make_diagram(const std::vector<SpaceConstraint>& all,
                                              std::optional<std::size_t> without = {}) const {
    std::vector<std::size_t> extents;
    for (const SpaceParameter& parameter : parameters) extents.push_back(parameter.values.size());
    std::vector<DiagramConstraint> made;
    for (std::size_t k = 0; k < parameters.size(); ++k)
      if (parameters[k].when)
        made.push_back(conditional(k, tabulated(over_positions(constraint(*parameters[k].when)))));
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (without == k) continue;
      if (!all[k].parameters.empty())
        made.push_back(tabulated(over_positions(all[k])));
      else if (!all[k].function({}))
        return nullptr;
    }
    return std::make_unique<const Diagram>(std::move(extents), made);
  }

  // Whether a configuration has these positions, found without the diagram: that of a large space
  // takes as long as a second, in which a kernel that was tuned before could run.
  bool has(std::span<const std::uint32_t> positions) const {
    for (std::size_t k = 0; k < parameters.size(); ++k)
      if (parameters[k].when &&
          !conditional(k, over_positions(constraint(*parameters[k].when))).holds(positions))
        return false;
    return std::ranges::all_of(constraints(), [&](const SpaceConstraint& each) {
      return over_positions(each).holds(positions);
    });
  }

  const Diagram& built() {
    const std::lock_guard lock(mutex);
    if (diagram) return *diagram;
    if (parameters.empty())
      throw InvalidArgument("the space has no parameters", "add one with add()");
    const auto all = constraints();
    auto made = make_diagram(all);
    if (!made || made->size() == 0) refuse_contradiction(all);
    diagram = std::move(made);
    return *diagram;
  }
  [[noreturn]] void refuse_contradiction(const std::vector<SpaceConstraint>& all) const {
    for (std::size_t k = 0; k < all.size(); ++k)
      if (const auto rest = make_diagram(all, k); rest && rest->size() > 0)
        throw InvalidArgument("no configuration of the space fulfils '" + all[k].text +
                                  "', without which there are " + std::to_string(rest->size()),
                              "correct that constraint, or add values");
    throw InvalidArgument(
        "no configuration of the space fulfils its " + std::to_string(all.size()) + " constraints",
        "leave out one after the other to see which exclude each other");
  }
};

Space::Space() : state_(std::make_unique<State>()) {}
Space::Space(const Space& other) : state_(std::make_unique<State>(*other.state_)) {}
Space::Space(Space&&) noexcept = default;
Space& Space::operator=(Space&&) noexcept = default;
Space::~Space() = default;

Space& Space::add(std::string name, std::vector<Value> values, ParameterOptions options) {
  if (!is_name(name))
    throw InvalidArgument("name is '" + name + "', expected letters, digits and '_'",
                          "begin it with a letter");
  if (std::ranges::find(*state_->names, name) != state_->names->end() ||
      state_->constants.contains(name))
    throw InvalidArgument("the space has '" + name + "' already", "use another name");
  if (values.empty())
    throw InvalidArgument("values of '" + name + "' is empty, expected one value at least",
                          "list what the parameter may be");
  for (std::size_t k = 0; k < values.size(); ++k)
    if (*position_of(values, values[k]) != k)
      throw InvalidArgument("values of '" + name + "' has " + value_text(values[k]) + " twice",
                            "list each value once");
  SpaceParameter made;
  made.is_ordered = options.order == Order::ordered ||
                    (options.order == Order::automatic && is_monotonic(values));
  made.listed = static_cast<std::uint32_t>(values.size());
  made.values = std::move(values);
  if (!options.when.empty()) made.when.emplace(options.when);
  if (options.otherwise) {
    const auto position = position_of(made.values, *options.otherwise);
    made.otherwise = position.value_or(made.listed);
    if (!position) made.values.push_back(*options.otherwise);
  }
  state_->change();
  state_->names->push_back(std::move(name));
  state_->parameters.push_back(std::move(made));
  return *this;
}

Space& Space::add_powers_of_two(std::string name, std::int64_t least, std::int64_t most,
                                ParameterOptions options) {
  const auto is_power = [](std::int64_t x) { return x > 0 && (x & (x - 1)) == 0; };
  if (!is_power(least) || !is_power(most) || least > most)
    throw InvalidArgument("least and most of '" + name + "' are " + std::to_string(least) +
                              " and " + std::to_string(most) + ", expected powers of two that rise",
                          "pass 1 and 1024, say");
  std::vector<Value> values;
  for (std::int64_t value = least;; value *= 2) {
    values.emplace_back(value);
    if (value == most) break;
  }
  return add(std::move(name), std::move(values), std::move(options));
}

Space& Space::let(std::string name, Value value) {
  if (!is_name(name) || std::ranges::find(*state_->names, name) != state_->names->end())
    throw InvalidArgument("name is '" + name + "', expected a name that is no parameter",
                          "use another name");
  state_->change();
  state_->constants.insert_or_assign(std::move(name), std::move(value));
  return *this;
}

Space& Space::let(const device::DeviceInfo& device) {
  const auto& limits = device.limits;
  const std::pair<const char*, std::uint64_t> facts[] = {
      {"max_group_items", limits.max_group_items},
      {"max_group_x", limits.max_group_size.x},
      {"max_group_y", limits.max_group_size.y},
      {"max_group_z", limits.max_group_size.z},
      {"local_bytes", std::max(limits.local_memory_bytes, limits.opt_in_local_memory_bytes)},
      {"registers", limits.compute_unit_registers},
      {"compute_units", device.performance.compute_units},
      {"sub_group_width", device.traits.sub_group_width},
      {"memory_bytes", device.memory_bytes},
      {"l2_bytes", limits.l2_bytes},
  };
  for (const auto& [name, value] : facts)
    let(std::string("device.") + name, static_cast<std::int64_t>(value));
  return *this;
}

Space& Space::require(std::string_view text) {
  const Formula formula(text);
  const bool is_late = std::ranges::any_of(
      formula.names(), [](const std::string& name) { return name.starts_with("kernel."); });
  state_->change();
  (is_late ? state_->late : state_->formulas).push_back(formula);
  return *this;
}

Space& Space::require(std::vector<std::string> parameters,
                      std::function<bool(std::span<const Value>)> function) {
  if (!function)
    throw InvalidArgument("function is empty, expected one of the parameters' values",
                          "pass a function");
  for (const std::string& name : parameters) state_->number_of(name);
  state_->change();
  state_->functions.emplace_back(std::move(parameters), std::move(function));
  return *this;
}

const std::vector<std::string>& Space::names() const noexcept { return *state_->names; }
const std::vector<Value>& Space::values(std::string_view name) const {
  return state_->parameters[state_->number_of(name)].values;
}
bool Space::is_ordered(std::string_view name) const {
  return state_->parameters[state_->number_of(name)].is_ordered;
}
const std::vector<Formula>& Space::late_constraints() const noexcept { return state_->late; }

std::uint64_t Space::cartesian_size() const {
  std::uint64_t size = 1;
  for (const SpaceParameter& parameter : state_->parameters)
    if (__builtin_mul_overflow(size, parameter.values.size(), &size)) return ~std::uint64_t{0};
  return size;
}

std::uint64_t Space::size() const { return state_->built().size(); }

std::vector<std::uint32_t> Space::positions(std::uint64_t number) const {
  const Diagram& diagram = state_->built();
  if (number >= diagram.size())
    throw IndexError("number is " + std::to_string(number) + ", expected less than size(), " +
                         std::to_string(diagram.size()),
                     "count from 0");
  return diagram.path(number);
}

Configuration Space::at(std::uint64_t number) const {
  return state_->configuration(positions(number));
}

std::optional<std::uint64_t> Space::find(std::span<const std::uint32_t> positions) const {
  const Diagram& diagram = state_->built();
  if (positions.size() != state_->parameters.size()) return {};
  return diagram.number(positions);
}

std::optional<std::uint64_t> Space::find(const Configuration& configuration) const {
  if (configuration.names() != *state_->names) return {};
  std::vector<std::uint32_t> where;
  for (std::size_t k = 0; k < configuration.values().size(); ++k) {
    const auto position = position_of(state_->parameters[k].values, configuration.values()[k]);
    if (!position) return {};
    where.push_back(*position);
  }
  return find(where);
}

Configuration Space::make(const std::map<std::string, Value>& values) const {
  std::vector<std::optional<std::uint32_t>> wanted(state_->parameters.size());
  std::string text;
  for (const auto& [name, value] : values) {
    const std::size_t parameter = state_->number_of(name);
    const auto& all = state_->parameters[parameter].values;
    wanted[parameter] = position_of(all, value);
    if (!wanted[parameter])
      throw InvalidArgument(
          "'" + name + "' is " + value_text(value) + ", expected one of " + quoted_list(all),
          "add the value to the space");
    text += (text.empty() ? "" : ", ") + name + "=" + value_text(value);
  }
  std::vector<std::uint32_t> where;
  for (const auto& each : wanted)
    if (each) where.push_back(*each);
  if (!where.empty() && where.size() == wanted.size() && state_->has(where))
    return state_->configuration(where);
  const auto number = state_->built().first(wanted);
  if (!number)
    throw InvalidArgument("no configuration of the space has " + text,
                          "look at the constraints between them");
  return at(*number);
}

std::vector<std::uint64_t> Space::sample(std::size_t count, std::uint64_t seed) const {
  const std::uint64_t all = size();
  Dice dice(seed);
  std::vector<std::uint64_t> drawn;
  if (count >= all) {
    drawn.resize(all);
    std::iota(drawn.begin(), drawn.end(), std::uint64_t{0});
  } else {
    // R. W. Floyd: each set of `count` numbers is as likely as any other (CACM 30, 1987).
    std::set<std::uint64_t> taken;
    for (std::uint64_t end = all - count; end < all; ++end) {
      const std::uint64_t one = dice.below(end + 1);
      drawn.push_back(taken.insert(one).second ? one : *taken.insert(end).first);
    }
  }
  dice.shuffle(drawn);
  return drawn;
}

std::vector<std::uint64_t> Space::neighbours(std::uint64_t number,
                                             Neighbourhood neighbourhood) const {
  std::vector<std::uint32_t> where = positions(number);
  const Diagram& diagram = state_->built();
  std::vector<std::uint64_t> made;
  for (std::size_t k = 0; k < where.size(); ++k) {
    const SpaceParameter& parameter = state_->parameters[k];
    const std::uint32_t here = where[k];
    const bool is_near = neighbourhood == Neighbourhood::adjacent && parameter.is_ordered;
    const auto count = static_cast<std::uint32_t>(parameter.values.size());
    const std::uint32_t first = is_near && here > 0 ? here - 1 : is_near ? here : 0;
    const std::uint32_t last = is_near ? std::min(here + 2, count) : count;
    for (where[k] = first; where[k] < last; ++where[k])
      if (where[k] != here)
        if (const auto found = diagram.number(where)) made.push_back(*found);
    where[k] = here;
  }
  return made;
}

Value Space::evaluate(const Formula& formula, const Configuration& configuration,
                      const std::map<std::string, Value>& known) const {
  std::vector<Value> values;
  for (const std::string& name : formula.names()) {
    const auto given = known.find(name);
    const auto constant = state_->constants.find(name);
    if (given != known.end())
      values.push_back(given->second);
    else if (constant != state_->constants.end())
      values.push_back(constant->second);
    else
      values.push_back(configuration.values()[state_->named(formula, name)]);
  }
  return formula(values);
}

}  // namespace treadle::tune
