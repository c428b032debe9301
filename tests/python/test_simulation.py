# SPDX-License-Identifier: Apache-2.0
"""Caches of Kernel Tuner: searched without a device, continued and written; strategies of a script's own."""
import contextlib
import gzip
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import cutune.kernel_tuner as kernel_tuner
from cutune.kernel_tuner import strategies, util
from cutune.kernel_tuner.searchspace import Searchspace
from cutune.kernel_tuner.strategies.common import CostFunc
from cutune.kernel_tuner.strategies.wrapper import OptAlg, OptAlgWrapper

PARAMETERS = {"block_size_x": [32, 64, 128, 256], "tile": [1, 2, 4], "mode": ["plain", "fast"]}


def cost(block_size_x, tile, mode):
    return abs(block_size_x - 128) / 32 + tile + (0 if mode == "fast" else 3)


def entries():
    for x in PARAMETERS["block_size_x"]:
        for tile in PARAMETERS["tile"]:
            for mode in PARAMETERS["mode"]:
                one = {"block_size_x": x, "tile": tile, "mode": mode}
                if x == 256 and tile == 4:
                    yield {**one, "__error__": "CompilationFailedConfig", "compile_time": 5.0, "verification_time": 0,
                           "benchmark_time": 0}
                else:
                    yield {**one, "time": cost(**one), "times": [cost(**one)] * 3, "compile_time": 100.0,
                           "verification_time": 10.0, "benchmark_time": 40.0}


def text(left_out=0, **changes):
    lines = ["\n" + json.dumps({f"{one['block_size_x']},{one['tile']},{one['mode']}": one})[1:-1]
             for one in list(entries())[left_out:]]
    header = {"device_name": "Some GPU", "kernel_name": "k", "problem_size": [1000], "tune_params_keys": list(PARAMETERS),
              "tune_params": PARAMETERS, "objective": "time", **changes}
    return json.dumps({**header, "cache": {}}, indent="")[:-3] + ",".join(lines) + "}\n}"


class Files(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)

    def simulate(self, content=None, name="cache.json", **options):
        path = self.folder / name
        path.write_text(text() if content is None else content)
        options = {"quiet": True, "cache": path, "simulation_mode": True, **options}
        return kernel_tuner.tune_kernel("k", "", 1000, [], PARAMETERS, **options)


