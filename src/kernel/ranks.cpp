// SPDX-License-Identifier: MIT
// Places whose digits so far are equal share counts: `same` is the first of them. What is known of
// a place is three numbers: the digits, how many elements with these are before it, and `same`.
//
// Narrow, each group leaves counts of its own, and a work-item adds them up. Wide, groups count in
// local memory, for some places at a time, and add what they have to the counts of all, which the
// one group that chooses leaves 0.
#include "treadle/kernel/ranks.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "declared_kernel.hpp"
#include "ordered_key.hpp"
#include "plan_table.hpp"
#include "several_launches.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/signature.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {

/// The kernels of one dtype, which do not keep the device alive.
struct RanksPlan {
  DeclaredKernel begin, count, choose;
};

namespace {

constexpr std::uint64_t most_ranks = 16;  // beyond them a sort is faster
constexpr std::uint64_t most_counted = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t numbers_of_place = 3;

constexpr const char* wide_begin =
    R"(  for (uint k = treadle_local_id(0); k < rank_count * BINS; k += GROUP_ITEMS) counts[k] = 0;
  for (uint r = treadle_local_id(0); r < rank_count; r += GROUP_ITEMS) {
    known[3 * r] = 0;
    known[3 * r + 1] = (treadle_uint64)places[r];
    known[3 * r + 2] = 0;
  }
}
)";

constexpr const char* wide_count = R"(  TREADLE_LOCAL uint own[AT_ONCE * BINS], chosen[AT_ONCE];
  TREADLE_LOCAL KEY chosen_digits[AT_ONCE];
  TREADLE_LOCAL uint chosen_count, next_rank;
  const uint id = treadle_local_id(0);
  const treadle_int64 begin = treadle_group_id(0) * length;
  const treadle_int64 end = n - begin < length ? n : begin + length;
  const uint bins = 1u << width, above = width + shift, is_first = above == BITS;
  if (id == 0) next_rank = 0;
  treadle_barrier();
  while (next_rank < rank_count) {
    treadle_barrier();
    if (id == 0) {
      uint r = next_rank, count = 0;
      for (; r < rank_count && count < AT_ONCE; ++r) {
        if (known[3 * r + 2] != r) continue;
        chosen[count] = r;
        chosen_digits[count++] = (KEY)known[3 * r];
      }
      next_rank = r;
      chosen_count = count;
    }
    for (uint k = id; k < AT_ONCE * BINS; k += GROUP_ITEMS) own[k] = 0;
    treadle_barrier();
    const uint count = chosen_count;
    for (treadle_int64 from = begin + id; from < end; from += GROUP_ITEMS * ITEMS) {
      KEY seen[ITEMS];
#pragma unroll
      for (uint q = 0; q < ITEMS; ++q)
        seen[q] = treadle_ordered(
            elements[from + q * GROUP_ITEMS < end ? from + q * GROUP_ITEMS : begin]);
#pragma unroll
      for (uint q = 0; q < ITEMS; ++q) {
        if (from + q * GROUP_ITEMS >= end) break;
        const KEY before = is_first ? 0 : seen[q] >> above;
        const uint bin = (uint)(seen[q] >> shift) & (bins - 1);
        for (uint c = 0; c < count; ++c)
          if (before == chosen_digits[c]) treadle_atomic_add(&own[c * BINS + bin], 1u);
      }
    }
    treadle_barrier();
    for (uint c = 0; c < count; ++c)
      for (uint bin = id; bin < bins; bin += GROUP_ITEMS)
        if (own[c * BINS + bin] != 0)
          treadle_atomic_add(&counts[chosen[c] * BINS + bin], own[c * BINS + bin]);
  }
}
)";

