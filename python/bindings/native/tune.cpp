// SPDX-License-Identifier: MIT
// Spaces of configurations and searches through them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "native/choice.hpp"
#include "native/tune.hpp"
#include "python_parts.hpp"
#include "rooms.hpp"
#include "treadle/device/device.hpp"
#include "treadle/tune/formula.hpp"
#include "treadle/tune/search.hpp"

namespace treadle::bindings {

tune::Value value_from(nb::handle given) {
  PyObject* const object = given.ptr();
  if (PyBool_Check(object)) return object == Py_True;
  if (PyLong_Check(object)) return nb::cast<std::int64_t>(given);
  if (PyFloat_Check(object)) return PyFloat_AS_DOUBLE(object);
  if (PyUnicode_Check(object)) return nb::cast<std::string>(given);
  // NumPy's scalars.
  if (nb::hasattr(given, "item") && nb::hasattr(given, "dtype")) {
    const nb::object item = given.attr("item")();
    if (!item.is(given)) return value_from(item);
  }
  raise_python(PyExc_TypeError, "a value of a space is " + nb::cast<std::string>(nb::repr(given)) +
                                    ", expected bool, int, float or str");
}
nb::object value_to(const tune::Value& value) {
  return std::visit([](const auto& each) { return nb::cast(each); }, value);
}
std::vector<tune::Value> values_from(const nb::iterable& given) {
  std::vector<tune::Value> values;
  for (const nb::handle each : given) values.push_back(value_from(each));
  return values;
}
std::map<std::string, tune::Value> named_values(const nb::object& mapping) {
  std::map<std::string, tune::Value> made;
  const auto values =
      nb::cast<nb::dict>(nb::handle(reinterpret_cast<PyObject*>(&PyDict_Type))(mapping));
  for (const auto& [name, value] : values)
    made.insert_or_assign(nb::cast<std::string>(name), value_from(value));
  return made;
}
/// A Configuration, or a mapping of names and values.
tune::Configuration configuration_from(const tune::Space& space, const nb::object& given) {
  tune::Configuration* made = nullptr;
  if (nb::try_cast(given, made)) return *made;
  return space.make(named_values(given));
}

/// A strategy that is written in Python: what an object's next() names, which learn() tells.
tune::Guide guide_of(const tune::Space& space, std::uint64_t seed) {
  const nb::gil_scoped_acquire held;
  const auto release = [](nb::object* object) {
    const nb::gil_scoped_acquire again;
    delete object;
  };
  const std::shared_ptr<nb::object> model(
      new nb::object(python_part("tune model")(
          nb::cast(const_cast<tune::Space*>(&space), nb::rv_policy::reference), seed)),
      release);
  return {.next =
              [model] {
                const nb::gil_scoped_acquire again;
                return nb::cast<std::uint64_t>(model->attr("next")());
              },
          .learn =
              [model](std::uint64_t number, double value) {
                const nb::gil_scoped_acquire again;
                model->attr("learn")(number, value);
              }};
}

/// "model" is Python's name for what a Guide of its own says.
tune::Strategy strategy_named(const std::string& name) {
  if (name != "model") return tune::strategy_of(name);
  return tune::Strategy::guided;
}

/// The keywords of Search.
tune::SearchOptions search_options(const tune::Space& space, const nb::kwargs& given) {
  tune::SearchOptions options{.guide = guide_of};
  const std::map<std::string, std::function<void(nb::handle)>> readers = {
      {"strategy",
       [&](nb::handle x) { options.strategy = strategy_named(nb::cast<std::string>(x)); }},
      {"evaluations",
       [&](nb::handle x) { options.budget.evaluations = nb::cast<std::uint64_t>(x); }},
      {"seconds", [&](nb::handle x) { options.budget.seconds = nb::cast<double>(x); }},
      {"probability", [&](nb::handle x) { options.budget.probability = nb::cast<double>(x); }},
      {"fraction", [&](nb::handle x) { options.budget.fraction = nb::cast<double>(x); }},
      {"seed", [&](nb::handle x) { options.seed = nb::cast<std::uint64_t>(x); }},
      {"start",
       [&](nb::handle x) {
         for (const nb::handle each : x)
           options.start.push_back(configuration_from(space, nb::borrow(each)));
       }},
  };
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    const auto reader = readers.find(name);
    if (reader == readers.end())
      raise_python(PyExc_TypeError, "a search has no option '" + name +
                                        "'; there are strategy, evaluations, seconds, "
                                        "probability, fraction, seed and start");
    if (value.is_none()) continue;
    try {
      reader->second(value);
    } catch (const nb::cast_error&) {
      raise_python(PyExc_TypeError, name + " is " + nb::cast<std::string>(nb::repr(value)) +
                                        ", expected what Search documents");
    }
  }
  return options;
}

