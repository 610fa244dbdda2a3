// SPDX-License-Identifier: MIT
#include "treadle/library/curand.hpp"

#include <utility>
#include <vector>

#include "library/opening.hpp"
#include "library/symbols.hpp"
#include "library/vendor.hpp"
#include "treadle/base/error.hpp"
#include "treadle/library/search.hpp"

namespace treadle::library {
namespace {

constexpr const char* curand_off = "use treadle.random, whose kernels need no library";

constexpr StatusWord curand_words[] = {
    {100, "CURAND_STATUS_VERSION_MISMATCH", "another version than its header's", curand_off},
    {101, "CURAND_STATUS_NOT_INITIALIZED", "a generator that is none", curand_off},
    {102, "CURAND_STATUS_ALLOCATION_FAILED", "cuRAND got no memory", "free arrays", true},
    {103, "CURAND_STATUS_TYPE_ERROR", "the generator is of another kind", curand_off},
    {104, "CURAND_STATUS_OUT_OF_RANGE", "an argument out of range", curand_off},
    {105, "CURAND_STATUS_LENGTH_NOT_MULTIPLE", "a count that the generator cannot make",
     "normal numbers come in pairs: ask for an even count"},
    {106, "CURAND_STATUS_DOUBLE_PRECISION_REQUIRED", "this GPU has no float64", curand_off},
    {201, "CURAND_STATUS_LAUNCH_FAILURE", "the kernel could not be started",
     "synchronize before it: an earlier kernel may have failed"},
    {202, "CURAND_STATUS_PREEXISTING_FAILURE", "an earlier kernel failed",
     "synchronize before it to see which"},
    {203, "CURAND_STATUS_INITIALIZATION_FAILED", "cuRAND was not initialized", curand_off},
    {204, "CURAND_STATUS_ARCH_MISMATCH", "this GPU lacks what the routine needs", curand_off},
    {999, "CURAND_STATUS_INTERNAL_ERROR", "an error inside cuRAND", curand_off},
};

CurandTable curand_table(const SharedLibrary& library) {
  CurandTable table;
  std::vector<std::string> missing;
#define TREADLE_CURAND(member, exported, parameters) \
  if (!fill(table.member, library, exported)) missing.emplace_back(exported);
#include "treadle/library/curand.def"
  require_complete(library, std::move(missing), library_kind("curand").hint);
  return table;
}

}  // namespace

std::shared_ptr<const Curand> Curand::load(int cuda_version) {
  static const auto loaded =
      std::make_shared<const Curand>(open_library(library_kind("curand"), cuda_version));
  return loaded;
}

std::shared_ptr<const Curand> Curand::find(const cuda::Context& context) {
  return used_in<Curand>(context, [](auto library) { return library; });
}

Curand::Curand(SharedLibrary library)
    : table_(curand_table(library)),
      path_(library.path()),
      version_(version_text(table_.get_property)) {
  library.keep_loaded();
  watch_process_end();
}

void Curand::check(int status, const char* routine, const std::function<std::string()>& detail) {
  if (status != 0) raise_status(status, curand_words, routine, detail ? detail() : "");
}

CurandGenerator::CurandGenerator(std::shared_ptr<const Curand> library,
                                 const cuda::Context& context, CurandKind kind, std::uint64_t seed,
                                 std::uint64_t offset)
    : library_(std::move(library)), context_(context) {
  const cuda::Activation active(context_);
  const CurandTable& table = library_->table();
  Curand::check(table.create(&raw_, static_cast<int>(kind)), "curandCreateGenerator");
  try {
    Curand::check(table.set_seed(raw_, seed), "curandSetPseudoRandomGeneratorSeed");
    if (offset != 0) Curand::check(table.set_offset(raw_, offset), "curandSetGeneratorOffset");
  } catch (...) {
    table.destroy(raw_);
    throw;
  }
}

CurandGenerator::~CurandGenerator() {
  if (process_ends() || !context_.is_valid()) return;
  try {
    const cuda::Activation active(context_);
    library_->table().destroy(raw_);
  } catch (const Error&) {
    // The context has failed or is gone, and with it what the generator had there.
  }
}

void CurandGenerator::run(std::uint64_t stream, const char* routine, std::size_t count,
                          const std::function<int(const CurandTable&)>& generate) {
  const cuda::Activation active(context_);
  const CurandTable& table = library_->table();
  Curand::check(table.set_stream(raw_, pointer_of(stream)), "curandSetStream");
  Curand::check(generate(table), routine, [&] { return std::to_string(count) + " numbers"; });
}

void CurandGenerator::bits(std::uint64_t stream, std::uint64_t place, std::size_t count) {
  run(stream, "curandGenerate", count, [&](const CurandTable& table) {
    return table.bits(raw_, static_cast<unsigned*>(pointer_of(place)), count);
  });
}

void CurandGenerator::uniform(std::uint64_t stream, std::uint64_t place, std::size_t count,
                              bool is_double) {
  run(stream, "curandGenerateUniform", count, [&](const CurandTable& table) {
    return is_double ? table.uniform_float64(raw_, static_cast<double*>(pointer_of(place)), count)
                     : table.uniform_float32(raw_, static_cast<float*>(pointer_of(place)), count);
  });
}

void CurandGenerator::normal(std::uint64_t stream, std::uint64_t place, std::size_t count,
                             bool is_double, double mean, double deviation) {
  run(stream, "curandGenerateNormal", count, [&](const CurandTable& table) {
    return is_double
               ? table.normal_float64(raw_, static_cast<double*>(pointer_of(place)), count, mean,
                                      deviation)
               : table.normal_float32(raw_, static_cast<float*>(pointer_of(place)), count,
                                      static_cast<float>(mean), static_cast<float>(deviation));
  });
}

}  // namespace treadle::library
