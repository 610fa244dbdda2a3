// SPDX-License-Identifier: MIT
// bessel_j0(x), bessel_j1(x), bessel_jn(n, x), bessel_jv(v, x)
#pragma once

#include <treadle-bessel-orders.cl>
