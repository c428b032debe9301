# SPDX-License-Identifier: Apache-2.0
"""Scripts of Kernel Tuner, on the emulator."""
import ast
import contextlib
import dataclasses
import inspect
import io
import json
import pathlib
import socket
import tempfile
import types
import typing
import unittest
import unittest.mock

import numpy as np

import cutune
import cutune.kernel_tuner as kernel_tuner
from cutune import _judge
from cutune.kernel_tuner import _results, accuracy, file_utils, integration, searchspace, strategies as _strategies, util
from cutune.kernel_tuner.accuracy import AccuracyObserver, Tunable, TunablePrecision, error_metric_from_name
from cutune.kernel_tuner.file_utils import store_metadata_file, store_output_file
from cutune.kernel_tuner.kernelbuilder import PythonKernel
from cutune.kernel_tuner.observers import BenchmarkObserver
from cutune.kernel_tuner.observers.ncu import NCUObserver
from cutune.kernel_tuner.observers.nvml import NVMLObserver
from cutune.kernel_tuner.observers.pmt import PMTObserver
from cutune.kernel_tuner.observers.powersensor import PowerSensorObserver
from cutune.kernel_tuner.observers.register import RegisterObserver
from cutune.kernel_tuner.observers.tegra import TegraObserver
from cutune.kernel_tuner.strategies.common import CostFunc

SOURCE = """
__global__ void vector_add(float *c, const float *a, const float *b, int n) {
  int i = blockIdx.x * block_size_x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
"""
SIZE = 1001
A = np.linspace(0, 1, SIZE, dtype=np.float32)
B = np.linspace(3, 5, SIZE, dtype=np.float32)
ARGUMENTS = [np.zeros_like(A), A, B, np.int32(SIZE)]
PARAMETERS = {"block_size_x": [32, 64, 96, 128]}


def tune(source=SOURCE, arguments=None, tune_params=None, name="vector_add", problem_size=SIZE, **options):
    options = {"device": "emulator", "quiet": True, **options}
    return kernel_tuner.tune_kernel(name, source, problem_size, arguments or ARGUMENTS, tune_params or PARAMETERS, **options)


def errors(results):
    return {one["block_size_x"]: one.get("__error__") for one in results}


