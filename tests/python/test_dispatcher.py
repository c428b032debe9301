# SPDX-License-Identifier: Apache-2.0
"""Arguments of calls on a device, as the library gets them."""
import array
import ctypes
import os
import types
import unittest
import unittest.mock

import numpy as np

import cutune
from cutune import dispatcher
from test_runs import SOURCE, scale


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

    def test_an_array_on_another_device(self):
        there = on_device()
        there.device = types.SimpleNamespace(id=1)
        self.assertEqual(dispatcher.call_arguments([there], 1)[1], 1)
        with self.assertRaisesRegex(ValueError, "argument 1 of the call lies on device 1, and the kernel is launched on device 0"):
            dispatcher.call_arguments([there], 0)

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



class Decorator(unittest.TestCase):
    def make(self, **options):
        @cutune.tuned(SOURCE, parameters={"BLOCK": [64, 128], "ITEMS": [1, 2]}, constraints=lambda BLOCK, n: BLOCK <= n,
                      grid=lambda BLOCK, ITEMS, n: -(-n // (BLOCK * ITEMS)), block="BLOCK", **options)
        def scale(y: cutune.Out, x, a: np.float32, n: int = 100):
            """Scales."""
        return scale

    def test_checks_and_problems(self):
        decorated, x = self.make(), np.ones(100, np.float32)
        self.assertEqual((decorated.__name__, decorated.__doc__), ("scale", "Scales."))
        self.assertEqual(decorated.check(np.empty_like(x), x, 2).failures, {})
        problem = decorated.problem(np.empty_like(x), x, a=2)
        self.assertIs(problem, decorated.problem(np.empty_like(x), 3 * x, 5.0, n=100))
        self.assertEqual(cutune.space_size(decorated.problem(x, x, 2, 64)), 2)
        self.assertIsNot(decorated.problem(array.array("f", [1]), array.array("f", [1]), 2, 1),
                         decorated.problem(array.array("f", [1, 2]), array.array("f", [1, 2]), 2, 1))
        arguments = problem.definition["arguments"]
        self.assertEqual([(arguments[name].get("access"), arguments[name]["type"]) for name in arguments],
                         [("write", "float32"), ("read", "float32"), (None, "float32"), (None, "int32")])

    def test_calls_are_those_of_a_dispatcher(self):
        made = []

        class Stand(unittest.mock.MagicMock):
            def __init__(self, problem=None, **options):
                super().__init__()
                if problem is not None:
                    made.append((problem, options, self))
        copied = unittest.mock.patch("cutune._arrays._copy_from_device", lambda address, size, name: bytes(size))
        with copied, unittest.mock.patch("cutune._tuned.Dispatcher", Stand), self.make(slowdown=0.2) as decorated:
            y, x = on_device(shape=(100,)), on_device(shape=(100,), address=8192)
            for factor in (2, 3):
                decorated(y, x, factor, stream=7)
            decorated(y, x, 2, 64)
            self.assertEqual([(one.name, options) for one, options, _ in made], [("scale", {"slowdown": 0.2})] * 2)
            first = made[0][2]
            self.assertEqual(first.call_args_list, [unittest.mock.call(y, x, np.float32(2), 100, stream=7),
                                                    unittest.mock.call(y, x, np.float32(3), 100, stream=7)])
            decorated.state(y, x, 2)
            decorated.finish()
            self.assertIsNone(decorated.state(y, x, 2, 70))
        for _, _, one in made:
            one.finish.assert_called_once_with()
            one.close.assert_called_once_with()

    def test_errors_name_the_argument(self):
        decorated, x = self.make(), np.ones(100, np.float32)
        with self.assertRaisesRegex(TypeError, "scale: argument 'y' lies on the host: pass an array on the device"):
            decorated(x, x, 2)
        with self.assertRaisesRegex(TypeError, "scale: missing a required argument: 'a'"):
            decorated(x, x)


if __name__ == "__main__":
    unittest.main()
