#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of a page of the docs from the CSV files that its comments name:

    <!-- table: bench/results/gemm_matvec_h200.csv -->

The table below such a comment is replaced. A test compares the tables with the files. Call it in the root of the
project: bench/rivals/table.py docs/results/benchmarks.md
"""
import csv
import re
import sys


def table_of(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))
    rows.insert(1, ["---"] * len(rows[0]))
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def main():
    page = sys.argv[1]
    with open(page) as file:
        text = file.read()
    text = re.sub(r"(<!-- table: (\S+) -->\n)(?:\|.*\n)*", lambda found: found[1] + table_of(found[2]), text)
    with open(page, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
