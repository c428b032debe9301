# SPDX-License-Identifier: Apache-2.0
"""Recorded spaces, and strategies of a script's own on them and in runs."""
import pathlib
import random
import tempfile
import unittest

import cutune
from cutune import _strategies
from test_runs import scale
from test_simulation import cost, text


class Descent:
    """Goes to better neighbours; begins again where there is none."""

    def __init__(self, space, seed):
        self.space, self.random, self.costs = space, random.Random(seed), {}
        self.queue = []

    def ask(self):
        if len(self.costs) == len(self.space):
            return None
        if not self.queue:
            left = [at for at in range(len(self.space)) if at not in self.costs]
            self.queue = [self.random.choice(left)]
        return self.space[self.queue.pop()]

    def tell(self, configuration, cost):
        number = self.space.number_of(configuration)
        if cost is not None and cost < min(self.costs.values(), default=1e9):
            self.queue = [near for near in self.space.neighbours(number) if near not in self.costs]
        self.costs[number] = cost if cost is not None else 1e9


class Recordings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        held = tempfile.TemporaryDirectory()
        cls.addClassCleanup(held.cleanup)
        cls.path = pathlib.Path(held.name, "small.kt.json")
        cls.path.write_text(text())

    def test_a_recording(self):
        one, = cutune.recordings(self.path)
        self.assertEqual((one.title, len(one.space)), ("small", 24))
        self.assertEqual(one.space.parameters["block_size_x"], [32, 64, 128, 256])
        for number, seconds in enumerate(one.seconds):
            given = one.space[number]
            self.assertEqual(one.space.number_of(given), number)
            wanted = None if (given["block_size_x"], given["tile"]) == (256, 4) else cost(**given) / 1e3
            self.assertEqual(seconds is None, wanted is None)
            if wanted is not None:
                self.assertAlmostEqual(seconds, wanted)
        self.assertIsNone(one.space.number_of({"block_size_x": 33}))
        near = [one.space[at] for at in one.space.neighbours(0)]
        self.assertEqual(len(near), 3 + 2 + 1)
        self.assertEqual(len(set(one.space.sample(100))), 24)

    def test_strategies_beside_each_other(self):
        compared = cutune.replay(self.path, ["uniform", Descent], budgets=[4, 12, 24], repeats=30)
        self.assertEqual([one["strategy"] for one in compared.scores], ["random (exact)", "uniform", "Descent"])
        rows = {row["strategy"]: row for row in compared.rows()}
        for name in rows:
            self.assertAlmostEqual(rows[name]["share at 24"], 1)
        self.assertGreater(rows["Descent"]["share at 12"], rows["uniform"]["share at 12"])
        self.assertGreater(rows["Descent"]["score"], 0.1)
        self.assertAlmostEqual(rows["uniform"]["score"], 0, delta=0.2)
        self.assertRegex(repr(compared).splitlines()[0], "^strategy +share at 4 +share at 12")
        self.assertIn("<td>Descent</td>", compared._repr_html_())
        again = cutune.replay(cutune.recordings(self.path), [Descent], budgets=[4, 12, 24], repeats=30)
        self.assertEqual(again.scores[1]["shares"], compared.scores[2]["shares"])

    def test_failures_are_told_and_a_space_ends_with_its_search(self):
        kept, told = [], []

        class Keeping(Descent):
            def __init__(self, space, seed):
                super().__init__(space, seed)
                kept.append(space)

            def tell(self, configuration, cost):
                told.append((configuration["block_size_x"], configuration["tile"], cost))
                super().tell(configuration, cost)
        cutune.replay(self.path, Keeping, budgets=[24], repeats=1)
        self.assertEqual([cost is None for _, _, cost in told], [(x, tile) == (256, 4) for x, tile, _ in told])
        self.assertEqual(len(kept[0]), 24)
        with self.assertRaisesRegex(ValueError, "the search whose space this is has ended"):
            kept[0].number_of({"block_size_x": 32, "tile": 1, "mode": "plain"})

    def test_what_a_strategy_repeats_is_told_again(self):
        asked = []

        class Stubborn:
            def __init__(self, space, seed):
                self.told = []

            def ask(self):
                asked.append(len(self.told))
                return min(len(set(self.told)), 3)

            def tell(self, configuration, cost):
                self.told.append(configuration["block_size_x"] * 10 + configuration["tile"])
        cutune.replay(self.path, Stubborn, budgets=[10], repeats=1)
        self.assertTrue(1000 <= len(asked) <= 1010, len(asked))

    def test_errors(self):
        class Wrong(Descent):
            def ask(self):
                return {"block_size_x": 5}

        class Raising(Descent):
            def tell(self, configuration, cost):
                raise KeyError("mine")
        for call, kind, words in [
                (lambda: cutune.replay(self.path, Wrong), ValueError, "Wrong asks for {'block_size_x': 5}, which is not a conf"),
                (lambda: cutune.replay(self.path, Raising), KeyError, "mine"),
                (lambda: cutune.replay(self.path, lambda space, seed: 3), TypeError, "returns an int, which has no function 'ask'"),
                (lambda: cutune.replay(self.path, [3]), TypeError, "strategy: an int is neither a name nor a function"),
                (lambda: cutune.replay(self.path, "nothing"), ValueError, "no strategy 'nothing'"),
                (lambda: cutune.replay(self.path, "random", budgets=[5, 2]), ValueError, "budgets: .* in increasing order"),
                (lambda: cutune.replay(self.path, "random", repeats=0), ValueError, "repeats: at least 1"),
                (lambda: cutune.recordings(self.path, only="gemm"), ValueError, "no recorded space has a title with 'gemm'"),
                (lambda: cutune.recordings([]), ValueError, "no file with recorded spaces"),
                (lambda: cutune.recordings(__file__), (ValueError, cutune.TuneError), "test_replay.py"),
                (lambda: cutune.recordings("/no/such/file"), (ValueError, cutune.TuneError), "/no/such/file")]:
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                call()


class Runs(unittest.TestCase):
    def test_a_strategy_of_the_script_chooses(self):
        asked = []

        class Backwards:
            def __init__(self, space, seed):
                self.left, self.seed = list(range(len(space))), seed

            def ask(self):
                asked.append(self.left[-1] if self.left else None)
                return self.left.pop() if self.left else None

            def tell(self, configuration, cost):
                pass
        result = cutune.check(scale(), strategy=Backwards)
        self.assertEqual((len(result.evaluations), result.end), (6, "exhausted"))
        self.assertEqual(asked, [5, 4, 3, 2, 1, 0, None])
        first = result.evaluations[0].configuration
        self.assertEqual((first["BLOCK"], first["ITEMS"]), (256, 2))

    def test_what_it_raises_ends_the_run(self):
        class Raising(Descent):
            def ask(self):
                raise KeyError("mine")
        with self.assertRaisesRegex(KeyError, "mine"):
            cutune.check(scale(), strategy=Raising)

    def test_the_space_of_a_search(self):
        space = cutune.Search({"a": [2, 1], "b": ["x", "y"]}, ["a == 1 or b == 'x'"]).space
        self.assertEqual([space[at] for at in range(len(space))], [{"a": 2, "b": "x"}, {"a": 1, "b": "x"}, {"a": 1, "b": "y"}])
        self.assertEqual(_strategies.name_of(Descent), "Descent")


if __name__ == "__main__":
    unittest.main()
