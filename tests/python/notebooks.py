# SPDX-License-Identifier: Apache-2.0
"""Executes the cells of a notebook in order, as Jupyter does: python3 notebooks.py FILE. Prints what each cell shows."""
import ast
import json
import sys


def execute(path):
    """Returns what the cells of code show: the value of a last expression as HTML or text; None for nothing."""
    with open(path, encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    names, shown = {"__name__": "__main__"}, []
    for number, cell in enumerate(cells, 1):
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]), f"cell {number}")
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"cell {number}", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
        shown.append(None if value is None else value._repr_html_() if hasattr(value, "_repr_html_") else repr(value))
    return shown


if __name__ == "__main__":
    for one in execute(sys.argv[1]):
        print(one)