class TuneKernel(unittest.TestCase):
    def test_every_configuration_is_evaluated(self):
        results, env = tune(answer=[A + B, None, None, None])
        self.assertEqual(errors(results), dict.fromkeys([32, 64, 96, 128]))
        self.assertEqual(env["kernel_name"], "vector_add")

    def test_answers_are_compared_within_atol(self):
        results, _ = tune(answer=[A + B + 0.01, None, None, None])
        self.assertEqual(set(errors(results).values()), {"RuntimeFailedConfig"})
        results, _ = tune(answer=[A + B + 0.01, None, None, None], atol=0.1)
        self.assertEqual(set(errors(results).values()), {None})

    def test_restrictions(self):
        for restrictions in (["block_size_x % 64 == 0"], lambda p: p["block_size_x"] % 64 == 0,
                             [lambda block_size_x: block_size_x % 64 == 0]):
            self.assertEqual(set(errors(tune(restrictions=restrictions)[0])), {64, 128})

    def test_a_verify_function_judges(self):
        seen = []

        def verify(answer, results, atol=None):
            seen.append(atol)
            np.testing.assert_array_equal(results[1], A)
            return np.allclose(answer[0], results[0], atol=atol)
        self.assertEqual(set(errors(tune(answer=[A + B, None, None, None], verify=verify)[0]).values()), {None})
        self.assertEqual(seen, [1e-6] * 4)
        wrong = tune(answer=[A, None, None, None], verify=lambda answer, results: np.allclose(answer[0], results[0]))[0]
        self.assertEqual(set(errors(wrong).values()), {"RuntimeFailedConfig"})
        self.assertRegex(wrong[0]["detail"], "^wrong result: the script's verify function refuses the results")

    def test_a_verify_function_that_raises_ends_the_call(self):
        def verify(answer, results, atol=None):
            raise KeyError("mine")
        with self.assertRaisesRegex(KeyError, "mine"):
            tune(verify=verify)

    def test_a_client_that_gives_up_ends_nothing(self):
        judge = _judge.Judge(lambda arrays: "seen")
        for line in (b'["a"', b'["a", "/no/such/file"]\n', b'[]\n'):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(judge.command([])[-1])
                client.sendall(line)
                client.shutdown(socket.SHUT_WR)
                answer = client.recv(100)
        judge.close()
        self.assertEqual(answer, b'"seen"\n')

    def test_grids(self):
        source = """__global__ void fill(int* out, int w, int h) {
          int x = blockIdx.x * (block_size_x * tile) + threadIdx.x, y = blockIdx.y * block_size_y + threadIdx.y;
          for (int t = 0; t < tile; ++t) if (x + t * block_size_x < w && y < h) out[y * w + x + t * block_size_x] = 1; }"""
        ones = np.ones((30, 50), np.int32)
        for options in ({"grid_div_x": ["block_size_x", "tile"]}, {"grid_div_x": lambda p: p["block_size_x"] * p["tile"]},
                        {"grid_div_x": ["block_size_x * tile"], "grid_div_y": ["block_size_y"]}):
            results, _ = tune(source, [np.zeros_like(ones), np.int32(50), np.int32(30)],
                              {"block_size_x": [8, 16], "block_size_y": [4], "tile": [1, 3]}, "fill", (50, 30),
                              answer=[ones, None, None], **options)
            self.assertEqual([one.get("__error__") for one in results], [None] * 4)

    def test_constant_and_shared_memory(self):
        source = """__constant__ float weights[2]; extern __shared__ float buffer[];
        __global__ void weigh(float* out, const float* in) {
          buffer[threadIdx.x] = in[threadIdx.x] * weights[1];
          __syncthreads();
          out[threadIdx.x] = buffer[block_size_x - 1 - threadIdx.x]; }"""
        given = np.arange(64, dtype=np.float32)
        results, _ = tune(source, [np.zeros_like(given), given], {"block_size_x": [64]}, "weigh", 64,
                          answer=[2 * given[::-1], None], smem_args={"size": lambda p: 4 * p["block_size_x"]},
                          cmem_args={"weights": np.array([1, 2], np.float32)})
        self.assertEqual(errors(results), {64: None})

    def test_the_launch_and_the_macros_are_those_of_kernel_tuner(self):
        source = """__global__ void show(int* out) {
          if (blockIdx.x == 0 && threadIdx.x == 0) { out[0] = blockDim.x; out[1] = gridDim.x; out[2] = MORE; } }"""

        def shown(params, more="0", size=1000, **options):
            out = kernel_tuner.run_kernel("show", source.replace("MORE", more), size, [np.zeros(3, np.int32)], params,
                                          device="emulator", **options)[0]
            return list(map(int, out))
        self.assertEqual(shown({"other": 1}, "block_size_x"), [256, 1000, 256])
        with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(said):
            tune(tune_params={"other": [1]}, quiet=False)
        self.assertIn("no parameter is an extent of the block (block_size_x, block_size_y, block_size_z): blocks have 256 threads",
                      said.getvalue())
        self.assertEqual(shown({"BLOCK_SIZE_X": 64}, "block_size_y"), [64, 16, 1])
        self.assertEqual(shown({"block_size_x": 64}, "grid_size_x", size=np.array([1000, 1])), [64, 16, 16])
        self.assertEqual(shown({"bx": 64}, "bx + by", block_size_names=["bx", "by"]), [64, 16, 65])
        self.assertEqual(shown({"block_size_x": 64}, grid_div_x=10), [64, 100, 0])
        self.assertEqual(shown({"block_size_x": 64, "q": 3}, grid_div_x=[lambda p: p["block_size_x"], "q / 2"]), [64, 16, 0])
        self.assertEqual(shown({"block_size_x": 64, "q": 3}, "(TYPE)2.5 + N", size="q * 1.5", grid_div_x=[],
                               defines={"TYPE": "int", "N": lambda p: p["q"] * 2}), [64, 4, 8])

    def test_a_function_that_generates_the_kernel(self):
        def generate(params):
            return SOURCE.replace("a[i] + b[i]", f"a[i] + b[i] * {params['factor']}")
        results, _ = tune(generate, tune_params={"block_size_x": [32], "factor": [1, 2]}, answer=[A + B, None, None, None])
        self.assertEqual({one["factor"]: one.get("__error__") for one in results}, {1: None, 2: "RuntimeFailedConfig"})

    def test_a_function_that_generates_many_kernels(self):
        def generate(params):
            return SOURCE.replace("a[i] + b[i]", f"a[i] + b[i] * {params['factor']}")
        results, _ = tune(generate, tune_params={"block_size_x": [32], "factor": list(range(1, 301))}, strategy="brute_force",
                          strategy_options={"max_fevals": 3}, answer=[A + B, None, None, None])
        self.assertEqual(len(results), 3)
        for one in results:
            self.assertEqual(one.get("__error__"), None if one["factor"] == 1 else "RuntimeFailedConfig")

    def test_a_strategy_of_the_script_evaluates_several_at_once(self):
        def generations(searchspace, runner, tuning_options):
            cost_func = CostFunc(searchspace, tuning_options, runner)
            cost_func.eval_all(searchspace.list[:3])
            cost_func.eval_all(searchspace.list[2:])
            return cost_func.results
        runs, run = [], cutune.Evaluator.several
        with unittest.mock.patch.object(cutune.Evaluator, "several", lambda self, given: runs.append(len(given)) or run(self, given)):
            wrong = SOURCE.replace("a[i] + b[i]", "a[i] + b[i] * (block_size_x == 96 ? 2 : 1)")
            results, _ = tune(wrong, strategy=generations, answer=[A + B, None, None, None], restrictions=["block_size_x != 1000"])
            limited, _ = tune(strategy=generations, strategy_options={"max_fevals": 2})
        self.assertEqual((runs, len(limited)), ([3, 2], 2))
        self.assertEqual([(one["block_size_x"], one.get("__error__")) for one in results],
                         [(32, None), (64, None), (96, "RuntimeFailedConfig"), (96, "RuntimeFailedConfig"), (128, None)])

    def test_opencl(self):
        source = """__kernel void vector_add(__global float *c, __global const float *a, __global const float *b, int n) {
          int i = get_global_id(0); if (i < n) c[i] = a[i] + b[i]; }"""
        self.assertEqual(set(errors(tune(source, answer=[A + B, None, None, None])[0]).values()), {None})

    def test_strategies_and_budgets(self):
        many = {"block_size_x": [32 * i for i in range(1, 33)]}
        results, _ = tune(tune_params=many, strategy="random_sample", strategy_options={"max_fevals": 5})
        self.assertEqual(len(results), 5)

    def test_a_cache_is_a_file_of_kernel_tuner(self):
        with tempfile.TemporaryDirectory() as folder:
            tune(cache=pathlib.Path(folder, "results"))
            content = json.loads(pathlib.Path(folder, "results.json").read_text())
        self.assertEqual(sorted(content["cache"]), ["128", "32", "64", "96"])
        self.assertEqual(content["tune_params_keys"], ["block_size_x"])

    def test_what_cannot_be_is_an_error(self):
        for options, words in [({"strategy": "nothing"}, "no strategy 'nothing'; there is: adaptive_tabu_greywolf, basin"),
                               ({"texmem_args": {"t": A}}, "pass a texture object"),
                               ({"lang": "Fortran"}, "kernels in Fortran"),
                               ({"objective": "GFLOP/s"}, "'GFLOP/s' is neither 'time' nor one of the metrics"),
                               ({"objective": "quality"}, "more or less of 'quality' better"),
                               ({"objective": "nvml_energy"}, "observed by NVMLObserver"),
                               ({"objective_higher_is_better": True}, "look for the least time"),
                               ({"objectives": {"time": False, "x": True}, "strategy": "pso"}, "'pso' looks for one"),
                               ({"objective": ["time", "x"], "objective_higher_is_better": [True]}, "has 1 values, and objective 2"),
                               ({"strategy": "pso", "strategy_options": {"max_fevals": 0}}, "max_fevals is 0: give a number above 0"),
                               ({"tune_params": {"block_size_x": [32], "time": [1]}}, "cannot be called 'time'"),
                               ({"smem_args": {"bytes": 3}}, "smem_args has no 'size'"),
                               ({"problem_size": lambda p: p["foo"]}, "problem_size: a function looks at 'foo'"),
                               ({"grid_div_x": lambda p: p["foo"]}, "grid_div_x: a function looks at 'foo'"),
                               ({"source": lambda p: p["foo"]}, "kernel_source: the function raises KeyError: 'foo'"),
                               ({"answer": [A[:3], None, None, None]}, "has 3 elements, and the argument 1001"),
                               ({"simulation_mode": True}, "give the file with the results as 'cache'"),
                               ({"answer": [A + B]}, "answer has 1 elements, and there are 4 arguments"),
                               ({"cache": "/no/such/folder/cache"}, "no folder '/no/such/folder': make it first"),
                               ({"defines": {"N": lambda p: p["foo"]}}, "defines: 'N': a function looks at 'foo'"),
                               ({"problem_size": (1, 2, 3, 4)}, "4 extents")]:
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                tune(**options)
        for options, words in [({"answer": A}, "answer is a ndarray: give a list"),
                               ({"compiler_options": "-O3"}, "compiler_options: '-O3' is one value"),
                               ({"block_size_names": "block"}, "block_size_names: 'block' is one value"),
                               ({"problem_size": None}, "'problem_size' is None, which is not a whole number"),
                               ({"tune_params": [32]}, "tune_params is a list: give a dict"),
                               ({"metrics": {"x": 3}}, "metrics: 'x' is 3: give a text or a function"),
                               ({"verify": 3}, "verify is an int: give a function"),
                               ({"restrictions": 3}, "constraints: 3 is one value"),
                               ({"restrictions": [(A, [])]}, "is neither a text nor a function of the parameters"),
                               ({"atol": "x"}, "atol: 'x' is neither a number"),
                               ({"source": lambda p: None}, "kernel_source: the function returns a NoneType"),
                               ({"cmem_args": [A]}, "cmem_args is a list: give a dict")]:
            with self.subTest(words), self.assertRaisesRegex(TypeError, words):
                tune(**options)


