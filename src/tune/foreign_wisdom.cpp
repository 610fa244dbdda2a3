// SPDX-License-Identifier: MIT
#include "treadle/tune/foreign_wisdom.hpp"

#include <cmath>
#include <utility>

#include "treadle/base/error.hpp"
#include "tune/database.hpp"
#include "tune/json.hpp"
#include "tune/samples.hpp"

namespace treadle::tune {
namespace {

using Values = std::map<std::string, Value>;

constexpr const char* known_formats =
    "take wisdom of a store, a cache of Kernel Tuner, or wisdom of Kernel Launcher";

/// JSON, read by SQLite.
class JsonReader {
 public:
  bool is_valid(std::string_view json) {
    Statement valid(database_, "SELECT json_valid(?1)");
    valid.set(1, json).next();
    return valid.integer(0) == 1;
  }
  bool has(std::string_view json, std::string_view path) {
    Statement type(database_, "SELECT json_type(?1, ?2)");
    type.set(1, json).set(2, path).next();
    return !type.is_null(0);
  }
  /// A text, or JSON of whatever else is there; empty: nothing.
  std::string text(std::string_view json, std::string_view path) {
    Statement found(database_, "SELECT json_extract(?1, ?2)");
    found.set(1, json).set(2, path).next();
    return found.text(0);
  }
  /// Members of an object or elements of an array, with their names or numbers.
  std::vector<std::pair<std::string, Value>> each(std::string_view json, std::string_view path) {
    std::vector<std::pair<std::string, Value>> made;
    Statement rows(database_, "SELECT key, type, value FROM json_each(?1, ?2)");
    rows.set(1, json).set(2, path);
    while (rows.next()) {
      const std::string type = rows.text(1);
      Value value = rows.text(2);
      if (type == "true" || type == "false")
        value = type == "true";
      else if (type == "integer")
        value = rows.integer(2);
      else if (type == "real")
        value = rows.real(2);
      made.emplace_back(rows.text(0), std::move(value));
    }
    return made;
  }

