// SPDX-License-Identifier: MIT
#include "treadle/cuda/tensor_map.hpp"

#include <nanobind/stl/vector.h>

#include "calls/argument.hpp"
#include "instance.hpp"
#include "rooms.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

using Numbers = std::vector<std::uint64_t>;
using SmallNumbers = std::vector<std::uint32_t>;

void bind_tensor_enums(nb::module_& m) {
  nb::enum_<TensorElement>(m, "TensorElement", "CUtensorMapDataType.")
      .value("uint8", TensorElement::uint8)
      .value("uint16", TensorElement::uint16)
      .value("uint32", TensorElement::uint32)
      .value("int32", TensorElement::int32)
      .value("uint64", TensorElement::uint64)
      .value("int64", TensorElement::int64)
      .value("float16", TensorElement::float16)
      .value("float32", TensorElement::float32)
      .value("float64", TensorElement::float64)
      .value("bfloat16", TensorElement::bfloat16)
      .value("float32_flushed", TensorElement::float32_flushed)
      .value("tfloat32", TensorElement::tfloat32)
      .value("tfloat32_flushed", TensorElement::tfloat32_flushed)
      .value("packed4_in_8", TensorElement::packed4_in_8)
      .value("packed4_in_16", TensorElement::packed4_in_16)
      .value("packed6_in_16", TensorElement::packed6_in_16);
  nb::enum_<TensorInterleave>(m, "TensorInterleave", "CUtensorMapInterleave.")
      .value("none", TensorInterleave::none)
      .value("bytes16", TensorInterleave::bytes16)
      .value("bytes32", TensorInterleave::bytes32);
  nb::enum_<TensorSwizzle>(m, "TensorSwizzle", "How rows lie in shared memory.")
      .value("none", TensorSwizzle::none)
      .value("bytes32", TensorSwizzle::bytes32)
      .value("bytes64", TensorSwizzle::bytes64)
      .value("bytes128", TensorSwizzle::bytes128)
      .value("bytes128_atoms_of_32", TensorSwizzle::bytes128_atoms_of_32)
      .value("bytes128_atoms_of_32_flipped", TensorSwizzle::bytes128_atoms_of_32_flipped)
      .value("bytes128_atoms_of_64", TensorSwizzle::bytes128_atoms_of_64);
  nb::enum_<TensorPromotion>(m, "TensorPromotion", "How much the cache fetches at a time.")
      .value("none", TensorPromotion::none)
      .value("bytes64", TensorPromotion::bytes64)
      .value("bytes128", TensorPromotion::bytes128)
      .value("bytes256", TensorPromotion::bytes256);
  nb::enum_<TensorFill>(m, "TensorFill", "What is read outside of the tensor.")
      .value("zero", TensorFill::zero)
      .value("nan", TensorFill::nan);
}

// over 6 parameters because both kinds of maps have these, by keyword.
TensorLayout layout_of(nb::handle address, TensorElement element, Numbers&& shape,
                       Numbers&& strides_bytes, SmallNumbers&& steps, TensorInterleave interleave,
                       TensorSwizzle swizzle, TensorPromotion promotion, TensorFill fill) {
  return {pointer_argument(address.ptr(), "address"),
          element,
          std::move(shape),
          std::move(strides_bytes),
          std::move(steps),
          interleave,
          swizzle,
          promotion,
          fill};
}

void bind_wide_map(nb::class_<TensorMap>& type) {
  type.def_static(
      "wide",
      [](nb::handle address, TensorElement element, Numbers shape, int lower_corner,
         int upper_corner, unsigned channels, unsigned pixels, bool is_of_128,
         Numbers strides_bytes, SmallNumbers steps, TensorSwizzle swizzle,
         TensorPromotion promotion, TensorFill fill) {
        return TensorMap::wide(
            {layout_of(address, element, std::move(shape), std::move(strides_bytes),
                       std::move(steps), TensorInterleave::none, swizzle, promotion, fill),
             lower_corner, upper_corner, channels, pixels, is_of_128});
      },
      nb::arg("address"), nb::arg("element"), nb::arg("shape"), nb::arg("lower_corner"),
      nb::arg("upper_corner"), nb::arg("channels"), nb::arg("pixels"), nb::kw_only(),
      nb::arg("is_of_128") = false, nb::arg("strides_bytes") = Numbers{},
      nb::arg("steps") = SmallNumbers{}, nb::arg("swizzle") = TensorSwizzle::none,
      nb::arg("promotion") = TensorPromotion::none, nb::arg("fill") = TensorFill::zero,
      nb::sig("def wide(address: object, element: TensorElement, shape: Sequence[int], "
              "lower_corner: int, upper_corner: int, channels: int, pixels: int, *, "
              "is_of_128: bool = False, strides_bytes: Sequence[int] = (), steps: "
              "Sequence[int] = (), swizzle: TensorSwizzle = ..., promotion: TensorPromotion = "
              "..., fill: TensorFill = ...) -> TensorMap"),
      "Rows of pixels of images, for GPUs since sm_100.");
}

}  // namespace

