# SPDX-License-Identifier: Apache-2.0
"""What notebooks show of a result."""
import dataclasses
import pathlib
import unittest
import xml.dom.minidom

import cutune
from cutune import Evaluation, Result, _notebook


def evaluation(seconds, block, phase=None):
    return Evaluation({"BLOCK": block, "kind": "<plain>"}, seconds, 0, [] if phase else [seconds], 0, 0, 20, 1, False, False,
                      phase, phase, phase)


def result(evaluations, limit=0.0, failures=None):
    right = [one for one in evaluations if one.right]
    return Result("scale", min(right, key=lambda one: one.seconds) if right else None, [], evaluations, 10, 0,
                  failures or {}, "budget", 1.5, limit, 1, [])


def parsed(text):
    return xml.dom.minidom.parseString(f"<body>{text}</body>")


class Html(unittest.TestCase):
    def test_the_fastest_come_first_and_texts_are_escaped(self):
        page = parsed(result([evaluation(2e-3, 64), evaluation(1e-3, 128), evaluation(4e-3, 256),
                              evaluation(0, 512, "compile")], 8e-4, {"compile": 1})._repr_html_())
        rows = page.getElementsByTagName("tr")
        cells = [[cell.firstChild.data for cell in row.childNodes] for row in rows]
        self.assertEqual(cells[0], ["time", "of the best", "BLOCK", "kind"])
        self.assertEqual(cells[1], ["1 ms", "100.0%", "128", "<plain>"])
        self.assertEqual(cells[2], ["2 ms", "50.0%", "64", "<plain>"])
        self.assertEqual(len(page.getElementsByTagName("circle")), 3)
        self.assertEqual(len(page.getElementsByTagName("line")), 1)
        self.assertIn("failed: 1 compile", page.toxml())

    def test_the_line_falls_with_each_better_time(self):
        page = parsed(result([evaluation(seconds, 64) for seconds in (4e-3, 5e-3, 2e-3, 3e-3, 1e-3)])._repr_html_())
        path = page.getElementsByTagName("path")[0].getAttribute("d")
        self.assertEqual(path.count("V"), 2)

    def test_nothing_measured_one_and_equal_times(self):
        self.assertEqual(len(parsed(result([])._repr_html_()).getElementsByTagName("svg")), 0)
        for times in ([1e-3], [1e-3, 1e-3]):
            self.assertEqual(len(parsed(result([evaluation(one, 1) for one in times])._repr_html_())
                                 .getElementsByTagName("circle")), len(times))

    def test_times_have_units(self):
        self.assertEqual([_notebook.time_text(one) for one in (2, 1.5e-3, 2.25e-6, 3e-9)],
                         ["2 s", "1.5 ms", "2.25 µs", "3 ns"])


class Charts(unittest.TestCase):
    RECORDED = pathlib.Path(__file__).resolve().parents[2] / "db" / "recordings" / "nvidia_h200.db"

    def test_the_page_of_the_report_in_a_frame(self):
        page = cutune.charts("matvec", database=self.RECORDED)
        self.assertTrue(page.html.startswith("<!DOCTYPE html>"), page.html[:60])
        frame = xml.dom.minidom.parseString(page._repr_html_()).documentElement
        self.assertEqual((frame.tagName, frame.getAttribute("srcdoc")[:100].split()), ("iframe", page.html[:100].split()))
        self.assertRegex(repr(page), "^<a page of [0-9]+ characters")

    def test_what_is_not_stored(self):
        unstored = dataclasses.replace(result([evaluation(1e-3, 64)]), run=0)
        with self.assertRaisesRegex(ValueError, "scale: nothing was stored: on the emulator nothing is measured"):
            unstored.charts()
        for options, words in [({"problem": "none"}, "none"), ({"run": 10**6}, "1000000"), ({"database": "/no/such.db"}, "/no/such.db")]:
            with self.assertRaisesRegex(cutune.TuneError, words):
                cutune.charts(**{"database": self.RECORDED, **options})


if __name__ == "__main__":
    unittest.main()
