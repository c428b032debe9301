#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures tune beside other programs in one run and writes one CSV: a line for each workload, a column for each
program, milliseconds throughout. `table.py` makes the tables of docs/results/benchmarks.md from it.

    bench/rivals/measure.py --tune build/bin/tune --rival cublas=build/bin/cublas_bench \\
        --rows bench/rivals/gemm_matvec.csv --out bench/results/gemm_matvec_h200.csv

A rival is a program that prints CSV with a header. Its columns `work`, `size` and `best_ms` are used, and of several
lines for one work and size the fastest; lines that begin with # are comments. Rivals run first, then tune, then the
rivals again: the faster of both counts, so that neither has the warmer or the cooler device.

With --known, the configuration that `tune best` answers from this database is measured, too (column `known_ms`): what
the kernels can do, beside what one short run from nothing finds (`tune_ms`). `ratio` is the fastest rival's time over
the faster of these two. Without --rival, `ratio` is the physical limit over it instead (column `limit_ms`).
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile


def lines_of(program):
    """Runs a rival. Returns its comments and the milliseconds of each (work, size)."""
    text = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout
    comments = [line[1:].strip() for line in text.splitlines() if line.startswith("#")]
    times = {}
    for line in csv.DictReader(line for line in text.splitlines() if line and not line.startswith("#")):
        key = (line["work"], line["size"])
        times[key] = min(times.get(key, float("inf")), float(line["best_ms"]))
    return comments, times


def workload(row):
    options = ["--problem", row["problem"], "--size", row["size"]]
    if row["settings"]:
        options += ["--set", row["settings"]]
    if row.get("cache"):
        options += ["--cache", row["cache"]]
    return options


def tuned(tune, row, database, options):
    """Tunes a workload from nothing. Returns the summary that tune prints as JSON."""
    command = [tune, *workload(row), "--device", "cuda:0", "--fresh", "--no-transfer", "--quiet", "--format", "json",
               "--db", database, *options]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(text)


def known(tune, row, own, database):
    """Measures what `tune best` answers from a database. Returns milliseconds, or None where it has no answer."""
    recorded = workload({**row, "cache": None})
    found = subprocess.run([tune, "best", *recorded, "--db", database, "--format", "json"], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True)
    if found.returncode != 0:
        return None
    configuration = json.loads(found.stdout)["configuration"]
    fixed = ",".join(f"{name}={str(value).lower() if isinstance(value, bool) else value}"
                     for name, value in configuration.items())
    best = tuned(tune, row, own, ["--fix", fixed, "--budget-evals", "1", "--samples", "15:60"])["best"]
    return 1e3 * best["seconds"] if best else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tune", required=True)
    parser.add_argument("--rival", default=[], action="append", metavar="NAME=PROGRAM",
                        help="a column and the program that prints the CSV described above; may be repeated")
    parser.add_argument("--rows", required=True, help="CSV: problem, size, settings, cache, work and size of the rivals")
    parser.add_argument("--known", metavar="DB", help="database with the best known configurations")
    parser.add_argument("--limit", action="store_true", help="a column with the physical limit, beside rivals too")
    parser.add_argument("--keep", metavar="DB", help="database that keeps the evaluations")
    parser.add_argument("--seconds", type=float, default=20, help="budget of each run of tune")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    rivals = dict(rival.split("=", 1) for rival in arguments.rival)
    with open(arguments.rows, newline="") as file:
        rows = list(csv.DictReader(file))
    comments, times = [], {}

    def run_rivals():
        for name, program in rivals.items():
            told, measured = lines_of(program)
            comments.extend(line for line in told if line not in comments)
            for key, milliseconds in measured.items():
                times[name, *key] = min(times.get((name, *key), float("inf")), milliseconds)

    run_rivals()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        own = arguments.keep or os.path.join(folder, "rivals.db")
        for row in rows:
            summary = tuned(arguments.tune, row, own, ["--budget-time", f"{arguments.seconds}s"])
            if not summary["best"]:
                sys.exit(f"measure.py: {row['problem']} {row['size']} {row['settings']}: nothing could be measured")
            best_known = known(arguments.tune, row, own, arguments.known) if arguments.known else None
            results.append((row, summary, best_known))
            print(f"{row['problem']} {row['size']} {row['settings']}: {1e3 * summary['best']['seconds']:.4f} ms, "
                  f"best known {best_known} ms", file=sys.stderr)
    run_rivals()
    fields = ["problem", "size", "settings", "cache", "tune_ms", *(["known_ms"] if arguments.known else []),
              *(f"{name}_ms" for name in rivals), *(["limit_ms"] if arguments.limit or not rivals else []), "ratio", "evaluations", "seconds"]
    with open(arguments.out, "w", newline="") as file:
        for comment in comments:
            file.write(f"# {comment}\n")
        writer = csv.DictWriter(file, fields, lineterminator="\n")
        writer.writeheader()
        for row, summary, best_known in results:
            theirs = {name: times.get((name, row["work"], row["rival_size"])) for name in rivals}
            limit = 1e3 * summary["limit_seconds"]
            if not rivals:
                theirs["limit"] = limit
            tune_ms = 1e3 * summary["best"]["seconds"]
            ours = min(tune_ms, best_known or tune_ms)
            fastest = min((ms for ms in theirs.values() if ms), default=None)
            line = {"problem": row["problem"], "size": row["size"], "settings": row["settings"].replace(",", " "),
                    "cache": row.get("cache") or "cold", "tune_ms": f"{tune_ms:.5f}",
                    "ratio": f"{fastest / ours:.3f}" if fastest else "", "evaluations": summary["evaluations"],
                    "seconds": f"{summary['seconds']:.1f}"}
            if arguments.known:
                line["known_ms"] = f"{best_known:.5f}" if best_known else ""
            if arguments.limit:
                line["limit_ms"] = f"{limit:.5f}"
            line.update({f"{name}_ms": f"{ms:.5f}" if ms else "" for name, ms in theirs.items()})
            writer.writerow(line)


if __name__ == "__main__":
    main()
