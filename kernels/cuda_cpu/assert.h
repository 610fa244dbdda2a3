// SPDX-License-Identifier: MIT
// No include guard: NDEBUG may have changed since the last inclusion.
#undef assert
#ifdef NDEBUG
#define assert(condition) (static_cast<void>(0))
#else
#define assert(condition)            \
  (static_cast<bool>(condition)      \
       ? static_cast<void>(0)        \
       : __treadle_assert_failed(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif
