// SPDX-License-Identifier: MIT
// A module as the compiler would write it, by hand: one function per kernel or region, and the
// descriptor.
#include <unistd.h>

#include <cmath>
#include <cstdint>

#include "cuda_cpu/module_abi.h"
#include "cuda_cpu/runtime/barrier_kernels.hpp"

using namespace treadle::cuda_cpu;

namespace {

const Services* services = nullptr;

std::uint64_t block_number(const BlockContext* b) {
  return b->block_index[0] +
         std::uint64_t{b->grid_size[0]} *
             (b->block_index[1] + std::uint64_t{b->grid_size[1]} * b->block_index[2]);
}

/// Calls body(x, y, z) for each thread of the block.
template <class Body>
void each_thread(BlockContext* b, Body&& body) {
  for (std::uint32_t z = 0; z < b->block_size[2]; ++z)
    for (std::uint32_t y = 0; y < b->block_size[1]; ++y)
      for (std::uint32_t x = 0; x < b->block_size[0]; ++x) body(x, y, z);
}

bool wait_for(volatile int* flag, long long nanoseconds) {
  const long long end = services->clock() + nanoseconds;
  while (*flag == 0)
    if (services->clock() > end) return false;
  return true;
}

// ---- barrier-free kernels

void empty(void**, BlockContext*) {}

void saxpy(void** a, BlockContext* b) {  // (float a, const float* x, float* y, int n)
  const float factor = argument<float>(a, 0);
  const float* x = argument<const float*>(a, 1);
  float* y = argument<float*>(a, 2);
  const int n = argument<int>(a, 3);
  const int first = static_cast<int>(b->block_index[0] * b->block_size[0]);
  for (int t = 0; t < static_cast<int>(b->block_size[0]); ++t)
    if (first + t < n) y[first + t] += factor * x[first + t];
}

void count_blocks(void** a, BlockContext* b) {  // (int* visits): one per block and thread
  int* visits = argument<int*>(a, 0);
  const std::uint64_t threads = b->thread_count;
  std::uint64_t t = block_number(b) * threads;
  each_thread(b, [&](std::uint32_t, std::uint32_t, std::uint32_t) { ++visits[t++]; });
}

/// (int* visits, int* most): the same, and the most blocks that one call ran.
void count_block_rows(void** a, BlockContext* b) {
  const std::uint32_t count = b->blocks_in_row, first = b->block_index[0];
  for (std::uint32_t i = 0; i < count; ++i) {
    b->block_index[0] = first + i;
    count_blocks(a, b);
  }
  int* most = argument<int*>(a, 1);
  for (int now = __atomic_load_n(most, __ATOMIC_RELAXED); now < static_cast<int>(count);)
    if (__atomic_compare_exchange_n(most, &now, static_cast<int>(count), false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      break;
}

void spin(void** a, BlockContext*) {  // (unsigned milliseconds, int* done)
  const long long end = services->clock() + argument<unsigned>(a, 0) * 1'000'000ll;
  while (services->clock() < end) {
  }
  if (int* done = argument<int*>(a, 1)) *done = 1;
}

/// ThreadSanitizer holds signals back until the thread calls the C library: a loop that never does
/// could not be ended under it.
void let_signals_through() {
#ifdef TREADLE_TEST_THREAD_SANITIZER
  usleep(1);
#endif
}

void endless(void** a, BlockContext*) {  // (int* started)
  for (volatile int* started = argument<int*>(a, 0);; let_signals_through()) *started = 1;
}

void allocate_for_ever(void** a, BlockContext*) {  // (int* started)
  for (volatile int* started = argument<int*>(a, 0);;) {
    services->release(services->allocate(64));
    *started = 1;
  }
}

void handshake(void** a,
               BlockContext*) {  // (int* mine, int* other, int* met): true if both run at a time
  *argument<volatile int*>(a, 0) = 1;
  *argument<int*>(a, 2) = wait_for(argument<volatile int*>(a, 1), 5'000'000'000ll) ? 1 : 0;
}

void wait_flag(void** a, BlockContext*) {  // (int* flag, int* copy_to, int value)
  wait_for(argument<volatile int*>(a, 0), 5'000'000'000ll);
  *argument<volatile int*>(a, 1) = argument<int>(a, 2);
}

void note_thread(void** a, BlockContext*) { *argument<int*>(a, 0) = gettid(); }
void set_flag(void** a, BlockContext*) { *argument<volatile int*>(a, 0) = argument<int>(a, 1); }

void append(void** a, BlockContext*) {  // (int* list): list[0] counts, then the values
  int* list = argument<int*>(a, 0);
  list[++list[0]] = argument<int>(a, 1);
}

void wait_for_previous_block(void** a,
                             BlockContext* b) {  // (int* done): legal, as blocks start in order
  volatile int* done = argument<volatile int*>(a, 0);
  const std::uint64_t me = block_number(b);
  if (me > 0) wait_for(done + me - 1, 5'000'000'000ll);
  done[me] = 1;
}

struct Mixed {
  char tag;
  double value;
  std::int16_t small;
};
void mixed_arguments(void** a, BlockContext*) {  // (char, double, struct, short, double* out)
  double* out = argument<double*>(a, 4);
  out[0] = argument<char>(a, 0);
  out[1] = argument<double>(a, 1);
  out[2] = argument<Mixed>(a, 2).tag;
  out[3] = argument<Mixed>(a, 2).value;
  out[4] = argument<Mixed>(a, 2).small;
  out[5] = argument<std::int16_t>(a, 3);
}

void shared_address(void** a, BlockContext* b) {  // (std::byte** out)
  *argument<std::byte**>(a, 0) = b->shared;
}

void dynamic_shared(void** a, BlockContext* b) {  // (unsigned bytes, int* out)
  volatile std::byte* bytes = b->shared + b->dynamic_shared_offset;
  const unsigned size = argument<unsigned>(a, 0);
  for (unsigned i = 0; i < size; ++i) bytes[i] = std::byte{1};
  int sum = 0;
  for (unsigned i = 0; i < size; ++i) sum += static_cast<int>(bytes[i]);
  *argument<int*>(a, 1) = sum;
}

int counter = 41;
double table[4] = {1, 2, 3, 4};
void use_globals(void**, BlockContext*) {
  ++counter;
  table[3] = 2 * table[0];
}

// ---- kernels that go wrong

void write_to(void** a,
              BlockContext* b) {  // (int* where, unsigned block): writes in one block only
  if (b->block_index[0] != argument<unsigned>(a, 1)) return;
  b->thread_index[0] = 3;
  b->thread_index[1] = b->thread_index[2] = 0;
  *argument<volatile int*>(a, 0) = 1;
}

__attribute__((noinline)) int recurse_without_end(volatile int* depth) {
  volatile char frame[128];
  frame[*depth & 127] = static_cast<char>(*depth);
  *depth = *depth + 1;
  const int below = *depth < 0 ? 0 : recurse_without_end(depth);
  return below + frame[0];
}
void recurse(void**, BlockContext*) {
  volatile int depth = 0;
  recurse_without_end(&depth);
}

void read_from(void** a, BlockContext* b) {  // (const int* from, int by_block, int* out)
  b->thread_index[0] = 1;
  b->thread_index[1] = b->thread_index[2] = 0;
  *argument<int*>(a, 2) = *argument<volatile int*>(a, 0);
}

void write_vector(void** a, BlockContext*) {  // (float4* to, int index): as float4 is written
  using Vector = float __attribute__((vector_size(16)));
  *(argument<Vector*>(a, 0) + argument<int>(a, 1)) = Vector{1, 2, 3, 4};
}

void divide(void** a, BlockContext*) {
  volatile int zero = argument<int>(a, 0);
  volatile int result = 100 / zero;
  (void)result;
}

void trap(void**, BlockContext*) { services->trap(); }
void fail_assert(void**, BlockContext* b) {
  b->thread_index[0] = 1;
  b->thread_index[1] = 2;
  b->thread_index[2] = 0;
  services->assert_failed("n > 0", "kernel.cu", 7, "void f(int)");
}

// ---- services

void print_block(void**, BlockContext* b) {
  services->print("block %u of %u: %s %lld\n", b->block_index[0], b->grid_size[0], "ok", -1ll);
}
void allocate(void** a, BlockContext*) {  // (unsigned long bytes, int* got)
  void* block = services->allocate(argument<std::size_t>(a, 0));
  *argument<int*>(a, 1) = block != nullptr ? 1 : 0;
  services->release(block);
}
void allocate_and_keep(void** a, BlockContext*) {  // (unsigned long bytes, char** where)
  auto* const block = static_cast<char*>(services->allocate(argument<std::size_t>(a, 0)));
  if (block != nullptr)
    for (std::size_t i = 0; i < argument<std::size_t>(a, 0); ++i) block[i] = 1;
  *argument<char**>(a, 1) = block;
}
void release_it(void** a, BlockContext*) {  // (char** where)
  services->release(*argument<char**>(a, 0));
}
void current_is_mine(void** a, BlockContext* b) {
  *argument<int*>(a, 0) = services->current() == b ? 1 : 0;
}

// ---- the descriptor

constexpr auto value = static_cast<std::uint32_t>(ParameterKind::value);
constexpr auto pointer = static_cast<std::uint32_t>(ParameterKind::pointer);
constexpr auto structure = static_cast<std::uint32_t>(ParameterKind::structure);

const ParameterRecord saxpy_parameters[] = {{"a", "float", value, 4, 4, 0},
                                            {"x", "const float*", pointer, 8, 8, 8},
                                            {"y", "float*", pointer, 8, 8, 16},
                                            {"n", "int", value, 4, 4, 24}};
const ParameterRecord one_pointer[] = {{"out", "int*", pointer, 8, 8, 0}};
const ParameterRecord one_number[] = {{"number", "int", value, 4, 4, 0}};
const ParameterRecord two_pointers[] = {{"in", "const int*", pointer, 8, 8, 0},
                                        {"out", "int*", pointer, 8, 8, 8}};
const ParameterRecord three_pointers[] = {{"p", "int*", pointer, 8, 8, 0},
                                          {"q", "int*", pointer, 8, 8, 8},
                                          {"r", "int*", pointer, 8, 8, 16}};
const ParameterRecord flag_parameters[] = {{"flag", "int*", pointer, 8, 8, 0},
                                           {"to", "int*", pointer, 8, 8, 8},
                                           {"value", "int", value, 4, 4, 16}};
const ParameterRecord number_and_pointer[] = {{"number", "unsigned", value, 4, 4, 0},
                                              {"out", "int*", pointer, 8, 8, 8}};
const ParameterRecord pointer_and_number[] = {{"out", "int*", pointer, 8, 8, 0},
                                              {"number", "int", value, 4, 4, 8}};
const ParameterRecord size_and_pointer[] = {{"size", "unsigned long", value, 8, 8, 0},
                                            {"out", "int*", pointer, 8, 8, 8}};
const ParameterRecord mixed_parameters[] = {{"tag", "char", value, 1, 1, 0},
                                            {"d", "double", value, 8, 8, 8},
                                            {"m", "Mixed", structure, sizeof(Mixed), 8, 16},
                                            {"s", "short", value, 2, 2, 40},
                                            {"out", "double*", pointer, 8, 8, 48}};

template <std::size_t count>
constexpr Kernel plain(const char* name, BlockFunction run,
                       const ParameterRecord (&parameters)[count], std::uint64_t bytes) {
  Kernel kernel{};
  kernel.name = name;
  kernel.signature = name;
  kernel.run = run;
  kernel.parameters = parameters;
  kernel.parameter_count = count;
  kernel.parameter_bytes = bytes;
  return kernel;
}
constexpr Kernel plain(const char* name, BlockFunction run) {
  Kernel kernel{};
  kernel.name = name;
  kernel.signature = name;
  kernel.run = run;
  return kernel;
}
template <const auto& regions>
constexpr Kernel in_regions(Kernel kernel) {
  kernel.run = nullptr;
  kernel.regions = regions;
  kernel.region_count = sizeof regions / sizeof *regions;
  kernel.thread = for_one<regions>;
  kernel.flags |= kernel_has_barrier;
  kernel.uniform_frame_size = 64;
  kernel.varying_frame_size = 16;
  kernel.local_size = 64;
  return kernel;
}
constexpr Kernel with(Kernel kernel, std::uint32_t flags, std::uint64_t static_shared,
                      std::uint32_t max_threads = 0) {
  kernel.flags |= flags;
  kernel.static_shared = static_shared;
  kernel.max_threads = max_threads;
  return kernel;
}

const Kernel kernels[] = {
    plain("empty", empty),
    plain("saxpy", saxpy, saxpy_parameters, 28),
    plain("count_blocks", count_blocks, one_pointer, 8),
    plain("spin", spin, number_and_pointer, 16),
    plain("endless", endless, one_pointer, 8),
    plain("allocate_for_ever", allocate_for_ever, one_pointer, 8),
    plain("handshake", handshake, three_pointers, 24),
    with(plain("wait_flag", wait_flag, flag_parameters, 20), kernel_may_run_long, 0),
    plain("set_flag", set_flag, pointer_and_number, 12),
    with(plain("note_thread", note_thread, pointer_and_number, 12),
         kernel_may_run_long | kernel_time_by_arguments, 0),
    plain("append", append, pointer_and_number, 12),
    plain("wait_for_previous_block", wait_for_previous_block, one_pointer, 8),
    plain("mixed_arguments", mixed_arguments, mixed_parameters, 56),
    with(plain("dynamic_shared", dynamic_shared, number_and_pointer, 16),
         kernel_uses_dynamic_shared, 64),
    with(plain("shared_address", shared_address, one_pointer, 8), 0, 64),
    plain("use_globals", use_globals),
    plain("write_to", write_to, pointer_and_number, 12),
    plain("read_from", read_from, flag_parameters, 20),
    plain("write_vector", write_vector, pointer_and_number, 12),
    plain("recurse", recurse),
    plain("divide", divide, one_number, 4),
    plain("trap", trap),
    plain("fail_assert", fail_assert),
    plain("print_block", print_block),
    plain("allocate", allocate, size_and_pointer, 16),
    plain("allocate_and_keep", allocate_and_keep, size_and_pointer, 16),
    plain("release_it", release_it, one_pointer, 8),
    plain("current_is_mine", current_is_mine, one_pointer, 8),
    with(in_regions<reverse_regions>(plain("reverse", nullptr, two_pointers, 16)), 0, 4096),
    with(in_regions<early_regions>(plain("early_return", nullptr, number_and_pointer, 16)), 0,
         4096),
    in_regions<warps_regions>(plain("warps", nullptr, one_pointer, 8)),
    in_regions<yield_regions>(plain("yield", nullptr, one_pointer, 8)),
    in_regions<halves_regions>(plain("halves", nullptr, one_pointer, 8)),
    in_regions<stray_regions>(plain("stray", nullptr, one_pointer, 8)),
    in_regions<tiles_regions>(plain("tiles", nullptr, one_pointer, 8)),
    in_regions<detour_regions>(plain("detour", nullptr, one_pointer, 8)),
    in_regions<grid_regions>(plain("grid", nullptr, two_pointers, 16)),
    in_regions<await_regions>(plain("await", nullptr, two_pointers, 16)),
    with(plain("at_most_64", empty), 0, 0, 64),
    with(plain("count_block_rows", count_block_rows, two_pointers, 16), kernel_runs_block_rows, 0),
    with(plain("small_index", empty), kernel_assumes_small_index, 0),
    with(plain("much_static_shared", empty), kernel_uses_dynamic_shared, 40u << 10),
};

const Global globals[] = {{"counter", &counter, sizeof counter}, {"table", &table, sizeof table}};

}  // namespace

extern "C" {
// Not const: the entry points of the tests that damage a descriptor write to their own copy of the
// library.
__attribute__((visibility("default"))) ModuleDescriptor treadle_module_v1 = {
    module_abi_version,
    sizeof(ModuleDescriptor),
    sizeof kernels / sizeof *kernels,
    sizeof globals / sizeof *globals,
    kernels,
    globals,
    &services,
    nullptr,
    nullptr,
    0,
    0,
    nullptr,
    0};
}