class Simulation(Files):
    def test_the_whole_space(self):
        results, env = self.simulate(metrics={"double": lambda p: 2 * p["time"]})
        self.assertEqual(len(results), 24)
        self.assertEqual(env["best_config"]["time"], 1)
        self.assertEqual(env["best_config"]["double"], 2)
        self.assertEqual((env["simulation"], env["device_name"], env["total_compile_time"]), (True, "Some GPU", 2210))
        self.assertEqual(env["simulated_time"], 22 * 150 + 10)
        failed = [one["__error__"] for one in results if "__error__" in one]
        self.assertEqual(failed, ["CompilationFailedConfig"] * 2)
        self.assertIsInstance(failed[0], util.CompilationFailedConfig)

    def test_strategies_of_the_tuner(self):
        for name in ("random_sample", "bayes_opt", strategies.minimize, "pso"):
            with contextlib.redirect_stderr(io.StringIO()):
                results, _ = self.simulate(strategy=name, strategy_options={"max_fevals": 12}, seed=3)
            self.assertEqual(len({(one["block_size_x"], one["tile"], one["mode"]) for one in results}), 12)

    def test_options_of_strategies(self):
        results, env = self.simulate(strategy="genetic_algorithm", strategy_options={"x0": [64, 2, "fast"], "max_fevals": 5})
        self.assertEqual((results[0]["block_size_x"], results[0]["tile"], results[0]["mode"]), (64, 2, "fast"))
        self.assertGreater(env["total_strategy_time"], 0)
        self.assertGreater(env["total_framework_time"], 0)
        self.assertEqual(len(self.simulate(strategy="random_sample", strategy_options={"fraction": 0.5})[0]), 12)
        self.assertEqual(len(self.simulate(strategy="random_sample")[0]), 3)
        for options, words in [({"fraction": 2}, "fraction is 2, and not above 0"), ({"x0": [1]}, r"x0 is \[1\], and not a list")]:
            with self.assertRaisesRegex(ValueError, words):
                self.simulate(strategy="random_sample", strategy_options=options)

    def test_more_is_better(self):
        _, env = self.simulate(objective="speed", metrics={"speed": lambda p: 100 / p["time"]}, objective_higher_is_better=True,
                               strategy="bayes_opt", strategy_options={"max_fevals": 20})
        self.assertEqual(env["best_config"]["speed"], 100)

    def test_several_objectives(self):
        options = {"metrics": {"size": "block_size_x * tile"}, "objectives": {"time": False, "size": True}}
        results, env = self.simulate(**options)
        self.assertEqual(len(results), 24)
        best = [(one["time"], one["size"]) for one in env["best_config"]]
        self.assertEqual(best, sorted(best))
        self.assertEqual((best[0], len(best)), ((1, 128), 3))
        with self.assertRaisesRegex(ValueError, "'pso' looks for one"):
            self.simulate(strategy="pso", **options)
        costs = []

        def strategy(space, runner, options):
            costs.append(CostFunc(space, options, runner)((128, 2, "fast")))
            return runner.run([(128, 2, "fast")], options)
        self.simulate(strategy=strategy, **options)
        self.assertEqual(costs, [[2, -256]])

    def test_an_objective_that_no_result_has(self):
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
            _, env = self.simulate(objective="speed", block_size_names=["none"], objective_higher_is_better=True, quiet=False)
        self.assertNotIn("best_config", env)
        self.assertIn("22 of 24 configurations are right; none has speed: there is benchmark_time, ", out.getvalue())
        self.assertNotIn("256 threads", out.getvalue())

    def test_budgets_of_recorded_time(self):
        results, env = self.simulate(strategy="random_sample", strategy_options={"time_limit": 1.0})
        self.assertTrue(6 <= len(results) <= 10, len(results))
        self.assertGreaterEqual(env["simulated_time"], 1000)
        without = text().replace('"compile_time": 100.0, ', "")
        with self.assertRaisesRegex(ValueError, "has no compile_time.*leave out time_limit"):
            self.simulate(without, strategy_options={"time_limit": 1.0})
        self.assertEqual(len(self.simulate(without)[0]), 24)

    def test_restrictions_and_what_the_cache_lacks(self):
        results, _ = self.simulate(restrictions=["tile < 4", lambda p: p["mode"] == "fast"])
        self.assertEqual(len(results), 8)
        with self.assertRaisesRegex(ValueError, "no result for block_size_x=32, tile=1, mode=plain: record the whole space"):
            self.simulate(text(left_out=1))

    def test_without_a_kernel(self):
        path = self.folder / "cache.json.gz"
        path.write_bytes(gzip.compress(text().encode()))
        results, env = kernel_tuner.tune_cache(path, quiet=True, restrictions=["tile == 2"])
        self.assertEqual((len(results), env["kernel_name"], env["best_config"]["time"]), (8, "k", 2))

    def test_a_file_that_was_cut_off(self):
        whole = text()
        for cut in (whole[:-3], whole[:-3] + ",", whole[:-40]):
            left = [p for p in ("plain", "fast")]
            results = self.simulate(cut, restrictions=["block_size_x < 256"])[0]
            self.assertEqual(len(results), 9 * len(left))

    def test_wrong_files(self):
        for content, words in [("{", "is not a cache of Kernel Tuner"), ("[]", "is not a cache"), ('{"cache": {}}', "is not a cache"),
                               (text(kernel_name="other"), "results of other kernel: other there, k here"),
                               (text(problem_size=999), r"another problem_size: \[999\] there, \[1000\] here"),
                               (text(tune_params_keys=["tile"]), "results of other parameters"),
                               (json.dumps({**json.loads(text()), "cache": {"a": 3}}), "the result 'a' is not an object")]:
            with self.subTest(words), self.assertRaisesRegex(ValueError, "^cache: .*" + words):
                self.simulate(content)
        with self.assertRaisesRegex(ValueError, "give the file with the results as 'cache'"):
            self.simulate(cache=None)
        with self.assertRaisesRegex(ValueError, "cannot be read: .*No such file"):
            self.simulate(cache=self.folder / "none")


