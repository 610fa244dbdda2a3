// SPDX-License-Identifier: MIT
#include "treadle/kernel/random.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "plan_table.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/number.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/device/event.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {

/// A kernel that was made for a form on one device.
struct RandomPlan {
  device::Kernel kernel;  ///< does not keep the device alive
  unsigned group_size;
  std::uint64_t group_blocks;
};

namespace {

template <class T>
std::uint64_t bits_of(T value) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<std::uint64_t>(value);
  else
    return std::bit_cast<std::uint32_t>(value);
}

device::ParameterKind parameter_kind(Scalar dtype) {
  return DType(dtype).is_integer() ? device::ParameterKind::integer
                                   : device::ParameterKind::floating;
}

std::string name_of(RandomKind kind) {
  return "random numbers of the distribution " + std::string(codegen::kind_name(kind));
}

bool is_within(codegen::ParameterRange range, double x) {
  using enum codegen::ParameterRange;
  switch (range) {
    case any:
      return std::isfinite(x);
    case not_negative:
      return x >= 0;
    case positive:
      return x > 0;
    case above_1:
      return x > 1;
    case probability:
      return x >= 0 && x <= 1;
    case likely:
      return x > 0 && x <= 1;
    case below_1:
      return x >= 0 && x < 1;
    case counting:
      return x >= 0 && x <= 0x1p53 && x == std::floor(x);
    case below_1e9:
      return x >= 0 && x < 1e9 && x == std::floor(x);
  }
  return false;
}

const char* range_text(codegen::ParameterRange range) {
  constexpr std::array<const char*, 9> texts{"a finite number",
                                             "0 or more",
                                             "above 0",
                                             "above 1",
                                             "from 0 to 1",
                                             "above 0 and at most 1",
                                             "from 0 to below 1",
                                             "an integer from 0 to 2^53",
                                             "an integer from 0 to below 10^9"};
  return texts[static_cast<std::size_t>(range)];
}

/// Makes and launches the kernel for one draw.
class RandomLauncher {
 public:
  RandomLauncher(device::Stream& stream, const RandomTarget& target, const RandomDraw& draw)
      : stream_(stream),
        device_(stream.device()),
        target_(target),
        draw_(draw),
        tiling_(tiling_of(device_, target.schedule)),
        dialect_(codegen::dialect_of(device_.info().language)),
        size_bytes_(DType(draw.dtype()).size_bytes()) {
    const bool takes_float64 =
        draw.dtype() == Scalar::float64 || draw.kind() == RandomKind::poisson ||
        draw.kind() == RandomKind::poisson_of_elements || codegen::is_listed(draw.kind());
    if (takes_float64 && !device_.info().traits.fp64)
      throw NotSupported(device_.info().id + " has no float64",
                         "draw uniform, normal or exponential numbers of float32");
    if (address() % size_bytes_ != 0)
      throw InvalidArgument("random numbers of dtype " + DType(draw.dtype()).name() +
                                " are to begin at byte " + std::to_string(address()),
                            "begin at a multiple of " + std::to_string(size_bytes_) + " bytes");
  }

  void run(const RandomState& state, const device::Order& order) {
    const RandomPlan& plan = plan_for(form(state.generator));
    const std::uint64_t blocks = draw_.blocks(target_.count);
    const std::uint64_t groups =
        blocks / plan.group_blocks + (blocks % plan.group_blocks != 0 ? 1 : 0);
    if (groups > std::numeric_limits<std::int32_t>::max())
      throw InvalidArgument(std::to_string(target_.count) +
                            " random numbers are too many for one launch");
    const std::uint64_t offset = target_.location.offset / size_bytes_;
    std::vector<device::Argument> arguments;
    if (dialect_.has_addresses) {
      arguments.emplace_back(target_.location);
    } else {
      arguments.emplace_back(device::Location{target_.location.handle, 0});
      arguments.emplace_back(offset);
    }
    const std::uint64_t* const numbers[] = {&target_.count, &state.seed, &state.stream,
                                            &state.position};
    for (const std::uint64_t* number : numbers) arguments.emplace_back(*number);
    if (!draw_.is_unit())
      for (const RandomDraw::Value& value : draw_.values())
        arguments.emplace_back(&value.bits, DType(value.dtype).size_bytes(),
                               parameter_kind(value.dtype));
    stream_.launch_arguments(
        plan.kernel, {.groups = static_cast<unsigned>(groups), .group_size = plan.group_size},
        arguments, order);
  }

