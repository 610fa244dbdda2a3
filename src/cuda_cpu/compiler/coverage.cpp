// SPDX-License-Identifier: MIT
//   call @llvm.instrprof.increment(ptr @__profn_k, i64 hash, i32 3, i32 1)
//   @__covrec_... = { i64 hash of the name, ..., [n x i8] c"regions of k" }
//     =>
//   call @llvm.instrprof.increment(ptr @treadle.coverage.counters, i64 0, i32 9, i32 5)
//   @treadle.coverage.map = constant [n x i8] c"text ... line 0 7 +5 ..."
//   !treadle.coverage = !{!{ptr @treadle.coverage.map, ptr @treadle.coverage.counters, i64 9}}
#include "cuda_cpu/compiler/coverage.hpp"

#include <clang/Basic/CodeGenOptions.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/ProfileData/Coverage/CoverageMapping.h>
#include <llvm/ProfileData/Coverage/CoverageMappingReader.h>
#include <llvm/ProfileData/InstrProf.h>
#include <llvm/Support/Path.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "cuda_cpu/compiler/backend.hpp"
#include "cuda_cpu/compiler/source_copies.hpp"
#include "process/coverage_map.hpp"
#include "treadle/base/line_directive.hpp"

// clang's own header of this class is not among those that are installed.
namespace clang::CodeGen {
class CoverageMappingModuleGen {
 public:
  static CoverageSourceInfo* setUpCoverageCallbacks(Preprocessor& preprocessor);
};
}  // namespace clang::CodeGen

namespace treadle::cuda_cpu {
namespace {

using llvm::coverage::Counter;
using llvm::coverage::CounterExpression;
using llvm::coverage::CounterMappingRegion;

/// What clang is told that relative names are relative to, so that they can be told again.
constexpr llvm::StringRef coverage_root = "/treadle/here";

/// The regions of one function.
struct FunctionRegions {
  std::uint64_t name_hash = 0;
  std::vector<llvm::StringRef> files;  ///< by the regions' file numbers; macros have some, too
  std::vector<CounterExpression> expressions;
  std::vector<CounterMappingRegion> regions;
};

void check(llvm::Error error) {
  if (error) throw BackendError("error: clang's coverage: " + llvm::toString(std::move(error)));
}

/// What an initializer holds: integers, and bytes at last.
const llvm::ConstantStruct& fields_of(const llvm::GlobalVariable& variable) {
  return *llvm::cast<llvm::ConstantStruct>(variable.getInitializer());
}
std::uint64_t number_in(const llvm::ConstantStruct& fields, unsigned index) {
  return llvm::cast<llvm::ConstantInt>(fields.getOperand(index))->getZExtValue();
}
llvm::StringRef bytes_in(const llvm::ConstantStruct& fields) {
  const auto* bytes =
      llvm::dyn_cast<llvm::ConstantDataArray>(fields.getOperand(fields.getNumOperands() - 1));
  return bytes ? bytes->getRawDataValues() : llvm::StringRef();
}

/// The files that clang knows by number.
std::vector<std::string> files_of(const llvm::Module& module) {
  std::vector<std::string> files;
  const llvm::GlobalVariable* table = module.getNamedGlobal("__llvm_coverage_mapping");
  if (!table) return files;
  const auto& head = *llvm::cast<llvm::ConstantStruct>(fields_of(*table).getOperand(0));
  llvm::coverage::RawCoverageFilenamesReader reader(bytes_in(fields_of(*table)), files);
  check(reader.read(static_cast<llvm::coverage::CovMapVersion>(number_in(head, 3))));
  return files;
}

std::vector<FunctionRegions> functions_of(const llvm::Module& module,
                                          const std::vector<std::string>& files) {
  std::vector<FunctionRegions> functions;
  for (const llvm::GlobalVariable& variable : module.globals()) {
    if (!variable.getName().starts_with("__covrec_")) continue;
    const llvm::ConstantStruct& fields = fields_of(variable);
    FunctionRegions& function = functions.emplace_back();
    function.name_hash = number_in(fields, 0);
    llvm::ArrayRef<std::string> all(files);
    llvm::coverage::RawCoverageMappingReader reader(bytes_in(fields), all, function.files,
                                                    function.expressions, function.regions);
    check(reader.read());
  }
  return functions;
}

/// From numbers of clang's counters to sums of ours.
class Sums {
 public:
  Sums(const FunctionRegions& function, std::uint32_t first) : function_(function), first_(first) {}

