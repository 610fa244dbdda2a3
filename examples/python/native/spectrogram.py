# SPDX-License-Identifier: MIT
"""The pitch of a chirp over time: each frame of a signal times a window, transformed, and its
power, by one plan whose C texts are computed where the transform loads and stores elements.

spectrogram.py [--frames N] [--length N]
"""

import argparse

import numpy as np

import treadle.numpy as tnp

parser = argparse.ArgumentParser()
parser.add_argument("--frames", type=int, default=200)
parser.add_argument("--length", type=int, default=512)
options = parser.parse_args()
frames, length = options.frames, options.length

# A tone that rises from 1/20 to 1/4 of the samples' rate.
time = tnp.arange(frames * length, dtype="f8") / (frames * length)
turns = frames * length * (0.05 * time + 0.1 * time * time)
signal = tnp.sin(2 * np.pi * turns).astype("f4").reshape(frames, length)
window = tnp.hanning(length).astype("f4")

power = tnp.fft.Plan(
    tnp.fft.rfft,
    "const float *window",
    load="x * window[i]",
    store="x.x * x.x + x.y * x.y",
    dtype="f4",
)
spectra = power(signal, window)
pitch = spectra.argmax(axis=1) / length
print(f"the pitch rises from {float(pitch[0]):.3f} to {float(pitch[-1]):.3f}")

expected = np.abs(np.fft.rfft(signal.get() * window.get())) ** 2
np.testing.assert_allclose(spectra.get(), expected, rtol=0, atol=1e-5 * expected.max())
# In the middle of the first and of the last frame.
near = 2 / length
assert abs(float(pitch[0]) - (0.05 + 0.1 / frames)) < near
assert abs(float(pitch[-1]) - (0.25 - 0.1 / frames)) < near
print("check against NumPy: ok")
