// SPDX-License-Identifier: MIT
// bessel_y0(x), bessel_y1(x), bessel_yn(n, x), bessel_yv(v, x)
#pragma once

#include <treadle-bessel-orders.cl>
