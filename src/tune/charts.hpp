// SPDX-License-Identifier: MIT
// Pictures of attempts, as SVG that stands in a page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "treadle/tune/store.hpp"

namespace treadle::tune {

/// The values that a parameter has in some attempts: numbers by size, then texts.
std::vector<Value> values_in(const std::vector<KeptAttempt>& attempts, const std::string& name);
/// The names of the parameters.
std::vector<std::string> parameters_in(const std::vector<KeptAttempt>& attempts);

/// Attempts in the order in which they were made, their times, and the best so far.
std::string progress_chart(const std::vector<KeptAttempt>& attempts);
/// A line for each attempt through its values, coloured by its time: most of `most_lines` are the
/// best ones.
std::string parallel_chart(const std::vector<KeptAttempt>& right, std::size_t most_lines);
/// The times of each value of a parameter.
std::string effect_chart(const std::vector<KeptAttempt>& right, const std::string& parameter);
/// How much of the variance of the times' logarithms is explained by the parameter alone, 0 to 1.
double explained_by(const std::vector<KeptAttempt>& right, const std::string& parameter);

}  // namespace treadle::tune
