# SPDX-License-Identifier: MIT
"""Bessel and Hankel functions by their power series, in 120 digits: for |z| up to some 60."""

import math
from decimal import Decimal, getcontext

getcontext().prec = 120

PI = Decimal(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803"
    "48253421170679821480865132823066470938446095505822317253594081284811174502841027"
)
GAMMA = Decimal(
    "0.57721566490153286060651209008240243104215933593992359880576723488486772677766467093694"
    "7063291746749514631447249807082480960504014486542836224173997644923536253500333742937"
)


class Complex:
    """Two decimals."""

    def __init__(self, re, im=0):
        self.re, self.im = Decimal(re), Decimal(im)

    def __add__(self, other):
        return Complex(self.re + other.re, self.im + other.im)

    def __mul__(self, other):
        return Complex(
            self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re
        )

    def scaled(self, factor):
        return Complex(self.re * factor, self.im * factor)

    def inverse(self):
        size = self.re**2 + self.im**2
        return Complex(self.re / size, -self.im / size)

    def log(self):
        """On the axes and their bisectors, where the angle is a fraction of pi."""
        size = (self.re**2 + self.im**2).ln() / 2
        eighths = round(math.atan2(self.im, self.re) / (math.pi / 4))
        return Complex(size, PI * eighths / 4)

    def __complex__(self):
        return complex(float(self.re), float(self.im))


def _terms(n, z):
    """(z/2)^(n + 2k) (-1)^k / (k! (n + k)!), until they no longer count."""
    half = z.scaled(Decimal("0.5"))
    factor = (half * half).scaled(-1)
    term = Complex(1)
    for k in range(n):
        term = (term * half).scaled(Decimal(1) / (k + 1))
    count = 40 + n + int(3 * abs(complex(z)))
    for k in range(count):
        yield k, term
        term = (term * factor).scaled(Decimal(1) / ((k + 1) * (n + k + 1)))


def bessel_j(n, z):
    total = Complex(0)
    for _, term in _terms(n, Complex(z.real, z.imag)):
        total = total + term
    return complex(total)


def bessel_y(n, z):
    """Of the orders 0 and 1, as a Complex."""
    z = Complex(z.real, z.imag)
    half = z.scaled(Decimal("0.5"))
    total = Complex(0)
    harmonic = Decimal(0)
    log = half.log().scaled(2)
    for k, term in _terms(n, z):
        above = harmonic + (Decimal(1) / (k + 1) if n else 0)
        digamma = harmonic + above - 2 * GAMMA
        total = total + term * (log + Complex(-digamma))
        harmonic += Decimal(1) / (k + 1)
    if n:
        total = total + half.inverse().scaled(-1)
    return total.scaled(1 / PI)


def hankel(n, z):
    j = Complex(0)
    for _, term in _terms(n, Complex(z.real, z.imag)):
        j = j + term
    y = bessel_y(n, z)
    return complex(j + Complex(-y.im, y.re))
