# SPDX-License-Identifier: Apache-2.0
"""The space of configurations, for strategies of scripts."""
import random
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

import numpy

from .. import search as _search

__all__ = ["Searchspace"]

Config = Tuple[Any, ...]
_METHODS = ("Hamming", "adjacent", "strictly-adjacent", "closest-param-indices")


def rules_of(tune_params, restrictions, max_threads, block_size_names):
    """Returns the restrictions as a list, with that of the threads of a block."""
    sides = [name for name in block_size_names if name in tune_params]
    limit = [f"{' * '.join(sides)} <= {max_threads}"] if sides and max_threads < 1 << 30 else []
    return _search.as_list(restrictions) + limit


class Searchspace:
    """All valid configurations, as tuples in the order of the parameters. `restrictions`: texts or functions, as of
    tune_kernel. `max_threads`: of a block, whose extents are the parameters of `block_size_names`.

    `list`, `size`, `tune_params`, `param_names`, `params_values` and `num_params` are its data. Neighbours differ in one
    parameter ("Hamming"), in each by one step at most among the values that occur ("adjacent") or that are declared
    ("strictly-adjacent")."""

    def __init__(self, tune_params: Mapping[str, Sequence[Any]], restrictions: Any = None, max_threads: int = 1024,
                 block_size_names: Sequence[str] = ("block_size_x", "block_size_y", "block_size_z"), **_: Any):
        self.tune_params = {str(name): list(values) for name, values in tune_params.items()}
        self.param_names, self.params_values = list(self.tune_params), tuple(map(tuple, self.tune_params.values()))
        self.num_params, self.restrictions = len(self.tune_params), restrictions
        self.rules = rules_of(self.tune_params, restrictions, max_threads, block_size_names)
        self.list: List[Config] = _search.configurations(self.tune_params, self.rules)
        self.size = len(self.list)
        self._index = {config: at for at, config in enumerate(self.list)}
        self._rows = numpy.array([self.get_param_indices(config) for config in self.list], dtype=numpy.int64).reshape(
            self.size, self.num_params)

    def __len__(self) -> int:
        return self.size

    def is_param_config_valid(self, param_config: Sequence[Any]) -> bool:
        """Returns whether a configuration is one of the space."""
        return tuple(param_config) in self._index

    def get_param_config_index(self, param_config: Sequence[Any]) -> Optional[int]:
        """Returns the place of a configuration in `list`; None for one that is not valid."""
        return self._index.get(tuple(param_config))

    def get_param_configs_at_indices(self, indices: Iterable[int]) -> List[Config]:
        """Returns the configurations at these places."""
        return [self.list[int(at)] for at in indices]

    def get_param_indices(self, param_config: Sequence[Any]) -> Tuple[int, ...]:
        """Returns the place of each value among those of its parameter."""
        return tuple(values.index(value) for values, value in zip(self.params_values, param_config))

    def get_param_config_from_param_indices(self, param_indices: Sequence[int]) -> Config:
        """Returns the configuration with the values at these places."""
        return tuple(values[at] for values, at in zip(self.params_values, param_indices))

    def get_list_dict(self) -> Dict[Config, int]:
        """Returns the places of all configurations."""
        return dict(self._index)

    def get_list_numpy(self) -> numpy.ndarray:
        """Returns `list` as an array of objects."""
        return numpy.array(self.list, dtype=object).reshape(self.size, self.num_params)

    def get_list_param_indices_numpy(self) -> numpy.ndarray:
        """Returns an array with `get_param_indices` of each configuration."""
        return self._rows.copy()

    def get_true_tunable_params(self) -> Dict[str, List[Any]]:
        """Returns the parameters that have more than one value."""
        return {name: values for name, values in self.tune_params.items() if len(values) > 1}

    def sorted_list(self, sort_last_param_first: bool = False) -> List[Config]:
        """Returns the configurations in the order of their values."""
        return sorted(self.list, key=lambda config: tuple(reversed(config)) if sort_last_param_first else config)

    def get_random_sample_indices(self, num_samples: int) -> numpy.ndarray:
        """Returns so many different places."""
        return numpy.array(random.sample(range(self.size), min(int(num_samples), self.size)), dtype=numpy.int64)

    def get_random_sample(self, num_samples: int) -> List[Config]:
        """Returns so many different configurations, all of them at most."""
        return self.get_param_configs_at_indices(self.get_random_sample_indices(num_samples))

    def get_LHS_sample_indices(self, num_samples: int, sampling_factor: int = 10) -> List[int]:
        """Returns the places of valid configurations near so many points, of which each parameter has all parts of its
        values. `sampling_factor` changes nothing."""
        count = min(int(num_samples), self.size)
        parts = [[(at + random.random()) / count * len(values) for at in random.sample(range(count), count)]
                 for values in self.params_values]
        left = numpy.ones(self.size, dtype=bool)
        chosen = []
        for point in zip(*parts):
            distance = numpy.abs(self._rows + 0.5 - numpy.array(point)).sum(axis=1)
            at = int(numpy.where(left, distance, numpy.inf).argmin())
            left[at] = False
            chosen.append(at)
        return chosen

    get_distributed_random_sample_indices = get_LHS_sample_indices

    def get_LHS_sample(self, num_samples: int, sampling_factor: int = 10) -> List[Config]:
        """Returns the configurations of `get_LHS_sample_indices`."""
        return self.get_param_configs_at_indices(self.get_LHS_sample_indices(num_samples))

    get_distributed_random_sample = get_LHS_sample

    def get_param_indices_lower_bounds(self) -> numpy.ndarray:
        """Returns the least place of a value of each parameter that a valid configuration has."""
        return self._rows.min(axis=0)

    def get_param_indices_upper_bounds(self) -> numpy.ndarray:
        """Returns the largest place of a value of each parameter that a valid configuration has."""
        return self._rows.max(axis=0)

    def get_neighbors_indices(self, param_config: Sequence[Any], neighbor_method: Optional[str] = None, **_: Any) -> List[int]:
        """Returns the places of the neighbours of a configuration, which need not be valid itself."""
        if neighbor_method not in (None, *_METHODS):
            raise ValueError(f"there is no neighbor_method '{neighbor_method}'; there is: {', '.join(_METHODS)}")
        row = numpy.array(self.get_param_indices(param_config))
        steps = numpy.abs(self._rows - row)
        if neighbor_method in (None, "Hamming"):
            near = (steps > 0).sum(axis=1) == 1
        elif neighbor_method == "adjacent":
            near = numpy.ones(self.size, dtype=bool)
            for column, value in enumerate(row):
                occurring = numpy.unique(self._rows[:, column])
                below, above = occurring[occurring < value], occurring[occurring > value]
                low, high = (below[-1] if below.size else value), (above[0] if above.size else value)
                near &= (self._rows[:, column] >= low) & (self._rows[:, column] <= high)
        elif neighbor_method == "strictly-adjacent":
            near = (steps <= 1).all(axis=1)
        else:
            distance = numpy.where(steps.sum(axis=1) > 0, steps.sum(axis=1), numpy.iinfo(numpy.int64).max)
            near = distance == distance.min()
        near &= steps.any(axis=1)
        return [int(at) for at in numpy.flatnonzero(near)]

    get_neighbors_indices_no_cache = get_neighbors_indices

    def get_neighbors(self, param_config: Sequence[Any], neighbor_method: Optional[str] = None, **_: Any) -> List[Config]:
        """Returns the neighbours of a configuration."""
        return self.get_param_configs_at_indices(self.get_neighbors_indices(param_config, neighbor_method))

    get_neighbors_no_cache = get_neighbors

    def get_random_neighbor(self, param_config: Sequence[Any], neighbor_method: Optional[str] = None, **_: Any) -> Config:
        """Returns one of the neighbours; the configuration itself where it has none."""
        near = self.get_neighbors(param_config, neighbor_method)
        return random.choice(near) if near else tuple(param_config)

    def get_param_neighbors(self, param_config: Sequence[Any], index: int, neighbor_method: str, randomize: bool) -> List[Any]:
        """Returns the other values of the parameter at this place that neighbours have which differ in it alone."""
        config = tuple(param_config)
        values = [near[index] for near in self.get_neighbors(config, neighbor_method)
                  if near[:index] == config[:index] and near[index + 1:] == config[index + 1:]]
        if randomize:
            random.shuffle(values)
        return values

    def order_param_configs(self, param_configs: Sequence[Config], order: Sequence[int],
                            randomize_in_params: bool = True) -> List[Config]:
        """Returns configurations in the order of their values of these parameters, the first one first."""
        shuffled = list(param_configs)
        if randomize_in_params:
            random.shuffle(shuffled)
        return sorted(shuffled, key=lambda config: [self.params_values[at].index(config[at]) for at in order])

    def __getattr__(self, name):
        raise AttributeError(f"Searchspace has no '{name}' here: a strategy can take list, get_random_sample, get_neighbors and "
                             "what docs/how-to/kernel-tuner.md lists")