constexpr const char* wide_choose = R"(  TREADLE_LOCAL uint sums[GROUP_ITEMS];
  const uint id = treadle_local_id(0), bins = 1u << width;
  const uint share = (bins + GROUP_ITEMS - 1) / GROUP_ITEMS, first = id * share;
  for (uint r = 0; r < rank_count; ++r) {
    TREADLE_GLOBAL const uint *const own = counts + known[3 * r + 2] * BINS;
    const treadle_uint64 place = known[3 * r + 1];
    uint sum = 0;
    for (uint bin = first; bin < first + share && bin < bins; ++bin) sum += own[bin];
    sums[id] = sum;
    treadle_barrier();
    for (uint step = 1; step < GROUP_ITEMS; step *= 2) {
      const uint earlier = id < step ? 0 : sums[id - step];
      treadle_barrier();
      sums[id] += earlier;
      treadle_barrier();
    }
    const uint end = sums[id], begin = end - sum;
    if (begin <= place && place < end) {
      uint bin = first;
      treadle_uint64 rest = place - begin;
      for (; rest >= own[bin]; ++bin) rest -= own[bin];
      known[3 * r] = (known[3 * r] << width) | bin;
      known[3 * r + 1] = rest;
      if (shift == 0) found[r] = (ELEMENT)treadle_element((KEY)known[3 * r]);
    }
    treadle_barrier();
  }
  if (id == 0)
    for (uint r = 0; r < rank_count; ++r) {
      uint same = 0;
      while (known[3 * same] != known[3 * r]) ++same;
      known[3 * r + 2] = same;
    }
  for (uint k = id; k < rank_count * BINS; k += GROUP_ITEMS) counts[k] = 0;
}
)";

/// How many places a wide group counts for at a time.
std::uint64_t counted_at_once(const codegen::Tiling& tiling) {
  return std::max<std::uint64_t>((tiling.scan_bytes >> tiling.select_bits) / sizeof(std::uint32_t),
                                 1);
}

/// Writes the program.
class RanksTexts {
 public:
  RanksTexts(Scalar dtype, const codegen::Tiling& tiling, const codegen::Dialect& dialect)
      : dtype_(dtype),
        tiling_(tiling),
        bins_(std::to_string(1u << tiling.select_bits)),
        copies_(std::to_string(tiling.counter_copies)),
        most_(std::to_string(tiling.keys_at_once)),
        types_(dialect),
        dialect_(dialect),
        element_(types_.name_of(unsigned_of(DType(dtype).size_bytes()))),
        key_(types_.name_of(element_bits(dtype) == 64 ? Scalar::uint64 : Scalar::uint32)) {}

