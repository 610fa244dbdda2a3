// SPDX-License-Identifier: MIT
// Values, configurations and options of searches as Python has them.
#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <string>
#include <vector>

#include "treadle/device/kernel.hpp"
#include "treadle/tune/search.hpp"
#include "treadle/tune/tune_kernel.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// Of a bool, int, float, str or a scalar of NumPy's.
tune::Value value_from(nb::handle given);
nb::object value_to(const tune::Value& value);
std::vector<tune::Value> values_from(const nb::iterable& given);
/// Of a mapping, or of pairs.
std::map<std::string, tune::Value> named_values(const nb::object& mapping);
/// A Configuration, or a mapping of names and values.
tune::Configuration configuration_from(const tune::Space& space, const nb::object& given);
/// The keywords of Search.
tune::SearchOptions search_options(const tune::Space& space, const nb::kwargs& given);

/// The keywords of tune_kernel() that are no search's: `how`.
tune::TuneOptions tune_options(const tune::Space& space, const nb::dict& how,
                               const nb::kwargs& search);
/// A Kernel for Python.
nb::object kernel_object(const device::Kernel& kernel);

void bind_tune_kernel(nb::module_& m);
void bind_tune_store(nb::module_& m);
void bind_tune_arrays(nb::module_& m);
void bind_tune_judge(nb::module_& m);

}  // namespace treadle::bindings
