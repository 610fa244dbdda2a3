// SPDX-License-Identifier: MIT
// Nothing in it is known to device code.
#pragma once
