#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernel Tuner evaluates the very configurations of stencil3d's `direct` kernel that a run of tune measured.

Same kernel files, macros, launches, memory layouts, input, tolerance, cold L2 cache and number of samples; the
README beside this file says how, and which settings Kernel Tuner gets. Needs numpy, Kernel Tuner, CuPy and a GPU.
"""
import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

import stencil_arrays

root = Path(__file__).resolve().parents[2]


def stop(text):
    sys.exit(f"compare: {text}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--db", type=Path, help="database with the run; without it tune runs first, into a temporary one")
    add("--run", type=int, help="number of the run; default: the newest")
    add("--budget-evals", type=int, default=200, help="of the run that is made without --db; default: 200")
    add("--set", default="", help="settings of that run, such as radius=4,type=double")
    add("--size", default="", help="size of that run")
    add("--limit", type=int, help="only the first N configurations: the rates are then not those of one list")
    add("--device", type=int, default=0)
    add("--samples", type=int, default=9, help="launches that are timed; default: 9, as tune takes")
    add("--bin", type=Path, default=root / "build/bin", help="folder of tune and kernel_tuner_plans")
    add("--out", type=Path, help="write all figures there, as JSON")
    return parser.parse_args()


# ---- the run of tune ----


def run_tune(arguments, database):
    command = [str(arguments.bin / "tune"), "run", "--problem", "stencil3d", "--device", f"cuda:{arguments.device}",
               "--where", "variant == direct", "--strategy", "random", "--budget-evals", str(arguments.budget_evals), "--no-compile-cache",
               "--samples", f"{arguments.samples}:{arguments.samples}", "--no-race", "--finalists", "0",
               "--db", str(database), "--quiet"]
    command += ["--set", arguments.set] if arguments.set else []
    command += ["--size", arguments.size] if arguments.size else []
    print("running:", " ".join(command), flush=True)
    if subprocess.run(command).returncode != 0:
        stop("tune failed")


def read_plans(arguments, folder):
    command = [str(arguments.bin / "kernel_tuner_plans")]
    if not Path(command[0]).exists():
        stop(f"{command[0]} is missing: configure with -DTUNE_BENCH=ON and build it, or name its folder with --bin")
    if arguments.db is None:
        arguments.db = folder / "tune.db"
        run_tune(arguments, arguments.db)
    command += ["--db", str(arguments.db)]
    command += ["--run", str(arguments.run)] if arguments.run else []
    result = subprocess.run(command, stdout=subprocess.PIPE)
    if result.returncode != 0:
        stop("the plans could not be had")
    data = json.loads(result.stdout)
    if arguments.limit:
        data["plans"] = data["plans"][: arguments.limit]
    if not data["plans"]:
        stop("the run measured no configuration of the direct variant: tune with --where 'variant == direct'")
    return data


def tune_figures(data):
    """What the run took; seconds of compiling are summed over the cores."""
    run = data["tune"]
    if run["ended"]:
        moments = [datetime.fromisoformat(run[key].replace("Z", "+00:00")) for key in ("started", "ended")]
        run["wall_seconds"] = (moments[1] - moments[0]).total_seconds()
        run["per_second"] = run["evaluations"] / run["wall_seconds"]
    doubts = []
    if data["other_variants"]:
        doubts.append(f"the run measured {data['other_variants']} configurations of other variants too")
    if run["reused"]:
        doubts.append(f"the run knew {run['reused']} results before")
    if run["compile_seconds"] < 0.01 * run["evaluations"]:
        doubts.append("the run took its binaries from a cache: use --no-compile-cache")
    if data["sources_changed"]:
        doubts.append("the run was made with other kernel files than this program's")
    if run["origin"] != "measured":
        doubts.append("the run was a replay")
    return doubts


# ---- the work ----


def load_modules(arguments, folder):
    """numpy, Kernel Tuner and CuPy, or one line on what is missing."""
    # Nothing compiled before may answer: tune ran without its cache.
    os.environ["CUPY_CACHE_DIR"] = str(folder / "cupy")
    os.environ["CUPY_CACHE_IN_MEMORY"] = "1"
    modules = {}
    for name, package in (("numpy", "numpy"), ("cupy", "cupy-cuda13x"), ("kernel_tuner", "kernel_tuner")):
        if can_import(name, package):
            modules[name] = importlib.import_module(name)
    return modules["numpy"], modules["cupy"], modules["kernel_tuner"]


def can_import(name, package):
    try:
        importlib.import_module(name)
        return True
    except ImportError as error:
        stop(f"{name} cannot be imported ({error}): install it with 'pip install {package}'")


def use_device(arguments, cupy):
    try:
        cupy.cuda.Device(arguments.device).use()
    except RuntimeError as error:
        stop(f"CuPy cannot use device {arguments.device} ({error})")


def kernel_arguments(np, tunable, cupy, plans, memory):
    arguments = []
    for position, argument in enumerate(plans[0]["arguments"]):
        if "buffer" in argument:
            views = {number: cupy.asarray(view) for number, view in memory.views[argument["buffer"]].items()}
            layouts = [memory.number(plan) for plan in plans]
            arguments.append(tunable(lambda p, layouts=layouts: layouts[p["configuration"]], views))
            continue
        kind = {4: np.int32, 8: np.int64}[argument["bytes"]]
        values = {i: kind(plan["arguments"][position]["value"]) for i, plan in enumerate(plans)}
        arguments.append(tunable("configuration", values) if len(set(values.values())) > 1 else values[0])
    return arguments


def kernel_source(data):
    """As Kernel Tuner likes it best: a function of the configuration that gives the text."""
    text = data["files"][data["kernel_file"]]
    prefixes = ["".join(f"#define {name} {value}\n" for name, value in plan["defines"].items()) + "#line 1\n"
                for plan in data["plans"]]
    return lambda params: (prefixes[params["configuration"]] if params else "") + text


# ---- Kernel Tuner ----


def tune_with_kernel_tuner(arguments, data, folder, np, cupy, kernel_tuner):
    from kernel_tuner.accuracy import Tunable

    class Arrays(Tunable):
        """Kernel Tuner formats all arguments for its log: without this it would copy the arrays to the host."""

        __repr__ = __str__ = lambda self: "arrays on the device"

    from kernel_tuner.observers.observer import BenchmarkObserver

    plans = data["plans"]
    if any(plan["shared_bytes"] > 48 * 1024 for plan in plans):
        stop("Kernel Tuner's CuPy backend cannot launch with more than 48 KiB of dynamic shared memory")
    for name, text in data["files"].items():
        if name != data["kernel_file"]:
            (folder / name).write_text(text)
    memory = stencil_arrays.Memory(cupy, data)
    cold = cupy.zeros(2 * cupy.cuda.runtime.getDeviceProperties(arguments.device)["l2CacheSize"], dtype=np.uint8)
    reference, tolerance = memory.reference, data["tolerance"]
    wrong = cupy.ReductionKernel("T x, float64 y, float64 most", "int64 wrong",  # NaN is wrong too
                                 "(long long)!(fabs((double)x - y) <= most)", "a + b", "wrong = a", "0",
                                 "count_wrong")
    count_wrong = lambda out: int(wrong(out, reference, tolerance))

    class ColdCache(BenchmarkObserver):
        """Overwrites L2 before every launch, as tune does; poisons the output for the next configuration."""

        def before_start(self):
            cold.fill(0)

        def get_results(self):
            memory.out.fill(cupy.nan)
            return {}

    # Not a lambda: Kernel Tuner would parse its text for names of parameters.
    def is_planned(p):
        return all(blocks[p["configuration"]][name] == p[name] for name in blocks[0])

    blocks = [dict(zip(("BLOCK_X", "BLOCK_Y", "BLOCK_Z"), plan["block"])) for plan in plans]
    params = {"configuration": list(range(len(plans)))}
    params |= {name: sorted({block[name] for block in blocks}) for name in blocks[0]}
    # Marks what is checked; `verify` has the reference.
    answer = ["reference" if argument.get("buffer") == "out" else None for argument in plans[0]["arguments"]]
    values = kernel_arguments(np, Arrays, cupy, plans, memory)
    cupy.cuda.Device(arguments.device).synchronize()
    start = time.perf_counter()
    results, environment = kernel_tuner.tune_kernel(
        data["entry"], kernel_source(data), lambda p: tuple(plans[p["configuration"]]["grid"]), values, params,
        grid_div_x=[], grid_div_y=[], grid_div_z=[], block_size_names=list(blocks[0]),
        restrictions=is_planned, answer=answer, atol=tolerance,
        verify=lambda answer, out, atol: all(count_wrong(array) == 0 for array in out if array is not None),
        lang="CUPY", device=arguments.device, defines={}, iterations=arguments.samples, quiet=True,
        smem_args={"size": lambda p: plans[p["configuration"]]["shared_bytes"]},
        compiler_options=["--std=c++20", f"-I{folder}", *plans[0]["options"]], observers=[ColdCache()],
        strategy="brute_force")
    wall = time.perf_counter() - start
    return results, environment, wall


def kernel_tuner_figures(data, results, environment, wall, version):
    measured = {r["configuration"]: r["time"] * 1e-3 for r in results if "__error__" not in r}
    figures = {"version": version, "evaluations": len(results), "failed": len(results) - len(measured),
               "wall_seconds": wall, "per_second": len(results) / wall}
    for key in ("compile", "verification", "benchmark", "framework", "strategy"):
        figures[f"{key}_seconds"] = environment.get(f"total_{key}_time", float("nan")) * 1e-3
    figures["other_seconds"] = environment.get("overhead_time", float("nan")) * 1e-3
    seconds = [plan["seconds"] for plan in data["plans"]]
    figures["seconds"] = [measured.get(i) for i in range(len(seconds))]
    best = min(measured, key=measured.get) if measured else None
    if best is not None:
        figures["best"] = {"seconds": measured[best], "seconds_by_tune": seconds[best],
                           "configuration": data["plans"][best]["configuration"]}
        figures["median_ratio"] = statistics.median(measured[i] / seconds[i] for i in measured)
    return figures


def show(data, doubts, theirs):
    ours = data["tune"]
    best = min(data["plans"], key=lambda plan: plan["seconds"])
    print(f"\n{data['problem']} {data['instance']}, {len(data['plans'])} configurations of the direct variant")
    print(f"tune          run {ours['run']}, {ours['program']}, {ours['device']}, {ours['compiler']}")
    if "wall_seconds" in ours:
        print(f"              {ours['evaluations']} evaluations in {ours['wall_seconds']:.1f} s: "
              f"{ours['per_second']:.2f} a second")
    print(f"              compiling {ours['compile_seconds']:.1f} s (summed over the cores), loading "
          f"{ours['load_seconds']:.1f} s, checking {ours['verify_seconds']:.1f} s, measuring {ours['measure_seconds']:.1f} s")
    print(f"              best {best['seconds'] * 1e6:.1f} us")
    print(f"Kernel Tuner  {theirs['version']}, CuPy backend")
    print(f"              {theirs['evaluations']} evaluations in {theirs['wall_seconds']:.1f} s: "
          f"{theirs['per_second']:.2f} a second; {theirs['failed']} failed")
    print(f"              compiling {theirs['compile_seconds']:.1f} s, checking {theirs['verification_seconds']:.1f} s, "
          f"measuring {theirs['benchmark_seconds']:.1f} s, framework {theirs['framework_seconds']:.1f} s, "
          f"search space and start {theirs['other_seconds']:.1f} s")
    if "best" in theirs:
        print(f"              best {theirs['best']['seconds'] * 1e6:.1f} us, which tune measured as "
              f"{theirs['best']['seconds_by_tune'] * 1e6:.1f} us; its times are {theirs['median_ratio']:.3f} of tune's (median)")
    if "per_second" in ours:
        print(f"tune evaluates {ours['per_second'] / theirs['per_second']:.2f} times as many a second")
    for doubt in doubts:
        print(f"NOT COMPARABLE: {doubt}")


def main():
    arguments = parse_arguments()
    for name in ("db", "bin", "out"):
        if getattr(arguments, name):
            setattr(arguments, name, getattr(arguments, name).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.chdir(folder)  # where Kernel Tuner leaves the source of what fails
        np, cupy, kernel_tuner = load_modules(arguments, folder)
        use_device(arguments, cupy)
        data = read_plans(arguments, folder)
        doubts = tune_figures(data)
        if arguments.limit:
            doubts.append("--limit: the rates are of different lists")
        try:
            results, environment, wall = tune_with_kernel_tuner(arguments, data, folder, np, cupy, kernel_tuner)
        except RuntimeError as error:
            stop(f"Kernel Tuner gave up: {error}")
        theirs = kernel_tuner_figures(data, results, environment, wall, getattr(kernel_tuner, "__version__", "?"))
        show(data, doubts, theirs)
        if arguments.out:
            data.pop("files")
            text = {"doubts": doubts, "kernel_tuner": theirs, **data}
            arguments.out.write_text(json.dumps(text, indent=1) + "\n")


if __name__ == "__main__":
    main()
