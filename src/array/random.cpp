// SPDX-License-Identifier: MIT
#include "treadle/array/random.hpp"

#include <random>
#include <string>
#include <utility>

#include "array/access.hpp"
#include "array/context.hpp"
#include "array/evaluate.hpp"
#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/promotion.hpp"

namespace treadle::array {
namespace {

std::uint64_t systems_seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

/// A parameter of a distribution: a number or an array, in the distribution's dtype.
class Parameter {
 public:
  Parameter(const Operand& given, const Shape& shape, Scalar dtype)
      : array_(given.array() == nullptr ? Array() : *given.array()), operand_(given) {
    if (const Scalar own = given.type().scalar(); !can_cast(own, dtype, Casting::same_kind))
      throw DTypeError(
          "random numbers of " + DType(dtype).name() + " with a parameter of " + DType(own).name(),
          "pass real numbers");
    if (is_number()) {
      operand_ = Operand::weak(given.number());
    } else {
      (void)array_.layout().broadcast_to(shape);
      array_ = in_dtype(array_, dtype);
      operand_ = array_;
    }
  }
  Parameter(const Parameter&) = delete;  // the operand views the array
  Parameter& operator=(const Parameter&) = delete;

  bool is_number() const noexcept { return !array_.has_value(); }
  /// The device of an array; null for a number.
  device::Device* device() const { return is_number() ? nullptr : &array_.device(); }
  double number() const noexcept { return operand_.number().as_double(); }
  operator const Operand&() const noexcept { return operand_; }
  /// Checks numbers only: the elements of an array are not read.
  void require_not_negative(const char* name) const {
    if (is_number() && operand_.number().is_negative())
      throw InvalidArgument(
          "random numbers with a " + std::string(name) + " of " + operand_.number().text(),
          "give 0 or more");
  }

