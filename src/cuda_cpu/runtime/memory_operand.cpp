// SPDX-License-Identifier: MIT
// An x86-64 instruction, as far as it matters here:
//
//   [66 F2 F3] [REX | VEX C4/C5 | EVEX 62] opcode [ModRM [SIB] [displacement]]
//
// The operand is base + index * scale + displacement. EVEX counts an 8-bit displacement in units
// of the operand's size, which is known here for whole-vector moves only.
#include "cuda_cpu/runtime/memory_operand.hpp"

#include <ucontext.h>

#include <cstring>

namespace treadle::cuda_cpu {
namespace {

#if defined(__x86_64__)

/// The extension bits of register numbers, and what of the prefixes decides on lengths.
struct Prefixes {
  unsigned base = 0, index = 0;  ///< 0 or 8
  unsigned map = 0;              ///< of the opcode: 0 one byte, 1 0F, 2 0F 38, 3 0F 3A
  unsigned displacement_unit = 1;
  bool evex = false;
};

constexpr bool is_legacy_prefix(std::uint8_t byte) {
  return byte == 0x66 || byte == 0xf2 || byte == 0xf3;
}

const std::uint8_t* read_prefixes(const std::uint8_t* at, Prefixes& prefixes) {
  while (is_legacy_prefix(*at)) ++at;
  if (*at == 0xc5) {  // two-byte VEX: no extension of base or index
    prefixes.map = 1;
    return at + 2;
  }
  if (*at == 0xc4 || *at == 0x62) {
    prefixes.evex = *at == 0x62;
    prefixes.index = (at[1] & 0x40) != 0 ? 0 : 8;  // stored inverted
    prefixes.base = (at[1] & 0x20) != 0 ? 0 : 8;
    prefixes.map = at[1] & (prefixes.evex ? 7 : 31);
    if (prefixes.evex) prefixes.displacement_unit = 16u << (at[3] >> 5 & 3);
    return at + (prefixes.evex ? 4 : 3);
  }
  if ((*at & 0xf0) == 0x40) {
    prefixes.index = (*at & 2) != 0 ? 8 : 0;
    prefixes.base = (*at & 1) != 0 ? 8 : 0;
    ++at;
  }
  if (*at != 0x0f) return at;
  prefixes.map = at[1] == 0x38 ? 2 : at[1] == 0x3a ? 3 : 1;
  return at + (prefixes.map == 1 ? 1 : 2);
}

/// Whether a one-byte opcode has a memory operand in the usual form.
constexpr bool has_operand(std::uint8_t opcode) {
  if (opcode < 0x40) return (opcode & 7) < 4;
  return opcode == 0x63 || opcode == 0x69 || opcode == 0x6b || (opcode & 0xf0) == 0x80 ||
         opcode == 0xc6 || opcode == 0xc7 || opcode >= 0xf6;
}
/// Gathers and scatters address each lane apart.
constexpr bool addresses_lanes(const Prefixes& prefixes, std::uint8_t opcode) {
  return prefixes.map == 2 &&
         ((opcode >= 0x90 && opcode <= 0x93) || (opcode >= 0xa0 && opcode <= 0xa3));
}
/// Moves of a whole vector: the only ones that want it aligned.
constexpr bool moves_whole_vector(const Prefixes& prefixes, std::uint8_t opcode) {
  return (prefixes.map == 1 && (opcode == 0x28 || opcode == 0x29 || opcode == 0x2b ||
                                opcode == 0x6f || opcode == 0x7f || opcode == 0xe7)) ||
         (prefixes.map == 2 && opcode == 0x2a);
}

std::uintptr_t register_value(const ucontext_t& state, unsigned number) {
  static constexpr int places[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                   REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                   REG_R12, REG_R13, REG_R14, REG_R15};
  return static_cast<std::uintptr_t>(state.uc_mcontext.gregs[places[number]]);
}

/// Reads ModRM and what follows it.
MemoryOperand read_operand(const std::uint8_t* at, const Prefixes& prefixes,
                           const ucontext_t& state) {
  const unsigned mode = *at >> 6, low = *at & 7;
  if (mode == 3 || (mode == 0 && low == 5)) return {};  // a register; relative to the code
  ++at;
  std::uintptr_t address = 0;
  bool has_base = true;
  if (low == 4) {
    const unsigned index = (*at >> 3 & 7) + prefixes.index, base = *at & 7;
    if (index != 4) address += register_value(state, index) << (*at >> 6);
    has_base = !(mode == 0 && base == 5);
    if (has_base) address += register_value(state, base + prefixes.base);
    ++at;
  } else {
    address += register_value(state, low + prefixes.base);
  }
  std::int32_t displacement = 0;
  if (mode == 1)
    displacement =
        static_cast<std::int8_t>(*at) * static_cast<std::int32_t>(prefixes.displacement_unit);
  else if (mode == 2 || !has_base)
    std::memcpy(&displacement, at, sizeof displacement);
  return {true, address + static_cast<std::uintptr_t>(std::int64_t{displacement})};
}

#endif

}  // namespace

#if defined(__x86_64__)
MemoryOperand memory_operand(const void* machine_state) {
  const auto& state = *static_cast<const ucontext_t*>(machine_state);
  Prefixes prefixes;
  const auto* const code = reinterpret_cast<const std::uint8_t*>(state.uc_mcontext.gregs[REG_RIP]);
  const std::uint8_t* at = read_prefixes(code, prefixes);
  const std::uint8_t opcode = *at;
  if (prefixes.map == 0 && !has_operand(opcode)) return {};
  if (addresses_lanes(prefixes, opcode)) return {};
  if (prefixes.evex && !moves_whole_vector(prefixes, opcode)) return {};
  return read_operand(at + 1, prefixes, state);
}
#else
MemoryOperand memory_operand(const void*) { return {}; }
#endif

}  // namespace treadle::cuda_cpu
