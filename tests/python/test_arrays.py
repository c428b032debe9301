# SPDX-License-Identifier: Apache-2.0
"""Arrays and numbers as arguments of kernels."""
import array
import sys
import types
import unittest
import unittest.mock

import numpy as np

from cutune import _arrays


class HostArrays(unittest.TestCase):
    def test_every_type_of_numpy_arrives_with_its_bytes(self):
        for name in ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                     "uint64", "bool"):
            given = np.arange(12).reshape(3, 4).astype(name)
            taken = _arrays.host_array(given, "a")
            self.assertEqual((taken.type, taken.shape, taken.data), (name, (3, 4), given.tobytes()))

    def test_buffers(self):
        taken = _arrays.host_array(array.array("d", [1.5, 2.5]), "a")
        self.assertEqual((taken.type, taken.shape, taken.count), ("float64", (2,), 2))
        self.assertEqual(_arrays.host_array(b"abc", "a").type, "uint8")
        self.assertEqual(_arrays.host_array(memoryview(np.ones((2, 3), np.int16)), "a").shape, (2, 3))

    def test_an_object_with_an_array_interface(self):
        held = np.arange(6, dtype=np.int16).reshape(2, 3)
        other = types.SimpleNamespace(__array_interface__=held.__array_interface__)
        self.assertEqual(_arrays.host_array(other, "a").data, held.tobytes())
        other.__array_interface__ = {**held.__array_interface__, "data": None}
        with self.assertRaisesRegex(TypeError, "'a': .* has no address: pass numpy.asarray"):
            _arrays.host_array(other, "a")

    def test_arrays_of_dlpack_alone(self):
        class Alone:
            def __init__(self, held, kind=1):
                self.held, self.kind = held, kind

            def __dlpack__(self, **options):
                return self.held.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.kind, 0
        held = np.arange(6, dtype=np.float64).reshape(2, 3)
        self.assertTrue(_arrays.is_array(Alone(held)))
        taken = _arrays.host_array(Alone(held), "a")
        self.assertEqual((taken.type, taken.shape, taken.data), ("float64", (2, 3), held.tobytes()))
        self.assertIsNone(_arrays.on_device(Alone(held), "a"))
        with self.assertRaisesRegex(TypeError, "'a' lies on a device that is not of CUDA .DLPack's kind 10"):
            _arrays.host_array(Alone(held, 10), "a")
        there = types.SimpleNamespace(__cuda_array_interface__={"typestr": "<f8", "shape": (2, 3), "data": (4096, False)})
        with unittest.mock.patch.dict(sys.modules, cupy=types.SimpleNamespace(from_dlpack=lambda value: there)):
            self.assertEqual(_arrays.on_device(Alone(held, 2), "a"), ("float64", 4096))
        with unittest.mock.patch.dict(sys.modules, cupy=None, torch=None):
            with self.assertRaisesRegex(TypeError, "'a' is an array of DLPack alone, and neither cupy nor torch is installed"):
                _arrays.on_device(Alone(held, 2), "a")

    def test_errors_name_the_argument_and_the_cure(self):
        for value, kind, words in [
                (np.ones((4, 4), np.float32).T[1:], ValueError, "'a'.*not in C order.*ascontiguousarray"),
                (np.ones((4, 4), np.float32)[:, ::2], ValueError, "'a'.*not in C order"),
                (np.ones(4, np.complex64), TypeError, "'a'.*'<c8' are no argument.*float32"),
                (np.ones(4, ">f4"), TypeError, "'a'.*'>f4'"),
                (np.array(["x"]), TypeError, "'a'"),
                (np.ma.masked_array([1.0, 2.0], [False, True]), ValueError, "'a': a masked array .* array.filled"),
                ([1, 2, 3], TypeError, "'a': a list is no array: pass an array of NumPy")]:
            with self.assertRaisesRegex(kind, words):
                _arrays.host_array(value, "a")

    def test_an_array_on_a_device_without_a_driver(self):
        on_device = types.SimpleNamespace(__cuda_array_interface__={
            "typestr": "<f4", "shape": (4,), "data": (4096, False), "version": 3})
        self.assertTrue(_arrays.is_array(on_device))
        try:
            import ctypes
            ctypes.CDLL("libcuda.so.1")
        except OSError:
            with self.assertRaisesRegex(ValueError, "'a' lies on a device, and there is no CUDA driver"):
                _arrays.host_array(on_device, "a")


class Tensors(unittest.TestCase):
    """Stand-ins for tensors of PyTorch, which is not needed for this."""

    def tensor(self, held):
        def refuse(_):
            raise RuntimeError("Can't get __cuda_array_interface__ on Variable that requires grad.")
        members = {"__module__": "torch", "__cuda_array_interface__": property(refuse), "shape": held.shape,
                   "dtype": f"torch.{held.dtype}", "is_contiguous": lambda self: held.flags.c_contiguous,
                   "data_ptr": lambda self: held.ctypes.data, "numel": lambda self: held.size,
                   "element_size": lambda self: held.itemsize, "item": lambda self: held.item()}
        members.update({name: lambda self: self for name in ("detach", "cpu", "contiguous")})
        return type("Tensor", (), members)()

    def test_gradients_and_the_device_do_not_matter(self):
        held = np.arange(6, dtype=np.float32).reshape(2, 3)
        tensor = self.tensor(held)
        self.assertTrue(_arrays.is_array(tensor))
        taken = _arrays.host_array(tensor, "a")
        self.assertEqual((taken.type, taken.shape, taken.data), ("float32", (2, 3), held.tobytes()))
        with self.assertRaisesRegex(ValueError, "'a'.*tensor.contiguous"):
            _arrays.host_array(self.tensor(held.T), "a")

    def test_one_without_dimensions_is_a_number(self):
        tensor = self.tensor(np.array(2.5, np.float64))
        self.assertFalse(_arrays.is_array(tensor))
        self.assertEqual(_arrays.scalar(tensor, "a"), ("float64", 2.5))


class Scalars(unittest.TestCase):
    def test_types(self):
        for value, wanted in [(True, ("bool", True)), (3, ("int32", 3)), (-2**31, ("int32", -2**31)),
                              (2**31, ("int64", 2**31)), (2**64 - 1, ("uint64", 2**64 - 1)), (0.5, ("float32", 0.5)),
                              (np.float64(0.1), ("float64", 0.1)), (np.uint8(7), ("uint8", 7)),
                              (np.array(4, np.int16), ("int16", 4)), (np.bool_(True), ("bool", True))]:
            self.assertEqual(_arrays.scalar(value, "n"), wanted)

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, "'n': .* more than 64 bits"):
            _arrays.scalar(2**64, "n")
        for value in ("text", None, 1j, [1]):
            with self.assertRaisesRegex(TypeError, "'n': a .* is neither a number nor an array"):
                _arrays.scalar(value, "n")


if __name__ == "__main__":
    unittest.main()
