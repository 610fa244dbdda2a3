// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "treadle/opencl/table.hpp"

namespace treadle::opencl {

/// In every child that is forked while this table lives, once any platform was asked for its table
/// (table.platform), its slots return forked_process. Destructors release nothing there.
void close_in_children(const std::shared_ptr<Table>& table);

}  // namespace treadle::opencl
