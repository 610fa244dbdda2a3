// SPDX-License-Identifier: MIT
// Few long rows are cut into pieces; what is taken of them is taken once more of all pieces of a
// row. Keys are such that the largest is taken first (ordered_key.hpp).
//
// Narrow, a work-item goes through a piece and keeps those that are larger than the k-th so far
// (until there are k, all) in memory for twice as many at least; when that is full, it is sorted,
// and all but the first k are dropped. Of elements in any order hardly one in a hundred is kept.
//
// Wide, a group counts elements by the highest digit of their keys, then, of those with the digit
// where the k-th is, by the next, until those from there on fit into local memory; they are put
// there, and sorted by exchanges. Equal keys go on with the digits of their places, reversed.
#include "treadle/kernel/top_k.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
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

struct TopKPlan {
  DeclaredKernel kernel;
};

namespace {

constexpr std::uint64_t most_kept = 2048;  // twice as many elements as are asked for

/// What decides about the text.
struct TopKForm {
  Scalar dtype;
  bool has_places;     ///< they are given, of a row's pieces; else they are those in the row
  std::uint64_t room;  ///< for elements that are kept
};

std::uint64_t room_for(std::uint64_t k, const codegen::Tiling& tiling) {
  if (tiling.schedule == Schedule::wide) return tiling.kept_elements;
  return std::bit_ceil(std::max(2 * k, tiling.kept_elements));
}

constexpr const char* narrow_top_k = R"(  KEY keys[ROOM], other_keys[ROOM];
  uint kept[ROOM], other_kept[ROOM];
  uint count = 0, is_open = 1;
  KEY least = 0;
  for (treadle_int64 from = begin; from < end; from += CHUNK) {
    const uint some = end - from < CHUNK ? (uint)(end - from) : CHUNK;
    KEY seen[CHUNK];
    uint any = is_open;
    TREADLE_VECTOR_LOOP
    for (uint i = 0; i < some; ++i) {
      seen[i] = treadle_ordered(elements[from + i]) ^ flip;
      any |= seen[i] > least;
    }
    if (any == 0) continue;
    for (uint i = 0; i < some; ++i) {
      keys[count] = seen[i];
      kept[count] = (uint)(from - begin) + i;
      count += is_open | (seen[i] > least);
      if (count < ROOM) continue;
      keep_largest(keys, kept, other_keys, other_kept, count);
      count = (uint)k;
      least = keys[k - 1];
      is_open = 0;
    }
  }
  keep_largest(keys, kept, other_keys, other_kept, count);
)";

// By all digits, from the lowest one; the largest first.
constexpr const char* narrow_sort = R"(TREADLE_FUNCTION void keep_largest(
    KEY *keys, uint *kept, KEY *other_keys, uint *other_kept, uint count)
{
  for (uint shift = 0; shift < BITS; shift += 8) {
    uint next[256], sum = 0;
    for (uint d = 0; d < 256; ++d) next[d] = 0;
    for (uint i = 0; i < count; ++i) ++next[(uint)(keys[i] >> shift) & 255];
    for (uint d = 256; d-- > 0;) {
      const uint own = next[d];
      next[d] = sum;
      sum += own;
    }
    for (uint i = 0; i < count; ++i) {
      const uint place = next[(uint)(keys[i] >> shift) & 255]++;
      other_keys[place] = keys[i];
      other_kept[place] = kept[i];
    }
    for (uint i = 0; i < count; ++i) {
      keys[i] = other_keys[i];
      kept[i] = other_kept[i];
    }
  }
}
)";

