# SPDX-License-Identifier: MIT
"""A plugin of pytest for packages whose tests take SciPy's picture, which is in the network."""

import numpy as np
import scipy.datasets


def ascent():
    """A picture of the size and type of SciPy's: slopes, waves, an edge, and a grain."""
    y, x = np.mgrid[:512, :512]
    waves = 60 * np.sin(x / 9) * np.cos(y / 23) + (x + y) / 8
    grain = np.random.default_rng(7).integers(-8, 8, (512, 512))
    return np.clip(waves + 40 * (x > y) + grain, 0, 255).astype(np.uint8)


scipy.datasets.ascent = ascent
