# SPDX-License-Identifier: MIT
"""The generators that kernels include: their authors' known answers, and NumPy's Philox."""

import numpy as np
import pyopencl as cl
import pytest

# {generator: [(counter, key, words)]}, as published with the generators.
KNOWN = {
    "philox2x32": [("0 0", "0", "ff1dae59 6cd10df2"),
                   ("ffffffff ffffffff", "ffffffff", "2c3f628b ab4fd7ad"),
                   ("243f6a88 85a308d3", "13198a2e", "dd7ce038 f62a4c12")],
    "philox4x32": [("0 0 0 0", "0 0", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
                   ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff",
                    "408f276d 41c83b0e a20bc7c6 6d5451fd"),
                   ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0",
                    "d16cfe09 94fdcceb 5001e420 24126ea1")],
    "philox2x64": [("0 0", "0", "ca00a0459843d731 66c24222c9a845b5")],
    "philox4x64": [("0 0 0 0", "0 0",
                    "16554d9eca36314c db20fe9d672d0fdc d7e772cee186176b 7e68b68aec7ba23b")],
    "threefry2x32": [("0 0", "0 0", "6b200159 99ba4efe"),
                     ("ffffffff ffffffff", "ffffffff ffffffff", "1cb996fc bb002be7"),
                     ("243f6a88 85a308d3", "13198a2e 03707344", "c4923a9c 483df7a0")],
    "threefry4x32": [("0 0 0 0", "0 0 0 0", "9c6ca96a e17eae66 fc10ecd4 5256a7d8"),
                     ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff ffffffff ffffffff",
                      "2a881696 57012287 f6c7446e a16a6732"),
                     ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0 082efa98 ec4e6c89",
                      "59cd1dbb b8879579 86b5d00c ac8b6d84")],
    "threefry2x64": [("0 0", "0 0", "c2b6e3a8c2c69865 6f81ed42f350084d")],
    "threefry4x64": [("0 0 0 0", "0 0 0 0",
                      "09218ebde6c85537 55941f5266d86105 4bd25e16282434dc ee29ec846bd2e40b")],
}  # fmt: skip


def _text(name):
    word, count = ("uint", "ulong")[name.endswith("64")], int(name[-4])
    return f"""
    #include <pyopencl-random123/{name[:-4]}.cl>
    kernel void mixed(global const {word} *counter, global const {word} *key, uint rounds,
                    global {word} *to) {{
      {name}_ctr_t c;
      {name}_ukey_t k;
      for (uint i = 0; i < {count}; ++i) c.v[i] = counter[i];
      for (uint i = 0; i < sizeof(k.v) / sizeof(k.v[0]); ++i) k.v[i] = key[i];
      {name}_ctr_t r = rounds ? {name}_R(rounds, c, {name}keyinit(k)) : {name}(c, {name}keyinit(k));
      for (uint i = 0; i < {count}; ++i) to[i] = r.v[i];
    }}"""


@pytest.fixture
def mix(context, queue, build):
    """mix(name, counter, key, rounds=0): the generator's words; 0 means its own rounds."""
    kernels = {}

    def call(name, counter, key, rounds=0):
        dtype = np.uint64 if name.endswith("64") else np.uint32
        flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
        words = np.zeros(len(counter), dtype)
        inputs = [
            cl.Buffer(context, flags, hostbuf=np.array(values, dtype)) for values in (counter, key)
        ]
        to = cl.Buffer(context, cl.mem_flags.READ_WRITE, words.nbytes)
        if name not in kernels:  # PoCL takes seconds for each
            kernels[name] = cl.Kernel(build(_text(name)), "mixed")
        kernel = kernels[name]
        kernel(queue, (1,), None, *inputs, np.uint32(rounds), to)
        cl.enqueue_copy(queue, words, to)
        return words.tolist()

    return call


def _words(text):
    return [int(word, 16) for word in text.split()]


@pytest.mark.parametrize("name", KNOWN)
def test_known_answers(mix, name):
    for counter, key, words in KNOWN[name]:
        assert mix(name, _words(counter), _words(key)) == _words(words)


def test_numpy_agrees_about_philox(mix):
    rng = np.random.default_rng(4)
    for _ in range(3):
        key = rng.integers(0, 2**64, 2, np.uint64)
        counter = rng.integers(0, 2**63, 4, np.uint64)
        expected = np.random.Philox(key=key, counter=counter).random_raw(4)
        counter[0] += np.uint64(1)  # NumPy counts first
        assert mix("philox4x64", counter, key) == expected.tolist()


@pytest.mark.parametrize("name", ["philox4x32", "threefry4x32"])
def test_as_many_rounds_as_are_asked_for(mix, name):
    counter, key = [1, 2, 3, 4], [5, 6, 7, 8][: 2 if name.startswith("p") else 4]
    own = {"philox4x32": 10, "threefry4x32": 20}[name]
    assert mix(name, counter, key, own) == mix(name, counter, key)
    assert mix(name, counter, key, own - 3) != mix(name, counter, key)