class Hints(unittest.TestCase):
    def test_public_functions_state_their_types(self):
        for module in (cutune, kernel_tuner, util, file_utils, accuracy, searchspace):
            for name in module.__all__:
                public = getattr(module, name)
                function = public.__init__ if inspect.isclass(public) else public
                if inspect.isfunction(function) and not dataclasses.is_dataclass(public):
                    missing = [one.name for one in inspect.signature(function).parameters.values()
                               if one.name != "self" and one.annotation is one.empty]
                    self.assertEqual(missing, [], name)
                    typing.get_type_hints(function)
        self.assertTrue(pathlib.Path(cutune.__file__).with_name("py.typed").is_file())

    def test_public_functions_have_docstrings(self):
        for module in (cutune, kernel_tuner, util, file_utils, accuracy, searchspace, _strategies.common, integration):
            for name in module.__all__:
                public = getattr(module, name)
                members = [one for key, one in vars(public).items() if not key.startswith("_")] if inspect.isclass(public) else []
                for one in [public, *members]:
                    if inspect.isfunction(one) or inspect.isclass(one) or isinstance(one, property):
                        self.assertTrue(inspect.getdoc(one), f"{name}: {one}")

    def test_sources_are_those_of_python_3_9(self):
        for file in pathlib.Path(cutune.__file__).parent.rglob("*.py"):
            ast.parse(file.read_text(encoding="utf-8"), str(file), feature_version=(3, 9))


