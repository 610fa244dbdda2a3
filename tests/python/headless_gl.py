# SPDX-License-Identifier: MIT
"""A context of OpenGL without a window, by EGL, and the calls of it that tests need."""

import ctypes

import numpy as np

GL_ARRAY_BUFFER, GL_STATIC_DRAW, GL_TEXTURE_2D = 0x8892, 0x88E4, 0x0DE1
GL_RGBA, GL_RGBA8, GL_UNSIGNED_BYTE = 0x1908, 0x8058, 0x1401
GL_NEAREST, GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER = 0x2600, 0x2801, 0x2800
GL_TEXTURE_MAX_LEVEL = 0x813D
_PLATFORM_DEVICE, _CUDA_DEVICE, _OPENGL_API = 0x313F, 0x323A, 0x30A2
_CONFIG = (0x3033, 0x0001, 0x3040, 0x0008, 0x3038)  # pbuffers, OpenGL, the end


class NoGl(Exception):
    """Why there is no context."""


class HeadlessGl:
    """A context on the GPU that CUDA calls number `ordinal`, current until close()."""

    def __init__(self, ordinal: int) -> None:
        try:
            self._egl = ctypes.CDLL("libEGL.so.1")
        except OSError as error:
            raise NoGl(str(error)) from None
        self._egl.eglGetProcAddress.restype = ctypes.c_void_p
        self._display = self._display_of(ordinal)
        if not self._egl.eglInitialize(self._display, None, None):
            raise NoGl("EGL cannot open the display of the GPU")
        self._egl.eglBindAPI(_OPENGL_API)
        config, count = ctypes.c_void_p(), ctypes.c_int()
        wanted = (ctypes.c_int * len(_CONFIG))(*_CONFIG)
        self._egl.eglChooseConfig(
            self._display, wanted, ctypes.byref(config), 1, ctypes.byref(count)
        )
        self._egl.eglCreateContext.restype = ctypes.c_void_p
        made = self._egl.eglCreateContext(self._display, config, None, None) if count.value else 0
        if not made:
            raise NoGl("EGL makes no context of OpenGL")
        self._context = ctypes.c_void_p(made)
        if not self._egl.eglMakeCurrent(self._display, None, None, self._context):
            raise NoGl("EGL makes no context current without a surface")

    def _call(self, name: str, result=None):
        address = self._egl.eglGetProcAddress(name.encode())
        if not address:
            raise NoGl(f"EGL has no {name}")
        return ctypes.CFUNCTYPE(result)(address)

    def _display_of(self, ordinal: int) -> ctypes.c_void_p:
        devices, count = (ctypes.c_void_p * 32)(), ctypes.c_int()
        self._call("eglQueryDevicesEXT", ctypes.c_int)(32, devices, ctypes.byref(count))
        number = self._call("eglQueryDeviceAttribEXT", ctypes.c_int)
        for device in devices[: count.value]:
            found = ctypes.c_ssize_t(-1)
            asked = number(ctypes.c_void_p(device), _CUDA_DEVICE, ctypes.byref(found))
            if asked and found.value == ordinal:
                open_display = self._call("eglGetPlatformDisplayEXT", ctypes.c_void_p)
                return ctypes.c_void_p(
                    open_display(_PLATFORM_DEVICE, ctypes.c_void_p(device), None)
                )
        raise NoGl(f"EGL has {count.value} devices, none of them CUDA's device {ordinal}")

    def close(self) -> None:
        """Ends the context."""
        self._egl.eglMakeCurrent(self._display, None, None, None)
        self._egl.eglDestroyContext(self._display, self._context)

    def buffer(self, data: np.ndarray) -> int:
        """A new buffer object with a copy."""
        name = ctypes.c_uint()
        self._call("glGenBuffers")(1, ctypes.byref(name))
        self._call("glBindBuffer")(GL_ARRAY_BUFFER, name)
        size = ctypes.c_ssize_t(data.nbytes)
        self._call("glBufferData")(
            GL_ARRAY_BUFFER, size, ctypes.c_void_p(data.ctypes.data), GL_STATIC_DRAW
        )
        return name.value

    def read_buffer(self, name: int, like: np.ndarray) -> np.ndarray:
        """What a buffer object holds."""
        data = np.empty_like(like)
        self._call("glBindBuffer")(GL_ARRAY_BUFFER, name)
        begin, size = ctypes.c_ssize_t(0), ctypes.c_ssize_t(data.nbytes)
        self._call("glGetBufferSubData")(
            GL_ARRAY_BUFFER, begin, size, ctypes.c_void_p(data.ctypes.data)
        )
        return data

    def image(self, *levels: np.ndarray) -> int:
        """A new texture with a copy of (height, width, 4) bytes, and of its smaller levels."""
        name = ctypes.c_uint()
        self._call("glGenTextures")(1, ctypes.byref(name))
        self._call("glBindTexture")(GL_TEXTURE_2D, name)
        for setting in (GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER):
            self._call("glTexParameteri")(GL_TEXTURE_2D, setting, GL_NEAREST)
        self._call("glTexParameteri")(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, len(levels) - 1)
        for level, data in enumerate(levels):
            height, width = data.shape[:2]
            self._call("glTexImage2D")(
                *(GL_TEXTURE_2D, level, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE),
                ctypes.c_void_p(data.ctypes.data),
            )
        return name.value

    def read_image(self, name: int, like: np.ndarray, level: int = 0) -> np.ndarray:
        """What a level of a texture holds."""
        data = np.empty_like(like)
        self._call("glBindTexture")(GL_TEXTURE_2D, name)
        self._call("glGetTexImage")(
            GL_TEXTURE_2D, level, GL_RGBA, GL_UNSIGNED_BYTE, ctypes.c_void_p(data.ctypes.data)
        )
        return data
