# SPDX-License-Identifier: Apache-2.0
"""Results in notebooks: HTML that needs no network."""
import html

__all__ = ["Page", "frame_of", "html_of", "html_table", "text_table"]

_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 480, 180, 60, 24
_MOST_ROWS = 5


class Page:
    """A page of HTML, which a notebook shows in a frame of its own. `html`: its text."""

    def __init__(self, text: str):
        self.html = text

    def __repr__(self):
        return f"<a page of {len(self.html)} characters: a notebook shows it, and `html` is its text>"

    def _repr_html_(self):
        return f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="800" frameborder="0"></iframe>'


def frame_of(rows):
    """Returns the rows as a pandas.DataFrame if pandas is installed, else as they are."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


def time_text(seconds):
    """Returns a time with a unit: `1.25 ms`."""
    for unit, scale in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.4g} {unit}"
    return f"{seconds * 1e9:.4g} ns"


def html_of(result):
    """Returns a headline, the chart of the best time so far, and the five fastest configurations."""
    measured = [one for one in result.evaluations if one.right and one.samples]
    lines = [f"<p><b>{html.escape(result.problem)}</b>: {len(result.evaluations)} configurations evaluated, "
             f"{sum(one.right for one in result.evaluations)} right; {html.escape(result.end)} after "
             f"{result.seconds:.1f} s</p>"]
    if measured:
        lines.append(_chart(result.evaluations, result.limit))
        lines.append(_table(sorted(measured, key=lambda one: one.seconds)[:_MOST_ROWS]))
    failures = ", ".join(f"{count} {html.escape(phase)}" for phase, count in result.failures.items())
    if failures:
        lines.append(f"<p>failed: {failures}</p>")
    return "\n".join(lines)


def _cell(value):
    return "" if value is None else f"{value:.3g}" if isinstance(value, float) else str(value)


def text_table(rows):
    """Returns rows, which have the same members, as columns of text."""
    names = list(rows[0]) if rows else []
    lines = [names] + [[_cell(row[name]) for name in names] for row in rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(names))]
    return "\n".join("  ".join(text.ljust(width) if at == 0 else text.rjust(width)
                               for at, (text, width) in enumerate(zip(line, widths))).rstrip() for line in lines)


def html_table(rows):
    """Returns rows, which have the same members, as a table."""
    names = list(rows[0]) if rows else []
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(_cell(row[name]))}</td>" for name in names) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _table(fastest):
    names = list(dict.fromkeys(name for one in fastest for name in one.configuration))
    cells = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    rows = [f"<tr><th>time</th><th>of the best</th>{cells}</tr>"]
    for one in fastest:
        cells = "".join(f"<td>{html.escape(str(one.configuration.get(name, '')))}</td>" for name in names)
        rows.append(f"<tr><td>{time_text(one.seconds)}</td><td>{fastest[0].seconds / one.seconds:.1%}</td>{cells}</tr>")
    return "<table>" + "".join(rows) + "</table>"


def _chart(evaluations, limit):
    """Draws every measured time as a dot, the best so far as a line, and the limit of the device if it is known."""
    points = [(at, one.seconds) for at, one in enumerate(evaluations, 1) if one.right and one.samples]
    low = min([seconds for _, seconds in points] + ([limit] if limit else []))
    high = min(max(seconds for _, seconds in points), 4 * low)  # slower ones are drawn at the top
    high = high if high > low else 1.1 * low

    def x(at):
        return _LEFT + (_WIDTH - _LEFT - 10) * (at - 1) / max(1, len(evaluations) - 1)

    def y(seconds):
        return 10 + (_HEIGHT - _BOTTOM - 10) * (1 - (min(seconds, high) - low) / (high - low))
    dots = "".join(f'<circle cx="{x(at):.1f}" cy="{y(seconds):.1f}" r="2" fill="#888"/>' for at, seconds in points)
    best, path = None, []
    for at, seconds in points:
        if best is None:
            path.append(f"M{x(at):.1f} {y(seconds):.1f}")
            best = seconds
        path.append(f"H{x(at):.1f}")
        if seconds < best:
            path.append(f"V{y(seconds):.1f}")
            best = seconds
    path.append(f"H{x(len(evaluations)):.1f}")
    bound = (f'<line x1="{_LEFT}" x2="{_WIDTH - 10}" y1="{y(limit):.1f}" y2="{y(limit):.1f}" stroke="#888" '
             f'stroke-dasharray="4"><title>limit of the device: {time_text(limit)}</title></line>' if limit else "")

    def label(seconds):
        return (f'<text x="{_LEFT - 4}" y="{y(seconds) + 4:.1f}" text-anchor="end" font-size="11" fill="currentColor">'
                f"{time_text(seconds)}</text>")
    return (f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="best time by evaluations">'
            f'{bound}{dots}<path d="{"".join(path)}" fill="none" stroke="#0072b2" stroke-width="2"/>{label(low)}{label(high)}'
            f'<text x="{(_WIDTH + _LEFT) / 2}" y="{_HEIGHT - 4}" text-anchor="middle" font-size="11" fill="currentColor">'
            f"evaluations (1 to {len(evaluations)})</text></svg>")
