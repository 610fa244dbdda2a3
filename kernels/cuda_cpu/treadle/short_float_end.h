// SPDX-License-Identifier: MIT
// The names that short_float_types.h lists are free for the next type.
#undef __TREADLE_NUMBER
#undef __TREADLE_PAIR
#undef __TREADLE_OTHER
#undef __TREADLE_RAW
#undef __TREADLE_RAW_PAIR
#undef __TREADLE_WORD
#undef __TREADLE_PAIR_WORD
#undef __TREADLE_DOUBLED
#undef __TREADLE_CONVERTS
#undef __TREADLE_NUMBER_OPERATORS
#undef __TREADLE_PAIR_OPERATORS