 private:
  /// The address, whose alignment decides whether vectors are stored. A handle without addresses
  /// stands for a whole allocation, and allocations are aligned.
  std::uint64_t address() const {
    return target_.location.offset + (dialect_.has_addresses ? target_.location.handle : 0);
  }
  codegen::RandomForm form(RandomGenerator generator) const {
    const std::uint64_t block_bytes =
        codegen::block_length(draw_.kind(), draw_.dtype()) * size_bytes_;
    const bool has_vectors = tiling_.schedule == Schedule::wide && address() % block_bytes == 0;
    return {generator,   draw_.kind(),        draw_.dtype(),
            has_vectors, draw_.of_elements(), draw_.is_unit()};
  }

  const RandomPlan& plan_for(const codegen::RandomForm& form) const {
    std::string key{static_cast<char>(form.generator),   static_cast<char>(form.kind),
                    static_cast<char>(form.dtype),       static_cast<char>(form.has_vectors),
                    static_cast<char>(form.of_elements), static_cast<char>(form.is_unit)};
    append_key(key, tiling_);
    return plans<RandomPlan>(device_).find(key, [&] { return make_plan(form); });
  }
  std::shared_ptr<const RandomPlan> make_plan(const codegen::RandomForm& form) const {
    const codegen::RandomText made = codegen::generate_random(form, tiling_, dialect_);
    const LoadedText loaded = load_text(device_, made.text, made.name, 0);
    return std::make_shared<RandomPlan>(
        RandomPlan{loaded.kernel, made.group_size, made.group_blocks});
  }

  device::Stream& stream_;
  device::Device& device_;
  const RandomTarget& target_;
  const RandomDraw& draw_;
  const codegen::Tiling& tiling_;
  const codegen::Dialect& dialect_;
  std::uint64_t size_bytes_;
};

}  // namespace

RandomDraw::RandomDraw(RandomKind kind, Scalar dtype) : kind_(kind), dtype_(dtype) {
  (void)codegen::block_length(kind, dtype);  // throws for a dtype that the kind does not have
}

void RandomDraw::add(Scalar dtype, std::uint64_t bits) { values_[value_count_++] = {dtype, bits}; }

RandomDraw RandomDraw::words(Scalar dtype) { return {RandomKind::words, dtype}; }

RandomDraw RandomDraw::integers(Scalar dtype, std::uint64_t first, std::uint64_t count) {
  RandomDraw draw(RandomKind::integers, dtype);
  const DType type(dtype);
  const auto width = dtype == Scalar::boolean ? 1 : static_cast<unsigned>(8 * type.size_bytes());
  // The distance from the lowest number of the dtype, in 64 bits that wrap around.
  const std::uint64_t top = ~std::uint64_t{0} >> (64 - width);
  const std::uint64_t lowest =
      type.kind() == ScalarKind::signed_integer ? ~std::uint64_t{0} << (width - 1) : 0;
  if (first - lowest > top || count - 1 > top - (first - lowest))
    throw InvalidArgument("a range of random integers ends outside of " + type.name(),
                          "draw of a wider dtype");
  draw.add(Scalar::uint64, first);
  draw.add(Scalar::uint64, count);
  return draw;
}

void RandomDraw::require_below(bool is_below) {
  if (!is_below)
    throw InvalidArgument("a range of random integers is empty", "let low be less than high");
}

template <class T>
void RandomDraw::add_uniform(double low_end, double high_end, IntervalEnd included) {
  const T low = static_cast<T>(low_end), high = static_cast<T>(high_end), width = high - low;
  if (!(low <= high) || !std::isfinite(width))
    throw InvalidArgument("random numbers cannot be uniform between " + std::to_string(low_end) +
                              " and " + std::to_string(high_end) + " as " + DType(dtype_).name(),
                          "give finite ends, the lower one first");
  const bool has_low = included == IntervalEnd::low;
  for (const T value : {low, width, has_low ? low : std::nextafter(low, high),
                        has_low ? std::nextafter(high, low) : high})
    add(dtype_, bits_of(value));
  add(Scalar::uint32, has_low ? 0 : 1);
  is_unit_ = has_low && low == T(0) && width == T(1);
}

