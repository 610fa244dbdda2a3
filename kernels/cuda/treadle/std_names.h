// SPDX-License-Identifier: MIT
// What nvcc's own headers bring of the standard library: included before a text that names some of
// it and includes nothing.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <type_traits>
#include <utility>