  std::string name() const { return "ranks_" + DType(dtype_).name(); }
  std::string begin_arguments() const {
    return is_wide() ? "const long *places, ulong *known, uint *counts, uint rank_count"
                     : "const long *places, ulong *known, uint rank_count";
  }
  std::string count_arguments() const {
    return "const " + element_ +
           " *elements, const ulong *known, uint *counts, long n, long length, uint rank_count, "
           "uint width, uint shift";
  }
  std::string choose_arguments() const {
    return std::string("ulong *known, ") + (is_wide() ? "" : "const ") + "uint *counts, " +
           element_ + " *found, long groups, uint rank_count, uint width, uint shift";
  }
  /// Parameters of the three kernels.
  using Parameters = std::vector<codegen::ParameterSpec>;
  std::string program(const Parameters& of_begin, const Parameters& of_count,
                      const Parameters& of_choose) const {
    const std::string head = "#include \"treadle/dialect.h\"\n" +
                             key_function(dtype_, dialect_, key_) +
                             element_function(dtype_, dialect_, key_);
    if (is_wide())
      return head + in_words(opened("_begin", of_begin) + wide_begin) +
             in_words(opened("_count", of_count) + wide_count) +
             in_words(opened("_choose", of_choose) + wide_choose);
    return head + opened("_begin", of_begin) +
           R"(  for (uint r = 0; r < rank_count; ++r) {
    known[3 * r] = 0;
    known[3 * r + 1] = (treadle_uint64)places[r];
    known[3 * r + 2] = 0;
  }
}
)" + opened("_count", of_count) +
           count() + opened("_choose", of_choose) + choose();
  }
  const codegen::TypeNames& types() const { return types_; }

 private:
  bool is_wide() const { return tiling_.schedule == Schedule::wide; }
  std::string in_words(std::string text) const {
    return with_words(std::move(text),
                      {{"KEY ", key_ + " "},
                       {"(KEY)", "(" + key_ + ")"},
                       {"(ELEMENT)", "(" + element_ + ")"},
                       {"AT_ONCE", std::to_string(counted_at_once(tiling_))},
                       {"BINS", bins_},
                       {"BITS", std::to_string(element_bits(dtype_))},
                       {"GROUP_ITEMS", std::to_string(tiling_.group_size)},
                       {"ITEMS", std::to_string(std::max(tiling_.loads_in_flight, 1u))}});
  }
  std::string opened(const char* suffix, const Parameters& parameters) const {
    return "TREADLE_KERNEL TREADLE_GROUP_OF(" + std::to_string(tiling_.group_size) + ") " + name() +
           suffix + "(" + codegen::declare(parameters, dialect_, types_) + ")\n{\n" +
           codegen::define_pointers(parameters, dialect_, types_);
  }
  /// A bin more is for elements with other digits before.
  std::string count() const {
    const std::string bits = std::to_string(element_bits(dtype_));
    return R"(  const treadle_int64 group = treadle_group_id(0), begin = group * length;
  const treadle_int64 end = n - begin < length ? n : begin + length;
  const uint bins = 1u << width, above = width + shift;
  for (uint r = 0; r < rank_count; ++r) {
    if (known[3 * r + 2] != r) continue;
    const )" +
           key_ + " digits = (" + key_ + R"()known[3 * r];
    uint own[()" +
           bins_ + " + 1) * " + copies_ + R"(];
    for (uint k = 0; k < (bins + 1) * )" +
           copies_ + R"(; ++k) own[k] = 0;
    for (treadle_int64 from = begin; from < end; from += )" +
           most_ + R"() {
      const uint some = end - from < )" +
           most_ + " ? (uint)(end - from) : " + most_ + R"(;
      uint chosen[)" +
           most_ + R"(];
      uint any = 0;
      if (above == )" +
           bits + R"() {
        any = 1;
        TREADLE_VECTOR_LOOP
        for (uint k = 0; k < some; ++k)
          chosen[k] = (uint)(treadle_ordered(elements[from + k]) >> shift);
      } else {
        TREADLE_VECTOR_LOOP
        for (uint k = 0; k < some; ++k) {
          const )" +
           key_ + R"( whole = treadle_ordered(elements[from + k]);
          const uint is_one = whole >> above == digits;
          chosen[k] = is_one ? (uint)(whole >> shift) & (bins - 1) : bins;
          any += is_one;
        }
      }
      if (any == 0) continue;
      for (uint k = 0; k < some; ++k) ++own[k % )" +
           copies_ + R"( * (bins + 1) + chosen[k]];
    }
    for (uint bin = 0; bin < bins; ++bin) {
      uint sum = 0;
      for (uint k = 0; k < )" +
           copies_ + R"(; ++k) sum += own[k * (bins + 1) + bin];
      counts[((group * rank_count + r) << width) + bin] = sum;
    }
  }
}
)";
  }
  std::string choose() const {
    return R"(  const uint bins = 1u << width;
  for (uint r = 0; r < rank_count; ++r) {
    const treadle_uint64 from = known[3 * r + 2];
    treadle_uint64 before = known[3 * r + 1];
    uint bin = 0;
    for (; bin < bins; ++bin) {
      treadle_uint64 sum = 0;
      for (treadle_int64 group = 0; group < groups; ++group)
        sum += counts[((group * rank_count + from) << width) + bin];
      if (before < sum) break;
      before -= sum;
    }
    known[3 * r] = (known[3 * r] << width) | bin;
    known[3 * r + 1] = before;
    if (shift == 0) found[r] = ()" +
           element_ + ")treadle_element((" + key_ + R"()known[3 * r]);
  }
  for (uint r = 0; r < rank_count; ++r) {
    uint first = 0;
    while (known[3 * first] != known[3 * r]) ++first;
    known[3 * r + 2] = first;
  }
}
)";
  }

  Scalar dtype_;
  const codegen::Tiling& tiling_;
  std::string bins_, copies_, most_;
  codegen::TypeNames types_;
  const codegen::Dialect& dialect_;
  std::string element_, key_;
};

std::shared_ptr<const RanksPlan> make_ranks_plan(device::Device& device, Scalar dtype,
                                                 const codegen::Tiling& tiling) {
  const RanksTexts texts(dtype, tiling, codegen::dialect_of(device.info().language));
  const auto declared = [&](const std::string& arguments) {
    return declared_parameters(arguments, texts.types(), device);
  };
  const auto of_begin = declared(texts.begin_arguments()),
             of_count = declared(texts.count_arguments()),
             of_choose = declared(texts.choose_arguments());
  const Program program(device.shared_from_this(), texts.program(of_begin, of_count, of_choose),
                        {.source_name = texts.name()});
  const auto kernel = [&](const char* suffix, const RanksTexts::Parameters& parameters) {
    return DeclaredKernel(program, texts.name() + suffix, texts.name(), parameters);
  };
  return std::make_shared<RanksPlan>(RanksPlan{
      kernel("_begin", of_begin), kernel("_count", of_count), kernel("_choose", of_choose)});
}

}  // namespace

bool is_worth_ranks(device::Device& device, const Ranks& ranks) {
  return ranks.n > tiling_of(device, ranks.schedule).lone_sort && ranks.n <= most_counted &&
         ranks.rank_count <= most_ranks;
}

void launch_ranks(device::Stream& stream, const Ranks& ranks, const RanksArguments& arguments,
                  const device::Order& order) {
  const DType dtype(ranks.dtype);
  if (dtype.kind() == ScalarKind::complex || ranks.dtype == Scalar::structure)
    throw DTypeError("ranks of " + dtype.name(), "look for real numbers");
  if (ranks.n == 0 || ranks.rank_count == 0)
    throw InvalidArgument(
        std::to_string(ranks.rank_count) + " places of " + std::to_string(ranks.n) + " elements",
        "let there be one of each");
  device::Device& device = stream.device();
  if (ranks.n > most_counted)
    throw InvalidArgument(
        "ranks of " + std::to_string(ranks.n) + " elements, which are counted in " + "uint32",
        "sort them");
  const codegen::Tiling& tiling = tiling_of(device, ranks.schedule);
  const bool is_wide = tiling.schedule == Schedule::wide;
  std::string key{static_cast<char>(ranks.dtype)};
  append_key(key, tiling);
  const RanksPlan& plan = plans<RanksPlan>(device).find(
      key, [&] { return make_ranks_plan(device, ranks.dtype, tiling); });
  const Intervals intervals = intervals_of(
      ranks.n, is_wide ? tiling.group_size * tiling.loads_in_flight : tiling.interval_length,
      tiling, device.info());
  const auto rank_count = static_cast<std::uint32_t>(ranks.rank_count);
  const auto n = static_cast<std::int64_t>(ranks.n);
  const memory::Buffer known =
      scratch_on(stream, ranks.rank_count * numbers_of_place * sizeof(std::uint64_t));
  const std::uint64_t counting = is_wide ? 1 : static_cast<std::uint64_t>(intervals.count);
  const memory::Buffer counts = scratch_on(
      stream, (counting * ranks.rank_count << tiling.select_bits) * sizeof(std::uint32_t));
  LaunchesInTurn launches(stream, order);
  const auto launch = [&](const DeclaredKernel& kernel, const std::vector<UserArgument>& given,
                          std::int64_t groups, LaunchesInTurn::Place place) {
    launches.then(
        [&](const device::Order& own) {
          kernel.launch(stream, given, static_cast<std::uint64_t>(groups), tiling.group_size, own);
        },
        place);
  };
  using Place = LaunchesInTurn::Place;
  is_wide
      ? launch(plan.begin, {arguments.places, known, counts, rank_count}, 1, Place::before_others)
      : launch(plan.begin, {arguments.places, known, rank_count}, 1, Place::before_others);
  for (unsigned left = element_bits(ranks.dtype); left > 0;) {
    const std::uint32_t width = std::min(left, tiling.select_bits), shift = left - width;
    launch(plan.count,
           {arguments.elements, known, counts, n, intervals.length, rank_count, width, shift},
           intervals.count, Place::before_others);
    launch(plan.choose, {known, counts, arguments.found, intervals.count, rank_count, width, shift},
           1, shift == 0 ? Place::last : Place::before_others);
    left = shift;
  }
}

}  // namespace treadle::kernel
