// SPDX-License-Identifier: MIT
// `bool` is C++'s own.
#pragma once
