// SPDX-License-Identifier: MIT
// NVRTC or treadle/prelude.h declare all of it.
#pragma once
