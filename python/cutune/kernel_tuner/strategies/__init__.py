# SPDX-License-Identifier: Apache-2.0
"""Names of Kernel Tuner's strategies, also as members (`strategies.minimize`), and what is taken for each."""
from ... import _native

__all__ = ["NEAREST", "STRATEGIES", "name_of"]

STRATEGIES = {None: "grid", "brute_force": "grid", "random_sample": "random", "bayes_opt": "model",
              "simulated_annealing": "annealing", "genetic_algorithm": "genetic", "greedy_ils": "ils", "pso": "pso"}
#: Strategies that this tuner has not, and what is taken instead.
NEAREST = {"diff_evo": "genetic", "firefly_algorithm": "pso", "basinhopping": "ils", "dual_annealing": "annealing",
           "minimize": "ils", "mls": "ils", "greedy_mls": "ils", "ordered_greedy_mls": "ils",
           "bayes_opt_GPyTorch": "model", "bayes_opt_GPyTorch_lean": "model", "bayes_opt_BOTorch": "model",
           "skopt": "model", "pyatf_strategies": "model", "hybrid_vndx": "ils", "adaptive_tabu_greywolf": "pso",
           "nsga2": "genetic", "nsga3": "genetic"}


class Named:
    """A strategy that is named by a member of this module."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


def name_of(strategy):
    """Returns the name of a strategy that is given as a text or as a member of this module; None for a script's own.
    Raises ValueError for what is no strategy."""
    if isinstance(strategy, Named):
        return strategy.name
    if strategy is None:
        return "brute_force"
    if not isinstance(strategy, str):
        if callable(strategy) or callable(getattr(strategy, "tune", None)):
            return None
        raise ValueError(f"strategy: {_native.kind(strategy)} is neither a name nor a function, and has no function 'tune'")
    if strategy not in STRATEGIES and strategy not in NEAREST:
        raise ValueError(f"there is no strategy '{strategy}'; there is: "
                         f"{', '.join(sorted(filter(None, [*STRATEGIES, *NEAREST])))}")
    return strategy


def __getattr__(name):
    if name in STRATEGIES or name in NEAREST:
        return Named(name)
    raise AttributeError(f"there is no strategy '{name}'")