constexpr const char* wide_top_k = R"(#define KEY_AT(at) (treadle_ordered(elements[at]) ^ flip)
  TREADLE_LOCAL uint counts[BINS], partials[GROUP_ITEMS];
  TREADLE_LOCAL KEY keys[ROOM];
  TREADLE_LOCAL uint kept[ROOM];
  TREADLE_LOCAL uint chosen, before, total;
  const uint id = treadle_local_id(0), size = (uint)(end - begin);
  KEY digits = 0;          // of the k-th key, as far as they are known
  uint place_digits = 0;   // and of its place, reversed
  uint left = (uint)k;     // how many of those with these digits are taken
  uint taken = 0;          // with larger ones
  uint key_bits = BITS, place_bits = 32;  // not yet known
  uint among = size;       // with these digits
  while (taken + among > ROOM) {
    const uint of_keys = key_bits > 0;
    const uint rest = of_keys ? key_bits : place_bits, width = rest < DIGIT ? rest : DIGIT;
    const uint shift = rest - width;
    for (uint d = id; d < BINS; d += GROUP_ITEMS) counts[d] = 0;
    treadle_barrier();
    for (uint from = id; from < size; from += GROUP_ITEMS * ITEMS) {
      KEY seen[ITEMS];
#pragma unroll
      for (uint q = 0; q < ITEMS; ++q)
        seen[q] = from + q * GROUP_ITEMS < size ? KEY_AT(begin + from + q * GROUP_ITEMS) : 0;
#pragma unroll
      for (uint q = 0; q < ITEMS; ++q) {
        const uint at = from + q * GROUP_ITEMS;
        if (at >= size) break;
        const uint reversed = ~at;
        if (of_keys) {
          if (key_bits == BITS || seen[q] >> key_bits == digits)
            treadle_atomic_add(&counts[(uint)(seen[q] >> shift) & ((1u << width) - 1)], 1u);
        } else if (seen[q] == digits &&
                   (place_bits == 32 || reversed >> place_bits == place_digits)) {
          treadle_atomic_add(&counts[reversed >> shift & ((1u << width) - 1)], 1u);
        }
      }
    }
    treadle_barrier();
    uint sum = 0;
    for (uint d = 0; d < BINS / GROUP_ITEMS; ++d) sum += counts[id * (BINS / GROUP_ITEMS) + d];
    partials[id] = sum;
    treadle_barrier();
    if (id == 0) {
      uint part = GROUP_ITEMS - 1, above = 0;
      while (part > 0 && above + partials[part] < left) above += partials[part--];
      uint bin = (part + 1) * (BINS / GROUP_ITEMS) - 1;
      const uint first = part * (BINS / GROUP_ITEMS);
      while (bin > first && above + counts[bin] < left) above += counts[bin--];
      chosen = bin;
      before = above;
      total = counts[bin];
    }
    treadle_barrier();
    if (of_keys) {
      digits = key_bits == BITS ? (KEY)chosen : digits << width | chosen;
      key_bits = shift;
    } else {
      place_digits = place_bits == 32 ? chosen : place_digits << width | chosen;
      place_bits = shift;
    }
    taken += before;
    left -= before;
    among = total;
    treadle_barrier();
  }
  if (id == 0) total = 0;
  treadle_barrier();
  for (uint from = id; from < size; from += GROUP_ITEMS * ITEMS) {
    KEY seen[ITEMS];
#pragma unroll
    for (uint q = 0; q < ITEMS; ++q)
      seen[q] = from + q * GROUP_ITEMS < size ? KEY_AT(begin + from + q * GROUP_ITEMS) : 0;
#pragma unroll
    for (uint q = 0; q < ITEMS; ++q) {
      const uint at = from + q * GROUP_ITEMS;
      if (at >= size) break;
      const KEY known = key_bits == BITS ? 0 : seen[q] >> key_bits;
      const uint known_place = place_bits == 32 ? 0 : ~at >> place_bits;
      if (known > digits || (known == digits && known_place >= place_digits)) {
        const uint slot = treadle_atomic_add(&total, 1u);
        keys[slot] = seen[q];
        kept[slot] = at;
      }
    }
  }
  treadle_barrier();
  const uint count = total;
  uint all = 2;
  while (all < count) all *= 2;
  for (uint i = count + id; i < all; i += GROUP_ITEMS) {
    keys[i] = 0;
    kept[i] = ~0u;
  }
  treadle_barrier();
  for (uint run = 2; run <= all; run *= 2)
    for (uint distance = run / 2; distance > 0; distance /= 2) {
      for (uint pair = id; pair < all / 2; pair += GROUP_ITEMS) {
        const uint low = 2 * pair - (pair & (distance - 1)), high = low + distance;
        const KEY a = keys[low], b = keys[high];
        const uint p = kept[low], q = kept[high];
        const uint is_behind = a < b || (a == b && p > q);
        if (is_behind == ((low & run) == 0)) {
          keys[low] = b;
          keys[high] = a;
          kept[low] = q;
          kept[high] = p;
        }
      }
      treadle_barrier();
    }
)";