  CounterSum of(Counter counter) const {
    std::map<std::uint32_t, int> times;
    add(counter, 1, times);
    CounterSum sum;
    for (const auto& [number, count] : times)
      sum.terms.insert(sum.terms.end(), static_cast<std::size_t>(std::abs(count)),
                       {first_ + number, count < 0});
    return sum;
  }

 private:
  void add(Counter counter, int sign, std::map<std::uint32_t, int>& times) const {
    if (counter.isZero()) return;
    if (!counter.isExpression()) {
      times[counter.getCounterID()] += sign;
      return;
    }
    const CounterExpression& both = function_.expressions[counter.getExpressionID()];
    add(both.LHS, sign, times);
    add(both.RHS, both.Kind == CounterExpression::Subtract ? -sign : sign, times);
  }

  const FunctionRegions& function_;
  const std::uint32_t first_;
};

using Position = std::pair<unsigned, unsigned>;  ///< line and column, from 1

/// A file of the program as clang read it, and how the user counts its lines.
class CountedFile {
 public:
  CountedFile(llvm::StringRef text, const std::string& name, CoverageMap& map) {
    std::map<std::string, std::uint32_t> numbers;
    for (const auto& [path, lines] : presumed_files(text, name)) {
      numbers[path] = static_cast<std::uint32_t>(map.texts.size());
      map.texts.push_back({path, lines});
    }
    std::map<std::pair<std::uint32_t, unsigned>, std::size_t> last;
    lines_.emplace_back();
    for (LineWalk walk(text); walk.next();) {
      const auto found = numbers.find(walk.name().empty() ? name : unquoted_name(walk.name()));
      lines_.emplace_back();
      if (walk.is_directive() || found == numbers.end()) continue;
      lines_.back() = {found->second, static_cast<unsigned>(walk.number())};
      // As in presumed_files, a later account of a line is the right one.
      const auto [before, is_first] = last.try_emplace(*lines_.back(), lines_.size() - 1);
      if (!is_first) lines_[std::exchange(before->second, lines_.size() - 1)].reset();
    }
    find_words(text);
  }

  /// The text and the line in it; none of what is written by nobody.
  std::optional<std::pair<std::uint32_t, unsigned>> place_of(unsigned line) const {
    return line < lines_.size() ? lines_[line] : std::nullopt;
  }
  /// Where words and numbers are that do something; in order.
  const std::vector<Position>& words() const { return words_; }

 private:
  void find_words(llvm::StringRef text) {
    clang::LangOptions language;
    language.CPlusPlus = language.CPlusPlus17 = true;
    const std::string ended = text.str();  // the lexer wants a zero behind the end
    clang::Lexer lexer(clang::SourceLocation(), language, ended.data(), ended.data(),
                       ended.data() + ended.size());
    bool is_in_directive = false;
    unsigned line = 1;
    const char* line_begin = ended.data();
    const char* seen = ended.data();
    clang::Token token;
    for (lexer.LexFromRawLexer(token); token.isNot(clang::tok::eof); lexer.LexFromRawLexer(token)) {
      const char* const at = lexer.getBufferLocation() - token.getLength();
      for (; seen < at; ++seen)
        if (*seen == '\n') ++line, line_begin = seen + 1;
      if (token.isAtStartOfLine()) is_in_directive = token.is(clang::tok::hash);
      if (!is_in_directive && does_something(token, {at, token.getLength()}))
        words_.emplace_back(line, static_cast<unsigned>(at - line_begin) + 1);
    }
  }
  static bool does_something(const clang::Token& token, llvm::StringRef text) {
    if (token.is(clang::tok::raw_identifier)) return text != "else" && text != "do";
    return clang::tok::isLiteral(token.getKind());
  }

