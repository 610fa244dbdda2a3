// SPDX-License-Identifier: MIT
// What a CUDA C++ source finds without including anything, on the CPU device. Read before every source, mostly in
// precompiled form. Each header below stands for one subject; what needs the run-time goes through the marker
// functions `__treadle_*`, which the compiler's passes replace.
#pragma once

#include "treadle/qualifiers.h"
//
#include "treadle/scalar_types.h"
#include "treadle/numeric_macros.h"
#include "treadle/vector_types.h"
#include "treadle/indices.h"
#include "treadle/services.h"
#include "treadle/synchronization.h"
#include "treadle/atomics.h"
#include "treadle/atomic_builtins.h"
#include "treadle/math.h"
#include "treadle/math_overloads.h"
#include "treadle/math_special.h"
#include "treadle/rounding_intrinsics.h"
#include "treadle/integer_intrinsics.h"
#include "treadle/simd_in_word.h"
#include "treadle/conversions.h"
#include "treadle/loads_and_stores.h"
#include "treadle/warp.h"
#include "treadle/textures.h"
#include "treadle/surfaces.h"
#include "treadle/graph_conditions.h"
#include "treadle/absent.h"
#include <cstdint>
#include <initializer_list>
#include <limits>
