// SPDX-License-Identifier: MIT
// Which configurations there are: parameters, and what they have to fulfil together.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/device/info.hpp"
#include "treadle/tune/formula.hpp"
#include "treadle/tune/value.hpp"

namespace treadle::tune {

/// A value for each parameter of a space. A cheap value.
class Configuration {
 public:
  /// Of no parameters.
  Configuration() : Configuration(std::make_shared<std::vector<std::string>>(), {}) {}
  /// Of these parameters, in this order.
  Configuration(std::shared_ptr<const std::vector<std::string>> names, std::vector<Value> values);

  /// The value of a parameter. Throws InvalidArgument naming the nearest there are.
  const Value& operator[](std::string_view name) const;
  /// The value as T: bool, std::int64_t, double, std::string. An integer is taken as a real number
  /// and a truth value as an integer; others throw InvalidArgument.
  template <class T>
  T get(std::string_view name) const;
  const std::vector<std::string>& names() const noexcept { return *names_; }
  const std::vector<Value>& values() const noexcept { return values_; }  ///< of names()
  /// "block_x=32, unroll=True".
  std::string text() const;
  /// Whether all values are equal.
  bool operator==(const Configuration& other) const noexcept;

 private:
  std::shared_ptr<const std::vector<std::string>> names_;
  std::vector<Value> values_;
};

/// How the values of a parameter are related.
enum class Order : std::uint8_t {
  automatic,    ///< rising or falling numbers are ordered, other values are not
  ordered,      ///< values that are neighbours are alike
  categorical,  ///< none is nearer to another
};

/// How a parameter is added to a space.
struct ParameterOptions {
  Order order = Order::automatic;
  /// A formula over other parameters: where it is false, the parameter means nothing and is
  /// `otherwise`. Empty: it always means something.
  std::string when = {};
  std::optional<Value> otherwise = {};  ///< none: the first value
};

/// Which configurations are called neighbours.
enum class Neighbourhood : std::uint8_t {
  hamming,   ///< one parameter has any other value
  adjacent,  ///< the same, but of an ordered parameter only the next values
};

/// The configurations of some parameters that fulfil all constraints, numbered from 0: the last
/// parameter changes first. They are counted and drawn without being listed: a diagram of decisions
/// joins what differs only in parameters that no constraint behind needs. It is made at the first
/// question after a change. Questions may come from any thread, changes from one.
class Space {
 public:
  /// Without parameters.
  Space();
  /// The same parameters and constraints, to be changed apart from it.
  Space(const Space& other);
  Space(Space&&) noexcept;
  Space& operator=(Space&&) noexcept;
  ~Space();

  /// A parameter of these values, each of which is listed once. Throws InvalidArgument for no
  /// values, equal ones, a name that exists or is none.
  Space& add(std::string name, std::vector<Value> values, ParameterOptions options = {});
  /// A parameter whose values are the powers of two from `least` to `most`.
  Space& add_powers_of_two(std::string name, std::int64_t least, std::int64_t most,
                           ParameterOptions options = {});
  /// What `name` means in formulas: the size of a problem, say.
  Space& let(std::string name, Value value);
  /// What a device allows, for formulas: `device.max_group_items`, `.max_group_x`, `_y`, `_z`,
  /// `.local_bytes`, `.registers`, `.compute_units`, `.sub_group_width`, `.memory_bytes`,
  /// `.l2_bytes`.
  Space& let(const device::DeviceInfo& device);
  /// A formula that has to be true. Names that begin with `kernel.` are known when a kernel is
  /// compiled: such a formula is one of late_constraints().
  Space& require(std::string_view formula);
  /// A function of the values of these parameters, in this order. It is called at most once for
  /// each combination of them that fulfils what was asked before.
  Space& require(std::vector<std::string> parameters,
                 std::function<bool(std::span<const Value>)> function);

  const std::vector<std::string>& names() const noexcept;         ///< of the parameters
  const std::vector<Value>& values(std::string_view name) const;  ///< of one
  bool is_ordered(std::string_view name) const;                   ///< whether neighbours are alike
  /// Configurations without any constraint.
  std::uint64_t cartesian_size() const;

  /// How many configurations fulfil all. Like all that follow: throws InvalidArgument for a space
  /// without parameters, a formula with an unknown name or without a value, constraints that
  /// exclude each other (naming one whose absence would leave something), and more than 2^27
  /// decisions.
  std::uint64_t size() const;
  /// The configuration of a number below size(). Throws IndexError.
  Configuration at(std::uint64_t number) const;
  /// Its number; none for one that does not belong to the space.
  std::optional<std::uint64_t> find(const Configuration& configuration) const;
  /// The configuration of these values, which may miss parameters: those have the first value that
  /// is possible. Throws InvalidArgument for names and values that the space does not have, and for
  /// what no configuration has together.
  Configuration make(const std::map<std::string, Value>& values) const;
  /// Up to `count` different numbers, each as likely as any other, the same for the same seed.
  std::vector<std::uint64_t> sample(std::size_t count, std::uint64_t seed = 0) const;
  /// The numbers of a configuration's neighbours, by parameters and values.
  std::vector<std::uint64_t> neighbours(std::uint64_t number,
                                        Neighbourhood neighbourhood = Neighbourhood::hamming) const;
  /// Which of its values each parameter has in a configuration.
  std::vector<std::uint32_t> positions(std::uint64_t number) const;
  /// The number of the configuration of these positions; none if it does not belong to the space.
  std::optional<std::uint64_t> find(std::span<const std::uint32_t> positions) const;

  /// The formulas over what a compiler says of a kernel.
  const std::vector<Formula>& late_constraints() const noexcept;
  /// The value of a formula in a configuration, over its parameters, what let() said and `known`.
  Value evaluate(const Formula& formula, const Configuration& configuration,
                 const std::map<std::string, Value>& known = {}) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace treadle::tune
