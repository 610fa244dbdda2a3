// SPDX-License-Identifier: MIT
// Entry points of the linker.
#include "cuda_cpu/runtime/linker.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/link.hpp"

namespace treadle::cuda_cpu {

LinkHandles& link_handles() {
  static LinkHandles* const handles = new LinkHandles;
  return *handles;
}

namespace {

/// An object can be linked; a whole module can not, but alone it is a result already.
LoadFailure input_defect(const std::vector<char>& bytes, CUjitInputType type) {
  if (is_object(bytes.data(), bytes.size())) return {};
  if (type == CU_JIT_INPUT_LIBRARY)
    return {CUDA_ERROR_INVALID_IMAGE, "a library of code for NVIDIA GPUs; this is the CPU device"};
  return header_defect(bytes.data(), bytes.size());
}

CUresult add_input(LinkState& state, CUjitInputType type, std::string name,
                   std::vector<char> bytes) {
  if (type < CU_JIT_INPUT_CUBIN || type >= CU_JIT_NUM_INPUT_TYPES) return CUDA_ERROR_INVALID_VALUE;
  LoadFailure defect = input_defect(bytes, type);
  if (defect.code != CUDA_SUCCESS) {
    defect.text = name + ": error: " + defect.text;
    return state.fail(defect);
  }
  state.objects.push_back({std::move(name), std::move(bytes)});
  return CUDA_SUCCESS;
}

LoadFailure link_all(LinkState& state) {
  const auto& objects = state.objects;
  if (objects.empty()) return {CUDA_ERROR_INVALID_IMAGE, "error: there is nothing to link"};
  if (objects.size() == 1 &&
      !is_object(objects.front().bytes.data(), objects.front().bytes.size())) {
    state.image = objects.front().bytes;
    return {};
  }
  std::vector<LinkInput> inputs;
  for (const NamedObject& object : objects) {
    if (!is_object(object.bytes.data(), object.bytes.size()))
      return {CUDA_ERROR_INVALID_IMAGE,
              object.name +
                  ": error: a whole module, which the CPU device cannot link to others: "
                  "compile it with -rdc=true"};
    inputs.push_back({object.name.c_str(), object.bytes.data(), object.bytes.size()});
  }
  LoadFailure failure;
  state.image = link_inputs(inputs, failure);
  return failure;
}

template <class Body>
CUresult with_link(CUlinkState handle, Body&& body) {
  return with_context([&](const auto& context) -> CUresult {
    const auto state = link_handles().find(handle);
    return state && state->context == context ? body(*state) : CUDA_ERROR_INVALID_HANDLE;
  });
}

}  // namespace
}  // namespace treadle::cuda_cpu

using namespace treadle::cuda_cpu;

CUresult cuLinkCreate(unsigned count, CUjit_option* options, void** values, CUlinkState* handle) {
  return with_context([&](const auto& context) -> CUresult {
    if (handle == nullptr || !good_jit_options({count, options, values}))
      return CUDA_ERROR_INVALID_VALUE;
    auto state = std::make_shared<LinkState>(context, JitOptionList{count, options, values});
    state->errors.write("");
    state->notes.write("");
    *handle = link_handles().insert(std::move(state));
    return CUDA_SUCCESS;
  });
}

CUresult cuLinkAddData(CUlinkState handle, CUjitInputType type, void* data, size_t size,
                       const char* name, unsigned count, CUjit_option* options, void** values) {
  return with_link(handle, [&](LinkState& state) -> CUresult {
    if (data == nullptr || size == 0 || !good_jit_options({count, options, values}))
      return CUDA_ERROR_INVALID_VALUE;
    std::vector<char> bytes;
    if (!read_bytes(data, size, bytes)) return CUDA_ERROR_INVALID_VALUE;
    return add_input(state, type, name == nullptr ? "unnamed" : name, std::move(bytes));
  });
}

CUresult cuLinkAddFile(CUlinkState handle, CUjitInputType type, const char* path, unsigned count,
                       CUjit_option* options, void** values) {
  return with_link(handle, [&](LinkState& state) -> CUresult {
    if (path == nullptr || !good_jit_options({count, options, values}))
      return CUDA_ERROR_INVALID_VALUE;
    std::error_code failure;
    const bool is_file = std::filesystem::is_regular_file(path, failure);
    std::ifstream file(path, std::ios::binary);
    if (!is_file || !file)
      return state.fail({CUDA_ERROR_FILE_NOT_FOUND, std::string(path) + ": error: no such file"});
    return add_input(state, type, path, {std::istreambuf_iterator<char>(file), {}});
  });
}

CUresult cuLinkComplete(CUlinkState handle, void** image, size_t* size) {
  return with_link(handle, [&](LinkState& state) -> CUresult {
    if (image == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (state.image.empty()) {
      const LoadFailure failure = link_all(state);
      if (failure.code != CUDA_SUCCESS) return state.fail(failure);
    }
    *image = state.image.data();
    if (size != nullptr) *size = state.image.size();
    return CUDA_SUCCESS;
  });
}

CUresult cuLinkDestroy(CUlinkState handle) {
  return with_context([&](const auto&) -> CUresult {
    return link_handles().remove(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}
