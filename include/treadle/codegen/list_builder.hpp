// SPDX-License-Identifier: MIT
// Builds lists of different lengths, one for each of many objects. A user's function appends the
// elements. It runs twice for each object, first to count and then to write; a scan of the counts
// gives the start of each list:
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
  std::string name;  ///< APPEND_name(value) appends an element
  DType dtype;       ///< of its elements
  /// The parent list: it gets an element just before each element of this list.
  std::string mother = {};
  bool is_left_out = false;  ///< appended elements are counted, but not stored
};

/// The C texts of a ListBuilder.
struct ListBuilderTexts {
  /// Defines `void generate(LIST_ARG_DECL USER_ARG_DECL index_type i)`, a function that a kernel
  /// calls. For the object `i` it may append to each list any number of times. It runs once to
  /// count (PLB_COUNT_STAGE is defined) and once to write (PLB_WRITE_STAGE is defined), and must
  /// append the same elements both times. It may pass LIST_ARGS and USER_ARGS to other functions.
  std::string generate;
  std::string arguments;  ///< C declarations: "const float *x, float limit"
};

/// Whether a list has counts of its own. A parent list has, even if it is left out.
bool has_counts(const std::vector<BuiltList>& lists, const BuiltList& list);

/// The two kernels.
enum class ListStage { count, write };
/// The C texts of an elementwise kernel over the objects.
struct ListText {
  std::string arguments;  ///< the parameters for the lists, before the user's
  std::string operation;  ///< statements for the object `i`
  std::string preamble;   ///< the macros and the user's function, before the kernel
};
/// Writes the texts; `index` is the type of counts. Throws as parse_parameters().
ListText generate_list_stage(const std::vector<BuiltList>& lists, const ListBuilderTexts& texts,
                             ListStage stage, const std::string& index, const Dialect& dialect,
                             const TypeNames& types);

/// The scan of counts into starts. There is one more start than counts.
ScanTexts scan_of_counts(const std::string& index, const Dialect& dialect);
/// The scan that leaves out empty lists. It takes the starts of all lists, the starts of the lists
/// that are not empty, the objects of those lists, and, for each object, the number of those lists
/// before it.
ScanTexts scan_of_lists(const std::string& index, const Dialect& dialect);

}  // namespace treadle::codegen
