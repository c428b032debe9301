#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures a table of docs/results/search.md again, on recorded spaces, without a GPU.

    bench/search/figures.py parts gemm.json.gz convolution.json.gz
    bench/search/figures.py warm target.json.gz --from other_gpu.json.gz
    bench/search/figures.py own
    bench/search/figures.py --list

Each table is one or more calls of tune, which are printed before they run (--dry-run: and not run). Without files, the
recording that ships with the program is searched. --repeats, --seed and --budget replace those that the table in the
documentation was measured with.
"""
import argparse
import collections
import json
import os
import shlex
import subprocess
import sys
import tempfile

SHIPPED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../db/recordings/nvidia_h200.db")

Table = collections.namedtuple("Table", "summary strategies budget repeats seed more", defaults=([],))


def of_model(*options):
    return ["model"] + ["model:" + option for option in options]


TABLES = {
    "strategies": Table("all strategies", ["model", "random", "annealing", "genetic", "ils", "pso"], "20,50,100,200,400",
                        20, 100),
    "run": Table("one at a time, and in a run with 16 compilers", ["model", "uniform"], "20,50,100", 8, 100,
                 ["--compilers", "16", "--budget-time", "15s,30s,60s,120s"]),
    "parts": Table("the model without one of its parts, or with another value",
                   of_model("start=10", "beliefs=off", "derived=off", "beliefs=off:derived=off", "softness=2",
                            "neighbours=never", "length=0.7", "noise=0.1", "random=never"), "20,50,100", 8, 500),
    "start": Table("the first configurations", of_model("start=3", "start=4", "start=8", "start=10", "sample=256", "lean=0"),
                   "5,10,20,50", 16, 300),
    "scale": Table("the scale of costs, lengths and noise",
                   of_model("softness=0.25", "softness=1", "softness=1000", "length=0.7", "length=1", "length=2",
                            "length-spread=0.4", "noise=0.001", "noise=0.1"), "10,20,50,100", 12, 400),
    "neighbours": Table("choices beside the best one, and random ones",
                        of_model("neighbours=never", "neighbours=never:random=20", "neighbours=6:random=20",
                                 "neighbours=never:random=never"), "10,20,50,100,200", 20, 2000),
    "variants": Table("choices among variants", of_model("variants=1", "variants=1000", "patience=0.5", "patience=2"),
                      "5,10,20,50,100", 16, 600),
    "cost": Table("expected seconds in the denominator", of_model("cost=0.5", "cost=1"), "20,50,100", 26, 500,
                  ["--budget-time", "15s,30s,60s,120s"]),
    "own": Table("random search and the model, spaces of 100 configurations and more", ["model", "random", "uniform"],
                 "5,10,20,50,100", 16, 1, ["--at-least", "100"]),
}
OTHERS = {
    "warm": "from the record of another GPU (--from), a reduced warm start, and cold",
    "gain": "runs with --until-gain: results and share of the optimum",
}


class Caller:
    def __init__(self, arguments):
        self.arguments = arguments

    def __call__(self, words, echo=True):
        """Runs tune. Returns its standard output; None in a dry run."""
        command = [self.arguments.tune] + [str(word) for word in words]
        print("$ " + " ".join(shlex.quote(word) for word in command), flush=True)
        if self.arguments.dry_run:
            return None
        out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        if echo:
            print(out, flush=True)
        return out


def replay(call, files, table, arguments, more=()):
    """Compares strategies. Returns what tune writes for programs; None in a dry run."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        call(["replay", "--space", *files, "--strategy", ",".join(table.strategies), "--budget",
              arguments.budget or table.budget, "--repeats", arguments.repeats or table.repeats, "--seed", arguments.seed or table.seed, *(arguments.more or table.more),
              *more, "--json", out])
        if arguments.dry_run:
            return None
        with open(out, encoding="utf-8") as file:
            return json.load(file)


