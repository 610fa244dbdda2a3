// SPDX-License-Identifier: MIT
// What the sanitizers are told in every test program, however it is started. Linked in by
// treadle_test() when TREADLE_SANITIZE is set; ASAN_OPTIONS still overrides each word of it.

// A library opened at run time (NVRTC) has thread-local storage that the dynamic linker allocates.
// The runtime of GCC 12 guesses its size from its address: a block that starts 16 bytes into a page
// is taken to follow a header of an older glibc, and the search for leaks then reads from whatever
// stands there ("Tracer caught signal 11: addr=0x1200"). Which address it gets depends on how much
// was allocated before, so a test fails on one machine and never on another. Without the guess
// nothing is lost: LeakSanitizer keeps what the dynamic linker allocated alive by itself
// (use_ld_allocations).
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() {
  return "intercept_tls_get_addr=0";
}

// Not ours to free: PoCL and its LLVM keep what they made until the process ends, and for good what
// waits for a user event that never ends (references we hold to its objects are counted by the
// tests, opencl/fault_table.hpp); what a kernel took with malloc() stays when the kernel is ended;
// VkFFT's generator does not free names of registers that it exchanges, 7 KiB of a plan.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
  return "leak:libpocl\n"
         "leak:libLLVM\n"
         "leak:PfAllocateContainerFlexible\n"
         "leak:cuda_cpu/runtime/services.cpp\n";
}
