# SPDX-License-Identifier: MIT
"""A complex FIR filter that lets one band of frequencies pass, by slices of an array."""

import argparse
import sys

import numpy as np
import pycuda.autoinit  # noqa: F401 - makes the context
import pycuda.gpuarray as gpuarray

parser = argparse.ArgumentParser()
parser.add_argument("--samples", type=int, default=1 << 18)
parser.add_argument("--taps", type=int, default=31)
options = parser.parse_args()

# A low-pass filter, moved to the frequency 0.2 by a rotation: its taps are complex.
place = np.arange(options.taps)
low_pass = np.hamming(options.taps) * np.sinc(0.1 * (place - options.taps // 2))
taps = (low_pass / low_pass.sum() * np.exp(2j * np.pi * 0.2 * place)).astype(np.complex64)

time = np.arange(options.samples)
wanted = np.exp(2j * np.pi * 0.2 * time)
unwanted = np.exp(-2j * np.pi * 0.1 * time)
signal = (wanted + unwanted).astype(np.complex64)


def apply_filter(signal, taps):
    """Where all taps see samples: y[i] = sum of taps[k] * signal[i + len(taps) - 1 - k]."""
    valid = len(signal) - len(taps) + 1
    result = gpuarray.zeros(valid, np.complex64)
    for k, tap in enumerate(taps[::-1]):
        result += tap * signal[k : k + valid]
    return result


on_device = gpuarray.to_gpu(signal)
passed = apply_filter(on_device, taps)
power = gpuarray.sum(abs(passed) ** 2).get() / passed.size
print(f"of two waves of power 1 each one is left: {power:.4f}")

expected = np.convolve(signal, taps, "valid")
correct = np.allclose(passed.get(), expected, atol=1e-5) and abs(power - 1) < 0.02
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