def margins(figures, strategy):
    """Prints by how much a strategy is ahead of random search after each budget, and in how many spaces."""

    def shares(entry, name):
        found = next(one for one in entry["strategies"] if one["strategy"] == name)
        return {budget["evaluations"]: budget["share"] for budget in found["budgets"]}

    print(f"{strategy} minus random (exact):")
    whole = figures["groups"][0]
    for budget, share in shares(whole, strategy).items():
        spaces = [shares(space, strategy)[budget] - shares(space, "random (exact)")[budget] for space in figures["spaces"]]
        print(f"  {budget:4} evaluations: {share - shares(whole, 'random (exact)')[budget]:+.3f} in the mean, "
              f"at least {min(spaces):+.3f}; behind by .01 or more in {sum(gap <= -.01 for gap in spaces)} of "
              f"{len(spaces)} spaces")


def warm(call, files, arguments):
    if not arguments.source:
        sys.exit("figures.py: warm: name the record of another GPU with --from FILE")
    table = Table("", ["model", "model:start=10:random=never:trust=4"], "10,20,50,100", 20, 100)
    replay(call, files, table, arguments, ["--warm", *arguments.source])
    replay(call, files, table._replace(strategies=["model"]), arguments)


def until_gain(call, files, arguments):
    for gain in ("10%", "5%", "2%", "1%", "0.5%"):
        results, shares = [], []
        for file in files:
            table = Table("", ["uniform"], "1", 1, 1)
            space = replay(lambda words: call(words, echo=False), [file], table, argparse.Namespace(**{
                **vars(arguments), "repeats": 1, "budget": None}))
            for seed in range(1, (arguments.repeats or 5) + 1):
                with tempfile.TemporaryDirectory() as folder:
                    out = call(["run", "--device", f"replay:{file}", "--until-gain", gain, "--budget-evals",
                                arguments.budget or 250, "--seed", seed, "--fresh", "--no-transfer", "--finalists", 0, "--quiet", "--format", "json", "--db",
                                os.path.join(folder, "results.db")], echo=False)
                if out is not None:
                    run = json.loads(out)
                    results.append(run["evaluations"])
                    shares.append(space["spaces"][0]["best_seconds"] / run["best"]["seconds"])
        if results:
            print(f"until {gain}: {sum(results) / len(results):.0f} results ({min(results)} to {max(results)}), "
                  f"share {sum(shares) / len(shares):.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="?", choices=[*TABLES, *OTHERS], metavar="TABLE")
    parser.add_argument("files", nargs="*", metavar="FILE", help="recorded spaces; default: the shipped recording")
    parser.add_argument("--list", action="store_true", help="list the tables")
    parser.add_argument("--from", dest="source", nargs="+", metavar="FILE", help="warm: records of other GPUs")
    parser.add_argument("--tune", default="build/bin/tune", help="the program; default: %(default)s")
    parser.add_argument("--repeats", type=int, help="searches of each strategy on each space")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--budget", help="numbers of evaluations, as tune replay takes them")
    parser.add_argument("--more", type=shlex.split, default=[], metavar="OPTIONS",
                        help="options of tune replay instead of the table's: --more='--choose-by kernel'")
    parser.add_argument("--dry-run", action="store_true", help="only print the commands; without a table, all of them")
    arguments = parser.parse_args()
    call, files = Caller(arguments), arguments.files or [os.path.normpath(SHIPPED)]
    if arguments.dry_run and not arguments.table:
        for table in TABLES.values():
            replay(call, files, table, arguments)
        return
    if arguments.list or not arguments.table:
        for name, summary in {**{name: table.summary for name, table in TABLES.items()}, **OTHERS}.items():
            print(f"{name:11} {summary}")
        return
    if arguments.table == "warm":
        warm(call, files, arguments)
    elif arguments.table == "gain":
        if not arguments.files:
            sys.exit("figures.py: gain: name recorded spaces of other tuners, such as FILE.json.gz; the shipped recording "
                     "has many works in one file")
        until_gain(call, files, arguments)
    else:
        table = TABLES[arguments.table]
        figures = replay(call, files, table, arguments)
        if figures is not None and arguments.table == "own":
            margins(figures, "model")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)  # tune has told why
    except FileNotFoundError as error:
        sys.exit(f"figures.py: {error.filename} is missing: name the program with --tune")
