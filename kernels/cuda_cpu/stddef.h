// SPDX-License-Identifier: MIT
// What this header declares is part of the prelude.
#pragma once

#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