void bind_cuda_tensor_map(nb::module_& m) {
  bind_tensor_enums(m);
  nb::class_<TensorMap> type(m, "TensorMap", nb::is_weak_referenceable(),
                             "What kernels with a parameter `const __grid_constant__ CUtensorMap` "
                             "take. Shapes begin with the dimension that runs fastest.");
  type.def_static(
          "tiled",
          [](nb::handle address, TensorElement element, Numbers shape, SmallNumbers box,
             Numbers strides_bytes, SmallNumbers steps, TensorInterleave interleave,
             TensorSwizzle swizzle, TensorPromotion promotion, TensorFill fill) {
            return TensorMap::tiled(
                {layout_of(address, element, std::move(shape), std::move(strides_bytes),
                           std::move(steps), interleave, swizzle, promotion, fill),
                 std::move(box)});
          },
          nb::arg("address"), nb::arg("element"), nb::arg("shape"), nb::arg("box"), nb::kw_only(),
          nb::arg("strides_bytes") = Numbers{}, nb::arg("steps") = SmallNumbers{},
          nb::arg("interleave") = TensorInterleave::none, nb::arg("swizzle") = TensorSwizzle::none,
          nb::arg("promotion") = TensorPromotion::none, nb::arg("fill") = TensorFill::zero,
          nb::sig("def tiled(address: object, element: TensorElement, shape: Sequence[int], box: "
                  "Sequence[int], *, strides_bytes: Sequence[int] = (), steps: Sequence[int] = (), "
                  "interleave: TensorInterleave = ..., swizzle: TensorSwizzle = ..., promotion: "
                  "TensorPromotion = ..., fill: TensorFill = ...) -> TensorMap"),
          "Boxes of a tensor. Raises NotSupported where there are no tensor maps.")
      .def_static(
          "image",
          [](nb::handle address, TensorElement element, Numbers shape,
             std::vector<int> lower_corner, std::vector<int> upper_corner, unsigned channels,
             unsigned pixels, Numbers strides_bytes, SmallNumbers steps,
             TensorInterleave interleave, TensorSwizzle swizzle, TensorPromotion promotion,
             TensorFill fill) {
            return TensorMap::image(
                {layout_of(address, element, std::move(shape), std::move(strides_bytes),
                           std::move(steps), interleave, swizzle, promotion, fill),
                 std::move(lower_corner), std::move(upper_corner), channels, pixels});
          },
          nb::arg("address"), nb::arg("element"), nb::arg("shape"), nb::arg("lower_corner"),
          nb::arg("upper_corner"), nb::arg("channels"), nb::arg("pixels"), nb::kw_only(),
          nb::arg("strides_bytes") = Numbers{}, nb::arg("steps") = SmallNumbers{},
          nb::arg("interleave") = TensorInterleave::none, nb::arg("swizzle") = TensorSwizzle::none,
          nb::arg("promotion") = TensorPromotion::none, nb::arg("fill") = TensorFill::zero,
          nb::sig("def image(address: object, element: TensorElement, shape: Sequence[int], "
                  "lower_corner: Sequence[int], upper_corner: Sequence[int], channels: int, "
                  "pixels: int, *, strides_bytes: Sequence[int] = (), steps: Sequence[int] = (), "
                  "interleave: TensorInterleave = ..., swizzle: TensorSwizzle = ..., promotion: "
                  "TensorPromotion = ..., fill: TensorFill = ...) -> TensorMap"),
          "Pixels of images, for convolutions (im2col).")
      .def(
          "set_address",
          [](TensorMap& self, nb::handle address) {
            self.set_address(pointer_argument(address.ptr(), "address"));
          },
          nb::arg("address"), "The same tensor in other memory.")
      .def_prop_ro("address", &TensorMap::address)
      .def("__bytes__",
           [](const TensorMap& self) { return nb::bytes(self.data(), TensorMap::size_bytes); });
  bind_wide_map(type);
  register_value_type(type, [](PyObject* object) {
    return KernelValue{instance_of<TensorMap>(object).data(), TensorMap::size_bytes,
                       TensorMap::alignment};
  });
}

}  // namespace treadle::bindings
