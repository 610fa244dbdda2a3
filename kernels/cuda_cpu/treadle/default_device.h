// SPDX-License-Identifier: MIT
// Read first under --device-as-default-execution-space: functions without a qualifier run on the device.
#pragma once
#pragma clang force_cuda_host_device begin
