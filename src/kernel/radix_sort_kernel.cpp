// SPDX-License-Identifier: MIT
#include "treadle/kernel/radix_sort_kernel.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "several_launches.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/kernel/program.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {
namespace {

std::vector<ElementUse> sort_uses(const codegen::RadixSortSnippet& snippet) {
  std::vector<ElementUse> uses = element_uses(snippet.parameters, {snippet.key}, snippet.preamble);
  for (std::size_t i = 0; i < uses.size(); ++i)
    if (std::ranges::find(snippet.sorted, snippet.parameters[i].name) != snippet.sorted.end())
      uses[i] = ElementUse::one_for_one;
  return uses;
}

/// A number of elements as an argument of a launch. The argument refers to this object.
class CountArgument {
 public:
  CountArgument(std::uint64_t n, Scalar dtype)
      : whole_(static_cast<std::int64_t>(n)),
        short_(static_cast<std::int32_t>(n)),
        is_short_(dtype == Scalar::int32) {}
  void append(std::vector<device::Argument>& all) const {
    is_short_ ? all.emplace_back(short_) : all.emplace_back(whole_);
  }

 private:
  std::int64_t whole_;
  std::int32_t short_;
  bool is_short_;
};

}  // namespace

RadixSortKernel::RadixSortKernel(std::shared_ptr<device::Device> device, RadixSortTexts texts,
                                 RadixSortOptions options)
    : device_(std::move(device)),
      types_(type_names(device_, options.types, "a RadixSortKernel")),
      snippet_{.parameters = declared_parameters(texts.arguments, types_, *device_),
               .key = std::move(texts.key),
               .sorted = std::move(texts.sorted),
               .key_dtype = options.key_dtype,
               .index_dtype = options.index_dtype,
               .name = options.name,
               .preamble = std::move(options.preamble)},
      given_(snippet_.parameters, "radix sort " + snippet_.name, sort_uses(snippet_)),
      flags_(std::move(options.flags)),
      tiling_(tiling_of(
          *device_, options.is_sequential ? std::optional(Schedule::narrow) : options.schedule)),
      is_sequential_(options.is_sequential) {
  generate(options.sweeps);
  if (sweeps()) return;
  first_places_.emplace(device_, options.index_dtype,
                        scan_of_array(types_.name_of(options.index_dtype), "a + b", "0"),
                        ScanOptions{.name = options.name + "_first_places",
                                    .schedule = tiling_.schedule,
                                    .is_sequential = is_sequential_});
}

void RadixSortKernel::generate(std::optional<bool> sweeps) {
  const codegen::Dialect& dialect = codegen::dialect_of(device_->info().language);
  snippet_.sweeps = !is_sequential_ && sweeps.value_or(device_->info().traits.forward_progress) &&
                    has_room_to_sweep(device_->info().limits, tiling_, tiling_.sweep_warps) &&
                    codegen::can_sweep(snippet_, tiling_, dialect);
  made_ = codegen::generate_radix_sort(snippet_, tiling_, dialect, types_);
  made_.program = nullptr;  // text() needs only the text
}

const RadixSortKernel::Form& RadixSortKernel::form() {
  const std::lock_guard lock(mutex_);
  if (!form_) {
    const Program program(device_, made_.text, {.flags = flags_, .source_name = snippet_.name});
    DeclaredArguments targets(
        made_.targets, given_.kernel(),
        std::vector<ElementUse>(made_.targets.size(), ElementUse::one_for_one));
    form_.emplace(
        Form{std::move(targets), program.kernel(made_.counts), program.kernel(made_.places)});
  }
  return *form_;
}

void RadixSortKernel::compile() {
  form();
  if (first_places_) first_places_->compile();
}

void RadixSortKernel::let_go_of_device() {
  form();
  form_->counts.let_go_of_device();
  form_->places.let_go_of_device();
  if (first_places_) first_places_->let_go_of_device();
  device_ = std::shared_ptr<device::Device>(std::shared_ptr<void>(), device_.get());
}

void RadixSortKernel::require_valid(std::uint64_t n, const Arguments& arguments) const {
  const std::string& who = given_.kernel();
  const std::uint64_t most = snippet_.index_dtype == Scalar::int32
                                 ? std::numeric_limits<std::int32_t>::max()
                                 : std::numeric_limits<std::int64_t>::max();
  if (n > most)
    throw InvalidArgument(who + " of " + std::to_string(n) + " elements counts them in " +
                              DType(snippet_.index_dtype).name(),
                          "make it with the index dtype int64");
  const auto key_bits = static_cast<unsigned>(8 * DType(snippet_.key_dtype).size_bytes());
  if (arguments.key_bits > key_bits)
    throw InvalidArgument(who + " by " + std::to_string(arguments.key_bits) +
                              " bits of keys that have " + std::to_string(key_bits),
                          "choose a wider key dtype");
  if (arguments.sorted.size() != snippet_.sorted.size())
    throw InvalidArgument(who + " sorts " + std::to_string(snippet_.sorted.size()) +
                              " arrays, and was given " + std::to_string(arguments.sorted.size()) +
                              " results",
                          "pass one for each");
  given_.check(arguments.given, {0, static_cast<std::int64_t>(n) - 1}, device_.get());
}

unsigned RadixSortKernel::passes_of(const Arguments& arguments) const {
  const auto key_bits = static_cast<unsigned>(8 * DType(snippet_.key_dtype).size_bytes());
  const unsigned bits = arguments.key_bits == 0 ? key_bits : arguments.key_bits;
  return (bits + made_.digit_bits - 1) / made_.digit_bits;
}

void RadixSortKernel::each_pass(
    device::Stream& stream, std::uint64_t n, const Arguments& arguments,
    const std::function<void(unsigned pass, std::span<const UserArgument> from,
                             std::span<const UserArgument> into)>& pass) const {
  const unsigned passes = passes_of(arguments);
  std::vector<memory::Buffer> scratch;
  std::vector<UserArgument> between, from(arguments.given.begin(), arguments.given.end());
  for (const codegen::ParameterSpec& target : made_.targets)
    if (passes > 1) scratch.push_back(scratch_on(stream, n * target.dtype.size_bytes()));
  for (const memory::Buffer& buffer : scratch) between.emplace_back(buffer);
  for (unsigned number = 0; number < passes; ++number) {
    const bool is_final_memory = (passes - number) % 2 == 1;
    const std::span<const UserArgument> into =
        is_final_memory ? arguments.sorted : std::span<const UserArgument>(between);
    pass(number, from, into);
    for (std::size_t i = 0; i < into.size(); ++i) {
      const auto parameter =
          std::ranges::find(snippet_.parameters, snippet_.sorted[i], &codegen::ParameterSpec::name);
      from[static_cast<std::size_t>(parameter - snippet_.parameters.begin())] = into[i];
    }
  }
}

void RadixSortKernel::launch(device::Stream& stream, std::uint64_t n, const Arguments& arguments,
                             const device::Order& order) {
  require_valid(n, arguments);
  const Form& compiled = form();
  const Indices indices = {0, static_cast<std::int64_t>(n) - 1};
  compiled.targets.check(arguments.sorted, indices, device_.get());
  if (sweeps()) return launch_sweeps(stream, n, arguments, order);
  const auto whole = static_cast<std::int64_t>(std::max<std::uint64_t>(n, 1));
  const Intervals intervals = is_sequential_
                                  ? Intervals{whole, n > 0}
                                  : intervals_of(n, made_.tile, tiling_, device_->info());
  const auto numbers = static_cast<std::uint64_t>(intervals.count) << made_.digit_bits;
  const memory::Buffer counted =
      scratch_on(stream, numbers * DType(snippet_.index_dtype).size_bytes());
  LaunchesInTurn launches(stream, order);
  const device::LaunchShape shape = {.groups = static_cast<unsigned>(intervals.count),
                                     .group_size = made_.group_size};
  const unsigned passes = passes_of(arguments);
  const CountArgument count(n, snippet_.index_dtype);
  each_pass(
      stream, n, arguments,
      [&](unsigned pass, std::span<const UserArgument> from, std::span<const UserArgument> into) {
        const unsigned bit = pass * made_.digit_bits;
        const auto launch = [&](const device::Kernel& kernel, std::vector<device::Argument> all,
                                LaunchesInTurn::Place place) {
          ReadArguments given = given_.read(from, indices, *device_);
          all.insert(all.end(), given.all().begin(), given.all().end());
          count.append(all);
          all.emplace_back(intervals.length);
          all.emplace_back(intervals.count);
          all.emplace_back(bit);
          all.emplace_back(counted);
          launches.then(
              [&](const device::Order& own) { stream.launch_arguments(kernel, shape, all, own); },
              place);
        };
        launch(compiled.counts, {}, LaunchesInTurn::Place::before_others);
        launches.then([&](const device::Order& own) {
          const UserArgument in_place[] = {counted, counted};
          first_places_->launch_arguments(stream, numbers, in_place, own);
        });
        ReadArguments targets = compiled.targets.read(into, indices, *device_);
        launch(compiled.places, targets.all(),
               pass + 1 == passes ? LaunchesInTurn::Place::last
                                  : LaunchesInTurn::Place::before_others);
      });
}

