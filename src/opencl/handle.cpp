// SPDX-License-Identifier: MIT
#include "treadle/opencl/handle.hpp"

#include "treadle/opencl/table.hpp"

namespace treadle::opencl {

// Root devices are not counted and OpenCL 1.1 has no others: there the calls may be missing.
void retain(const Table& table, RawDevice raw) {
  if (is_present(table.clRetainDevice)) check(table, table.clRetainDevice(raw), "clRetainDevice");
}
void release(const Table& table, RawDevice raw) noexcept {
  if (is_present(table.clReleaseDevice))
    warn_if_failed(table.clReleaseDevice(raw), "clReleaseDevice", "a device");
}

void retain(const Table& table, RawContext raw) {
  check(table, table.clRetainContext(raw), "clRetainContext");
}
void release(const Table& table, RawContext raw) noexcept {
  warn_if_failed(table.clReleaseContext(raw), "clReleaseContext", "a context");
}

void retain(const Table& table, RawQueue raw) {
  check(table, table.clRetainCommandQueue(raw), "clRetainCommandQueue");
}
void release(const Table& table, RawQueue raw) noexcept {
  warn_if_failed(table.clReleaseCommandQueue(raw), "clReleaseCommandQueue", "a queue");
}

void retain(const Table& table, RawMemory raw) {
  check(table, table.clRetainMemObject(raw), "clRetainMemObject");
}
void release(const Table& table, RawMemory raw) noexcept {
  warn_if_failed(table.clReleaseMemObject(raw), "clReleaseMemObject", "memory");
}

void retain(const Table& table, RawProgram raw) {
  check(table, table.clRetainProgram(raw), "clRetainProgram");
}
void release(const Table& table, RawProgram raw) noexcept {
  warn_if_failed(table.clReleaseProgram(raw), "clReleaseProgram", "a program");
}

void retain(const Table& table, RawKernel raw) {
  check(table, table.clRetainKernel(raw), "clRetainKernel");
}
void release(const Table& table, RawKernel raw) noexcept {
  warn_if_failed(table.clReleaseKernel(raw), "clReleaseKernel", "a kernel");
}

void retain(const Table& table, RawEvent raw) {
  check(table, table.clRetainEvent(raw), "clRetainEvent");
}
void release(const Table& table, RawEvent raw) noexcept {
  warn_if_failed(table.clReleaseEvent(raw), "clReleaseEvent", "an event");
}

void retain(const Table& table, RawSampler raw) {
  check(table, table.clRetainSampler(raw), "clRetainSampler");
}
void release(const Table& table, RawSampler raw) noexcept {
  warn_if_failed(table.clReleaseSampler(raw), "clReleaseSampler", "a sampler");
}

void raise_empty() {
  throw InvalidState("the OpenCL object was released, moved from, or never made",
                     "make it anew, or keep a copy: copies share the object");
}

}  // namespace treadle::opencl