class Metrics(unittest.TestCase):
    """Formulas of metrics, with the time in ms for scripts and in s for the tuner."""

    def test_formulas(self):
        metrics = {"GB/s": lambda p: 12 * SIZE / 1e6 / p["time"], "text": "block_size_x / time",
                   "other": lambda p: np.log2(p["time"])}
        formulas = _results.formulas_of(metrics, PARAMETERS)
        self.assertEqual(set(formulas), {"GB/s", "text"})
        values = {"time": 0.002, "block_size_x": 64}
        self.assertAlmostEqual(eval(formulas["GB/s"], {}, values), 12 * SIZE / 1e6 / 2)
        self.assertAlmostEqual(eval(formulas["text"], {}, values), 32)

    def test_objectives(self):
        metrics = {"GFLOP/s": "1 / time", "energy_cost": "time * 2"}
        wanted = _results.objective_of
        self.assertEqual(wanted("GFLOP/s", True, metrics, metrics, None), "max:GFLOP/s")
        self.assertEqual(wanted("GFLOP/s", False, metrics, metrics, None), "min:GFLOP/s")
        self.assertEqual(wanted("time", False, None, {}, None), "time")
        self.assertEqual(wanted("nvml_energy", False, None, {}, True), "energy")
        self.assertEqual(wanted("nvml_energy", True, {"nvml_energy": "1"}, {"nvml_energy": "1"}, None), "max:nvml_energy")
        with self.assertRaisesRegex(ValueError, "cannot be written as a formula"):
            wanted("GFLOP/s", True, metrics, {}, None)
        goals = _results.goals_of
        self.assertEqual(goals(None, None, None), {"time": False})
        self.assertEqual(goals(["time", "GB/s"], None, None), {"time": False, "GB/s": True})
        self.assertEqual(goals(None, None, {"quality": True, "loss": False}), {"quality": True, "loss": False})
        self.assertEqual(goals("energy_cost", None, None), {"energy_cost": False})

    def test_the_best_of_several_objectives(self):
        results = [{"a": a, "b": b} for a, b in ((1, 5), (2, 4), (2, 5), (3, 9), (3, 9), (1, 3))] + [{"a": 0}]
        self.assertEqual(util.get_pareto_results(results, ["a", "b"], [False, True]), [results[0], results[3]])
        self.assertEqual(util.get_pareto_results(results, ["a", "b"], [False, False]), [results[5]])
        self.assertEqual(util.get_pareto_results([], ["a"], [True]), [])

    def test_entries_of_measured_configurations(self):
        from cutune import Evaluation
        one = Evaluation({"block_size_x": 64}, 0.002, 0.5, [0.002, 0.0021], 0, 0, 20, 1, False, False, None, None, None,
                         0.1, 0.2, 0.3)
        entry = _results.Scribe(PARAMETERS, {"half": "time / 2", "double": lambda p: p["time"] * 2},
                                [RegisterObserver(), NVMLObserver(["nvml_energy"])]).entry(one)
        self.assertEqual((entry["time"], entry["half"], entry["double"], entry["num_regs"], entry["nvml_energy"]),
                         (2, 1, 4, 20, 0.5))
        self.assertEqual([entry[name + "_time"] for name in ("compile", "verification", "benchmark")], [100, 200, 300])
        self.assertNotIn("nvml_power", entry)
        scribe = _results.Scribe(PARAMETERS, {"GFLOP/J": lambda p: 1 / p["nvml_energy"], "text": "nvml_power * 2", "half": "time / 2"})
        self.assertEqual((scribe.entry(one)["half"], set(scribe.lacking)), (1, {"GFLOP/J", "text"}))


