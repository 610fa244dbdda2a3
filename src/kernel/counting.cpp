// SPDX-License-Identifier: MIT
// Counts are integers, which atomics add up in any order to the same. A group counts in memory of
// its own, and adds that to the counts of all; narrow, in several copies, so that equal neighbours
// need not wait for each other. Floats are not: weights are
// sorted by their bins, and a scan with a segment for each bin adds them in an order that depends
// on their number alone. The last sum of a segment is that of its bin.
#include "treadle/kernel/counting.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "declared_kernel.hpp"
#include "plan_table.hpp"
#include "several_launches.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/signature.hpp"
#include "treadle/kernel/scan_kernel.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {

/// Kernels that do not keep the device alive; one of them is there.
struct CountingPlan {
  std::optional<DeclaredKernel> counts;
  std::unique_ptr<ScanKernel> sums;
};

namespace {

/// What decides about the text.
struct CountForm {
  Scalar dtype;
  bool is_even;
  std::uint64_t own_counters;  ///< of a group, of which it uses `own` (wide: `bin_count`); 0: none
};

/// Writes the kernel.
class CountTexts {
 public:
  CountTexts(const CountForm& form, const codegen::Tiling& tiling, const codegen::Dialect& dialect)
      : form_(form), tiling_(tiling), types_(dialect), dialect_(dialect) {}

  std::string name() const {
    return std::string(form_.is_even ? "count_values_" : "count_bins_") + DType(form_.dtype).name();
  }
  std::string arguments() const {
    std::string text = "const " + element() + " *elements, uint *counts";
    if (form_.is_even) text += ", const " + value() + " *edges, double first, double scale";
    return text + ", long n, long length, uint bin_count, uint copies";
  }
  std::string program(const std::vector<codegen::ParameterSpec>& parameters) const {
    const bool is_wide = tiling_.schedule == Schedule::wide;
    const std::string size = std::to_string(tiling_.group_size);
    return "#include \"treadle/dialect.h\"\n" + bin_function() +
           "TREADLE_KERNEL TREADLE_GROUP_SIZE(" + size + ", 1, 1) " + name() + "(" +
           codegen::declare(parameters, dialect_, types_) + ")\n{\n" +
           codegen::define_pointers(parameters, dialect_, types_) +
           "  const treadle_int64 begin = treadle_group_id(0) * length;\n"
           "  const treadle_int64 end = n - begin < length ? n : begin + length;\n" +
           (is_wide ? wide(size) : narrow()) + "}\n";
  }
  const codegen::TypeNames& types() const { return types_; }

