# SPDX-License-Identifier: Apache-2.0
"""Functions of Python as formulas: the formula allows what the function allows."""
import functools
import itertools
import math
import unittest

from cutune import _expressions

PARAMETERS = {"x": [1, 2, 4, 8, 16], "y": [1, 3, 5], "kind": ["plain", "tiled"]}


def allowed_by(text, parameters):
    """Evaluates a formula as Python does, whose language it is."""
    return [row for row in itertools.product(*parameters.values())
            if eval(text, {"floor": math.floor, "ceil": math.ceil}, dict(zip(parameters, row)))]


def allowed_by_function(function, parameters):
    names = list(parameters)
    rows = []
    for row in itertools.product(*parameters.values()):
        positional, by_name = _expressions._arguments(function, names, dict(zip(names, row)))
        if function(*positional, **by_name):
            rows.append(row)
    return rows


class Rules(unittest.TestCase):
    def check(self, function, listed=False, parameters=None):
        parameters = parameters or PARAMETERS
        text, was_listed = _expressions.rule_of(function, parameters)
        self.assertEqual(was_listed, listed, text)
        self.assertEqual(allowed_by(text, parameters), allowed_by_function(function, parameters), text)
        return text

    def test_arithmetic_and_comparisons(self):
        self.check(lambda x, y: x * y <= 20)
        self.check(lambda p: p["x"] % p["y"] == 0)
        self.check(lambda x, y: -(-x // y) > 1)
        self.check(lambda x, y: 2 ** x >= 3 ** y)
        self.check(lambda x, y: (x ^ y) & 3 != x >> 1)
        self.check(lambda x, y: abs(x - 2 * y) < 3)
        self.check(lambda x, y: math.floor(x / y) == math.ceil(x / 3))

    def test_ways_through_conditions(self):
        self.check(lambda x, y: x > 2 and y < 5)
        self.check(lambda x, y: x > 2 or y < 5)
        self.check(lambda x, y: not x > 2)
        self.check(lambda x, y: 1 < x <= y * 4 < 20)
        self.check(lambda x, y, kind: x == 1 if kind == "plain" else y in (1, 5))
        self.check(lambda p: p["kind"] != "tiled" or p["x"] >= 4)

        def loops(x, y):
            for limit in (2, 4, 8):
                if x == limit and y > 1:
                    return False
            return True
        self.check(loops)

    def test_keyword_functions(self):
        self.check(lambda **p: p["x"] >= p["y"])

    def test_what_cannot_be_followed_is_listed(self):
        self.check(lambda x, y: math.log2(x) > y, listed=True)
        self.check(lambda p: len("a" * p["x"]) > p["y"], listed=True)
        self.check(lambda x, y: x in range(y), listed=True)

    def test_many_rows_are_written_by_their_parameters(self):
        import cutune
        allowed = {(a, b, c) for a in range(60) for b in range(40) for c in "xy" if (a * 7 + b * 3) % 5 < 2 or c == "x" and a > 50}
        parameters = {"a": list(range(60)), "b": list(range(40)), "c": ["x", "y"]}
        space = cutune.space(parameters, lambda p: (int(str(p["a"])), int(str(p["b"])), str(p["c"])) in allowed)
        self.assertEqual({tuple(space[at].values()) for at in range(len(space))}, allowed)
        numbers = {"a": list(range(40)), "b": list(range(40))}
        formula = _expressions.formula_of(lambda a, b: int(str(a)) * 100 + int(str(b)), numbers)
        self.assertEqual(len(cutune.space(numbers, f"({formula}) == a * 100 + b")), 1600)

    def test_what_looks_at_more_than_a_number_is_listed(self):
        import numpy as np
        self.check(lambda x: isinstance(x, int) and x > 3, listed=True)
        self.check(lambda x: repr(x) == "4", listed=True)
        self.check(lambda x, kind: type(x) is int and kind == "plain", listed=True)
        self.check(lambda x, y: (x > 2) is True or y == 3, listed=True)
        self.check(lambda x: x < 2**63, listed=True)
        self.check(lambda x: f"{x}" == "4", listed=True)
        self.check(lambda x, kind: kind + "s" == "tileds" or x * "a" == "aa", listed=True)
        self.check(lambda x: x in np.array([2, 4]), listed=True)
        self.check(lambda x: np.any(np.array([2, 4]) == x), listed=True)
        self.check(lambda x, y: np.int64(4) * x <= np.int32(3) * y)

        def swallows(x, y):
            try:
                return x in range(y)
            except Exception:
                return True
        self.check(swallows, listed=True)

    def test_a_function_with_very_many_conditions_is_listed(self):
        self.check(lambda x: x in range(2, 200), listed=True)
        self.check(lambda x: x in range(2, 9))
        self.check(lambda x: sum([x] * 300) > 1000, listed=True)  # deeper than the tuner reads
        self.assertEqual(_expressions.rule_of(lambda p: p["lambda"] > 1, {"lambda": [1, 2]}), ("((lambda > 1))", False))

    def test_a_function_that_swallows_exceptions_is_followed_both_ways(self):
        def swallows(x, y):
            try:
                return x > 2 and y > 1
            except Exception:
                return True
        self.check(swallows)

    def test_all_uses_of_a_dict_are_noticed(self):
        self.check(lambda p: math.gcd(*list(p.copy().values())[:2]) > 1, listed=True)
        self.check(lambda p: "'x': 4" in str(p), listed=True)
        self.check(lambda p: sum(one for one in p.values() if one in (2, 3, 4)) > 4)
        self.check(lambda p: any(p[name] == 5 for name in p))

    def test_arguments_with_defaults(self):
        self.check(lambda x, limit=4: x <= limit)
        self.check(lambda x=4: x <= 4)  # a parameter, whatever its default
        self.check(functools.partial(lambda limit, x: x <= limit, 4))

    def test_a_listing_sees_parameters_that_matter_for_some_values_only(self):
        self.check(lambda p: math.gcd(p["x"], 4) > 1 if p["kind"] == "tiled" else math.gcd(p["y"], 3) > 1, listed=True)

    def test_nothing_or_all_is_allowed(self):
        self.assertEqual(allowed_by(self.check(lambda x: False), PARAMETERS), [])
        self.check(lambda x: True)

    def test_random_functions(self):
        import random
        generator = random.Random(7)
        signs = ["+", "-", "*", "//", "%"]
        relations = ["<", "<=", "==", "!=", ">", ">="]
        joints = [" and ", " or ", " and not ", " or not "]
        for _ in range(200):
            def term():
                return f"({generator.choice('xy')} {generator.choice(signs)} {generator.choice(['x', 'y', '2', '3'])})"
            text = "".join(f"{term()} {generator.choice(relations)} {term()}{generator.choice(joints)}"
                           for _ in range(generator.randrange(1, 4))) + f"{term()} > 1"
            self.check(eval("lambda x, y: " + text), parameters={"x": [1, 2, 4, 8], "y": [1, 3, 5]})

    def test_errors_name_the_cure(self):
        with self.assertRaisesRegex(ValueError, "'z', which is no parameter: take one dict"):
            _expressions.rule_of(lambda x, z: x < z, PARAMETERS)
        with self.assertRaisesRegex(ValueError, "looks at 'z', which is no parameter; there is: x, y, kind"):
            _expressions.rule_of(lambda p: p["z"] > 1, PARAMETERS)
        with self.assertRaisesRegex(ValueError, "no parameter's name gets a dict"):
            _expressions.rule_of(lambda z: z > 1, PARAMETERS)
        with self.assertRaisesRegex(ValueError, "NoneType, .* lack a 'return'"):
            _expressions.rule_of(lambda x: None, PARAMETERS)
        with self.assertRaisesRegex(ValueError, "tuple, .* join conditions with 'and'"):
            _expressions.rule_of(lambda x, y: (x > 1, y > 1), PARAMETERS)
        large = {name: list(range(100)) for name in "abc"}
        with self.assertRaisesRegex(ValueError, "1000000 combinations .* write it as a text"):
            _expressions.rule_of(lambda a, b, c: math.gcd(a, b, c) == 1, large)
        with self.assertRaisesRegex(ValueError, "the function raises ZeroDivisionError"):
            _expressions.rule_of(lambda x: math.log2(x) / 0 > 1, PARAMETERS)


class Formulas(unittest.TestCase):
    def check(self, function, parameters=None):
        parameters = parameters or {"x": [1, 2, 4, 8], "y": [1, 3]}
        text = _expressions.formula_of(function, parameters)
        for row in itertools.product(*parameters.values()):
            values = dict(zip(parameters, row))
            positional, by_name = _expressions._arguments(function, list(parameters), values)
            self.assertEqual(eval(text, {}, values), function(*positional, **by_name), text)

    def test_followed(self):
        self.check(lambda x, y: -(-1000 // (x * y)))
        self.check(lambda p: p["x"] if p["y"] > 1 else 3)
        self.check(lambda x, y: max(x, y))

    def test_several_numbers(self):
        parameters = {"x": [1, 2, 4, 8], "y": [1, 3]}
        for function in (lambda x, y: (x * y, x if y > 1 else 3), lambda x, y: [math.gcd(x, 4), int(x / y)]):
            texts = _expressions.formulas_of(function, parameters)
            for x, y in itertools.product(*parameters.values()):
                self.assertEqual([eval(text, {}, {"x": x, "y": y}) for text in texts], list(function(x, y)), texts)
        with self.assertRaisesRegex(ValueError, "tuples of different lengths"):
            _expressions.formulas_of(lambda x: (x, 1) if x > 1 else x, parameters)
        with self.assertRaisesRegex(ValueError, "returns 2 numbers, and one is needed"):
            _expressions.formula_of(lambda x: (x, 1), parameters)

    def test_listed(self):
        self.check(lambda x, y: 5 if (x > 2) is True else y)
        self.check(lambda x: math.comb(x, 1) + 1)
        self.check(lambda x, y: int(x / y))


if __name__ == "__main__":
    unittest.main()
