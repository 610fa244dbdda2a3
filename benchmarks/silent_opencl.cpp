// SPDX-License-Identifier: MIT
// OpenCL, but kernels are enqueued nowhere: what is left of an enqueue's time is what is above
// OpenCL. All other entry points are those of the real loader, which this library needs.
#include <dlfcn.h>

#include <cstddef>

namespace {

int made_event;  // its address is every event

void* event() { return &made_event; }

}  // namespace

#define SILENT extern "C" __attribute__((visibility("default"))) int

SILENT clSetKernelArg(void*, unsigned, std::size_t, const void*) { return 0; }

SILENT clEnqueueNDRangeKernel(void*, void*, unsigned, const std::size_t*, const std::size_t*,
                              const std::size_t*, unsigned, void* const*, void** made) {
  if (made != nullptr) *made = event();
  return 0;
}

SILENT clReleaseEvent(void* released) {
  using Release = int (*)(void*);
  static const auto release = reinterpret_cast<Release>(dlsym(RTLD_NEXT, "clReleaseEvent"));
  return released == event() ? 0 : release(released);
}