  std::vector<std::optional<std::pair<std::uint32_t, unsigned>>> lines_;  ///< by clang's line
  std::vector<Position> words_;
};

/// The regions of a function as the file has it that it is written in: what macros expand to is
/// where they are used.
class FileRegions {
 public:
  explicit FileRegions(const FunctionRegions& function) : function_(function) {
    for (const CounterMappingRegion& region : function.regions)
      if (region.Kind == CounterMappingRegion::ExpansionRegion)
        used_at_[region.ExpandedFileID] = &region;
    const auto root = llvm::find_if(function.regions, [&](const CounterMappingRegion& region) {
      return !used_at_.contains(region.FileID);
    });
    if (root != function.regions.end()) root_ = root->FileID;
    for (const CounterMappingRegion& region : function.regions)
      if (region.FileID == root_ && !is_branch(region)) nested_.push_back(&region);
    for (const CounterMappingRegion& region : function.regions)
      if (region.FileID != root_ && is_branch(region))
        branches_in_[use_of(region)].push_back(inner(region));
    for (auto& [use, all] : branches_in_) {
      llvm::sort(all);
      all.erase(llvm::unique(all), all.end());
    }
    llvm::stable_sort(nested_, [](const auto* a, const auto* b) {
      return std::tuple(a->startLoc(), b->endLoc()) < std::tuple(b->startLoc(), a->endLoc());
    });
  }

  llvm::StringRef file() const { return function_.files[root_]; }
  Position begin() const { return nested_.empty() ? Position() : nested_.front()->startLoc(); }
  Position end() const {
    Position last;
    for (const CounterMappingRegion* region : nested_) last = std::max(last, region->endLoc());
    return last;
  }
  /// The innermost region there; null outside, and where there is no code.
  const CounterMappingRegion* at(Position position) const {
    const CounterMappingRegion* found = nullptr;
    for (const CounterMappingRegion* region : nested_) {
      if (position < region->startLoc()) break;
      if (position < region->endLoc()) found = region;
    }
    if (!found || found->Kind == CounterMappingRegion::GapRegion ||
        found->Kind == CounterMappingRegion::SkippedRegion)
      return nullptr;
    return found;
  }
  static bool is_branch(const CounterMappingRegion& region) {
    return region.Kind == CounterMappingRegion::BranchRegion;
  }
  /// Where a branch is for the user. Those of one use of a macro differ by what is added to the
  /// column, in the macro's order: the name and its arguments take as many.
  Position place_of(const CounterMappingRegion& region) const {
    const auto [line, column] = use_of(region);
    const auto same = branches_in_.find({line, column});
    if (same == branches_in_.end()) return {line, column};
    const auto number = llvm::lower_bound(same->second, inner(region)) - same->second.begin();
    return {line, column + static_cast<unsigned>(number)};
  }

 private:
  using Inner = std::pair<unsigned, Position>;  // of a macro: its file, and where in it
  static Inner inner(const CounterMappingRegion& region) {
    return {region.FileID, region.startLoc()};
  }
  /// Where the file says what it is of, or uses a macro that does.
  Position use_of(const CounterMappingRegion& region) const {
    const CounterMappingRegion* at = &region;
    for (auto found = used_at_.find(at->FileID); found != used_at_.end();
         found = used_at_.find(at->FileID))
      at = found->second;
    return at->startLoc();
  }

  const FunctionRegions& function_;
  std::map<unsigned, const CounterMappingRegion*> used_at_;
  std::map<Position, std::vector<Inner>> branches_in_;  ///< by the macro's use; in order
  std::vector<const CounterMappingRegion*> nested_;     ///< outer ones first
  unsigned root_ = 0;
};

class CoverageTaker {
 public:
  CoverageTaker(llvm::Module& module, const clang::SourceManager& sources,
                const std::string& own_root)
      : module_(module), own_root_(own_root) {
    for (auto file = sources.fileinfo_begin(); file != sources.fileinfo_end(); ++file)
      if (const auto text = file->second->getBufferDataIfLoaded())
        texts_[normal(file->first.getName())] = *text;
    for (const llvm::GlobalVariable& variable : module.globals())
      if (variable.getName().starts_with("__profn_")) names_[hash_of(variable)] = name_in(variable);
    for (llvm::Function& function : module)
      for (llvm::Instruction& instruction : llvm::instructions(function))
        if (auto* count = llvm::dyn_cast<llvm::InstrProfIncrementInst>(&instruction))
          increments_.push_back(count);
    for (const llvm::InstrProfIncrementInst* count : increments_)
      sizes_[hash_of(*count->getName())] =
          static_cast<std::uint32_t>(count->getNumCounters()->getZExtValue());
  }

