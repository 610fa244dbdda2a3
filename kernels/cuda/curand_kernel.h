// SPDX-License-Identifier: MIT
// Random numbers inside kernels, with the names and the sequences of cuRAND's device interface, written from the
// published algorithms. The generators of the host interface that need tables of the library (MTGP32, and discrete
// distributions but Poisson's) are not here.
#pragma once

#include "treadle/curand_poisson.h"

#define CURAND_2POW32_INV (2.3283064365386963e-10f)
#define CURAND_2POW32_INV_DOUBLE (2.3283064365386963e-10)
#define CURAND_2POW53_INV_DOUBLE (1.1102230246251565e-16)