namespace {

using namespace nb::literals;
using tune::Configuration;
using tune::Found;
using tune::Search;
using tune::Space;
using tune::Trial;
using tune::Value;

tune::Order order_named(const std::string& name) {
  static constexpr const char* names[] = {"automatic", "ordered", "categorical"};
  return chosen_by_name<tune::Order>(names, name, "order is '");
}
tune::Neighbourhood neighbourhood_named(const std::string& name) {
  static constexpr const char* names[] = {"hamming", "adjacent"};
  return chosen_by_name<tune::Neighbourhood>(names, name, "neighbourhood is '");
}

tune::ParameterOptions parameter_options(const std::string& order, const std::string& when,
                                         const nb::object& otherwise) {
  tune::ParameterOptions options{.order = order_named(order), .when = when};
  if (!otherwise.is_none()) options.otherwise = value_from(otherwise);
  return options;
}

/// What a Python function returns for a configuration; Treadle's errors, which reach Python as
/// exceptions of its own classes, fail the configuration again.
template <class... Arguments>
double measured(const nb::callable& function, const Configuration& configuration,
                Arguments... arguments) {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  try {
    const nb::object value = function(configuration, arguments...);
    if (value.is_none())
      raise_python(PyExc_TypeError, "measure returned None, expected a number to minimise");
    return nb::cast<double>(nb::float_(value));
  } catch (const nb::python_error& failure) {
    if (!failure.matches(native_class("Error"))) throw;
    throw InvalidState(nb::cast<std::string>(nb::str(failure.value())), "");
  }
}

void bind_configuration(nb::module_& m) {
  nb::class_<Configuration>(m, "Configuration",
                            "A value for each parameter of a space: a mapping that is not changed.")
      .def("__getitem__",
           [](const Configuration& self, const std::string& name) {
             for (std::size_t k = 0; k < self.names().size(); ++k)
               if (self.names()[k] == name) return value_to(self.values()[k]);
             throw nb::key_error(name.c_str());
           })
      .def("__contains__",
           [](const Configuration& self, const std::string& name) {
             for (const std::string& each : self.names())
               if (each == name) return true;
             return false;
           })
      .def("__len__", [](const Configuration& self) { return self.names().size(); })
      .def("__iter__", [](const Configuration& self) { return nb::iter(nb::cast(self.names())); })
      .def("keys", &Configuration::names, "The names of the parameters.")
      .def(
          "values",
          [](const Configuration& self) {
            nb::list made;
            for (const Value& value : self.values()) made.append(value_to(value));
            return made;
          },
          "Their values.")
      .def(
          "items",
          [](const Configuration& self) {
            nb::list made;
            for (std::size_t k = 0; k < self.names().size(); ++k)
              made.append(nb::make_tuple(self.names()[k], value_to(self.values()[k])));
            return made;
          },
          "Pairs of names and values.")
      .def("__eq__",
           [](const Configuration& self, const nb::object& other) {
             Configuration* same = nullptr;
             return nb::try_cast(other, same) && self == *same;
           })
      .def("__hash__",
           [](const Configuration& self) { return nb::hash(nb::str(self.text().c_str())); })
      .def("__repr__",
           [](const Configuration& self) { return "Configuration(" + self.text() + ")"; });
}

void bind_changes(nb::class_<Space>& space) {
  space.def(nb::init<>())
      .def(
          "add",
          [](Space& self, std::string name, const nb::iterable& values, const std::string& order,
             const std::string& when, const nb::object& otherwise) -> Space& {
            return self.add(std::move(name), values_from(values),
                            parameter_options(order, when, otherwise));
          },
          "name"_a, "values"_a, nb::kw_only(), "order"_a = "automatic", "when"_a = "",
          "otherwise"_a.none() = nb::none(), nb::rv_policy::none, "A parameter of these values.")
      .def(
          "add_powers_of_two",
          [](Space& self, std::string name, std::int64_t least, std::int64_t most,
             const std::string& order, const std::string& when,
             const nb::object& otherwise) -> Space& {
            return self.add_powers_of_two(std::move(name), least, most,
                                          parameter_options(order, when, otherwise));
          },
          "name"_a, "least"_a, "most"_a, nb::kw_only(), "order"_a = "automatic", "when"_a = "",
          "otherwise"_a.none() = nb::none(), nb::rv_policy::none,
          "A parameter whose values are the powers of two from least to most.")
      .def(
          "let",
          [](Space& self, std::string name, const nb::object& value) -> Space& {
            return self.let(std::move(name), value_from(value));
          },
          "name"_a, "value"_a, nb::rv_policy::none, "What a name means in formulas.")
      .def(
          "let_device",
          [](Space& self, const device::Device& device) -> Space& {
            return self.let(device.info());
          },
          "device"_a, nb::rv_policy::none, "What the device allows, as device.* in formulas.")
      .def(
          "require",
          [](Space& self, const std::string& formula) -> Space& { return self.require(formula); },
          "formula"_a, nb::rv_policy::none, "A formula that has to be true.")
      .def(
          "require_function",
          // Borrowed: a function often knows the names of the module in which the space has one, a
          // circle that only Python's collector sees, and only through the object that keeps it.
          [](Space& self, std::vector<std::string> names, nb::handle function) -> Space& {
            return self.require(std::move(names), [function](std::span<const Value> values) {
              const nb::gil_scoped_acquire held;  // a kernel may be tuned on another thread
              nb::list arguments;
              for (const Value& value : values) arguments.append(value_to(value));
              return nb::cast<bool>(nb::bool_(function(*arguments)));
            });
          },
          "names"_a, "function"_a, nb::rv_policy::none,
          "A function of these parameters' values that has to be true; the caller keeps it.");
}

void bind_questions(nb::class_<Space>& space) {
  space.def_prop_ro("names", &Space::names, "The names of the parameters.")
      .def(
          "values",
          [](const Space& self, const std::string& name) {
            nb::list made;
            for (const Value& value : self.values(name)) made.append(value_to(value));
            return made;
          },
          "name"_a, "The values of a parameter.")
      .def_prop_ro("cartesian_size", &Space::cartesian_size,
                   "How many configurations there are without constraints.")
      .def_prop_ro("size", &Space::size, "How many there are.")
      .def("__len__", &Space::size)
      .def("__getitem__",
           [](const Space& self, std::int64_t number) {
             const auto size = static_cast<std::int64_t>(self.size());
             return self.at(static_cast<std::uint64_t>(number < 0 ? number + size : number));
           })
      .def("__contains__",
           [](const Space& self, const Configuration& configuration) {
             return self.find(configuration).has_value();
           })
      .def("find", nb::overload_cast<const Configuration&>(&Space::find, nb::const_),
           "configuration"_a, "The number of a configuration; None if it is not in the space.")
      .def(
          "make",
          [](const Space& self, const nb::object& values) {
            return self.make(named_values(values));
          },
          "values"_a, "The first configuration with these values.")
      .def("sample", &Space::sample, "count"_a, "seed"_a = 0,
           "The numbers of different configurations, each as likely as any other.")
      .def(
          "neighbours",
          [](const Space& self, std::uint64_t number, const std::string& neighbourhood) {
            return self.neighbours(number, neighbourhood_named(neighbourhood));
          },
          "number"_a, "neighbourhood"_a = "hamming",
          "The numbers of configurations that differ in one parameter.");
}

void bind_search(nb::module_& m) {
  nb::class_<Trial>(m, "Trial", "A configuration that was measured.")
      .def_ro("number", &Trial::number, "Of the configuration in its space.")
      .def_ro("value", &Trial::value, "What is minimised; infinity if it failed.")
      .def_ro("error", &Trial::error, "Why it failed; empty otherwise.")
      .def("__repr__", [](const Trial& self) {
        return "Trial(" + std::to_string(self.number) + ", " +
               (self.error.empty() ? tune::value_text(self.value) : "'" + self.error + "'") + ")";
      });
  nb::class_<Found>(m, "Found", "What a search found.")
      .def_ro("configuration", &Found::configuration, "The best.")
      .def_ro("value", &Found::value, "Of the best.")
      .def_ro("trials", &Found::trials, "All, in the order of measuring.")
      .def("__repr__", [](const Found& self) {
        return "Found(" + self.configuration.text() + ": " + tune::value_text(self.value) + ", " +
               std::to_string(self.trials.size()) + " trials)";
      });
  nb::class_<Search>(m, "Search", "A search that is asked what to try and told how good that was.")
      .def(
          "__init__",
          [](Search* self, const Space& space, const nb::kwargs& options) {
            new (self) Search(space, search_options(space, options));
          },
          "space"_a, "options"_a, "The caller keeps the space, where Python's collector sees it.")
      .def("ask", &Search::ask, "count"_a = 1, "The numbers of configurations to try next.")
      .def("tell", &Search::tell, "number"_a, "value"_a, "error"_a = "", "What came of one.")
      .def_prop_ro("is_over", &Search::is_over, "Whether there is nothing more to try.")
      .def_prop_ro("trials", &Search::trials, nb::rv_policy::copy, "As they were told.")
      .def_prop_ro(
          "best",
          [](const Search& self) -> std::optional<Trial> {
            return self.best() != nullptr ? std::optional(*self.best()) : std::nullopt;
          },
          "The best so far; None if all failed.")
      .def_prop_ro(
          "strategy",
          [](const Search& self) {
            const bool is_model = self.strategy() == tune::Strategy::guided;
            return std::string(is_model ? "model" : tune::strategy_name(self.strategy()));
          },
          "The one that is used.");
}

}  // namespace