class Scripts(Files):
    SCRIPT = """
import sys
import kernel_tuner
from kernel_tuner import tune_kernel, util
from kernel_tuner.observers.nvml import NVMLObserver
results, env = tune_kernel("k", "", 1000, [], %r, strategy=kernel_tuner.strategies.random_sample, quiet=True,
                           strategy_options={"max_fevals": 5}, cache=sys.argv[1], simulation_mode=True)
print(len(results), isinstance(results[0], dict), __name__, util.get_best_config(results, "time") == env["best_config"])
import kernel_tuner.backends
"""

    def test_a_script_without_any_change(self):
        (self.folder / "cache.json").write_text(text())
        (self.folder / "script.py").write_text(self.SCRIPT % PARAMETERS)

        def run(*words):
            return subprocess.run([sys.executable, "-m", "cutune.kernel_tuner", *words], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        done = run("script.py", "cache.json")
        self.assertEqual(done.stdout, "5 True __main__ True\n", done.stderr)
        self.assertRegex(done.stderr, "kernel_tuner.backends is not there in cutune.kernel_tuner: docs/how-to/kernel-tuner.md lists what is\n$")
        self.assertRegex(run("none.py").stderr, "^cutune.kernel_tuner: there is no script 'none.py'\n$")


class OwnStrategies(Files):
    def test_a_function_that_owns_the_loop(self):
        def descend(searchspace, runner, tuning_options):
            cost_func = CostFunc(searchspace, tuning_options, runner)
            here = searchspace.list[0]
            best = cost_func(here)
            while True:
                near = searchspace.get_neighbors(here, "adjacent")
                costs = cost_func.eval_all(near)
                if min(costs) >= best:
                    return cost_func.results
                best, here = min(zip(costs, near))
        results, env = self.simulate(strategy=descend)
        self.assertEqual(env["best_config"]["time"], 1)
        self.assertLess(len({str(one) for one in results}), 25)

    def test_the_budget_ends_a_strategy(self):
        class Forever:
            def tune(self, searchspace, runner, tuning_options):
                self.fraction = []
                cost_func = CostFunc(searchspace, tuning_options, runner, snap=True)
                while True:
                    cost_func(searchspace.get_random_sample(1)[0])
                    self.fraction.append(cost_func.budget_spent_fraction)
        strategy = Forever()
        results, _ = self.simulate(strategy=strategy, strategy_options={"max_fevals": 7}, seed=1)
        self.assertEqual(len(results), 7)
        self.assertEqual(strategy.fraction, sorted(strategy.fraction))

    def test_an_optimiser_of_points(self):
        class Points(OptAlg):
            def __init__(self):
                self.costfunc_kwargs = {"scaling": True, "snap": True}

            def __call__(self, func, searchspace):
                bounds, start, eps = func.get_bounds_x0_eps()
                self.values = [func(start), func([high - eps / 2 for _, high in bounds]), func([-1, -1, -1])]
        points = Points()
        results, _ = self.simulate(strategy=OptAlgWrapper(points), strategy_options={"x0": (64, 2, "fast"), "max_fevals": 3})
        self.assertEqual([(one["block_size_x"], one["tile"], one["mode"]) for one in results],
                         [(64, 2, "fast"), (256, 4, "fast"), (32, 1, "plain")])
        self.assertEqual(points.values[0], cost(64, 2, "fast"))
        self.assertGreater(points.values[1], 1e300)

    def test_ctrl_c_ends_a_search_with_what_there_is(self):
        def interrupted(searchspace, runner, tuning_options):
            runner.run(searchspace.list[:3], tuning_options)
            raise KeyboardInterrupt
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            results, env = self.simulate(strategy=interrupted)
        self.assertEqual((len(results), said.getvalue()), (3, "cutune: interrupted: these are the results so far\n"))
        self.assertEqual(env["best_config"]["time"], min(one["time"] for one in results))

    def test_what_a_strategy_raises(self):
        def wrong(searchspace, runner, tuning_options):
            return tuning_options.nothing
        with self.assertRaisesRegex(AttributeError, "no option 'nothing'"):
            self.simulate(strategy=wrong)
        with self.assertRaisesRegex(ValueError, "strategy: an int is neither a name nor a function"):
            self.simulate(strategy=3)
        with self.assertRaisesRegex(ValueError, r"strategy: \(32, 1\) is not a configuration: .*: block_size_x, tile, mode"):
            self.simulate(strategy=lambda space, runner, options: runner.run([(32, 1)], options))

    def test_the_space(self):
        space = Searchspace(PARAMETERS, ["tile < 4 or mode == 'fast'"], 128)
        self.assertEqual((space.size, space.num_params, len(space.get_random_sample(100))), (15, 3, 15))
        self.assertFalse(space.is_param_config_valid((32, 4, "plain")))
        self.assertEqual(space.get_param_config_index(space.list[3]), 3)
        self.assertEqual(set(space.get_neighbors((32, 2, "plain"), "Hamming")),
                         {(64, 2, "plain"), (128, 2, "plain"), (32, 1, "plain"), (32, 2, "fast")})
        self.assertEqual(set(space.get_neighbors((32, 2, "plain"), "strictly-adjacent")),
                         {(x, tile, mode) for x in (32, 64) for tile in (1, 2, 4) for mode in ("plain", "fast")
                          if (x, tile, mode) != (32, 2, "plain") and (tile < 4 or mode == "fast")})
        self.assertEqual(sorted(space.get_param_neighbors((32, 2, "plain"), 0, "Hamming", False)), [64, 128])
        self.assertEqual(len(set(space.get_LHS_sample(6))), 6)
        self.assertEqual(len(set(space.get_distributed_random_sample_indices(6, 10))), 6)
        self.assertEqual([list(space.get_param_indices_lower_bounds()), list(space.get_param_indices_upper_bounds())],
                         [[0, 0, 0], [2, 2, 1]])
        self.assertEqual(space.get_true_tunable_params(), PARAMETERS)
        with self.assertRaisesRegex(AttributeError, "Searchspace has no 'to_ax_searchspace' here"):
            space.to_ax_searchspace()


if __name__ == "__main__":
    unittest.main()