class TopKTexts {
 public:
  TopKTexts(const TopKForm& form, const codegen::Tiling& tiling, const codegen::Dialect& dialect)
      : form_(form),
        tiling_(tiling),
        types_(dialect),
        dialect_(dialect),
        element_(types_.name_of(unsigned_of(DType(form.dtype).size_bytes()))),
        key_(types_.name_of(element_bits(form.dtype) == 64 ? Scalar::uint64 : Scalar::uint32)) {}

  std::string name() const { return "top_k_" + DType(form_.dtype).name(); }
  std::string arguments() const {
    return "const " + element_ + " *elements, " + element_ + " *values, long *places, " +
           (form_.has_places ? "const long *given, " : "") + "long length, long pieces, long k, " +
           key_ + " flip";
  }
  std::string program(const std::vector<codegen::ParameterSpec>& parameters) const {
    const bool is_wide = tiling_.schedule == Schedule::wide;
    const std::string size = std::to_string(tiling_.group_size);
    const std::string step = is_wide ? size : "1", first = is_wide ? "id" : "0";
    const std::string place =
        form_.has_places ? "given[begin + kept[i]]" : "begin - row * length + kept[i]";
    std::string text =
        "#include \"treadle/dialect.h\"\n" + key_function(form_.dtype, dialect_, key_) +
        (is_wide ? "" : narrow_sort) + "TREADLE_KERNEL TREADLE_GROUP_SIZE(" + size + ", 1, 1) " +
        name() + "(" + codegen::declare(parameters, dialect_, types_) + ")\n{\n" +
        codegen::define_pointers(parameters, dialect_, types_) +
        R"(  const treadle_int64 group = treadle_group_id(0);
  const treadle_int64 row = group / pieces, piece = group % pieces;
  const treadle_int64 begin = row * length + length * piece / pieces;
  const treadle_int64 end = row * length + length * (piece + 1) / pieces;
)" + (is_wide ? wide_top_k : narrow_top_k) +
        "  for (uint i = " + first + "; i < (uint)k; i += " + step +
        ") {\n    values[group * k + i] = elements[begin + kept[i]];\n    places[group * k + i] "
        "= " +
        place + ";\n  }\n}\n";
    return with_words(std::move(text),
                      {{"KEY ", key_ + " "},
                       {"(KEY)", "(" + key_ + ")"},
                       {"ROOM", std::to_string(form_.room)},
                       {"BITS", std::to_string(element_bits(form_.dtype))},
                       {"CHUNK", std::to_string(std::max(tiling_.keys_at_once, 1u))},
                       {"BINS", std::to_string(1u << tiling_.select_bits)},
                       {"DIGIT", std::to_string(tiling_.select_bits)},
                       {"GROUP_ITEMS", size},
                       {"ITEMS", std::to_string(std::max(tiling_.loads_in_flight, 1u))}});
  }
  const codegen::TypeNames& types() const { return types_; }

 private:
  const TopKForm& form_;
  const codegen::Tiling& tiling_;
  codegen::TypeNames types_;
  const codegen::Dialect& dialect_;
  std::string element_, key_;
};

