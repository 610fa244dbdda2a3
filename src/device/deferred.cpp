// SPDX-License-Identifier: MIT
#include "treadle/device/deferred.hpp"

namespace treadle::device {
namespace {

thread_local int leaving_scopes = 0, growing_scopes = 0;

}  // namespace

LeaveDeferred::LeaveDeferred() noexcept { ++leaving_scopes; }
LeaveDeferred::~LeaveDeferred() { --leaving_scopes; }
bool LeaveDeferred::is_active() noexcept { return leaving_scopes != 0; }

GrowAlone::GrowAlone() noexcept { ++growing_scopes; }
GrowAlone::~GrowAlone() { --growing_scopes; }
bool GrowAlone::is_active() noexcept { return growing_scopes != 0; }

}  // namespace treadle::device