void RadixSortKernel::launch_sweeps(device::Stream& stream, std::uint64_t n,
                                    const Arguments& arguments, const device::Order& order) {
  const Form& compiled = form();
  const Indices indices = {0, static_cast<std::int64_t>(n) - 1};
  const auto tiles = static_cast<std::int64_t>(n / made_.tile + (n % made_.tile != 0));
  if (tiles > std::numeric_limits<std::int32_t>::max())
    throw InvalidArgument(given_.kernel() + " of " + std::to_string(n) + " elements",
                          "sort fewer at a time");
  const codegen::SweepRoom room = codegen::sweep_room(made_, static_cast<std::uint64_t>(tiles));
  const std::size_t word_bytes = DType(snippet_.index_dtype).size_bytes();
  const memory::Buffer words = scratch_on(stream, room.words * word_bytes);
  const unsigned passes = passes_of(arguments);
  const CountArgument count(n, snippet_.index_dtype);
  LaunchesInTurn launches(stream, order);
  launches.then([&](const device::Order& own) {
    constexpr std::array<std::byte, sizeof(std::uint32_t)> zero{};
    stream.fill(device::Argument(words).location(), zero, room.zeros * word_bytes / zero.size(),
                own);
  });
  const auto launch = [&](const device::Kernel& kernel, std::vector<device::Argument> all,
                          std::span<const UserArgument> from, unsigned pass,
                          const device::LaunchShape& shape, LaunchesInTurn::Place place) {
    ReadArguments given = given_.read(from, indices, *device_);
    all.insert(all.end(), given.all().begin(), given.all().end());
    count.append(all);
    all.emplace_back(pass);
    all.emplace_back(tiles);
    all.emplace_back(words);
    launches.then(
        [&](const device::Order& own) { stream.launch_arguments(kernel, shape, all, own); }, place);
  };
  // As many groups as the device runs at once, because each group adds its counts once.
  const std::uint64_t most =
      std::uint64_t{std::max(device_->info().performance.compute_units, 1u)} *
      tiling_.intervals_per_unit;
  const std::uint64_t counting =
      std::min<std::uint64_t>(most, (n + made_.counts_group_size - 1) / made_.counts_group_size);
  launch(compiled.counts, {}, arguments.given, passes,
         {.groups = static_cast<unsigned>(counting), .group_size = made_.counts_group_size},
         LaunchesInTurn::Place::before_others);
  each_pass(
      stream, n, arguments,
      [&](unsigned pass, std::span<const UserArgument> from, std::span<const UserArgument> into) {
        ReadArguments targets = compiled.targets.read(into, indices, *device_);
        launch(compiled.places, targets.all(), from, pass,
               {.groups = static_cast<unsigned>(tiles), .group_size = made_.group_size},
               pass + 1 == passes ? LaunchesInTurn::Place::last
                                  : LaunchesInTurn::Place::before_others);
      });
}

}  // namespace treadle::kernel
