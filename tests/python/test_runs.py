# SPDX-License-Identifier: Apache-2.0
"""Problems in Python on the emulator, and what goes wrong."""
import copy
import ctypes.util
import functools
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import types
import unittest
import unittest.mock

import numpy as np

import cutune

SOURCE = """
extern "C" __global__ void scale(float* y, const float* x, float a, int n) {
  const int first = (blockIdx.x * BLOCK + threadIdx.x) * ITEMS;
  for (int i = first; i < first + ITEMS; ++i)
    if (i < n) y[i] = a * x[i];
}
"""


def scale(source=SOURCE, count=1003, **changes):
    x = np.linspace(-1, 1, count, dtype=np.float32)
    fields = dict(parameters={"BLOCK": [64, 128, 256], "ITEMS": [1, 2, 4]},
                  constraints=["BLOCK * ITEMS <= 512", lambda BLOCK, ITEMS: BLOCK != 128 or ITEMS == 1],
                  arguments={"y": cutune.Out(np.empty_like(x), expect=2 * x), "x": x, "a": np.float32(2), "n": count},
                  grid=lambda p: -(-count // (p["BLOCK"] * p["ITEMS"])), block="BLOCK")
    fields.update(changes)
    return cutune.Problem("scale", source, **fields)


class Processor(unittest.TestCase):
    def test_a_command_is_tuned(self):
        with tempfile.TemporaryDirectory() as folder:
            definition = pathlib.Path(folder, "app.json")
            definition.write_text('{"problem": "app", "parameters": {"n": [3, 1, 2]}, "objective": "min:size",'
                                  ' "command": {"run": "echo {n}", "result": {"size": "output"}}}')
            database = pathlib.Path(folder, "results.db")
            result = cutune.run(definition, device="cpu", database=database, finalists=0)
            self.assertEqual(result.best.configuration, {"n": 1})
            self.assertEqual(cutune.best(definition, device="cpu", database=database).configuration, {"n": 1})
            with self.assertRaisesRegex(ValueError, "app runs on the processor: set the device to cpu"):
                cutune.run(definition, database=database)


class Checks(unittest.TestCase):
    def test_a_right_kernel(self):
        seen = []
        result = cutune.check(scale(), on_evaluation=lambda one, progress: seen.append(one))
        self.assertEqual(result.space_size, 6)
        self.assertEqual(len(result.evaluations), 6)
        self.assertTrue(all(one.right for one in result.evaluations))
        self.assertEqual([one.configuration for one in seen], [one.configuration for one in result.evaluations])
        self.assertEqual(sorted((c["BLOCK"], c["ITEMS"]) for c in (one.configuration for one in seen)),
                         [(64, 1), (64, 2), (64, 4), (128, 1), (256, 1), (256, 2)])
        self.assertIsNone(result.best)
        self.assertEqual(result.end, "exhausted")
        self.assertIn("6 of 6 configurations right", repr(result))

    def test_a_wrong_kernel_is_found(self):
        result = cutune.check(scale(SOURCE.replace("if (i < n) y[i] = a", "if (i < n) y[i] = (ITEMS == 4 ? 3 : 2)")))
        self.assertEqual(result.failures, {"verify": 1})
        wrong = [one for one in result.evaluations if not one.right]
        self.assertEqual([one.configuration["ITEMS"] for one in wrong], [4])
        self.assertEqual(wrong[0].phase, "verify")

    def test_an_access_outside_of_an_array_is_found(self):
        result = cutune.check(scale(SOURCE.replace("if (i < n) ", ""), constraints=["ITEMS == 4", "BLOCK == 64"]))
        self.assertEqual(len(result.failures), 1)
        self.assertIn("y", result.evaluations[0].detail)

    def test_arrays_of_several_dimensions_have_their_fastest_extent_first(self):
        source = """extern "C" __global__ void copy(int* out, const int (*in)[5]) {
          if (threadIdx.x < 5) out[blockIdx.x * 5 + threadIdx.x] = in[blockIdx.x][threadIdx.x]; }"""
        given = np.arange(15, dtype=np.int32).reshape(3, 5)
        problem = cutune.Problem("copy", source, parameters={"BLOCK": [32, 64]},
                                 arguments={"out": cutune.Out(given, expect=given), "in": given}, grid=3, block="BLOCK")
        self.assertEqual(cutune.check(problem).failures, {})

    def test_arrays_of_more_than_three_dimensions(self):
        x = np.arange(120, dtype=np.float32).reshape(1, 2, 3, 4, 5)
        problem = scale(arguments={"y": cutune.Out(np.empty_like(x), expect=2 * x), "x": x, "a": 2.0, "n": 120})
        self.assertEqual(problem.definition["arguments"]["x"]["size"], [5, 4, 6])
        self.assertEqual(cutune.check(problem, evaluations=2).failures, {})

    def test_inout_scratch_symbol_and_templates(self):
        source = """
        __constant__ float weights[3];
        template <int BLOCK> __global__ void add(double* y, int* used) {
          used[threadIdx.x] = 1;
          if (threadIdx.x < 3) y[threadIdx.x] += weights[threadIdx.x]; }"""
        problem = cutune.Problem(
            "add", source, parameters={"BLOCK": [32, 64]}, kernel="add<BLOCK>",
            arguments={"y": cutune.InOut(np.ones(3), expect=np.array([1.5, 2, 3.])),
                       "used": cutune.Scratch(np.zeros(64, np.int32)),
                       "weights": cutune.Symbol(np.array([0.5, 1, 2], np.float32))}, grid=1, block="BLOCK")
        self.assertEqual(cutune.check(problem).failures, {})

    def test_a_file_and_its_definition(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "scale.cu")
            path.write_text(SOURCE)
            problem = scale(path)
            self.assertEqual(cutune.check(problem).failures, {})
            again = cutune.Problem.read(problem.save(pathlib.Path(folder, "saved")))
            self.assertEqual(cutune.check(again).space_size, 6)

    def test_equal_data_are_equal_problems(self):
        self.assertEqual(scale().definition, scale().definition)

    def test_names_and_paths_of_any_letters(self):
        with tempfile.TemporaryDirectory() as folder:
            saved = scale(SOURCE + "// größe\n", kernel="scale").save(pathlib.Path(folder, "größe"))
            self.assertEqual(cutune.check(cutune.Problem.read(saved), evaluations=1).failures, {})
            for name, file in (("größe", "größe.json"), ("../a b", "___a_b.json")):
                problem = cutune.Problem(name, SOURCE, kernel="scale", parameters={"BLOCK": [64], "ITEMS": [1]},
                                         arguments={"y": cutune.Out(np.ones(4, np.float32)), "x": np.ones(4, np.float32),
                                                    "a": 1.0, "n": 4}, grid=1, block="BLOCK")
                self.assertEqual(problem.save(folder), pathlib.Path(folder, file))
                self.assertEqual(cutune.check(problem).failures, {})

    def test_forms_of_constraints_and_extents(self):
        self.assertEqual(cutune.space_size(scale(constraints="BLOCK == 64")), 3)
        self.assertEqual(cutune.space_size(scale(constraints=lambda BLOCK: BLOCK == 64)), 3)
        for grid in (lambda p: (-(-1003 // (p["BLOCK"] * p["ITEMS"])), 1), lambda BLOCK: (1003 // BLOCK + 1, 1, 1),
                     np.array([16, 1])):
            self.assertEqual(cutune.check(scale(grid=grid), evaluations=2).failures, {})

        def rule(BLOCK):
            """At most 64 threads.

            More text."""
            return BLOCK <= 64
        whys = [one["why"] for one in scale(constraints=[rule, functools.partial(rule)]).definition["constraints"]]
        self.assertEqual(whys, ["At most 64 threads.", "partial does not allow it"])

    def test_a_kernel_that_does_not_compile(self):
        one = cutune.check(scale(SOURCE.replace("a * x", "a * * * x")), evaluations=1).evaluations[0]
        self.assertEqual(one.phase, "compile")
        self.assertRegex(one.detail, r"scale\.cu:5:\d+: error")

    def test_copies_and_pickles(self):
        problem = scale(constraints=[lambda BLOCK, ITEMS: repr(BLOCK) == "64"])
        result = cutune.check(problem, evaluations=1)
        self.assertEqual(pickle.loads(pickle.dumps(result)), result)
        self.assertEqual(copy.deepcopy(result), result)
        self.assertIs(copy.copy(problem), copy.deepcopy([problem])[0])
        data = pickle.dumps(problem)
        definition = problem.definition
        del problem
        again = pickle.loads(data)
        self.assertEqual((again.definition, again.listed), (definition, ["<lambda>"]))
        self.assertEqual(cutune.check(again).failures, {})
        self.assertEqual(pickle.loads(pickle.dumps(cutune.Problem.built_in("gemm"))).name, "gemm")

    def test_numbers_of_numpy(self):
        source = SOURCE.replace("a * x[i]", "(TWICE ? 2 : 1) * x[i]")
        problem = scale(source, parameters={"BLOCK": np.array([64, 128]), "ITEMS": [1], "TWICE": np.array([True])},
                        constraints=[], more={"work": {"flops": np.int64(3)}})
        one = cutune.evaluate(problem, {"BLOCK": np.int64(128), "TWICE": np.bool_(True)}, device="emulator")
        self.assertEqual((one.phase, one.configuration), (None, {"BLOCK": 128, "ITEMS": 1, "TWICE": True}))
        self.assertTrue(cutune.evaluate(problem, one.configuration, device="emulator").right)
        with self.assertRaisesRegex(TypeError, "an object is nothing that a definition has"):
            scale(more={"work": object()})

    def test_one_configuration(self):
        one = cutune.evaluate(scale(), {"BLOCK": 256}, device="emulator")
        self.assertTrue(one.right)
        self.assertEqual(one.configuration, {"BLOCK": 256, "ITEMS": 1})
        refused = cutune.evaluate(scale(), {"BLOCK": 256, "ITEMS": 4}, device="emulator")
        self.assertEqual(refused.phase, "constraint")

    def test_rows_and_table(self):
        result = cutune.check(scale())
        self.assertEqual(len(result.rows()), 6)
        self.assertEqual(set(result.rows()[0]) >= {"BLOCK", "ITEMS", "seconds", "phase"}, True)
        stand_in = types.SimpleNamespace(DataFrame=lambda rows: ("frame", len(rows)))
        with unittest.mock.patch.dict(sys.modules, {"pandas": stand_in}):
            self.assertEqual(result.table(), ("frame", 6))
        with unittest.mock.patch.dict(sys.modules, {"pandas": None}):
            self.assertEqual(result.table(), result.rows())

    def test_table_of_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed; on Debian: apt-get install python3-pandas")
        table = cutune.check(scale()).table()
        self.assertIsInstance(table, pandas.DataFrame)
        self.assertEqual(len(table), 6)
        self.assertEqual(set(table["ITEMS"]), {1, 2, 4})
        self.assertTrue(table["reason"].isna().all())
        self.assertEqual(table["BLOCK"].dtype.kind, "i")


class Stored(unittest.TestCase):
    def test_the_shipped_recordings_answer(self):
        stored = cutune.best("stencil3d", {"nx": 512, "ny": 512, "nz": 512}, device="emulator")
        self.assertEqual(stored.size, "512x512x512")
        self.assertIn("variant", stored.configuration)
        self.assertIsInstance(stored.configuration["block_x"], int)
        self.assertGreater(stored.seconds, 0)

    def test_nothing_fits(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIsNone(cutune.best(scale(), device="emulator", database=pathlib.Path(folder, "none.db")))

    def test_problems_of_the_tuner(self):
        self.assertIn("gemm", cutune.built_in_problems())
        self.assertGreater(cutune.space_size("gemm"), 1000)
        self.assertEqual(cutune.space_size(scale(), where="BLOCK == 64"), 3)


class Errors(unittest.TestCase):
    def test_wrong_arguments(self):
        x = np.ones(4, np.float32)
        for make, kind, words in [
                (lambda: scale(source="nowhere.cu"), ValueError, "no kernel file 'nowhere.cu'"),
                (lambda: scale(parameters={"BLOCK": []}), ValueError, "'BLOCK' has no values"),
                (lambda: scale(parameters={"größe": [1]}, constraints=[], grid=1, block=64), ValueError, "'größe' cannot have that name: use letters, digits and '_'"),
                (lambda: scale(parameters={"BLOCK": [None]}), TypeError, "'BLOCK': None is neither"),
                (lambda: scale(arguments={"y": cutune.Out(3)}), ValueError, "'y': what a kernel writes is an array"),
                (lambda: scale(arguments={"y": cutune.Out(x, expect=np.ones(5, np.float32))}), ValueError,
                 r"'y': the expected results are float32\[5\], and the array is float32\[4\]"),
                (lambda: scale(arguments={"y": np.empty(0, np.float32)}), ValueError, "'y': the array has no elements"),
                (lambda: scale(arguments={"y": "text"}), TypeError, "'y': a str is neither"),
                (lambda: scale(grid=[1, 2, 3, 4]), ValueError, "grid has 4 extents"),
                (lambda: scale(constraints=["BLOCK <"]), ValueError, "BLOCK <"),
                (lambda: scale(arguments={"y": cutune.Out(np.ones(1003)), "x": x, "a": 2.0, "n": 4}), ValueError,
                 "float64"),
                (lambda: scale(parameters={"BLOCK": 64}), TypeError, r"'BLOCK': 64 is one value: give a list, \[64\]"),
                (lambda: scale(parameters={"BLOCK": [float("nan")]}), ValueError, "'BLOCK': nan .* numbers are finite"),
                (lambda: scale(parameters=[64]), TypeError, "parameters is a list: give a dict"),
                (lambda: scale(arguments=[x]), TypeError, "arguments is a list: give a dict"),
                (lambda: scale(arguments={"a": float("inf")}), ValueError, "'a': inf .* numbers are finite"),
                (lambda: scale(arguments={"y": [1, 2]}), TypeError, "'y': a list is neither .*numpy.asarray"),
                (lambda: scale(options="-O3"), TypeError, "options: '-O3' is one value"),
                (lambda: scale(sizes={"m": 2.5}), ValueError, "'m' is 2.5, which is not a whole number"),
                (lambda: scale(tolerance="x"), TypeError, "tolerance: 'x' is neither"),
                (lambda: scale(source=b"void"), TypeError, "source is a bytes"),
                (lambda: cutune.space_size(scale(constraints=["BLOK < 2"])), ValueError, "^the constraint 'BLOK < 2' mentions 'BLOK'"),
                (lambda: cutune.check(scale(), where=[1]), TypeError, "where: .* neither a number nor a text"),
                (lambda: cutune.run(scale(), device=types.SimpleNamespace()), ValueError, "unknown device"),
                (lambda: cutune.check(scale(), [4]), TypeError, "sizes is a list: give a dict"),
                (lambda: scale(parameters={}), ValueError, "parameters is empty"),
                (lambda: scale(constraints=[3]), TypeError, "constraints: 3 is neither"),
                (lambda: scale(constraints=3), TypeError, "constraints: 3 is one value"),
                (lambda: cutune.run(3), TypeError, "int is not a problem"),
                (lambda: cutune.run("nothing", device="emulator"), ValueError, "unknown problem 'nothing'"),
                (lambda: cutune.check(scale(), strategy="none"), ValueError, "no strategy 'none'"),
                (lambda: scale(tolerance=float("nan")), ValueError, "tolerance is nan: give a number of 0 or more"),
                (lambda: scale(more=[1]), TypeError, "more is a list: give a dict"),
                (lambda: scale(more={"work": {"flops": float("nan")}}), ValueError, "a number that is not finite"),
                (lambda: scale(parameters={"BLOCK": [64, "128"], "ITEMS": [1]}), ValueError, "'128', a text that would be read as"),
                (lambda: scale(arguments={"y": cutune.Out(x, expect=3)}), TypeError, "'y: expect': an int is no array"),
                (lambda: cutune.check(scale(), on_evaluation=3), TypeError, "on_evaluation is an int: give a function"),
                (lambda: cutune.Problem.built_in(3), TypeError, "name is 3"),
                (lambda: cutune.Dispatcher(scale(), wrong=3), ValueError, "^there is no option 'wrong'"),
                (lambda: cutune.check(scale(), {"wrong": 3}), ValueError, "wrong")]:
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                make()

    def test_threads_and_processes_share_an_evaluator(self):
        with cutune.Evaluator(scale(), device="emulator") as evaluator:
            right = []
            threads = [threading.Thread(target=lambda block=block: right.append(evaluator({"BLOCK": block}).right))
                       for block in (64, 128, 256)]
            for one in threads:
                one.start()
            for one in threads:
                one.join()
            self.assertEqual(right, [True] * 3)
            with unittest.mock.patch.object(os, "getpid", lambda: 1), self.assertRaisesRegex(ValueError, "opened before the fork"):
                evaluator({"BLOCK": 64})

    def test_a_closed_evaluator(self):
        evaluator = cutune.Evaluator(scale(), device="emulator")
        evaluator.close()
        evaluator.close()
        with self.assertRaisesRegex(ValueError, "the evaluator of scale is closed"):
            evaluator({"BLOCK": 64})

    def test_what_is_wrong_is_in_the_representation(self):
        self.assertRegex(repr(cutune.check(scale(grid=0))),
                         "^<scale: 0 of 6 configurations right, exhausted; {'BLOCK': .*}: cannot be launched: .* is 0, not from 1")

    def test_no_gpu(self):
        if any(name.startswith("nvidia") for name in os.listdir("/dev")):
            self.skipTest("there is a GPU")
        with self.assertRaisesRegex((ValueError, cutune.TuneError), "no NVIDIA driver.*; device=\"emulator\" checks"):
            cutune.run(scale())

    def test_a_library_of_another_version(self):
        other = ctypes.util.find_library("m")
        with unittest.mock.patch.object(cutune._native, "_loaded", None), unittest.mock.patch.dict(
                os.environ, TUNE_LIBRARY=other):
            with self.assertRaisesRegex(cutune.TuneError, "libm.* has no function .* another version than this package"):
                cutune.version()

    def test_no_program(self):
        with unittest.mock.patch.dict(os.environ, TUNE_WORKER="/no/such/tune"):
            with self.assertRaisesRegex(cutune.TuneError, "/no/such/tune is not there: install the wheel"):
                cutune.command("list", "problems")
            done = subprocess.run([sys.executable, "-m", "cutune", "list"], stderr=subprocess.PIPE, text=True)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)

    def test_a_callback_that_raises_ends_the_run(self):
        calls = []

        def fail(one, progress):
            calls.append(one)
            raise KeyError("mine")
        with self.assertRaisesRegex(KeyError, "mine"):
            cutune.check(scale(), on_evaluation=fail)
        self.assertEqual(len(calls), 1)

    def test_a_callback_ends_the_run(self):
        result = cutune.check(scale(), on_evaluation=lambda one, progress: False)
        self.assertEqual(result.end, "cancelled")
        self.assertLess(len(result.evaluations), 6)

    def test_a_function_that_raises(self):
        def rule(BLOCK, ITEMS):
            return int(BLOCK / ITEMS) // 0
        for fields, words in [({"constraints": [rule]}, "^constraint 'rule': the function raises ZeroDivisionError"),
                              ({"grid": lambda p: 1 // 0}, "^grid: the function raises ZeroDivisionError: .* by zero$"),
                              ({"block": lambda p: p["BLOK"]}, "^block: a function looks at 'BLOK', which is no parameter"),
                              ({"shared": lambda p: [].pop()}, "^shared: the function raises IndexError")]:
            with self.subTest(words), self.assertRaisesRegex(ValueError, words) as caught:
                scale(**fields)
            self.assertIsNotNone(caught.exception.__cause__)


class Processes(unittest.TestCase):
    def run_script(self, text, **options):
        path = pathlib.Path(self.folder, "script.py")
        here = pathlib.Path(__file__).resolve().parent
        path.write_text(f"import sys\nsys.path.insert(0, {str(here)!r})\nimport os, threading, time\nimport cutune\n"
                        "from test_runs import scale\n" + textwrap.dedent(text))
        return subprocess.Popen([sys.executable, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                **options)

    def setUp(self):
        self._held = tempfile.TemporaryDirectory()
        self.folder = self._held.name

    def tearDown(self):
        self._held.cleanup()

    def test_threads_have_tuners_of_their_own(self):
        outcomes = []
        threads = [threading.Thread(target=lambda: outcomes.append(cutune.check(scale(), evaluations=3).failures)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(outcomes, [{}, {}])

    def test_ctrl_c_ends_a_run_with_what_there_is(self):
        process = self.run_script("""
            first = []
            result = cutune.check(scale(count=200003), on_evaluation=lambda one, progress: (print("one", flush=True), time.sleep(0.2))[0])
            print(result.end, len(result.evaluations), flush=True)
            """)
        self.assertEqual(process.stdout.readline(), "one\n")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        end, count = out.splitlines()[-1].rsplit(" ", 1)
        self.assertEqual(end, "cancelled", out + err)
        self.assertLess(int(count), 6)

    def test_the_second_ctrl_c_raises_and_the_tuner_ends_after_its_call(self):
        process = self.run_script("""
            import signal
            from cutune import _native, tuner
            order = []
            close = _native.library().tune_close
            _native.library().tune_close = lambda handle: (order.append("closed"), close(handle))
            def slow():
                for _ in range(2):
                    os.kill(os.getpid(), signal.SIGINT)
                    time.sleep(0.2)
                order.append("ended")
            try:
                with tuner._Tuner(device="emulator") as one:
                    one.call(slow)
            except KeyboardInterrupt:
                order.append("interrupted")
            while len(order) < 3:
                time.sleep(0.01)
            print(*order, flush=True)
            """)
        out, err = process.communicate(timeout=60)
        self.assertEqual(out, "interrupted ended closed\n", err)

    def test_after_a_fork_both_processes_work(self):
        process = self.run_script("""
            problem = scale()
            assert cutune.check(problem, evaluations=1).failures == {}
            child = os.fork()
            right = cutune.check(problem, evaluations=1).failures == {}
            if child == 0:
                sys.exit(0 if right else 3)
            status = os.waitpid(child, 0)[1]
            print(right and cutune.check(problem, evaluations=1).failures == {}, status)
            """)
        out, err = process.communicate(timeout=60)
        self.assertEqual(out, "True 0\n", err)

    def test_an_error_needs_no_folder(self):
        process = self.run_script("""
            try:
                cutune.best("gem", device="emulator")
            except ValueError as error:
                print(error, os.listdir(os.environ["TMPDIR"]))
            """, env=dict(os.environ, TMPDIR=tempfile.mkdtemp(dir=self.folder)))
        self.assertEqual(process.communicate(timeout=60), ("unknown problem 'gem'; did you mean 'gemm'? []\n", ""))

    def test_no_folder_is_left(self):
        kept = dict(os.environ, TMPDIR=self.folder)

        def left():
            return [name for name in os.listdir(self.folder) if name.startswith("cutune-")]
        process = self.run_script("a, b = scale(), scale()\nprint(cutune.check(a, evaluations=1).failures)", env=kept)
        self.assertEqual(process.communicate(timeout=60), ("{}\n", ""))
        self.assertEqual(left(), [])
        process = self.run_script("""
            import multiprocessing
            child = multiprocessing.get_context("fork").Process(target=lambda: print(cutune.check(scale(), evaluations=1), flush=True))
            child.start()
            child.join()
            """, env=kept)
        self.assertIn("1 of 1", process.communicate(timeout=60)[0])
        self.assertEqual(left(), [])
        process = self.run_script("a = scale()\nprint(1, flush=True)\ntime.sleep(60)", env=kept)
        process.stdout.readline()
        process.kill()
        process.communicate()
        killed, = left()
        old = time.time() - 100
        os.utime(os.path.join(self.folder, killed, "lock"), (old, old))
        living = self.run_script("a = scale()\nprint(1, flush=True)\ninput()", env=kept, stdin=subprocess.PIPE)
        living.stdout.readline()
        remaining, = left()
        self.assertNotEqual(remaining, killed)
        os.utime(os.path.join(self.folder, remaining, "lock"), (old, old))
        process = self.run_script("a = scale()\nprint(len(cutune._folders._held))", env=kept)
        self.assertEqual(process.communicate(timeout=60), ("1\n", ""))
        self.assertEqual(left(), [remaining])
        living.communicate("\n", timeout=60)
        self.assertEqual(left(), [])

    def test_an_interpreter_that_exits_during_a_run(self):
        process = self.run_script("""
            threading.Thread(target=lambda: cutune.check(scale(count=2000003)), daemon=True).start()
            time.sleep(0.3)
            """)
        _, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, err), (0, ""))

    def test_a_problem_outlives_what_ends_an_interpreter(self):
        process = self.run_script("""
            import atexit
            atexit.register(lambda: print(cutune.space_size(problem), problem.name))
            problem = scale()
            """)
        self.assertEqual(process.communicate(timeout=60), ("6 scale\n", ""))

    def test_an_interpreter_that_exits_while_the_run_calls_it(self):
        process = self.run_script("""
            begun = threading.Event()
            def seen(one, progress):
                begun.set()
                time.sleep(0.5)
            threading.Thread(target=lambda: print(cutune.check(scale(), on_evaluation=seen).end, flush=True), daemon=True).start()
            begun.wait()
            """)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, err), (0, ""))
        self.assertIn(out, ("cancelled\n", ""))


if __name__ == "__main__":
    unittest.main()
