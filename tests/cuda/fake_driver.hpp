// SPDX-License-Identifier: MIT
// A driver made of recording functions: contexts, a current-context stack per thread and memory on
// the host, enough to see what the shell asks of a driver without having one.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "treadle/cuda/device.hpp"
#include "treadle/cuda/launch.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda::fake {

struct Kernel {
  std::string symbol;
  std::vector<std::pair<std::size_t, std::size_t>> parameters;  ///< offset, size
  std::vector<std::string> parameter_names = {};
};

struct Launch {
  std::string symbol;
  Dim3 grid, block;
  unsigned shared_bytes;
  RawStream stream;
  std::vector<std::vector<std::byte>> arguments;  ///< one for each parameter
  std::vector<std::byte> packed;                  ///< of launches by buffer
  bool cooperative = false;
};

/// What the fake was asked and what it shall answer. One for the process; reset() before each test.
struct State {
  std::vector<std::string> calls;        ///< "cuCtxPushCurrent(1)", contexts by number
  std::map<std::string, int> fail_next;  ///< entry point -> code its next call answers with
  int entered = 0;                       ///< calls so far
  int fail_call = 0;                     ///< the call with this number, from 1, answers fail_code
  int fail_code = 0;
  std::vector<Kernel> kernels;  ///< of every module
  std::vector<Launch> launches;
  int contexts_made = 0;
  int primary_references = 0;
  std::map<const void*, std::unique_ptr<std::byte[]>> allocations;  ///< that were not freed
  std::string fault;
  int streams_made = 0;
  unsigned long long textures_made = 0;                     ///< and surfaces
  std::map<std::string, std::vector<std::byte>> variables;  ///< of every module, beside "table"

  int live_allocations() const { return static_cast<int>(allocations.size()); }
  /// How often an entry point was called.
  int count(const std::string& name) const;
};

State& state();
/// Forgets everything, the calling thread's driver stack too.
void reset();
/// A table of all that the fake can do; entry points it lacks are absent.
std::shared_ptr<Table> make_table();
/// The driver of one such table, the same for every call.
Driver driver();
Device device();
/// The calling thread's stack as the driver has it, by number, last on top.
std::vector<int> driver_stack();
/// Makes a context current as another library would.
void set_current_foreign(RawContext raw);
/// The number of a context: 1, 2, ... in the order they were made.
int number_of(RawContext raw);
/// Collects warnings until its end.
class Warnings {
 public:
  Warnings();
  ~Warnings();
  std::vector<std::string> texts() const;

 private:
  struct Store;
  std::shared_ptr<Store> store_;
};

}  // namespace treadle::cuda::fake
