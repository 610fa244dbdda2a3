// SPDX-License-Identifier: MIT
#pragma once

#include <treadle-bessel.cl>
