// SPDX-License-Identifier: MIT
// Everything a C++ program uses, in one include.
#pragma once

#include "treadle/base/dtype.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/module_image.hpp"
#include "treadle/base/settings.hpp"
#include "treadle/base/warning.hpp"
#include "treadle/compile/cache.hpp"
#include "treadle/compile/cached.hpp"
#include "treadle/compile/program.hpp"
#include "treadle/compile/toolchain.hpp"
#include "treadle/cuda/context.hpp"
#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/device.hpp"
#include "treadle/cuda/driver.hpp"
#include "treadle/cuda/error.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/function.hpp"
#include "treadle/cuda/launch.hpp"
#include "treadle/cuda/memory.hpp"
#include "treadle/cuda/module.hpp"
#include "treadle/cuda/stream.hpp"
