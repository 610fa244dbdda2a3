// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "treadle/base/error.hpp"
#include "treadle/tune/space.hpp"
#include "tune/refused_name.hpp"

namespace treadle::tune {

Configuration::Configuration(std::shared_ptr<const std::vector<std::string>> names,
                             std::vector<Value> values)
    : names_(std::move(names)), values_(std::move(values)) {
  if (names_->size() != values_.size())
    throw InvalidArgument("values has " + std::to_string(values_.size()) +
                              " values, expected one for each of " +
                              std::to_string(names_->size()) + " parameters",
                          "use make() of the space");
}

const Value& Configuration::operator[](std::string_view name) const {
  const auto found = std::ranges::find(*names_, name);
  if (found != names_->end()) return values_[static_cast<std::size_t>(found - names_->begin())];
  refuse_name("the space has no parameter '" + std::string(name) + "'", name, *names_,
              "use a name of names()");
}

template <class T>
T Configuration::get(std::string_view name) const {
  const Value& value = (*this)[name];
  if (const T* same = std::get_if<T>(&value)) return *same;
  const auto* const truth = std::get_if<bool>(&value);
  const auto* const whole = std::get_if<std::int64_t>(&value);
  if constexpr (std::is_same_v<T, std::int64_t>)
    if (truth) return *truth ? 1 : 0;
  if constexpr (std::is_same_v<T, double>)
    if (truth || whole) return truth ? static_cast<double>(*truth) : static_cast<double>(*whole);
  throw InvalidArgument("the parameter '" + std::string(name) + "' is " + value_text(value) +
                            ", which is of another type than was asked for",
                        "ask for the type that it has");
}
template bool Configuration::get<bool>(std::string_view) const;
template std::int64_t Configuration::get<std::int64_t>(std::string_view) const;
template double Configuration::get<double>(std::string_view) const;
template std::string Configuration::get<std::string>(std::string_view) const;

std::string Configuration::text() const {
  std::string made;
  for (std::size_t k = 0; k < values_.size(); ++k)
    made += (k == 0 ? "" : ", ") + (*names_)[k] + "=" + value_text(values_[k]);
  return made;
}

bool Configuration::operator==(const Configuration& other) const noexcept {
  return *names_ == *other.names_ &&
         std::ranges::equal(values_, other.values_,
                            [](const Value& a, const Value& b) { return are_equal(a, b); });
}

}  // namespace treadle::tune
