// SPDX-License-Identifier: MIT
// The arguments of the compile travel in the bitcode, one node for each object; linking appends the
// nodes of all:
//
//   !treadle.options = !{!0, !1}
//   !0 = !{!"--fmad=false\00"}
#include "cuda_cpu/compiler/object.hpp"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/xxhash.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "cuda_cpu/compiler/diagnostics_to_error.hpp"
#include "cuda_cpu/compiler/kernel_part.hpp"
#include "cuda_cpu/compiler/options.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

constexpr const char* options_node = "treadle.options";

llvm::XXH128_hash_t digest_of(std::span<const char> payload) {
  return llvm::xxh3_128bits(
      llvm::ArrayRef(reinterpret_cast<const std::uint8_t*>(payload.data()), payload.size()));
}

void note_arguments(llvm::Module& module, const std::string& arguments) {
  llvm::LLVMContext& context = module.getContext();
  module.getOrInsertNamedMetadata(options_node)
      ->addOperand(llvm::MDNode::get(context, {llvm::MDString::get(context, arguments)}));
}

BackendOptions options_of(const llvm::MDNode& node) {
  const llvm::StringRef noted = llvm::cast<llvm::MDString>(node.getOperand(0))->getString();
  return backend_options(parse_options(split_arguments({noted.data(), noted.size()})));
}

/// Arguments of a compile that ask the same of the back end: for kernels that are compiled later.
std::string spelled_arguments(const BackendOptions& options) {
  std::vector<std::string_view> list;
  if (options.fast_math) list.emplace_back("--use_fast_math");
  if (!options.fp_contract) list.emplace_back("--fmad=false");
  if (options.optimization == 0) list.emplace_back("--device-debug");
  if (options.fibers) list.emplace_back("--treadle-fibers");
  const std::string checks = "--treadle-check=" + options.checks.names();
  if (options.checks.any()) list.push_back(checks);
  return join_arguments(list);
}

/// Takes the objects' options out of the module that they were linked to.
BackendOptions take_options(llvm::Module& module) {
  llvm::NamedMDNode* const all = module.getNamedMetadata(options_node);
  if (all == nullptr || all->getNumOperands() == 0)
    throw BackendError("error: the objects do not say how they were compiled");
  BackendOptions result = options_of(*all->getOperand(0));
  for (const llvm::MDNode* node : all->operands()) {
    const BackendOptions each = options_of(*node);
    result.fast_math &= each.fast_math;
    result.fp_contract &= each.fp_contract;
    result.optimization = std::min(result.optimization, each.optimization);
    result.fibers &= each.fibers;
    result.checks = {.memory = result.checks.memory || each.checks.memory,
                     .race = result.checks.race || each.checks.race,
                     .init = result.checks.init || each.checks.init,
                     .sync = result.checks.sync || each.checks.sync,
                     .determinism = result.checks.determinism || each.checks.determinism};
  }
  all->eraseFromParent();
  result.arguments = spelled_arguments(result);
  return result;
}

std::span<const char> payload_of(const Object& object) {
  ObjectHeader header;
  const auto refuse = [&](const std::string& why) -> BackendError {
    return BackendError(object.name + ": error: " + why);
  };
  if (object.bytes.size() < sizeof header) throw refuse("shorter than an object's header");
  std::memcpy(&header, object.bytes.data(), sizeof header);
  if (std::memcmp(header.magic, object_magic, sizeof object_magic) != 0)
    throw refuse("no object: a text is compiled with -rdc=true to be linked");
  if (header.abi_version != module_abi_version || header.header_size != sizeof header)
    throw refuse("an object of another version of Treadle");
  const std::span payload = object.bytes.subspan(sizeof header);
  if (payload.size() < header.payload_size) throw refuse("the object is cut off");
  const std::span whole = payload.first(static_cast<std::size_t>(header.payload_size));
  const llvm::XXH128_hash_t digest = digest_of(whole);
  if (digest.low64 != header.digest[0] || digest.high64 != header.digest[1])
    throw refuse("the object does not match its digest");
  return whole;
}

}  // namespace

std::vector<char> write_object(llvm::Module& module, const std::string& arguments) {
  note_arguments(module, arguments);
  llvm::SmallVector<char, 0> bitcode;
  llvm::raw_svector_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(module, stream);

  ObjectHeader header{};
  std::memcpy(header.magic, object_magic, sizeof header.magic);
  header.abi_version = module_abi_version;
  header.header_size = sizeof header;
  header.payload_size = bitcode.size();
  const llvm::XXH128_hash_t digest = digest_of({bitcode.data(), bitcode.size()});
  header.digest[0] = digest.low64;
  header.digest[1] = digest.high64;
  std::vector<char> object(sizeof header + bitcode.size());
  std::memcpy(object.data(), &header, sizeof header);
  std::memcpy(object.data() + sizeof header, bitcode.data(), bitcode.size());
  return object;
}

std::vector<char> link_objects(std::span<const Object> objects) {
  if (objects.empty()) throw BackendError("error: there is nothing to link");
  std::string failure;
  llvm::LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<DiagnosticsToError>(failure));
  auto whole = std::make_unique<llvm::Module>("linked", context);
  llvm::Linker linker(*whole);
  for (const Object& object : objects) {
    const std::span payload = payload_of(object);
    auto part = llvm::parseBitcodeFile(
        llvm::MemoryBufferRef({payload.data(), payload.size()}, object.name), context);
    if (!part) throw BackendError(object.name + ": error: " + llvm::toString(part.takeError()));
    if (linker.linkInModule(std::move(*part))) throw BackendError(object.name + ": " + failure);
  }
  const BackendOptions options = take_options(*whole);
  return build_module_image(std::move(whole), options);
}

}  // namespace treadle::cuda_cpu