class Observers(unittest.TestCase):
    def test_an_observer_of_a_script(self):
        class Mine(BenchmarkObserver):
            def __init__(self):
                self.calls, self.ticks = [], 0

            def register_configuration(self, params):
                self.calls.append(params["block_size_x"])

            def during(self):
                self.ticks += 1

            def get_results(self):
                return {"ticks": self.ticks, "device": self.dev.name}
            before_start = after_start = after_finish = lambda self: self.calls.append(".")
        mine, said = Mine(), io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            results, _ = tune(tune_params={"block_size_x": [32, 2048]}, answer=[A + B, None, None, None], quiet=False,
                              observers=[lambda: mine])
        self.assertEqual(mine.calls, [32, ".", ".", "."])
        self.assertGreater(results[0]["ticks"], 0)
        self.assertEqual(results[0]["device"], "emulator")
        self.assertEqual(said.getvalue(), "cutune: observers: Mine: called around the evaluation of each configuration, not around "
                         "each launch\n")

    def test_precisions_and_their_errors(self):
        source = "template <typename T> " + SOURCE.replace("float *", "T *").strip()
        results, _ = tune(source, [TunablePrecision("type", np.zeros(SIZE)), TunablePrecision("type", A.astype(float)),
                                   TunablePrecision("type", B.astype(float)), np.int32(SIZE)],
                          {"block_size_x": [64], "type": ["float", "double"]}, "vector_add<type>",
                          answer=[A.astype(float) + B, None, None, None],
                          observers=[AccuracyObserver("max"), AccuracyObserver("RMSE", "rmse")])
        found = {one["type"]: (one.get("__error__"), one["error"], one["rmse"]) for one in results}
        self.assertEqual(found["double"], (None, 0, 0))
        self.assertTrue(0 < found["float"][2] < found["float"][1] < 1e-6, found)

    def test_metrics_of_errors(self):
        right, got = np.array([1.0, 2, 4]), np.array([1.0, 1, 6])
        for name, value in [("MSE", 5 / 3), ("rmse", (5 / 3) ** 0.5), ("NRMSE", (5 / 21) ** 0.5), ("MAE", 1), ("mean_absolute", 1),
                            ("MRE", 1 / 3), ("relative error", 1 / 3), ("max", 2), ("maximum absolute error", 2), ("max rel", 0.5),
                            ("RMSRE", (0.5 / 3) ** 0.5), ("MALE", np.log10([2, 1.5]).sum() / 3),
                            ("rmsle", (np.log10([2, 1.5]) ** 2).mean() ** 0.5 * (2 / 3) ** 0.5)]:
            self.assertAlmostEqual(error_metric_from_name(name)(right, got), value, msg=name)
        for name in ("", "mean", "rel abs", "nothing"):
            with self.assertRaisesRegex(ValueError, f"no error metric '{name}'; there is: "):
                error_metric_from_name(name)

    def test_a_tunable_argument_without_the_array(self):
        with self.assertRaisesRegex(KeyError, "no array for way = 2; there is: 0, 1"):
            Tunable("way", [A, B])({"way": 2})
        self.assertIs(Tunable("way + 1", [A, B])({"way": 0}), B)
        with self.assertRaisesRegex(ValueError, "is 'other', which is neither a parameter nor a formula of them: way"):
            Tunable("other", [A, B])({"way": 0})

    def test_what_is_not_observed_is_said(self):
        for kind, words in [(NCUObserver, "counters of Nsight Compute"), (PMTObserver, "PMT"), (TegraObserver, "Tegra"),
                            (PowerSensorObserver, "the sensor is not read")]:
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                self.assertEqual(kind(["anything"]).results_of(None), {})
            self.assertRegex(said.getvalue(), f"^cutune: {kind.__name__} adds nothing to results: .*{words}.*\n$")
        with self.assertRaisesRegex(TypeError, "observers: an int is not a BenchmarkObserver"):
            tune(observers=[3])


