// SPDX-License-Identifier: MIT
// What a store knows, for people.
#pragma once

#include <string>
#include <string_view>

#include "treadle/tune/store.hpp"

namespace treadle::tune {

/// One page of HTML that needs nothing else, no script and no network: for each kernel, problem and
/// environment of the store (of one kernel, if it is named) what was tried and when, the best so
/// far, parallel coordinates, the effect of each parameter, the best variants in a table, failures,
/// and how the best variant is written. The page is XML, too.
std::string report_page(Store& store, std::string_view kernel = {});

/// A time as people read it: "12.5 us".
std::string duration_text(double seconds);

}  // namespace treadle::tune
