// SPDX-License-Identifier: MIT
// What this header declares is part of the prelude.
#pragma once
