// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/passes/ptx/inline_ptx_registers.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Module.h>

#include <optional>

#include "cuda_cpu/compiler/passes/ptx/inline_ptx_state.hpp"

namespace treadle::cuda_cpu::ptx {
namespace {

constexpr unsigned warp_size = 32;

[[noreturn]] void refuse(const std::string& reason) { throw Untranslatable(reason); }

}  // namespace

std::optional<Type> type_of(std::string_view word) {
  if (word == "pred") return Type{'p', 1};
  if (word == "f16") return Type{'h', 16};
  if (word.size() < 2 || std::string_view("usbf").find(word[0]) == word.npos) return {};
  unsigned bits = 0;
  if (llvm::StringRef(word.data() + 1, word.size() - 1).getAsInteger(10, bits)) return {};
  const bool real = word[0] == 'f' && (bits == 32 || bits == 64);
  const bool whole = word[0] != 'f' && (bits == 8 || bits == 16 || bits == 32 || bits == 64);
  if (!real && !whole) return {};
  return Type{word[0], bits};
}

Registers::Registers(llvm::CallBase& call) : call_(call), builder_(&call) { collect_arguments(); }

llvm::Type* Registers::ir_type(Type type) {
  if (type.kind == 'h') return builder_.getHalfTy();
  if (type.is_real()) return type.bits == 32 ? builder_.getFloatTy() : builder_.getDoubleTy();
  return builder_.getIntNTy(type.bits);
}

// Arguments are numbered as constraints are: outputs, then inputs; an input that is tied to an
// output ("+r") is that output's first value.
void Registers::collect_arguments() {
  const auto* assembly = llvm::cast<llvm::InlineAsm>(call_.getCalledOperand());
  llvm::Type* result = call_.getType();
  unsigned input = 0;
  for (const auto& constraint : assembly->ParseConstraints()) {
    if (constraint.Type == llvm::InlineAsm::isClobber) continue;
    if (constraint.isIndirect) refuse("a result in memory is not supported, use \"=r\"");
    Slot slot;
    slot.is_output = constraint.Type == llvm::InlineAsm::isOutput;
    if (slot.is_output) {
      const auto* several = llvm::dyn_cast<llvm::StructType>(result);
      slot.type = several ? several->getElementType(output_count_) : result;
      ++output_count_;
    } else {
      slot.value = call_.getArgOperand(input++);
      unsigned tied = 0;
      if (!llvm::StringRef(constraint.Codes.front()).getAsInteger(10, tied))
        arguments_[tied].value = slot.value;
    }
    arguments_.push_back(slot);
  }
}

void Registers::declare(const Statement& directive) {
  if (directive.words.size() != 2 || directive.words[0] != ".reg")
    refuse("only .reg is known of the directives");
  if (!type_of(directive.words[1])) refuse("a register of type ." + directive.words[1]);
  for (const Operand& operand : directive.operands) {
    if (operand.kind != Operand::Kind::name) refuse("not a register's name");
    if (operand.bits > 256) refuse("too many registers");
    if (operand.bits == 0) named_[operand.name] = {};
    for (std::uint64_t i = 0; i < operand.bits; ++i) named_[operand.name + std::to_string(i)] = {};
  }
}

Registers::Slot& Registers::slot_of(const Operand& operand) {
  if (operand.kind == Operand::Kind::argument) {
    if (operand.bits >= arguments_.size()) refuse("there is no argument of that number");
    return arguments_[operand.bits];
  }
  const auto found = named_.find(operand.name);
  if (operand.kind != Operand::Kind::name || found == named_.end())
    refuse("'" + operand.name + "' is not a register that it declares");
  return found->second;
}

llvm::Value* Registers::constant(const Operand& operand, Type type) {
  if (operand.kind == Operand::Kind::integer)
    return type.is_real() ? (refuse("an integer where a real number belongs"), nullptr)
                          : builder_.getIntN(type.bits, operand.bits);
  const unsigned bits = operand.kind == Operand::Kind::float32 ? 32 : 64;
  if (bits != type.bits) refuse("a real number of another size than the instruction");
  return builder_.CreateBitCast(builder_.getIntN(bits, operand.bits), ir_type(type));
}

llvm::Value* Registers::read(const Operand& operand, Type type) {
  switch (operand.kind) {
    case Operand::Kind::integer:
    case Operand::Kind::float32:
    case Operand::Kind::float64:
      return constant(operand, type);
    case Operand::Kind::address:
    case Operand::Kind::vector:
      refuse("an address or a vector where a value belongs");
    default:
      break;
  }
  llvm::Value* value = nullptr;
  if (operand.kind == Operand::Kind::name && operand.name.starts_with('%') &&
      !named_.contains(operand.name)) {
    value = special(llvm::StringRef(operand.name).drop_front());
    if (!value) refuse("the special register " + operand.name + " is not known on the CPU device");
  } else {
    value = slot_of(operand).value;
    if (!value) refuse("a register is read before it is written");
  }
  return convert(value, ir_type(type), type.is_signed());
}

llvm::Value* Registers::pointer(const Operand& address) {
  if (address.kind != Operand::Kind::address) refuse("an address in brackets belongs there");
  const Operand& base = address.parts.front();
  llvm::Value* value =
      base.kind == Operand::Kind::integer ? builder_.getInt64(base.bits) : slot_of(base).value;
  if (!value) refuse("a register is read before it is written");
  if (!value->getType()->isPointerTy()) {
    // A GPU numbers its shared memory with 32 bits; here every address has 64.
    if (value->getType()->getPrimitiveSizeInBits() != 64)
      refuse("addresses have 64 bits on the CPU device, those of shared memory too");
    value = builder_.CreateIntToPtr(value, builder_.getPtrTy());
  }
  return builder_.CreatePtrAdd(value,
                               builder_.getInt64(static_cast<std::uint64_t>(address.offset)));
}

void Registers::write(const Operand& operand, llvm::Value* value, Type type) {
  if (operand.kind == Operand::Kind::name && operand.name == "_") return;
  Slot& slot = slot_of(operand);
  if (operand.kind == Operand::Kind::argument && !slot.is_output)
    refuse("it writes to an argument that is an input");
  if (slot.type) value = convert(value, slot.type, type.is_signed());
  if (guard_) {
    llvm::Value* old = slot.value ? convert(slot.value, value->getType(), false)
                                  : llvm::Constant::getNullValue(value->getType());
    value = builder_.CreateSelect(guard_, value, old);
  }
  slot.value = value;
}

llvm::Value* Registers::convert(llvm::Value* value, llvm::Type* wanted, bool sign_extends) {
  if (value->getType() == wanted) return value;
  const llvm::DataLayout& layout = call_.getModule()->getDataLayout();
  const auto size_of = [&](llvm::Type* type) {
    return static_cast<unsigned>(layout.getTypeSizeInBits(type).getFixedValue());
  };
  if (!value->getType()->isSingleValueType() || !wanted->isSingleValueType())
    refuse("an argument that is no number and no pointer");
  const unsigned from = size_of(value->getType()), to = size_of(wanted);
  if (value->getType()->isPointerTy())
    value = builder_.CreatePtrToInt(value, builder_.getIntNTy(from));
  else
    value = builder_.CreateBitCast(value, builder_.getIntNTy(from));
  value = builder_.CreateIntCast(value, builder_.getIntNTy(to), sign_extends);
  if (wanted->isPointerTy()) return builder_.CreateIntToPtr(value, wanted);
  return builder_.CreateBitCast(value, wanted);
}

llvm::Value* Registers::call_marker(const char* name, llvm::Type* result,
                                    llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::SmallVector<llvm::Type*, 2> types;
  for (const llvm::Value* argument : arguments) types.push_back(argument->getType());
  llvm::Module& module = *call_.getModule();
  llvm::Function* marker = module.getFunction(name);
  if (!marker) {
    marker = llvm::Function::Create(llvm::FunctionType::get(result, types, false),
                                    llvm::GlobalValue::ExternalLinkage, name, module);
    marker->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    marker->addFnAttr(llvm::Attribute::Convergent);
    marker->addFnAttr(llvm::Attribute::NoUnwind);
  }
  llvm::CallInst* made = builder_.CreateCall(marker, arguments);
  made->setCallingConv(marker->getCallingConv());
  made->addFnAttr(llvm::Attribute::Convergent);
  return made;
}

llvm::Value* Registers::carry() {
  if (!carry_) carry_ = call_marker(ptx_state::carry, builder_.getInt1Ty(), {});
  return carry_;
}

void Registers::set_carry(llvm::Value* carry) {
  if (guard_) carry = builder_.CreateSelect(guard_, carry, this->carry());
  carry_ = carry;
  carry_written_ = true;
}

llvm::Value* Registers::index(const char* marker, char dimension) {
  llvm::Value* made = call_marker(marker, builder_.getInt32Ty(),
                                  {builder_.getInt32(static_cast<unsigned>(dimension - 'x'))});
  llvm::cast<llvm::CallInst>(made)->setDoesNotAccessMemory();
  return made;
}

llvm::Value* Registers::linear_thread() {
  constexpr const char* thread = "__treadle_thread_index";
  constexpr const char* size = "__treadle_block_size";
  llvm::Value* plane = builder_.CreateAdd(index(thread, 'y'),
                                          builder_.CreateMul(index(size, 'y'), index(thread, 'z')));
  return builder_.CreateAdd(index(thread, 'x'), builder_.CreateMul(index(size, 'x'), plane));
}

llvm::Value* Registers::special(llvm::StringRef name) {
  auto [family, dimension] = name.split('.');
  if (dimension.size() == 1 && dimension[0] >= 'x' && dimension[0] <= 'z') {
    const char* marker = llvm::StringSwitch<const char*>(family)
                             .Case("tid", "__treadle_thread_index")
                             .Case("ctaid", "__treadle_block_index")
                             .Case("ntid", "__treadle_block_size")
                             .Case("nctaid", "__treadle_grid_size")
                             .Default(nullptr);
    return marker ? index(marker, dimension[0]) : nullptr;
  }
  // One processor that runs every block.
  if (name == "smid" || name == "gridid") return builder_.getInt32(0);
  if (name == "nsmid") return builder_.getInt32(1);
  if (name == "warpid") return builder_.CreateLShr(linear_thread(), 5);
  if (name == "laneid") return builder_.CreateAnd(linear_thread(), warp_size - 1);
  if (name == "clock64" || name == "globaltimer" || name == "clock" || name == "globaltimer_lo")
    return call_marker("__treadle_clock", builder_.getInt64Ty(), {});
  if (name == "clock_hi" || name == "globaltimer_hi")
    return builder_.CreateLShr(call_marker("__treadle_clock", builder_.getInt64Ty(), {}), 32);
  if (!name.consume_front("lanemask_")) return nullptr;
  llvm::Value* lane = builder_.CreateAnd(linear_thread(), warp_size - 1);
  llvm::Value* equal = builder_.CreateShl(builder_.getInt32(1), lane);
  llvm::Value* below = builder_.CreateSub(equal, builder_.getInt32(1));
  if (name == "eq") return equal;
  if (name == "lt") return below;
  if (name == "le") return builder_.CreateOr(below, equal);
  if (name == "ge") return builder_.CreateNot(below);
  if (name == "gt") return builder_.CreateNot(builder_.CreateOr(below, equal));
  return nullptr;
}

void Registers::replace_call() {
  if (carry_written_) call_marker(ptx_state::set_carry, builder_.getVoidTy(), {carry_});
  llvm::Value* result =
      call_.getType()->isVoidTy() ? nullptr : llvm::PoisonValue::get(call_.getType());
  for (unsigned i = 0; i < output_count_; ++i) {
    llvm::Value* value = arguments_[i].value;
    // What the text never writes: a register holds something, so not poison.
    if (!value) value = llvm::Constant::getNullValue(arguments_[i].type);
    result = call_.getType()->isStructTy() ? builder_.CreateInsertValue(result, value, i) : value;
  }
  if (result) call_.replaceAllUsesWith(result);
  call_.eraseFromParent();
}

}  // namespace treadle::cuda_cpu::ptx
