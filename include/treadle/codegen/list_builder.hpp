// SPDX-License-Identifier: MIT
// Lists of unequal lengths for many objects, around a user's function that appends to them. It is
// called for each object twice, to count and to write; a scan of the counts says where lists begin:
//
//   appended by objects     0: a b    1: -    2: c d e      counts 2 0 3      starts 0 2 2 5
//   without empty lists     lists 0 2, of objects 0 2       starts 0 2 5      places 0 1 1 2
#pragma once

#include <string>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/scan.hpp"
#include "treadle/codegen/signature.hpp"

namespace treadle::codegen {

/// One of the lists that a ListBuilder makes for each object.
struct BuiltList {
  std::string name;          ///< its elements are appended by APPEND_name(value)
  DType dtype;               ///< of its elements
  std::string mother = {};   ///< a list that gets an element just before each of this one
  bool is_left_out = false;  ///< appended elements are counted, and not stored
};

/// The C texts of a ListBuilder.
struct ListBuilderTexts {
  /// Defines `void generate(LIST_ARG_DECL USER_ARG_DECL index_type i)`, a function of a kernel,
  /// which may append to each list any number of times for the object `i`. It runs twice, to
  /// count and to write (PLB_COUNT_STAGE and PLB_WRITE_STAGE are defined), and must do the same
  /// both times. Functions that it calls may be given LIST_ARGS and USER_ARGS.
  std::string generate;
  std::string arguments;  ///< C declarations: "const float *x, float limit"
};

/// Whether a list is counted. A mother is, for her children, even if she is left out.
bool has_counts(const std::vector<BuiltList>& lists, const BuiltList& list);

/// Which of the two kernels.
enum class ListStage { count, write };
/// The C texts of an elementwise kernel over objects.
struct ListText {
  std::string arguments;  ///< of the lists, before the user's
  std::string operation;  ///< statements for the object `i`
  std::string preamble;   ///< macros, and the user's function, to stand before the kernel
};
/// Writes them; `index` is the type of counts. Throws as parse_parameters().
ListText generate_list_stage(const std::vector<BuiltList>& lists, const ListBuilderTexts& texts,
                             ListStage stage, const std::string& index, const Dialect& dialect,
                             const TypeNames& types);

/// The scan of counts into starts, of which there is one more.
ScanTexts scan_of_counts(const std::string& index, const Dialect& dialect);
/// The scan that leaves out empty lists: it takes starts, those that are left, their objects, and
/// for each object how many are before it.
ScanTexts scan_of_lists(const std::string& index, const Dialect& dialect);

}  // namespace treadle::codegen