 private:
  Database database_{":memory:", Database::Access::write};
};

std::optional<double> number_of(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return {};
}

/// A text itself, other values as people write them.
std::string plain_text(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? *text : value_text(value);
}

/// x, y and z of a number or of a list of numbers; other texts are one value.
ProblemSignature problem_of(const std::vector<std::pair<std::string, Value>>& sizes) {
  constexpr const char* names[] = {"x", "y", "z"};
  ProblemSignature made;
  for (std::size_t k = 0; k < sizes.size() && k < 3; ++k) made.emplace(names[k], sizes[k].second);
  return made;
}

/// One attempt of another tuner.
struct ForeignAttempt {
  std::string kernel, device;
  ProblemSignature problem;
  Values configuration;
  std::vector<double> samples;  ///< in ms; none: it failed
  std::string error;
};

std::string line_of(const ForeignAttempt& attempt, const ForeignNames& names) {
  std::vector<double> seconds;
  for (const double ms : attempt.samples) seconds.push_back(ms * 1e-3);
  const Environment where = names.environment.value_or(Environment{.device = attempt.device});
  const bool is_right = !seconds.empty();
  std::string made = "{\"kernel\":";
  made += json_text(std::string_view(names.kernel.empty() ? attempt.kernel : names.kernel));
  made += ",\"problem\":" + json_text(names.problem.value_or(attempt.problem));
  made += ",\"environment\":" + json_text(Values{{"device", where.device},
                                                 {"architecture", where.architecture},
                                                 {"driver", where.driver},
                                                 {"compiler", where.compiler},
                                                 {"treadle", where.treadle}});
  made += ",\"configuration\":" + json_text(attempt.configuration);
  made += std::string(",\"outcome\":\"") +
          std::string(outcome_name(is_right ? Outcome::measured : Outcome::compile_error)) + "\"";
  made += ",\"seconds\":";
  // As a list of one, without its brackets: a number as JSON has it.
  if (is_right) {
    const std::string list = json_text(std::vector<double>{median_of(seconds)});
    made += list.substr(1, list.size() - 2);
  } else {
    made += "null";
  }
  made += ",\"samples\":" + json_text(seconds) +
          ",\"error\":" + json_text(std::string_view(attempt.error)) + "}";
  return made + '\n';
}

std::string from_kernel_tuner(JsonReader& json, std::string_view text, const ForeignNames& names) {
  ForeignAttempt attempt;
  attempt.kernel = json.text(text, "$.kernel_name");
  attempt.device = json.text(text, "$.device_name");
  attempt.problem = problem_of(json.each(text, "$.problem_size"));
  std::vector<std::string> parameters;
  for (const auto& [place, name] : json.each(text, "$.tune_params_keys"))
    parameters.push_back(plain_text(name));
  std::string made;
  for (const auto& [place, value] : json.each(text, "$.cache")) {
    const auto* entry = std::get_if<std::string>(&value);
    if (entry == nullptr || !json.is_valid(*entry))
      throw InvalidArgument("the cache of Kernel Tuner has no object for '" + place + "'",
                            known_formats);
    std::map<std::string, Value> members;
    for (auto& [name, member] : json.each(*entry, "$")) members.emplace(name, std::move(member));
    attempt.configuration.clear();
    attempt.samples.clear();
    attempt.error.clear();
    for (const std::string& name : parameters)
      if (const auto found = members.find(name); found != members.end())
        attempt.configuration.insert(*found);
    const auto time = members.find("time");
    if (time == members.end() || !number_of(time->second)) {
      // What failed has the name of its failure there.
      attempt.error = time == members.end() ? "no time" : plain_text(time->second);
    } else {
      for (const auto& [number, ms] : json.each(*entry, "$.times"))
        if (number_of(ms)) attempt.samples.push_back(*number_of(ms));
      if (attempt.samples.empty()) attempt.samples.push_back(*number_of(time->second));
    }
    made += line_of(attempt, names);
  }
  return made;
}

std::string from_kernel_launcher(JsonReader& json, std::string_view text,
                                 const ForeignNames& names) {
  std::string made, header;
  std::vector<std::string> parameters;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++number;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#') continue;
    if (!json.is_valid(line))
      throw InvalidArgument(
          "line " + std::to_string(number) + " of the wisdom of Kernel Launcher is no JSON",
          known_formats);
    if (header.empty()) {
      header = line;
      for (const auto& [place, name] : json.each(line, "$.tunable_parameters"))
        parameters.push_back(plain_text(name));
      if (json.text(line, "$.objective") != "time")
        throw InvalidArgument("the wisdom of Kernel Launcher is not of time",
                              "take what was tuned for time");
      continue;
    }
    const auto values = json.each(line, "$.config");
    if (values.size() != parameters.size() || !json.has(line, "$.time"))
      throw InvalidArgument("line " + std::to_string(number) +
                                " of the wisdom of Kernel Launcher lacks time, or a value for each "
                                "of tunable_parameters",
                            known_formats);
    ForeignAttempt attempt{.kernel = json.text(header, "$.key"),
                           .device = json.text(line, "$.environment.device_name"),
                           .problem = problem_of(json.each(line, "$.problem_size")),
                           .configuration = {},
                           .samples = {},
                           .error = "no time"};
    for (std::size_t k = 0; k < values.size(); ++k)
      attempt.configuration.emplace(parameters[k], values[k].second);
    for (const auto& [name, value] : json.each(line, "$"))
      if (name == "time" && number_of(value)) {
        attempt.samples = {*number_of(value)};
        attempt.error.clear();
      }
    made += line_of(attempt, names);
  }
  return made;
}

}  // namespace

std::string foreign_wisdom(std::string_view text, const ForeignNames& names) {
  JsonReader json;
  const std::size_t last = text.find_last_not_of(" \t\r\n,");
  const std::string_view trimmed = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  // A run that is going on, or was ended, has not closed its file.
  for (const std::string& end : {std::string(), std::string("}}")}) {
    const std::string whole = std::string(trimmed) + end;
    if (json.is_valid(whole) && json.has(whole, "$.tune_params_keys"))
      return from_kernel_tuner(json, whole, names);
  }
  std::string_view rest = text, line;
  std::size_t first = 0;
  do {  // comments may stand before the header
    line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    first = line.find_first_not_of(" \t\r");
  } while (!rest.empty() && (first == std::string_view::npos || line[first] == '#'));
  if (json.is_valid(line)) {
    if (json.has(line, "$.tunable_parameters")) return from_kernel_launcher(json, text, names);
    if (json.has(line, "$.outcome")) return std::string(text);
  }
  throw InvalidArgument("the text is no wisdom that Treadle knows", known_formats);
}

}  // namespace treadle::tune