 private:
  Array array_;
  Operand operand_;
};

/// The device on which numbers are drawn: the device of the generator or of a parameter. Null: the
/// current device.
device::Device* place_of(const Generator& generator, std::span<const Parameter* const> parameters) {
  device::Device* place = generator.device().get();
  for (const Parameter* parameter : parameters) {
    device::Device* const own = parameter->device();
    if (own == nullptr) continue;
    if (place != nullptr && place != own)
      throw InvalidArgument(
          "a parameter on " + own->info().id + " of random numbers on " + place->info().id,
          "let both be on one device and in one context");
    place = own;
  }
  return place;
}

device::Device* place_of(const Generator& generator,
                         std::initializer_list<const Parameter*> parameters) {
  return place_of(generator, std::span(parameters.begin(), parameters.size()));
}

/// The largest number of an integer dtype that a double holds exactly.
double largest_count(Scalar dtype) {
  switch (dtype) {
    case Scalar::int32:
      return 0x1p31 - 1;
    case Scalar::uint32:
      return 0x1p32 - 1;
    case Scalar::int64:
      return 0x1p63 - 0x1p10;
    default:
      return 0x1p64 - 0x1p11;
  }
}

Array draw_on(device::Device* place, Generator& generator, const RandomDraw& draw,
              const Shape& shape) {
  Placement here;
  if (place != nullptr) here.stream = Context::of(*place).stream({});
  const Array made = empty(shape, draw.dtype(), here);
  generator.fill(made, draw);
  return made;
}

}  // namespace

Generator::Generator() : Generator(systems_seed()) {}

Generator& Generator::operator=(const Generator& other) {
  set_state(other.state());
  device_ = other.device_;
  return *this;
}

Array Generator::draw(const RandomDraw& draw, const Shape& shape) {
  return draw_on(device_.get(), *this, draw, shape);
}

Number Generator::draw(const RandomDraw& draw) {
  ElementBytes bytes = {};
  const std::size_t size = DType(draw.dtype()).size_bytes();
  const std::lock_guard lock(mutex_);
  kernel::draw_on_host(std::span(bytes).first(size), draw, state_);
  return Number::stored(draw.dtype(), bytes.data());
}

void Generator::fill(const Array& out, const RandomDraw& draw) {
  Node& target = Access::node(out);
  if (!(target.dtype == DType(draw.dtype())))
    throw DTypeError("random numbers of " + DType(draw.dtype()).name() +
                         " do not go into an array of " + target.dtype.name(),
                     "draw numbers of the array's dtype");
  compute(target);
  require_writable(target);
  const StreamRef stream = target.context->stream(target.stream);
  if (!target.layout.is_contiguous(target.dtype.size_bytes())) {
    const Shape shape = shape_of(out);
    const bool reads = draw.of_elements() || draw.kind() == kernel::RandomKind::poisson_of_elements;
    const Array dense = reads ? dense_copy(out) : empty(shape, target.dtype, {.stream = stream});
    fill(dense, draw);
    return out.assign(dense);
  }
  before_write(*target.storage);
  const AnnouncedUse write(*target.context, *target.storage, stream, device::MemoryUse::writes);
  const device::Location location = target.storage->first_element(target.layout);
  const device::LeaveDeferred leave;  // computing the pending readers is done
  auto count = static_cast<std::uint64_t>(target.layout.size());
  if (draw.of_elements()) count /= codegen::parameters_of(draw.kind()).size();
  const std::lock_guard lock(mutex_);
  kernel::fill_random(*stream, {location, count}, draw, state_);
}

Array Generator::uniform(const Operand& low, const Operand& high, const Shape& shape,
                         Scalar dtype) {
  const RandomDraw units = RandomDraw::uniform(dtype);
  const Parameter from(low, shape, dtype), to(high, shape, dtype);
  if (from.is_number() && to.is_number())
    return draw(RandomDraw::uniform(dtype, from.number(), to.number()), shape);
  device::Device* const place = place_of(*this, {&from, &to});
  const Array width = subtract(to, from);
  const Array number = add(from, width * draw_on(place, *this, units, shape));
  return where(less(number, to), number, nextafter(to, from));
}

Array Generator::integers(const Operand& low, const Operand& high, const Shape& shape,
                          Scalar dtype) {
  for (const Operand* end : {&low, &high})
    if (!DType(end->type().scalar()).is_integer())
      throw DTypeError("random integers between ends of " + DType(end->type().scalar()).name(),
                       "pass integers");
  const Parameter from(low, shape, Scalar::int64), to(high, shape, Scalar::int64);
  if (from.is_number() && to.is_number()) {
    if (high.number().as_double() <= low.number().as_double())
      throw InvalidArgument("a range of random integers is empty", "let low be less than high");
    const std::uint64_t first = low.number().as_uint64();
    return draw(RandomDraw::integers(dtype, first, high.number().as_uint64() - first), shape);
  }
  device::Device* const place = place_of(*this, {&from, &to});
  // Arithmetic modulo 2^64 is right for the distance of any two 64-bit integers.
  const Array words = draw_on(place, *this, RandomDraw::words(Scalar::uint64), shape);
  const auto as_words = [&](const Parameter& end) {
    const Operand& given = end;
    if (given.array() != nullptr) return in_dtype(*given.array(), Scalar::uint64);
    return full({}, given.number().as_uint64(), Scalar::uint64, {.stream = words.stream()});
  };
  if (any(less_equal(high, low)).item().as_bool())
    throw InvalidArgument("a range of random integers is empty", "let low be less than high");
  const Array start = as_words(from);
  return in_dtype(start + words % (as_words(to) - start), dtype);
}

Array Generator::normal(const Operand& mean, const Operand& deviation, const Shape& shape,
                        Scalar dtype) {
  const RandomDraw standard = RandomDraw::normal(dtype);
  const Parameter center(mean, shape, dtype), spread(deviation, shape, dtype);
  spread.require_not_negative("deviation");
  if (center.is_number() && spread.is_number())
    return draw(RandomDraw::normal(dtype, center.number(), spread.number()), shape);
  device::Device* const place = place_of(*this, {&center, &spread});
  return add(center, multiply(spread, draw_on(place, *this, standard, shape)));
}

Array Generator::lognormal(const Operand& mean, const Operand& deviation, const Shape& shape,
                           Scalar dtype) {
  return exp(normal(mean, deviation, shape, dtype));
}

Array Generator::exponential(const Operand& scale, const Shape& shape, Scalar dtype) {
  // Draw from (0, 1], so that logarithms are finite.
  const RandomDraw units = RandomDraw::uniform(dtype, 0, 1, kernel::IntervalEnd::high);
  const Parameter mean(scale, shape, dtype);
  mean.require_not_negative("scale");
  const Array unit = draw_on(place_of(*this, {&mean}), *this, units, shape);
  return 0 - multiply(mean, log(unit));  // 0 - 0 is 0, where a negation would give -0
}

Array Generator::poisson(const Operand& mean, const Shape& shape, Scalar dtype) {
  const Parameter expected(mean, shape, Scalar::float64);
  expected.require_not_negative("mean");
  if (expected.is_number()) return draw(RandomDraw::poisson(dtype, expected.number()), shape);
  (void)RandomDraw::poisson_of_elements(dtype);  // throws for unsupported dtypes
  place_of(*this, {&expected});
  // Begin with the means; each drawn number replaces its mean.
  const Array numbers =
      dense_copy(broadcast_to(*static_cast<const Operand&>(expected).array(), shape));
  fill(numbers, RandomDraw::poisson_of_elements(Scalar::float64));
  return in_dtype(numbers, dtype);
}

Array Generator::draw(RandomKind kind, List<Operand> parameters, const Shape& shape,
                      std::optional<Scalar> dtype) {
  const bool counts = codegen::counts(kind);
  const Scalar of = dtype.value_or(counts ? Scalar::int64 : Scalar::float64);
  std::vector<std::unique_ptr<Parameter>> own;
  std::vector<const Parameter*> all;
  std::vector<double> numbers;
  for (const Operand& given : parameters) {
    own.push_back(std::make_unique<Parameter>(given, shape, Scalar::float64));
    all.push_back(own.back().get());
    if (all.back()->is_number()) numbers.push_back(all.back()->number());
  }
  if (numbers.size() == all.size()) return draw(RandomDraw::listed(kind, of, numbers), shape);
  (void)codegen::block_length(kind, of);  // throws for unsupported dtypes
  const auto named = codegen::parameters_of(kind);
  if (all.size() != named.size())
    throw InvalidArgument("random numbers of the distribution " +
                              std::string(codegen::kind_name(kind)) + " with " +
                              std::to_string(all.size()) + " parameters",
                          "give " + std::to_string(named.size()));
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k]->is_number()) {
      const double number = all[k]->number();
      kernel::require_parameters(kind, k, std::span(&number, 1));
    }
  device::Device* const place = place_of(*this, all);
  // Pack the parameters one after another; the drawn numbers replace the first parameter.
  Shape rows = shape;
  rows.insert(rows.begin(), static_cast<std::int64_t>(all.size()));
  const Array packed = empty(rows, Scalar::float64, {.stream = Context::of(*place).stream({})});
  for (std::size_t k = 0; k < all.size(); ++k)
    packed.at({Index::at(static_cast<std::int64_t>(k))}).assign(*all[k]);
  fill(packed, RandomDraw::listed_of_elements(kind));
  Array numbers_drawn = packed.at({Index::at(0)});
  if (counts && of != Scalar::float64 && of != Scalar::float32)
    numbers_drawn = minimum(numbers_drawn, largest_count(of));
  return of == Scalar::float64 ? numbers_drawn : in_dtype(numbers_drawn, of);
}

std::vector<std::byte> Generator::bytes(std::size_t count) {
  std::vector<std::byte> made(count);
  const std::lock_guard lock(mutex_);
  kernel::draw_on_host(made, RandomDraw::words(Scalar::uint32), state_);
  return made;
}

RandomState Generator::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void Generator::set_state(const RandomState& state) {
  const std::lock_guard lock(mutex_);
  state_ = state;
}

Generator Generator::jumped(std::uint64_t streams) const {
  return Generator(state().jumped(streams), device_);
}

std::vector<Generator> Generator::spawn(std::size_t count) {
  std::vector<RandomState> states;
  {
    const std::lock_guard lock(mutex_);
    states = state_.spawn(count);
  }
  std::vector<Generator> children;
  children.reserve(count);
  for (const RandomState& state : states) children.emplace_back(state, device_);
  return children;
}

}  // namespace treadle::array