class Caches(unittest.TestCase):
    def test_a_cache_is_continued(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "cache")
            tune(cache=path, tune_params={"block_size_x": [32, 64]})
            whole = json.loads(path.with_suffix(".json").read_text())
            self.assertEqual((list(whole["cache"]), whole["device_name"]), (["32", "64"], "emulator"))
            whole["cache"]["32"].update(time=5.0, times=[5.0])
            path.with_suffix(".json").write_text(json.dumps(whole))
            results, env = tune(cache=path)
            self.assertEqual(sorted(one["block_size_x"] for one in results), [32, 64, 96, 128])
            self.assertEqual((env["best_config"]["block_size_x"], env["best_config"]["time"]), (32, 5.0))
            again = json.loads(path.with_suffix(".json").read_text())
            self.assertEqual((sorted(again["cache"]), again["cache"]["32"]["time"]), (["128", "32", "64", "96"], 5.0))
            for one in again["cache"].values():
                one["time"] = 1.0
            path.with_suffix(".json").write_text(json.dumps(again))
            self.assertEqual(len(tune(SOURCE.replace("c[i]", "wrong"), cache=path)[0]), 4)
            again["device_name"] = "Some GPU"
            path.with_suffix(".json").write_text(json.dumps(again))
            with self.assertRaisesRegex(ValueError, "results of another device: 'Some GPU' there, 'emulator' here"):
                tune(cache=path)


