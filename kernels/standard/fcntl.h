// SPDX-License-Identifier: MIT
#pragma once
#include "treadle/host_types.h"