void bind_tune(nb::module_& m) {
  bind_configuration(m);
  nb::class_<Space> spaces(m, "Space",
                           "The configurations of some parameters that fulfil all constraints.");
  bind_changes(spaces);
  bind_questions(spaces);
  bind_search(m);
  bind_tune_kernel(m);
  bind_tune_store(m);
  bind_tune_arrays(m);
  bind_tune_judge(m);
  m.def(
      "evaluate",
      [](const std::string& formula, const nb::object& names) {
        const tune::Formula read(formula);
        const auto known = named_values(names);
        std::vector<Value> values;
        for (const std::string& name : read.names()) {
          const auto found = known.find(name);
          if (found == known.end())
            throw InvalidArgument(
                "the formula '" + formula + "' has the name '" + name + "', which has no value",
                "pass its value");
          values.push_back(found->second);
        }
        return value_to(read(values));
      },
      "formula"_a, "names"_a,
      nb::sig("def evaluate(formula: str, names: object) -> bool | int | float | str"),
      "The value of a formula of spaces for a mapping of names and values.");
  m.def(
      "minimize",
      [](const Space& space, const nb::callable& measure, const nb::kwargs& options) {
        return tune::minimize(
            space, [&](const Configuration& each) { return measured(measure, each); },
            search_options(space, options));
      },
      "space"_a, "measure"_a, "options"_a,
      "The configuration for which measure(configuration) is least.");
  m.def(
      "successive_halving",
      [](const Space& space, const nb::callable& measure, std::size_t first, std::size_t rounds,
         double keep, std::uint64_t seed) {
        return tune::successive_halving(space,
                                        [&](const Configuration& each, std::size_t round) {
                                          return measured(measure, each, round);
                                        },
                                        {first, rounds, keep, seed});
      },
      "space"_a, "measure"_a, "first"_a, "rounds"_a, "keep"_a, "seed"_a,
      "The same by rounds with larger problems and fewer configurations.");
}

}  // namespace treadle::bindings