class RunKernel(unittest.TestCase):
    def test_arguments_come_back(self):
        results = kernel_tuner.run_kernel("vector_add", SOURCE, SIZE, ARGUMENTS, {"block_size_x": 64}, device="emulator")
        np.testing.assert_array_equal(results[0], A + B)
        np.testing.assert_array_equal(results[1], A)
        self.assertEqual(results[3], SIZE)
        self.assertFalse(ARGUMENTS[0].any())

    def test_failures_are_errors(self):
        with self.assertRaisesRegex(RuntimeError, "vector_add: .*"):
            kernel_tuner.run_kernel("vector_add", SOURCE.replace("i < n", "true"), SIZE, ARGUMENTS, {"block_size_x": 64},
                                    device="emulator")

    def test_python_kernel(self):
        add = PythonKernel("vector_add", SOURCE, SIZE, ARGUMENTS, {"block_size_x": 64}, outputs=[True, False, False, False],
                           device="emulator")
        result, = add(*ARGUMENTS)
        np.testing.assert_array_equal(result, A + B)


    def test_arrays_on_a_device_are_used_where_they_lie(self):
        calls = []

        def lying(address):
            return types.SimpleNamespace(__cuda_array_interface__={"typestr": "<f4", "shape": (SIZE,), "data": (address, False),
                                                                   "strides": None, "version": 3})

        class Stand:
            def __init__(self, problem, device):
                calls.append((problem.parameters, device))

            def __call__(self, *arguments):
                calls.append(arguments)
        given = [lying(4096), lying(8192), lying(16384), np.int32(SIZE)]
        with unittest.mock.patch("cutune._arrays._copy_from_device", lambda address, size, name: bytes(size)), \
                unittest.mock.patch("cutune.dispatcher.Dispatcher", Stand):
            add = PythonKernel("vector_add", SOURCE, SIZE, given, {"block_size_x": 64}, outputs=[True, False, False, False], device=1)
            self.assertEqual([add(*given), add()], [[given[0]]] * 2)
        self.assertEqual(calls, [({"block_size_x": [64]}, 1), tuple(given), tuple(given)])


class Files(unittest.TestCase):
    RESULTS = [{"block_size_x": 32, "time": 2.0, "times": [2.0]}, {"block_size_x": 64, "time": 1.0, "times": [1.0]},
               {"block_size_x": 96, "__error__": "CompilationFailedConfig", "time": "CompilationFailedConfig"}]

    def test_the_best_and_its_text(self):
        best = util.get_best_config(self.RESULTS, "time")
        self.assertEqual(util.get_config_string(best, ["block_size_x", "time"], {"time": "ms"}),
                         "block_size_x=64, time=1.000ms")

    def test_outputs(self):
        with tempfile.TemporaryDirectory() as folder:
            store_output_file(folder + "/out.json", self.RESULTS, PARAMETERS)
            store_metadata_file(folder + "/meta.json")
            stored = json.loads(pathlib.Path(folder, "out.json").read_text())["results"]
            self.assertEqual([one["invalidity"] for one in stored], ["correct", "correct", "compile"])

    def test_stored_results_and_targets(self):
        with tempfile.TemporaryDirectory() as folder:
            stored, header = folder + "/best.json", folder + "/targets.h"

            def store(results=self.RESULTS, size=10, device="GPU A", **options):
                kernel_tuner.store_results(stored, "k", "", PARAMETERS, size, results, {"device_name": device}, **options)
            store()
            store()
            store(top=150, size=(10, 20))
            store([{"block_size_x": 32, "time": 3.0}], device="GPU-B")
            kept = json.loads(pathlib.Path(stored).read_text())["data"]
            self.assertEqual([(one["device_name"], one["problem_size"], one["tunable_parameters"], one["time"]) for one in kept],
                             [("GPU_A", "10", {"block_size_x": 64}, 1), ("GPU_A", "10x20", {"block_size_x": 32}, 2),
                              ("GPU_A", "10x20", {"block_size_x": 64}, 1), ("GPU_B", "10", {"block_size_x": 32}, 3)])
            kernel_tuner.create_device_targets(header, stored)
            lines = pathlib.Path(header).read_text().splitlines()
            self.assertEqual(lines[lines.index("#ifdef TARGET_GPU_A") + 1], "#define block_size_x 64")
            self.assertEqual(lines[lines.index("#elif defined TARGET_GPU_B") + 1], "#define block_size_x 32")
            self.assertEqual(lines[lines.index("#else") + 1], "#define block_size_x 64")
            add = PythonKernel("vector_add", SOURCE, 10, ARGUMENTS, results_file=stored, device="emulator")
            self.assertEqual(add._fields["params"], {"block_size_x": 64})
            with self.assertRaisesRegex(ValueError, "results: none is right and has 'time'"):
                store([])
            with self.assertRaisesRegex(ValueError, "has the objective 'time', and these results 'GB/s'"):
                store([{"block_size_x": 32, "GB/s": 3.0}], objective="GB/s")
            with self.assertRaisesRegex(ValueError, "has results without 'GB/s'"):
                kernel_tuner.create_device_targets(header, stored, objective="GB/s")
            pathlib.Path(stored).write_text("[]")
            with self.assertRaisesRegex(ValueError, "is not a file of store_results"):
                kernel_tuner.create_device_targets(header, stored)


if __name__ == "__main__":
    unittest.main()
