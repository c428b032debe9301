#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures tune beside other programs in one run and writes one CSV: a line for each workload, a column for each
program, milliseconds throughout. `table.py` makes the tables of docs/benchmarks.md from it.

    bench/rivals/measure.py --tune build/bin/tune --rival build/bin/cublas_bench \\
        --rows bench/rivals/gemm_matvec.csv --out bench/results/gemm_matvec_h200.csv

A rival is a program that prints CSV with a header. Its columns `work`, `size` and `best_ms` are used, and of several
lines for one work and size the fastest; lines that begin with # are comments. Rivals run first, then tune, then the
rivals again: the faster of both counts, so that neither has the warmer or the cooler device.
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


def tuned(tune, row, folder, seconds):
    """Tunes a workload from nothing. Returns the summary that tune prints as JSON, and the command."""
    command = [tune, "run", row["problem"], "--device", "cuda:0", "--size", row["size"], "--fresh", "--no-transfer",
               "--budget-time", f"{seconds}s", "--quiet", "--format", "json", "--db", os.path.join(folder, "rivals.db")]
    if row["settings"]:
        command += ["--set", row["settings"]]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tune", required=True)
    parser.add_argument("--rival", required=True, help="program that prints the CSV described above")
    parser.add_argument("--rows", required=True, help="CSV: problem, size, settings, work (of the rival), rival_size")
    parser.add_argument("--seconds", type=float, default=20, help="budget of each run of tune")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    with open(arguments.rows, newline="") as file:
        rows = list(csv.DictReader(file))
    comments, before = lines_of(arguments.rival)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for row in rows:
            summary = tuned(arguments.tune, row, folder, arguments.seconds)
            if not summary["best"]:
                sys.exit(f"measure.py: {row['problem']} {row['size']} {row['settings']}: nothing could be measured")
            results.append((row, summary))
            print(f"{row['problem']} {row['size']} {row['settings']}: {1e3 * summary['best']['seconds']:.4f} ms",
                  file=sys.stderr)
    after = lines_of(arguments.rival)[1]
    fields = ["problem", "size", "settings", "tune_ms", "rival_ms", "ratio", "evaluations", "seconds"]
    with open(arguments.out, "w", newline="") as file:
        for comment in comments:
            file.write(f"# {comment}\n")
        writer = csv.DictWriter(file, fields, lineterminator="\n")
        writer.writeheader()
        for row, summary in results:
            key = (row["work"], row["rival_size"])
            rival = min(before.get(key, float("inf")), after.get(key, float("inf")))
            tune_ms = 1e3 * summary["best"]["seconds"]
            writer.writerow({"problem": row["problem"], "size": row["size"], "settings": row["settings"],
                             "tune_ms": f"{tune_ms:.5f}", "rival_ms": f"{rival:.5f}", "ratio": f"{rival / tune_ms:.3f}",
                             "evaluations": summary["evaluations"], "seconds": f"{summary['seconds']:.1f}"})


if __name__ == "__main__":
    main()
