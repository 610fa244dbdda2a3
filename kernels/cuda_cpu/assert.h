// SPDX-License-Identifier: MIT
// Read again at every inclusion: NDEBUG may have changed in between.
#undef assert
#ifdef NDEBUG
#define assert(condition) (static_cast<void>(0))
#else
#define assert(condition)            \
  (static_cast<bool>(condition)      \
       ? static_cast<void>(0)        \
       : __treadle_assert_failed(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif
