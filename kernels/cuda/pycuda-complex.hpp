// SPDX-License-Identifier: MIT
// pycuda::complex with its operators and functions.
#pragma once

#include "pycuda-complex-impl.hpp"