std::shared_ptr<const TopKPlan> make_top_k_plan(device::Device& device, const TopKForm& form,
                                                const codegen::Tiling& tiling) {
  const TopKTexts texts(form, tiling, codegen::dialect_of(device.info().language));
  const auto parameters = declared_parameters(texts.arguments(), texts.types(), device);
  const Program program(device.shared_from_this(), texts.program(parameters),
                        {.source_name = texts.name()});
  return std::make_shared<TopKPlan>(TopKPlan{{program, texts.name(), parameters}});
}

/// Into how many pieces a row is cut.
std::uint64_t pieces_of(device::Device& device, const TopK& top, const codegen::Tiling& tiling) {
  const std::uint64_t units = std::max(device.info().performance.compute_units, 1u);
  const std::uint64_t wanted = units * tiling.intervals_per_unit / top.rows;
  return std::clamp<std::uint64_t>(
      std::min(wanted, top.length / std::max(tiling.least_piece, 4 * top.k)), 1, 1024);
}

}  // namespace

bool has_top_k(device::Device& device, const TopK& top) {
  const codegen::Tiling& tiling = tiling_of(device, top.schedule);
  const std::uint64_t room = tiling.schedule == Schedule::wide ? tiling.kept_elements : most_kept;
  return top.k >= 1 && top.k <= top.length && 2 * top.k <= room &&
         top.length <= std::numeric_limits<std::int32_t>::max() &&
         top.rows * pieces_of(device, top, tiling) <= std::numeric_limits<std::int32_t>::max() &&
         tiling.group_size <= 1u << tiling.select_bits;
}

bool is_worth_groups(device::Device& device, const TopK& top) {
  return tiling_of(device, top.schedule).schedule == Schedule::wide && top.rows > 1 &&
         top.k == top.length && has_top_k(device, top);
}

void launch_top_k(device::Stream& stream, const TopK& top, const TopKArguments& arguments,
                  const device::Order& order) {
  const DType dtype(top.dtype);
  if (dtype.kind() == ScalarKind::complex || top.dtype == Scalar::structure)
    throw DTypeError("the largest elements of " + dtype.name(), "take those of real numbers");
  device::Device& device = stream.device();
  if (!has_top_k(device, top))
    throw InvalidArgument("the largest " + std::to_string(top.k) + " of rows of " +
                              std::to_string(top.length) + " elements",
                          "take 1 to " + std::to_string(most_kept / 2) + " of them, or sort");
  const codegen::Tiling& tiling = tiling_of(device, top.schedule);
  const std::uint64_t pieces = pieces_of(device, top, tiling);
  const std::uint64_t flip = top.is_largest ? 0 : all_key_bits(top.dtype);
  const auto launch = [&](bool has_places, std::uint64_t length, std::uint64_t count,
                          std::vector<UserArgument> given, const device::Order& own) {
    const TopKForm form{top.dtype, has_places, room_for(top.k, tiling)};
    std::string key = std::to_string(form.room);
    key += {static_cast<char>(form.dtype), static_cast<char>(form.has_places)};
    append_key(key, tiling);
    const TopKPlan& plan =
        plans<TopKPlan>(device).find(key, [&] { return make_top_k_plan(device, form, tiling); });
    const std::uint64_t numbers[] = {length, count, top.k, flip};
    given.insert(given.end(), std::begin(numbers), std::end(numbers));
    plan.kernel.launch(stream, given, top.rows * count, tiling.group_size, own);
  };
  if (pieces == 1)
    return launch(false, top.length, 1, {arguments.elements, arguments.values, arguments.places},
                  order);
  const std::uint64_t between = top.rows * pieces * top.k;
  const memory::Buffer values = scratch_on(stream, between * dtype.size_bytes());
  const memory::Buffer places = scratch_on(stream, between * sizeof(std::int64_t));
  LaunchesInTurn launches(stream, order);
  launches.then([&](const device::Order& own) {
    launch(false, top.length, pieces, {arguments.elements, values, places}, own);
  });
  launches.then(
      [&](const device::Order& own) {
        launch(true, pieces * top.k, 1, {values, arguments.values, arguments.places, places}, own);
      },
      LaunchesInTurn::Place::last);
}

}  // namespace treadle::kernel
