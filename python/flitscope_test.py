"""The Python module with the program that the environment's FLITSCOPE names. usage: flitscope_test.py CONFIGS"""
import itertools
import os
import sys
import tempfile
import unittest

import flitscope

CONFIGS = sys.argv.pop(1)
RING = os.path.join(CONFIGS, "deadlock-ring.yaml")
MESH = {
    "flitscope": 1,
    "name": "mesh",
    "topology": {"kind": "mesh", "shape": [4, 4]},
    "workload": {"algorithm": "two-port-torus", "message": 64},
}


class Run(unittest.TestCase):
    def test_run_returns_the_result(self):
        result = flitscope.run(os.path.join(CONFIGS, "quickstart.yaml"))
        self.assertEqual((result["status"], result["cycles"]), ("completed", 237))

    def test_setting_changes_a_key(self):
        self.assertEqual(flitscope.run(RING)["status"], "deadlock")
        self.assertEqual(flitscope.run(RING, router__virtual_channels=2)["cycles"], 249)
        self.assertEqual(flitscope.run(RING, **{"router.virtual_channels": 2})["cycles"], 249)

    def test_dictionary_is_a_configuration(self):
        ring = {"flitscope": 1, "topology": {"kind": "torus", "shape": [4, 4]},
                "workload": {"algorithm": "all-reduce-ring", "message": 64}}
        self.assertTrue(flitscope.run(ring)["verified"])

    def test_mistake_raises_error_with_message(self):
        with self.assertRaises(flitscope.Error) as caught:
            flitscope.run(RING, router__bufer=4)
        self.assertEqual(caught.exception.code, 2)
        self.assertIn("did you mean 'buffer'", str(caught.exception))

    def test_version_is_that_of_the_program(self):
        self.assertRegex(flitscope.version(), r"^[0-9]+\.[0-9]+\.[0-9]+$")


class Files(unittest.TestCase):
    def test_trace_formats_have_equal_events(self):
        with tempfile.TemporaryDirectory() as folder:
            events = []
            for kind in ("csv", "binary"):
                out = os.path.join(folder, kind)
                flitscope.run(RING, out=out, observe__trace=kind, observe__messages=True)
                name = "trace.csv" if kind == "csv" else "trace.bin"
                events.append(list(flitscope.trace(os.path.join(out, name))))
            self.assertEqual(*events)
            self.assertGreater(len(events[0]), 100)
            self.assertIsInstance(events[0][0]["cycle"], int)
            self.assertEqual(len(list(itertools.islice(flitscope.trace(os.path.join(out, "trace.bin")), 3))), 3)
            self.assertEqual(len(list(flitscope.rows(os.path.join(out, "channels.csv")))), 16)

    def test_message_name_stays_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write("cycle,culprit,utilisation,vc\n7,3.10,0.50,\n")
            self.assertEqual(list(flitscope.rows(path)), [{"cycle": 7, "culprit": "3.10", "utilisation": 0.5, "vc": None}])

    def test_file_that_is_no_trace_raises_error(self):
        with self.assertRaises(flitscope.Error):
            list(flitscope.trace(os.path.join(CONFIGS, "quickstart.yaml")))


class Sweep(unittest.TestCase):
    def test_results_are_a_frame(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("python3-pandas is missing")
        config = os.path.join(CONFIGS, "sweeps", "buffers.yaml")
        with tempfile.TemporaryDirectory() as folder:
            frame = flitscope.sweep(config, os.path.join(folder, "out"), workload__message=64)
        self.assertEqual(len(frame), 36)
        self.assertTrue((frame["status"] == "completed").all())
        least = frame.groupby("link.delay")["cycles"].min()
        self.assertTrue(least.is_monotonic_increasing)


if __name__ == "__main__":
    unittest.main()