 private:
  std::string element() const { return types_.name_of(form_.dtype); }
  std::string value() const { return form_.dtype == Scalar::float32 ? "float" : "double"; }
  /// bin_count: none.
  std::string bin_function() const {
    if (!form_.is_even)
      return "TREADLE_FUNCTION uint bin_of(" + element() + " x, uint bin_count)\n{\n  return " +
             "(treadle_uint64)x >= bin_count ? bin_count : (uint)x;\n}\n";
    const std::string type = value();
    return "TREADLE_FUNCTION uint bin_of(" + element() + " x, TREADLE_GLOBAL const " + type +
           R"( *edges, double first, double scale, uint bin_count)
{
  const int last = (int)bin_count - 1;
  const )" +
           type + R"( value = x;
  const int is_within = (value >= edges[0]) & (value <= edges[bin_count]);
  int bin = (int)(((is_within ? (double)value : first) - first) * scale);
  bin = bin < 0 ? 0 : bin > last ? last : bin;
  bin -= (value < edges[bin]) & (bin > 0);
  bin += (value >= edges[bin + 1]) & (bin < last);
  return is_within ? (uint)bin : bin_count;
}
)";
  }
  std::string bin(const std::string& at) const {
    return "bin_of(elements[" + at + "], " +
           (form_.is_even ? "edges, first, scale, bin_count)" : "bin_count)");
  }
  std::string own_array(const char* space) const {
    return std::string(space) + "uint own[" + std::to_string(form_.own_counters) + "];\n";
  }
  std::string narrow() const {
    const std::string most = std::to_string(tiling_.keys_at_once);
    const bool has_own = form_.own_counters > 0;
    std::string text;
    if (has_own)
      text += own_array("  ") +
              "  const uint all = copies * (bin_count + 1);\n"
              "  for (uint k = 0; k < all; ++k) own[k] = 0;\n";
    // Bins first, in a loop that compilers make vector code of.
    text += "  for (treadle_int64 from = begin; from < end; from += " + most + R"() {
    const uint some = end - from < )" +
            most + " ? (uint)(end - from) : " + most + R"(;
    uint bins[)" +
            most + R"(];
    TREADLE_VECTOR_LOOP
    for (uint k = 0; k < some; ++k) bins[k] = )" +
            bin("from + k") + R"(;
    for (uint k = 0; k < some; ++k) )";
    if (!has_own)
      return text + "if (bins[k] < bin_count) treadle_atomic_add(&counts[bins[k]], 1u);\n  }\n";
    return text + R"(++own[k % copies * (bin_count + 1) + bins[k]];
  }
  for (uint bin = 0; bin < bin_count; ++bin) {
    uint sum = 0;
    for (uint k = 0; k < copies; ++k) sum += own[k * (bin_count + 1) + bin];
    if (sum != 0) treadle_atomic_add(&counts[bin], sum);
  }
)";
  }
  std::string wide(const std::string& size) const {
    const std::string items = std::to_string(tiling_.loads_in_flight);
    const bool has_own = form_.own_counters > 0;
    std::string text = "  const uint id = treadle_local_id(0);\n";
    if (has_own)
      text += own_array("  TREADLE_LOCAL ") + "  for (uint k = id; k < bin_count; k += " + size +
              ") own[k] = 0;\n  treadle_barrier();\n";
    text += "  for (treadle_int64 from = begin + id; from < end; from += " + size + " * " + items +
            ") {\n    uint bins[" + items + "];\n";
    const std::string each = "    for (uint k = 0; k < " + items + "; ++k) ";
    text += "#pragma unroll\n" + each + "bins[k] = from + k * " + size + " < end ? " +
            bin("from + k * " + size) + " : bin_count;\n#pragma unroll\n" + each +
            "if (bins[k] < bin_count) treadle_atomic_add(&" +
            (has_own ? "own[bins[k]]" : "counts[bins[k]]") + ", 1u);\n  }\n";
    if (has_own)
      text += "  treadle_barrier();\n  for (uint k = id; k < bin_count; k += " + size +
              ")\n    if (own[k] != 0) treadle_atomic_add(&counts[k], own[k]);\n";
    return text;
  }

  const CountForm& form_;
  const codegen::Tiling& tiling_;
  codegen::TypeNames types_;
  const codegen::Dialect& dialect_;
};

std::shared_ptr<const CountingPlan> make_counting_plan(device::Device& device,
                                                       const CountForm& form,
                                                       const codegen::Tiling& tiling) {
  const CountTexts texts(form, tiling, codegen::dialect_of(device.info().language));
  const auto parameters = declared_parameters(texts.arguments(), texts.types(), device);
  const Program program(device.shared_from_this(), texts.program(parameters),
                        {.source_name = texts.name()});
  auto plan = std::make_shared<CountingPlan>();
  plan->counts.emplace(program, texts.name(), parameters);
  return plan;
}

/// How many counters a group has of its own for so many bins: few sizes, as each is a text.
std::uint64_t own_counters(std::uint64_t bin_count, const codegen::Tiling& tiling) {
  const std::uint64_t room = tiling.bin_bytes / sizeof(std::uint32_t);
  const bool is_wide = tiling.schedule == Schedule::wide;
  if ((is_wide ? bin_count : bin_count + 1) > room) return 0;
  return is_wide ? std::min(room, std::bit_ceil(std::max<std::uint64_t>(bin_count, 256))) : room;
}

