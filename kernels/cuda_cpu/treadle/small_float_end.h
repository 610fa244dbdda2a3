// SPDX-License-Identifier: MIT
// Takes back what small_float_types.h was told for all types of a header.
#undef __TREADLE_WORD
#undef __TREADLE_STORAGE
#undef __TREADLE_STORAGE2
#undef __TREADLE_STORAGE4
#undef __TREADLE_WIDTH
#undef __TREADLE_NARROW
#undef __TREADLE_WIDEN
#undef __TREADLE_TO_HALF
#undef __TREADLE_TO_INTEGER
