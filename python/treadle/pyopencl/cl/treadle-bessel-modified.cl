// SPDX-License-Identifier: MIT
// bessel_iv(v, x), bessel_kv(v, x)
#pragma once

#include <treadle-bessel-orders.cl>