std::shared_ptr<const CountingPlan> make_weighted_plan(device::Device& device) {
  auto plan = std::make_shared<CountingPlan>();
  const codegen::Dialect& dialect = codegen::dialect_of(device.info().language);
  plan->sums = std::make_unique<ScanKernel>(
      device.shared_from_this(), Scalar::float64,
      ScanTexts{
          .arguments = "const uint *bins, const double *weights, double *sums, long bin_count",
          .input = "weights[i]",
          .scan = "across_seg_boundary ? b : a + b",
          .output = "if ((i == N - 1 || bins[i] != bins[i + 1]) && bins[i] < bin_count) "
                    "sums[bins[i]] = item",
          .segment_start = "i == 0 || bins[i] != bins[i - 1]"},
      ScanOptions{.name = "sum_bins",
                  .preamble = dialect.exact_preamble,
                  .flags = dialect.exact_flags,
                  .is_apart = true});
  plan->sums->let_go_of_device();
  return plan;
}

}  // namespace

void launch_count(device::Stream& stream, const Count& what, const CountArguments& arguments,
                  const device::Order& order) {
  const ScalarKind kind = DType(what.dtype).kind();
  const bool is_counted = what.even ? kind != ScalarKind::complex && what.dtype != Scalar::float16
                                    : kind != ScalarKind::complex && kind != ScalarKind::floating;
  if (!is_counted || what.dtype == Scalar::structure)
    throw DTypeError("a count of elements of " + DType(what.dtype).name(), "count integers");
  if (what.even.has_value() != arguments.edges.has_value())
    throw InvalidArgument("a count of values without the edges of their bins", "pass them");
  device::Device& device = stream.device();
  const codegen::Tiling& tiling = tiling_of(device, what.schedule);
  const CountForm form{what.dtype, what.even.has_value(), own_counters(what.bin_count, tiling)};
  std::string key = "counts " + std::to_string(form.own_counters) + " ";
  key += {static_cast<char>(form.dtype), static_cast<char>(form.is_even)};
  append_key(key, tiling);
  const CountingPlan& plan = plans<CountingPlan>(device).find(
      key, [&] { return make_counting_plan(device, form, tiling); });
  const bool is_wide = tiling.schedule == Schedule::wide;
  const Intervals intervals = intervals_of(
      what.n, is_wide ? tiling.group_size * tiling.loads_in_flight : tiling.interval_length, tiling,
      device.info());
  const auto bin_count = static_cast<std::uint32_t>(what.bin_count);
  const std::uint32_t copies = std::bit_floor(
      std::clamp(static_cast<std::uint32_t>(form.own_counters / (what.bin_count + 1)), 1u,
                 std::max(tiling.counter_copies, 1u)));
  const auto n = static_cast<std::int64_t>(what.n);
  std::vector<UserArgument> given{arguments.elements, arguments.counts};
  if (what.even) {
    given.emplace_back(*arguments.edges);
    given.emplace_back(what.even->first);
    given.emplace_back(what.even->scale);
  }
  given.insert(given.end(), {n, intervals.length, bin_count, copies});
  plan.counts->launch(stream, given, static_cast<std::uint64_t>(intervals.count), tiling.group_size,
                      order);
}

void launch_weighted(device::Stream& stream, std::uint64_t n, std::uint64_t bin_count,
                     const WeightedArguments& arguments, const device::Order& order) {
  const auto count = static_cast<std::int64_t>(bin_count);
  const UserArgument all[] = {arguments.bins, arguments.weights, arguments.sums, count};
  device::Device& device = stream.device();
  std::string key = "sums ";
  append_key(key, tiling_of(device));
  plans<CountingPlan>(device)
      .find(key, [&] { return make_weighted_plan(device); })
      .sums->launch_arguments(stream, n, all, order);
}

}  // namespace treadle::kernel
