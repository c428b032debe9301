# SPDX-License-Identifier: Apache-2.0
"""Searches whose loop is the script's own."""
import copy
import pickle
import threading
import unittest

import numpy as np

import cutune
from test_runs import scale

PARAMETERS = {"x": list(range(32)), "y": list(range(32)), "kind": ["slow", "fast"]}


def cost(x, y, kind):
    return 1 + (x - 20) ** 2 + (y - 7) ** 2 + (5 if kind == "slow" else 0)


class OwnLoop(unittest.TestCase):
    def test_each_configuration_is_asked_for_once(self):
        search = cutune.Search({"a": [1, 2, 3], "b": [0.5, 1.5]}, ["a * b < 4", lambda a, b: a != 2 or b < 1])
        self.assertEqual(search.space_size, 4)
        seen = []
        while (configuration := search.ask()) is not None:
            seen.append((configuration["a"], configuration["b"]))
            search.tell(configuration, configuration["a"] * configuration["b"])
        self.assertEqual(sorted(seen), [(1, 0.5), (1, 1.5), (2, 0.5), (3, 0.5)])

    def test_the_model_finds_what_chance_does_not(self):
        found = [cutune.Search(PARAMETERS, seed=seed).minimize(cost, 40)[1] for seed in range(1, 6)]
        by_chance = [cutune.Search(PARAMETERS, seed=seed, strategy="uniform").minimize(cost, 40)[1] for seed in range(1, 6)]
        self.assertLess(sorted(found)[2], 4)
        self.assertLess(sum(found), sum(by_chance))

    def test_failures_and_results_from_elsewhere(self):
        search = cutune.Search({"a": [1, 2, 3]}, strategy="random")
        search.tell({"a": 2}, 1.0)
        first = search.ask()
        search.tell(first, None)
        second = search.ask()
        self.assertEqual(sorted([first["a"], second["a"]]), [1, 3])
        self.assertEqual(cutune.Search({"a": [1, 2]}).minimize(lambda a: None, 5), (None, None))
        self.assertEqual(cutune.Search({"a": [1, 2]}).minimize(lambda a: np.float32(a), 5), ({"a": 1}, 1))

    def test_threads_share_a_search(self):
        search, seen = cutune.Search({"a": list(range(60))}), []

        def loop():
            while (configuration := search.ask()) is not None:
                seen.append(configuration["a"])
                search.tell(configuration, 1 + configuration["a"])
        threads = [threading.Thread(target=loop) for _ in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual(len(set(seen)), len(seen))
        self.assertEqual(search.space_size, 60)

    def test_a_search_is_not_copied(self):
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.assertRaisesRegex(TypeError, "neither copied nor pickled"):
                copied(cutune.Search({"a": [1, 2]}))

    def test_the_space_of_a_problem(self):
        space = cutune.space(scale(), where=lambda BLOCK, ITEMS: BLOCK == 64 and ITEMS > 1)
        self.assertEqual([space[at] for at in range(len(space))], [{"BLOCK": 64, "ITEMS": 2}, {"BLOCK": 64, "ITEMS": 4}])
        with self.assertRaisesRegex(ValueError, "^where: the function takes 'size', which is no parameter"):
            cutune.space(scale(), where=lambda BLOCK, size: True)
        read = cutune.Problem.built_in("fault_injection")
        self.assertEqual(read.parameters, cutune.space(read).parameters)
        self.assertLess(cutune.space_size(read, where=lambda p: p["block"] == read.parameters["block"][0]),
                        cutune.space_size(read))
        self.assertEqual(cutune.Search(scale(), where="BLOCK == 64").space_size, 3)
        self.assertIn({"BLOCK": 64, "ITEMS": 4}, space)
        self.assertNotIn({"BLOCK": 128, "ITEMS": 4}, space)
        self.assertEqual(len(list(space)), 2)
        self.assertEqual(len(cutune.space("fault_injection")), len(cutune.space(read)))

    def test_wrong_use(self):
        for make, words in [(lambda: cutune.Search({"a": [1]}, strategy="nothing"), "no strategy 'nothing'"),
                            (lambda: cutune.Search({"a": [1, 2]}, ["b > 1"]), "b"),
                            (lambda: cutune.Search({"a": [1, 2]}, ["a > 2"]), "no configuration is valid"),
                            (lambda: cutune.Search(scale(), ["BLOCK == 64"]), "restrict it by 'where'"),
                            (lambda: cutune.Search({"a": [1, 2]}).tell({"a": 3}, 1.0), "a=3"),
                            (lambda: cutune.Search({"a": [1, 2]}).tell({"a": 1}, 0.0), "not above 0"),
                            (lambda: cutune.Search({"a": [1, 2]}, seed=-1), "seed is -1: give a whole number of 0 or more")]:
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                make()
        for make, words in [(lambda: cutune.Search({"a": [1]}, seed="x"), "'seed' is 'x', which is not a whole number"),
                            (lambda: cutune.Search({"a": [1, 2]}).tell({"a": 1}, "x"), "cost is a str: give a number"),
                            (lambda: cutune.Search({"a": [1, 2]}).tell([1], 1.0), "configuration is a list: give a dict"),
                            (lambda: cutune.space(3), "parameters is an int: give a dict")]:
            with self.subTest(words), self.assertRaisesRegex(TypeError, words):
                make()


if __name__ == "__main__":
    unittest.main()
