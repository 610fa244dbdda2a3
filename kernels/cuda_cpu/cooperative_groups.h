// SPDX-License-Identifier: MIT
// Groups of threads by name: the block, tiles of a warp, threads that came the same way, the grid.
#pragma once

#include "treadle/thread_groups.h"
//
#include "treadle/warp_groups.h"
//
#include "treadle/block_tiles.h"
