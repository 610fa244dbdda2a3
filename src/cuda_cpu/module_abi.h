// SPDX-License-Identifier: MIT
// The contract between libtreadle_clang, which writes modules, and libtreadle_cpu, which loads
// them. A module image is ModuleHeader and its note (base/cpu_module_header.hpp), then a
// position-independent ELF shared object of `payload_size` bytes that exports one symbol,
// `treadle_module_v1`, a ModuleDescriptor. Plain C layout: compiled code fills it in.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu_module_header.hpp"

struct __treadle_texture;

namespace treadle::cuda_cpu {

/// Four channels of 32 bits: floats or integers. In a vector register across calls.
typedef unsigned TexelWords __attribute__((vector_size(16)));

inline constexpr const char* module_symbol = "treadle_module_v1";

inline constexpr char object_magic[8] = {'T', 'R', 'D', 'L', 'O', 'B', 'J', '1'};

/// First bytes of an object, which a compile with `-rdc=true` gives: code that may refer to other
/// objects and is no module before it is linked. What follows is the compiler's own.
struct ObjectHeader {
  char magic[8];
  std::uint32_t abi_version;   ///< module_abi_version
  std::uint32_t header_size;   ///< sizeof(ObjectHeader)
  std::uint64_t payload_size;  ///< bytes that follow, to the end of the object
  std::uint64_t digest[2];     ///< XXH3-128 of the payload: low64, high64
};

/// An object as `treadle_clang_link` takes it; it lives as long as the call.
struct LinkInput {
  const char* name;   ///< for messages
  const void* bytes;  ///< ObjectHeader and what follows
  std::uint64_t size;
};
/// Called once with the image, if there is one, and once with what the linker said, if anything.
using TakeLinked = void (*)(void* receiver, bool is_image, const char* bytes, std::size_t size);
/// What libtreadle_clang exports as `treadle_clang_link`: makes one module image of objects. 0, or
/// what it said is why not. Any thread.
using LinkObjects = int (*)(const LinkInput* inputs, std::size_t count, void* receiver,
                            TakeLinked take);
inline constexpr const char* link_objects_symbol = "treadle_clang_link";

/// What a thread of a kernel sees. One per worker; laid out for generated code, which reads it by
/// offset.
struct BlockContext {
  std::uint32_t thread_index[4];  ///< written per thread only for code that is not inlined
                                  ///< (recursion, pointers)
  std::uint32_t block_index[3];
  std::uint32_t blocks_in_row;  ///< that `run` shall run together, from block_index on along x; it
                                ///< leaves the last one's index there. 1 but for kernels with
                                ///< kernel_runs_block_rows
  std::uint32_t block_size[4];
  std::uint32_t grid_size[4];
  std::byte* shared;  ///< static shared memory, then dynamic; 64-byte aligned
  std::uint32_t dynamic_shared_offset;
  std::uint32_t thread_count;  ///< threads in the block
  std::byte* uniform_frame;    ///< values live across a barrier that all threads share;
                               ///< uniform_frame_size bytes
  std::byte*
      varying_frame;  ///< the per-thread ones, structure of arrays: thread_count padded to 64 each
  std::byte* local_memory;  ///< per-thread arrays that live across a barrier: local_size bytes each
  std::uint8_t* state;      ///< per thread: the region to run next, or region_exited
  std::uint8_t*
      selected;  ///< per thread: the region released by the scheduler, for the masked drivers
  const struct Services* services;  ///< never null
  void* launch;                     ///< the runtime's own launch record
  std::uint32_t* warp_masks;  ///< per thread: before a named_warp or converge barrier the lanes it
                              ///< names, behind it those that met; before a tile barrier its size
  std::uint32_t cooperative;  ///< 1: the threads of the grid may meet
  std::uint32_t shared_size;  ///< bytes behind `shared`
  std::uint64_t local_size;   ///< bytes behind `local_memory`
  const void* stack;          ///< other local variables lie below it
  void* checks;  ///< the runtime's own: what it knows of a block of a cooperative launch; or null
  std::uint32_t runs_of_rows;  ///< RunsOfRows of the region that is running
};

/// thread_index[0] while compiled code has not said which thread it runs.
inline constexpr std::uint32_t thread_unknown = 0xffffffff;

/// Which threads of a row run together, where it is not all of them.
enum RunsOfRows : std::uint32_t {
  runs_selected = 1,  ///< neighbours that `selected` names; no others run
  runs_in_order = 2   ///< set by compiled code: neighbours whose indices are consecutive
};

/// Of a grid, along z too. Compiled code relies on it.
inline constexpr std::uint32_t max_blocks_along_y = 65535;
inline constexpr std::uint8_t region_exited = 255;
inline constexpr std::uint8_t region_held = 254;
inline constexpr unsigned max_regions = 250;

enum CheckFlags : std::uint32_t {
  check_writes = 1,  ///< the access writes; an atomic one reads as well
  check_atomic = 2,
  check_memory = 16,  ///< which checks are asked for
  check_race = 32,
  check_init = 64,
  check_sync = 128,
  object_local = 256,   ///< the access is to an array of the thread's own
  object_shared = 512,  ///< to shared memory
  copies = 1024,        ///< what is read goes elsewhere as it is, padding included
  check_volatile = 2048,
  check_acquires = 4096,    ///< no access: an atomic or volatile one has read
  check_stored = 8192,      ///< behind the access is one of check_is_stored
  check_is_stored = 16384,  ///< no access: one has written
  check_order = 32768       ///< asked for, too: order_record.hpp
};
/// An access, or a barrier, of a kernel that was compiled with checks.
struct CheckedAccess {
  const char* place;          ///< "kernel.cu:7"
  const char* object;         ///< name of the variable; null where it is not known
  std::uint64_t object_size;  ///< bytes; 0 where it is not known
  std::uint32_t flags;        ///< CheckFlags
  std::uint32_t align;        ///< bytes the address must be a multiple of
};
enum class CheckedStep : std::uint32_t {
  start,
  arrive,
  behind_block_barrier,
  behind_warp_barrier,
  behind_some_threads,  ///< of a tile, or whoever this thread waited for in a loop
  behind_grid_barrier,  ///< and so behind one of the block
  fence                 ///< what was written is visible to who sees what is written next
};

/// What all threads of a row do at one place: an access, or a step where `access` is of a barrier.
struct RowAccess {
  const CheckedAccess* access;
  std::uint64_t size;    ///< bytes; 0: a step
  std::int64_t stride;   ///< bytes from thread to thread
  CheckedStep step;      ///< which, if it is one
  std::uint32_t ignore;  ///< CheckFlags that need not be looked at
};
/// One call answers for so many, and looks at each pair of them.
inline constexpr std::size_t most_row_accesses = 24;
/// Where it is done: by the threads [begin, end) of the row, or of each row.
struct RowPlace {
  std::uintptr_t address;  ///< of thread `begin`
  std::uintptr_t base;     ///< of the variable, as for check_access
  std::uint32_t begin, end;
  std::int64_t pitch;  ///< bytes from one row to the next, where there are several
};

/// Run-time services generated code may call. Filled by the run-time before the first launch,
/// through the module's exported variable `treadle_services` (a `const Services*`).
struct Services {
  std::uint32_t size;                     ///< sizeof(Services)
  BlockContext* (*current)();             ///< the calling worker's context
  int (*print)(const char* format, ...);  ///< device printf; returns the number of arguments
  void (*assert_failed)(const char* message, const char* file, unsigned line,
                        const char* function);  ///< does not return
  void (*trap)();                               ///< does not return
  void* (*allocate)(
      std::size_t size_bytes);  ///< device malloc; null when the heap limit is reached
  void (*release)(void* pointer);
  long long (*clock)();  ///< nanoseconds, monotonic
  void (*check_access)(const void* address, std::uint64_t size, const void* base,
                       const CheckedAccess* access);  ///< kernel_checks.hpp
  void (*check_step)(std::uint32_t step, const CheckedAccess* place);
  /// Of a thread that has a fiber: it waits at a barrier. `place` tells barriers of the text apart.
  void (*meet)(BlockContext* block, std::uint32_t kind, std::uint32_t place);
  /// The next neighbours of a row, from x == `from` on, as `runs_of_rows` asks: x of the first, and
  /// behind the last in the upper half; blockDim.x for the first if there are none. `row` is the
  /// number in the block of the row's first thread, whose index is the first of `indices`, of 4 or
  /// 8 bytes each.
  std::uint64_t (*next_run)(const BlockContext* block, std::uint32_t region, std::uint32_t row,
                            std::uint32_t from, const void* indices, std::uint32_t index_bytes);
  /// A texture fetch that is not inlined; texture.hpp.
  TexelWords (*sample_texture)(const __treadle_texture* texture, unsigned fetch, float x, float y,
                               float z, int layer, float level);
  /// Where the calling thread keeps the end of its local stack, which grows down.
  void** (*local_stack)();
  /// Keeps the arguments of a kernel that the calling thread is about to launch.
  void (*stage_launch)(const struct Kernel* kernel, const void* arguments, std::uint64_t size);
  /// What the device run-time has; the answer is one of its errors. device_runtime.hpp
  int (*runtime_call)(std::uint32_t what, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                      std::uint64_t d, std::uint64_t e);
  /// `count` accesses and steps of neighbouring threads, in the order of the text; the number in
  /// the block of the row's first is `thread`. 1: all are allowed and are noted now. 0: each
  /// thread has to ask by itself. So do several `rows`, each of all threads along x that the block
  /// has, between which y changes, or, if `thread` is thread_unknown, x of the block.
  std::uint32_t (*check_row)(BlockContext* block, const RowAccess* accesses, const RowPlace* places,
                             std::uint32_t count, std::uint32_t thread, std::uint32_t rows);
};

/// What a kernel asks of the device run-time; kernels/cuda_cpu/treadle/launches.h numbers them,
/// too.
enum class RuntimeCall : std::uint32_t {
  launch,  ///< grid and block, two numbers in each argument, shared memory, stream
  synchronize,
  take_error,
  peek_error,
  create_stream,  ///< where the handle goes, flags
  destroy_stream,
  create_event,  ///< where the handle goes, flags
  destroy_event,
  record_event,  ///< event, stream
  wait_event,    ///< stream, event
};

/// Runs one block (barrier-free kernels) or one region of a block, for all its threads.
using BlockFunction = void (*)(void** arguments, BlockContext* context);

enum class ParameterKind : std::uint32_t { value = 0, pointer = 1, structure = 2 };
struct ParameterRecord {
  const char* name;           ///< from the source; may be empty
  const char* type;           ///< as the source spells it; may be empty
  std::uint32_t kind;         ///< ParameterKind
  std::uint32_t size, align;  ///< bytes
  std::uint32_t offset;       ///< in CUDA's packed parameter buffer
};

/// Whom a barrier waits for; region_scheduler.cpp has the rules.
enum class BarrierKind : std::uint8_t {
  scheduling = 0,
  block = 1,
  named_warp = 3,  ///< the lanes of warp_masks[thread]
  whole_warp = 4,  ///< all 32 lanes: a named_warp barrier that needs no mask in memory
  converge = 5,    ///< whoever of the warp comes this way; warp_masks says who did
  grid = 6,        ///< all threads of a cooperative launch
  tile = 7         ///< warp_masks[thread] neighbouring threads, a power of two above 32
};
/// A stretch of a kernel between barriers. Region 0 starts the kernel; region r > 0 follows barrier
/// r.
struct Region {
  BlockFunction run_all;       ///< every thread of the block
  BlockFunction run_selected;  ///< threads t with selected[t] == this region's number; null: those
                               ///< run by run_all and runs_selected, which leaves no note in
                               ///< `state` where all of them go the same way, or only in the first
  std::int32_t
      only_successor;    ///< region every thread goes to next, region_exited, or -1: read `state`
  std::uint8_t barrier;  ///< BarrierKind of the barrier in front of it
  std::uint8_t uniform_exit;  ///< 1: all threads of the block leave to the same region
  std::uint8_t reserved[2];
};

enum KernelFlags : std::uint32_t {
  kernel_uses_dynamic_shared = 1,
  kernel_has_barrier = 2,  ///< `regions` holds the code; otherwise `run`
  kernel_has_steps = 16,   ///< `run` and `regions` both hold it: see runs_regions
  kernel_assumes_small_index =
      4,                     ///< built on blockIdx * blockDim + threadIdx < 2^31; refused beyond
  kernel_may_run_long = 8,   ///< has a loop whose end the compiler cannot tell
  kernel_notes_writes = 32,  ///< compiled with the check `init`
  kernel_time_by_arguments = 64,  ///< but the same numbers among its arguments take as long again
  // 128 is set in modules that older compilers made; it means nothing now.
  kernel_runs_block_rows = 256,  ///< `run` heeds blocks_in_row
  kernel_is_deferred = 512,      ///< has no code yet: see ModuleDescriptor::deferred
  kernel_checks_races = 1024,    ///< compiled with the check `race`
  kernel_checks_order = 2048     ///< compiled with the check `determinism`; has a `thread`
};
struct Kernel {
  const char* name;       ///< symbol, as cuModuleGetFunction looks it up
  const char* signature;  ///< demangled, for error texts
  BlockFunction run;      ///< whole block; null when kernel_has_barrier
  const Region* regions;
  const ParameterRecord* parameters;
  std::uint32_t region_count, parameter_count;
  std::uint32_t flags;            ///< KernelFlags
  std::uint32_t max_threads;      ///< of __launch_bounds__; 0: the device's limit
  std::uint64_t parameter_bytes;  ///< size of the packed parameter buffer
  std::uint64_t static_shared;    ///< bytes of the program's static __shared__ memory
  std::uint64_t
      exchange_shared;  ///< bytes between that and the dynamic part: warp operations, padding
  std::uint64_t uniform_frame_size, varying_frame_size;  ///< the latter per thread
  std::uint64_t local_size;     ///< bytes per thread of arrays kept in local_memory
  std::uint64_t constant_size;  ///< bytes of user __constant__ memory in the module
  BlockFunction thread;  ///< the one thread that thread_index names, from its start to its end;
                         ///< null unless the module was compiled with --treadle-fibers or
                         ///< the check `determinism`
};

struct Global {
  const char* name;
  void* address;  ///< in a module of one deferred kernel: of the pointer that the run-time sets to
                  ///< the variable of that name in the module that the kernel is from
  std::uint64_t size;
};

/// What a module counts, compiled with --treadle-coverage.
struct CountedPlaces {
  const char* map;  ///< CoverageMap of process/coverage_map.hpp, encoded
  std::uint64_t map_size, counter_count;
  std::uint64_t** counters;  ///< where the run-time stores where to count
};

struct ModuleDescriptor {
  std::uint32_t abi_version, size;  ///< module_abi_version, sizeof(ModuleDescriptor)
  std::uint32_t kernel_count, global_count;
  const Kernel* kernels;
  const Global* globals;
  const Services** services;  ///< where the run-time stores its table
  /// Of kernels with kernel_is_deferred, for the compiler's treadle_clang_compile_kernel, which
  /// makes a module of one of them.
  const char* deferred;
  const char* deferred_arguments;
  std::uint64_t deferred_size, deferred_arguments_size;  ///< bytes
  const CountedPlaces* counted_places;
  std::uint64_t counted_places_count;
};

/// `treadle_clang_compile_kernel`: calls `take` once, with a module image (returns 0) or with the
/// reason why there is none. Thread-safe.
using CompileKernel = int (*)(const ModuleDescriptor* module, const char* kernel,
                              void (*take)(void* receiver, const char* bytes, std::size_t size),
                              void* receiver);

}  // namespace treadle::cuda_cpu
