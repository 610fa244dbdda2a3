# SPDX-License-Identifier: MIT
"""The price of a call option by points of a Sobol sequence, beside random ones.

A path has eight steps, so that a point has eight coordinates. Errors are held against the formula
of Black and Scholes: those of random points halve where points are four times as many, those of a
scrambled Sobol sequence where they are about twice as many.

sobol_option.py [--pictures FOLDER]
"""

import argparse
import math
import pathlib

import numpy as np

import treadle.numpy as tnp
from treadle.random import Sobol, default_rng

START, STRIKE, RATE, VOLATILITY, YEARS, STEPS, SEEDS = 100.0, 105.0, 0.03, 0.25, 1.0, 8, 8


def formula():
    def below(x):
        return 0.5 * (1 + math.erf(x / math.sqrt(2)))

    deviation = VOLATILITY * math.sqrt(YEARS)
    d1 = (math.log(START / STRIKE) + (RATE + VOLATILITY**2 / 2) * YEARS) / deviation
    return START * below(d1) - STRIKE * math.exp(-RATE * YEARS) * below(d1 - deviation)


def price(points, xp=tnp):
    """Of points of a cube: pairs of coordinates become pairs of normal numbers (Box and Muller)."""
    radius = xp.sqrt(-2 * xp.log(1 - points[:, 0::2]))
    angle = 2 * math.pi * points[:, 1::2]
    steps = (radius * (xp.cos(angle) + xp.sin(angle))).sum(axis=1)
    drift = (RATE - VOLATILITY**2 / 2) * YEARS
    end = START * xp.exp(drift + VOLATILITY * math.sqrt(YEARS / STEPS) * steps)
    return math.exp(-RATE * YEARS) * xp.maximum(end - STRIKE, 0).mean().item()


def error(draw, count):
    """The root of the mean squared error over some seeds."""
    exact = formula()
    return math.sqrt(sum((price(draw(seed, count)) - exact) ** 2 for seed in range(SEEDS)) / SEEDS)


def draw_errors(folder, errors):
    """Curves of the logarithms of errors, from few points to many."""
    size = 400
    picture = np.full((size, size), 20, np.uint8)
    picture[:: size // 4] = 50  # decades
    across = np.arange(size)
    for grey, column in zip((120, 255), zip(*errors, strict=True), strict=True):
        down = np.interp(across, np.linspace(0, size, len(column)), -np.log10(column) / 4)
        picture[(size * down).astype(int).clip(0, size - 1), across] = grey
    header = f"P5 {size} {size} 255\n".encode()
    (folder / "sobol_option.pgm").write_bytes(header + picture.tobytes())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pictures", type=pathlib.Path)
    options = parser.parse_args()
    errors = []
    print(f"Black and Scholes: {formula():.4f}")
    print("points     Philox      Sobol")
    for count in (2**10, 2**12, 2**14, 2**16):
        by_philox = error(lambda seed, n: default_rng(seed).random((n, STEPS), "f4"), count)
        by_sobol = error(lambda seed, n: Sobol(STEPS, seed=seed).random(n, "f4"), count)
        print(f"{count:6d} {by_philox:10.5f} {by_sobol:10.5f}")
        errors.append((by_philox, by_sobol))
    if options.pictures:
        draw_errors(options.pictures, errors)
    assert by_sobol < 0.02 and by_sobol < by_philox / 4
    points = Sobol(STEPS, seed=1).random(1024, "f4")
    assert abs(price(points) - price(points.get(), np)) < 1e-3
    print("check against NumPy: ok")


if __name__ == "__main__":
    main()