RandomDraw RandomDraw::uniform(Scalar dtype, double low, double high, IntervalEnd included) {
  RandomDraw draw(RandomKind::uniform, dtype);
  dtype == Scalar::float32 ? draw.add_uniform<float>(low, high, included)
                           : draw.add_uniform<double>(low, high, included);
  return draw;
}

void RandomDraw::add_float(double value) {
  add(dtype_, dtype_ == Scalar::float32 ? bits_of(static_cast<float>(value)) : bits_of(value));
}

RandomDraw RandomDraw::normal(Scalar dtype, double mean, double deviation) {
  RandomDraw draw(RandomKind::normal, dtype);
  if (deviation < 0)
    throw InvalidArgument("normal random numbers with a deviation of " + std::to_string(deviation),
                          "give 0 or more");
  draw.add_float(mean);
  draw.add_float(deviation);
  return draw;
}

RandomDraw RandomDraw::poisson(Scalar dtype, double mean) {
  RandomDraw draw(RandomKind::poisson, dtype);
  if (!(mean >= 0 && mean <= 0x1p30))
    throw InvalidArgument("Poisson's random numbers with a mean of " + std::to_string(mean),
                          "give one from 0 to 2^30");
  draw.add(Scalar::float64, bits_of(mean));
  return draw;
}

RandomDraw RandomDraw::poisson_of_elements(Scalar dtype) {
  return {RandomKind::poisson_of_elements, dtype};
}

RandomDraw RandomDraw::listed(RandomKind kind, Scalar dtype, std::span<const double> parameters) {
  RandomDraw draw(kind, dtype);
  const std::size_t count = codegen::parameters_of(kind).size();
  if (!codegen::is_listed(kind) || parameters.size() != count)
    throw InvalidArgument("random numbers of the distribution " +
                              std::string(codegen::kind_name(kind)) + " with " +
                              std::to_string(parameters.size()) + " parameters",
                          "give " + std::to_string(count));
  for (std::size_t i = 0; i < count; ++i) {
    require_parameters(kind, i, parameters.subspan(i, 1));
    draw.add(Scalar::float64, bits_of(parameters[i]));
  }
  const auto require = [&](bool holds, const char* what, const char* hint) {
    if (!holds) throw InvalidArgument(name_of(kind) + what, hint);
  };
  if (kind == RandomKind::hypergeometric)
    require(parameters[2] <= parameters[0] + parameters[1], ": nsample is above ngood + nbad",
            "draw no more than there are");
  if (kind == RandomKind::triangular) {
    require(parameters[0] <= parameters[1], ": left is above mode", "let left <= mode <= right");
    require(parameters[1] <= parameters[2], ": mode is above right", "let left <= mode <= right");
    require(parameters[0] < parameters[2], ": left is right", "let left be less than right");
  }
  return draw;
}

RandomDraw RandomDraw::listed_of_elements(RandomKind kind) {
  RandomDraw draw(kind, Scalar::float64);
  if (codegen::parameters_of(kind).empty())
    throw InvalidArgument("random numbers of the distribution " +
                              std::string(codegen::kind_name(kind)) + " have no parameters",
                          "use a distribution of treadle/codegen/distributions.def that has some");
  draw.of_elements_ = true;
  return draw;
}

void require_parameters(RandomKind kind, std::size_t parameter, std::span<const double> values) {
  const codegen::RandomParameter& of = codegen::parameters_of(kind)[parameter];
  for (const double value : values)
    if (!is_within(of.range, value))
      throw InvalidArgument(name_of(kind) + ": " + std::string(of.name) + " is " +
                                Number(value).text() + ", not " + range_text(of.range),
                            std::string("give ") + range_text(of.range));
}

std::uint64_t RandomDraw::blocks(std::uint64_t count) const {
  const unsigned length = codegen::block_length(kind_, dtype_);
  return count / length + (count % length != 0 ? 1 : 0);
}

void fill_random(device::Stream& stream, const RandomTarget& target, const RandomDraw& draw,
                 RandomState& state, const device::Order& order) {
  if (target.count == 0) {
    for (const device::Event* event : order.after) stream.wait(*event);
    if (order.done != nullptr) stream.record(*order.done);
    return;
  }
  RandomLauncher(stream, target, draw).run(state, order);
  state.advance(draw.blocks(target.count));
}

}  // namespace treadle::kernel