  void take() {
    const std::vector<std::string> files = files_of(module_);
    for (const FunctionRegions& function : functions_of(module_, files)) take(function);
    if (counters_ != 0 || !map_.lines.empty()) emit();
    for (llvm::InstrProfIncrementInst* count : increments_) renumber(*count);
    remove_clangs_own();
  }

 private:
  /// The text of the initializer, which has no zero at its end.
  static llvm::StringRef name_in(const llvm::GlobalVariable& variable) {
    const auto* bytes = llvm::dyn_cast<llvm::ConstantDataArray>(variable.getInitializer());
    return bytes ? bytes->getRawDataValues() : llvm::StringRef();
  }
  static std::uint64_t hash_of(const llvm::GlobalVariable& variable) {
    return llvm::IndexedInstrProf::ComputeHash(name_in(variable));
  }
  static std::string normal(llvm::StringRef path) {
    llvm::SmallString<256> clean(path);
    llvm::sys::path::remove_dots(clean, /*remove_dot_dot=*/true);
    return clean.str().str();
  }

  /// Null for files of ours, and for those that are not there any more.
  const CountedFile* counted(llvm::StringRef file) {
    llvm::StringRef name = file;
    if (name.consume_front(coverage_root)) name.consume_front("/");
    const auto known = files_.find(name.str());
    if (known != files_.end()) return &known->second;
    const auto text = texts_.find(name.str());
    if (text == texts_.end()) return nullptr;
    llvm::StringRef shown = name;
    shown.consume_front(own_root_);
    return &files_.emplace(name.str(), CountedFile(text->second, shown.str(), map_)).first->second;
  }

  void take(const FunctionRegions& function) {
    if (function.regions.empty()) return;
    const FileRegions regions(function);
    const CountedFile* const file = counted(regions.file());
    const auto begin = file ? file->place_of(regions.begin().first) : std::nullopt;
    if (!begin) return;
    const auto size = sizes_.find(function.name_hash);
    const bool is_called = size != sizes_.end();
    if (is_called && !first_.contains(function.name_hash)) {
      first_[function.name_hash] = counters_;
      counters_ += size->second;
    }
    const Sums sums(function, is_called ? first_[function.name_hash] : 0);
    take_lines(regions, *file, sums);
    take_branches(function, regions, *file, sums, is_called);
    llvm::StringRef symbol = names_[function.name_hash];
    if (symbol.contains(';')) symbol = symbol.rsplit(';').second;
    map_.functions.push_back(
        {llvm::demangle(symbol.str()), begin->first, begin->second,
         sums.of(regions.at(regions.begin()) ? regions.at(regions.begin())->Count : Counter())});
  }

  void take_lines(const FileRegions& regions, const CountedFile& file, const Sums& sums) {
    const Position begin = regions.begin(), end = regions.end();
    const auto& words = file.words();
    unsigned last_line = 0;
    std::vector<Counter> counted;
    for (auto word = llvm::lower_bound(words, begin); word != words.end() && *word < end; ++word) {
      const CounterMappingRegion* const region = regions.at(*word);
      const auto place = region ? file.place_of(word->first) : std::nullopt;
      if (!place) continue;
      if (word->first != last_line) {
        map_.lines.push_back({place->first, place->second, {}});
        counted.clear();
        last_line = word->first;
      }
      if (llvm::is_contained(counted, region->Count)) continue;
      counted.push_back(region->Count);
      map_.lines.back().counts.push_back(sums.of(region->Count));
    }
  }

  void take_branches(const FunctionRegions& function, const FileRegions& regions,
                     const CountedFile& file, const Sums& sums, bool is_called) {
    for (const CounterMappingRegion& region : function.regions) {
      if (!FileRegions::is_branch(region)) continue;
      // A condition that clang knows is no branch; in a function that is not there all are zero.
      if (is_called && region.Count.isZero() && region.FalseCount.isZero()) continue;
      const Position position = regions.place_of(region);
      if (const auto place = file.place_of(position.first))
        map_.branches.push_back({place->first, place->second, position.second,
                                 sums.of(region.Count), sums.of(region.FalseCount)});
    }
  }

