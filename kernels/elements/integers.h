// SPDX-License-Identifier: MIT
// Integers, signed or not; elements.h says how this is read. Bits that count more than there are
// shift everything out, as in NumPy; a processor would take the count modulo the width.

TREADLE_FUNCTION TYPE treadle_left_shift_DTYPE(TYPE a, TYPE count)
{
  return (UNSIGNED)count < WIDTH ? (TYPE)((UNSIGNED)a << count) : 0;
}
