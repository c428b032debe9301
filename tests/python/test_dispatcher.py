# SPDX-License-Identifier: Apache-2.0
"""Arguments of calls on a device, as the library gets them."""
import ctypes
import os
import types
import unittest

import numpy as np

import cutune
from cutune import dispatcher
from test_runs import scale


def on_device(typestr="<f4", shape=(4, 2), address=4096, strides=None):
    return types.SimpleNamespace(__cuda_array_interface__={"typestr": typestr, "shape": shape, "data": (address, False),
                                                           "strides": strides, "version": 3})


def bytes_of(argument):
    return ctypes.string_at(argument.value, argument.size)


class CallArguments(unittest.TestCase):
    def test_arrays_are_passed_by_their_addresses(self):
        made, count, _held = dispatcher.call_arguments([on_device(), on_device("<i8", (3,), 8192), on_device("<f8", (1,), 16)])
        self.assertEqual([one.type for one in made], [b"float*", b"int64*", b"double*"])
        self.assertEqual([int.from_bytes(bytes_of(one), "little") for one in made], [4096, 8192, 16])
        self.assertEqual(count, 3)

    def test_numbers_have_their_types(self):
        values = [np.float32(1.5), np.float64(2.5), 7, 2**40, True, np.uint8(3), np.float16(0.5)]
        made, _, _held = dispatcher.call_arguments(values)
        self.assertEqual([one.type for one in made], [b"float", b"double", b"int32", b"int64", b"bool", b"uint8", b"half"])
        for one, value in zip(made, [np.float32(1.5), np.float64(2.5), np.int32(7), np.int64(2**40), np.bool_(True),
                                     np.uint8(3), np.float16(0.5)]):
            self.assertEqual(bytes_of(one), value.tobytes())

    def test_errors_name_the_argument(self):
        for value, kind, words in [(np.ones(3), TypeError, "1 of the call lies on the host: pass an array on the device"),
                                   ("text", TypeError, "1 of the call.*neither a number nor an array"),
                                   (on_device(strides=(4, 16)), ValueError, "1 of the call.*not in C order")]:
            with self.assertRaisesRegex(kind, words):
                dispatcher.call_arguments([value])

    def test_streams(self):
        self.assertIsNone(dispatcher.stream_of(None, []))
        self.assertEqual(dispatcher.stream_of(64, []), 64)
        self.assertEqual(dispatcher.stream_of(types.SimpleNamespace(cuda_stream=128), []), 128)
        self.assertEqual(dispatcher.stream_of(types.SimpleNamespace(ptr=256), []), 256)


class Opening(unittest.TestCase):
    def test_wrong_options(self):
        with self.assertRaisesRegex(ValueError, "nothing"):
            cutune.Dispatcher(scale(), nothing=3)

    def test_without_a_gpu(self):
        if any(name.startswith("nvidia") for name in os.listdir("/dev")):
            self.skipTest("there is a GPU")
        with self.assertRaisesRegex((ValueError, cutune.TuneError), "driver|device"):
            launch = cutune.Dispatcher(scale())
            launch(on_device(), on_device(), np.float32(2), 1003)


if __name__ == "__main__":
    unittest.main()