  /// Where this processor has its memory, and not where the front end's GPU has global variables.
  llvm::GlobalVariable* variable(llvm::Constant* value, const char* name) {
    return new llvm::GlobalVariable(module_, value->getType(), false,
                                    llvm::GlobalValue::InternalLinkage, value, name, nullptr,
                                    llvm::GlobalValue::NotThreadLocal, 0);
  }

  void emit() {
    llvm::LLVMContext& context = module_.getContext();
    auto* const text = variable(llvm::ConstantDataArray::getString(context, map_.encoded(), false),
                                "treadle.coverage.map");
    text->setConstant(true);
    // Where the loader does not say where to count, this is as good a place as any.
    auto* const words =
        llvm::ArrayType::get(llvm::Type::getInt64Ty(context), std::max(1u, counters_));
    place_ = variable(variable(llvm::Constant::getNullValue(words), "treadle.coverage.local"),
                      "treadle.coverage.counters");
    place_->setExternallyInitialized(true);
    llvm::appendToCompilerUsed(module_, {text, place_});  // metadata alone is not linked
    auto* const count =
        llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), std::uint64_t{counters_});
    module_.getOrInsertNamedMetadata("treadle.coverage")
        ->addOperand(llvm::MDNode::get(
            context, {llvm::ConstantAsMetadata::get(text), llvm::ConstantAsMetadata::get(place_),
                      llvm::ConstantAsMetadata::get(count)}));
  }

  void renumber(llvm::InstrProfIncrementInst& count) const {
    const auto first = first_.find(hash_of(*count.getName()));
    if (first == first_.end()) {
      count.eraseFromParent();
      return;
    }
    const std::uint64_t number = first->second + count.getIndex()->getZExtValue();
    auto* const word = llvm::Type::getInt32Ty(module_.getContext());
    count.setArgOperand(0, place_);
    count.setArgOperand(2, llvm::ConstantInt::get(word, counters_));
    count.setArgOperand(3, llvm::ConstantInt::get(word, number));
  }

  void remove_clangs_own() {
    llvm::SmallVector<llvm::GlobalVariable*, 16> own;
    for (llvm::GlobalVariable& variable : module_.globals())
      for (const char* begin : {"__covrec_", "__llvm_coverage_", "__profn_", "__llvm_profile_"})
        if (variable.getName().starts_with(begin)) own.push_back(&variable);
    llvm::removeFromUsedLists(module_, [&](llvm::Constant* constant) {
      return llvm::is_contained(own, constant->stripPointerCasts());
    });
    for (llvm::GlobalVariable* variable : own) variable->setInitializer(nullptr);
    for (llvm::GlobalVariable* variable : own) {
      variable->removeDeadConstantUsers();  // initializers that are nobody's now
      variable->eraseFromParent();
    }
  }

  llvm::Module& module_;
  const std::string& own_root_;
  std::map<std::string, llvm::StringRef> texts_;    ///< by the name that clang has
  std::map<std::uint64_t, llvm::StringRef> names_;  ///< symbols by the hash of the name
  std::map<std::uint64_t, std::uint32_t> sizes_;    ///< counters of functions that are there
  std::map<std::uint64_t, std::uint32_t> first_;    ///< the first of them among ours
  std::map<std::string, CountedFile> files_;
  std::vector<llvm::InstrProfIncrementInst*> increments_;
  CoverageMap map_;
  std::uint32_t counters_ = 0;
  llvm::GlobalVariable* place_ = nullptr;
};

}  // namespace

void count_places(clang::CompilerInstance& clang) {
  clang::CodeGenOptions& options = clang.getCodeGenOpts();
  options.setProfileInstr(clang::CodeGenOptions::ProfileClangInstr);
  options.CoverageMapping = true;
  options.CoverageCompilationDir = coverage_root;
}

clang::CoverageSourceInfo* coverage_source_info(clang::CompilerInstance& clang) {
  if (!clang.getCodeGenOpts().CoverageMapping) return nullptr;
  return clang::CodeGen::CoverageMappingModuleGen::setUpCoverageCallbacks(clang.getPreprocessor());
}

void take_coverage(llvm::Module& module, const clang::SourceManager& sources,
                   const std::string& own_root) {
  CoverageTaker(module, sources, own_root).take();
}

}  // namespace treadle::cuda_cpu
