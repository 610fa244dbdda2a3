// SPDX-License-Identifier: MIT
// The one implementation of clGet*Info queries.
#pragma once

#include <string>
#include <vector>

#include "treadle/opencl/info.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::opencl {

/// Bytes of an answer as the value they stand for.
InfoValue decode(InfoKind kind, std::span<const std::byte> bytes);
/// The line of info.def, or DeviceError CL_INVALID_VALUE naming the group.
const InfoParameter& known_parameter(const Table& table, const char* call, std::string_view group,
                                     std::int64_t code);
/// "NAME (VERSION)" for error texts; a placeholder if even that fails.
std::string platform_text(const Table& table);

/// All bytes of an answer. `ask(size, data, size_out)` is the entry point with everything else
/// bound.
template <class Ask>
Bytes ask_bytes(const Table& table, const char* call, std::string_view name, Ask&& ask) {
  const auto describe = [&] { return "asking for " + std::string(name); };
  std::size_t size = 0;
  check(table, ask(0, nullptr, &size), call, describe);
  Bytes bytes(size);
  if (size > 0) check(table, ask(size, bytes.data(), nullptr), call, describe);
  return bytes;
}

template <class Group, class Ask>
InfoValue query(const Table& table, const char* call, Group parameter, Ask&& ask) {
  const InfoParameter& known =
      known_parameter(table, call, group_name<Group>, static_cast<std::int64_t>(parameter));
  return decode(known.kind, ask_bytes(table, call, known.name, ask));
}

/// The same for an entry point whose arguments are object, parameter, size, data, size_out.
template <class Raw, class Group, class Slot>
InfoValue query_object(const Table& table, const char* call, Slot slot, Raw raw, Group parameter) {
  return query(table, call, parameter, [&](std::size_t size, void* data, std::size_t* size_out) {
    return slot(raw, static_cast<cl_uint>(parameter), size, data, size_out);
  });
}

/// A fixed-size answer for paths that are taken often: one call, no allocation.
template <class T, class Raw, class Slot>
T ask_value(const Table& table, const char* call, Slot slot, Raw raw, cl_uint parameter) {
  T value{};
  check(table, slot(raw, parameter, sizeof value, &value, nullptr), call);
  return value;
}

}  // namespace treadle::opencl
