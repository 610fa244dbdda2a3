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

// PoCL 3.1 keeps what it allocated for commands that wait for a user event which never ends, as in
// the tests that let the call that would end it fail. References we hold to its objects are counted
// by the tests themselves (opencl/fault_table.hpp).
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
  return "leak:libpocl.so\n";
}
