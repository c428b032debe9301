#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the table "Default runs" of docs/results/benchmarks.md: each workload once, from nothing, with the default options.

    bench/default_runs.py --tune ./tune --out bench/results/default_runs_h200.csv

The workloads and the best known rates are those of the CSV that --rows names; a rate that is better becomes the best
known one. Columns: problem, size, settings, rate and best known rate (10^9 items a second), variant, evaluations,
those of them at the full number of steps, wall seconds of the whole call.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time

ROWS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "results", "default_runs_h200.csv")


def run(tune, row, seconds, folder, number):
    """Returns the summary of one run, and its wall seconds. The database is new, the compile cache is shared."""
    command = [tune, "--problem", row["problem"], "--size", row["size"], "--device", "cuda:0", "--no-transfer",
               "--budget-time", f"{seconds:g}s", "--quiet", "--format", "json",
               "--db", os.path.join(folder, f"{number}.db")]
    if row["settings"]:
        command += ["--set", row["settings"].replace(" ", ",")]
    begin = time.monotonic()
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(text), time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tune", required=True)
    parser.add_argument("--rows", default=ROWS, help="CSV with problem, size, settings, best_known_G_per_s")
    parser.add_argument("--only", default="", help="only rows that contain these words")
    parser.add_argument("--seconds", type=float, default=30, help="budget of each run")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    with open(arguments.rows, newline="") as file:
        rows = [row for row in csv.DictReader(file) if arguments.only in " ".join(row.values())]
    written = []
    with tempfile.TemporaryDirectory() as folder:
        for number, row in enumerate(rows):
            summary, wall = run(arguments.tune, row, arguments.seconds, folder, number)
            best = summary["best"]
            # An item of gemm is a multiply-add, of which products of matrices are quoted as two operations.
            rate = best["items_per_second"] * (2 if row["problem"] == "gemm" else 1) / 1e9 if best else 0
            estimated = summary.get("estimated", 0)
            written.append({
                "problem": row["problem"], "size": row["size"], "settings": row["settings"],
                "rate_G_per_s": f"{rate:.4g}",
                "best_known_G_per_s": f"{max(rate, float(row['best_known_G_per_s'])):.4g}",
                "variant": best["configuration"].get("variant", "") if best else "",
                "evaluations": summary["evaluations"], "at_full_size": summary["evaluations"] - estimated,
                "wall_s": f"{wall:.1f}"})
            print(written[-1], file=sys.stderr, flush=True)
            with open(arguments.out, "w", newline="") as file:
                writer = csv.DictWriter(file, written[0].keys())
                writer.writeheader()
                writer.writerows(written)


if __name__ == "__main__":
    main()
