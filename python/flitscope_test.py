"""The Python module with the program that the environment's FLITSCOPE names. usage: flitscope_test.py CONFIGS"""
import contextlib
import fractions
import importlib.util
import io
import itertools
import json
import os
import re
import sys
import tempfile
import textwrap
import unittest
import unittest.mock
import warnings

import flitscope

CONFIGS = sys.argv.pop(1)
RING = os.path.join(CONFIGS, "deadlock-ring.yaml")
MESH = {
    "flitscope": 1,
    "name": "mesh",
    "topology": {"kind": "mesh", "shape": [4, 4]},
    "workload": {"traffic": "uniform", "message": 32, "load": 0.3, "measure": 200},
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

    def test_text_of_a_dictionary_is_what_it_is_in_a_file(self):
        slow = flitscope.run({**MESH, "link": {"cycles_per_flit": "3/2"}, "observe": {"filter": {"nodes": "all"}}})
        self.assertEqual(slow["latency"], flitscope.run(MESH, link__cycles_per_flit="3/2")["latency"])
        self.assertEqual(slow["latency"], flitscope.run(MESH, link={"cycles_per_flit": "3/2"})["latency"])
        for name in ("123", "0.5", "null", "true", "3/2", "word", "a: b, c # d", "[0]", "\U0001f600"):
            self.assertEqual(flitscope.run({**MESH, "name": name})["name"], name)
        with self.assertRaises(flitscope.Error):
            flitscope.run({**MESH, "router": {"buffer": "8"}})

    def test_values_can_be_numbers_and_arrays_of_numpy_and_ranges_and_fractions(self):
        class Array:  # as numpy's
            def __init__(self, value):
                self.tolist = lambda: value

        shape = flitscope.run(MESH, topology__shape=Array([4, 4]), router__buffer=Array(8))
        self.assertEqual(shape["latency"], flitscope.run(MESH, router__buffer=8)["latency"])
        slow = flitscope.run(MESH, link__cycles_per_flit=fractions.Fraction(3, 2))
        self.assertEqual(slow["latency"], flitscope.run(MESH, link__cycles_per_flit="3/2")["latency"])
        wide = flitscope.run(MESH, topology__shape=range(4, 6))
        self.assertEqual(wide["latency"], flitscope.run(MESH, topology__shape=[4, 5])["latency"])
        with self.assertRaisesRegex(TypeError, "router.buffer"):
            flitscope.run(MESH, router__buffer=object())

    def test_names_of_files_can_begin_like_options(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            with open("--mesh.yaml", "w", encoding="utf-8") as file:
                json.dump(MESH, file)
            result = flitscope.run("--mesh.yaml", out="-out", observe__trace="csv")
            self.assertEqual(result["status"], "completed")
            self.assertTrue(any(True for _ in flitscope.trace("-out/trace.csv")))

    def test_mistake_raises_error_with_message(self):
        with self.assertRaises(flitscope.Error) as caught:
            flitscope.run(RING, router__bufer=4)
        self.assertEqual(caught.exception.code, 2)
        self.assertIn("did you mean 'buffer'", str(caught.exception))

    def test_schedule_that_breaks_its_rules_raises_error_with_message(self):
        header = {"flitscope": "schedule", "version": 1, "topology": {"kind": "mesh", "shape": [3, 3]},
                  "ports": {"send": 1, "receive": 1}, "routing": "dimension-order", "algorithm": "none", "steps": 1,
                  "messages": 1, "chunks": [8], "initial": [[[1, 0], [0]]], "goal": [[[1, 0], [0]]]}
        message = {"step": 1, "src": [0, 0], "dst": [1, 0], "path": [[0, 1, 1]], "chunks": [0]}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "given.jsonl")
            with open(path, "w", encoding="utf-8") as file:
                file.write(json.dumps(header) + "\n" + json.dumps(message) + "\n")
            with self.assertRaises(flitscope.Error) as caught:
                flitscope.run({"flitscope": 1, "topology": header["topology"], "workload": {"schedule": path}})
        self.assertEqual(caught.exception.code, 4)
        self.assertIn("sends what it does not hold", str(caught.exception))

    def test_note_on_a_run_is_a_warning(self):
        with self.assertWarnsRegex(UserWarning, "no effect without it") as caught:
            flitscope.run(MESH, observe__messages=True)
        self.assertEqual(caught.filename, __file__)

    def test_line_that_a_run_goes_on_is_no_warning(self):
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("error")
            program = os.path.join(folder, "program")
            with open(program, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\necho 'flitscope run: at work for 10 s' >&2\necho '{}'\n")
            os.chmod(program, 0o755)
            with unittest.mock.patch.object(flitscope, "PROGRAM", program):
                self.assertEqual(flitscope.run(MESH), {})

    def test_missing_pandas_is_told_before_the_runs_of_a_sweep(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            with unittest.mock.patch.dict(sys.modules, {"pandas": None}), self.assertRaises(ImportError):
                flitscope.sweep(dict(MESH, sweep={"workload.seed": [1, 2]}), out)
            self.assertFalse(os.path.exists(out))

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

    def test_filters_choose_events_of_a_binary_trace_and_are_refused_for_a_text(self):
        with tempfile.TemporaryDirectory() as folder:
            for kind in ("binary", "csv"):
                flitscope.run(MESH, out=os.path.join(folder, kind), observe__trace=kind)
            events = list(flitscope.trace(os.path.join(folder, "binary", "trace.bin"), "--to", 119))
            text = os.path.join(folder, "csv", "trace.csv")
            self.assertEqual(events, [event for event in flitscope.trace(text) if event["cycle"] <= 119])
            with self.assertRaisesRegex(ValueError, "trace.bin"):
                list(flitscope.trace(text, "--to", 119))

    def test_message_name_stays_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write("cycle,culprit,utilisation,vc\n7,3.10,0.50,\n")
            self.assertEqual(list(flitscope.rows(path)), [{"cycle": 7, "culprit": "3.10", "utilisation": 0.5, "vc": None}])

    def test_name_that_reads_as_a_number_stays_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write("node,cause,flits,share\n12,1_0,12,1e-3\n")
            self.assertEqual(list(flitscope.rows(path)), [{"node": "12", "cause": "1_0", "flits": 12, "share": 0.001}])

    def test_columns_of_nodes_are_texts_on_a_complete_network(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            flitscope.run({"flitscope": 1, "topology": {"kind": "complete", "nodes": 4}, "node": {"ports": 2},
                           "circuits": {"reconfiguration": 20}, "workload": {"algorithm": "afsahi-gossip", "message": 64}},
                          out=out, observe__messages=True)
            tunings = list(flitscope.rows(os.path.join(out, "tunings.csv")))
        self.assertGreater(len(tunings), 0)
        for row in tunings:
            self.assertIsInstance(row["node"], str)
            self.assertIsInstance(row["target"], str)
            self.assertIsInstance(row["port"], int)

    def test_node_that_is_waited_for_is_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write("node,waits_most_for,waits_most_cycles\n1,2,3\n")
            self.assertEqual(list(flitscope.rows(path)), [{"node": "1", "waits_most_for": "2", "waits_most_cycles": 3}])

    def test_file_that_is_no_trace_raises_error(self):
        with self.assertRaises(flitscope.Error):
            list(flitscope.trace(os.path.join(CONFIGS, "quickstart.yaml")))


class Networks(unittest.TestCase):
    def setUp(self):
        if flitscope._flitscope is None:
            self.skipTest("the module _flitscope was not built")

    def test_message_arrives_after_the_time_of_its_path(self):
        network = flitscope.Network(topology={"kind": "mesh", "shape": [8, 8]})
        content = {"any": "object"}
        network.send(network.node("[0, 0]"), 63, flits=4, content=content)
        while network.in_flight:
            network.advance_to(network.next_event())
            network.step()
        message = network.receive(63)
        self.assertEqual((message.source, message.destination, message.flits), (0, 63, 4))
        self.assertEqual(message.arrived - message.ready, (14 + 1) * (1 + 1) + 3)
        self.assertIs(message.content, content)
        self.assertIsNone(network.receive(63))
        self.assertIsNone(network.next_event())
        self.assertEqual(network.flit_hops, 14 * 4)

    def test_messages_of_a_simulation_arrive_in_the_same_cycles(self):
        with tempfile.TemporaryDirectory() as folder:
            flitscope.run(MESH, out=os.path.join(folder, "run"), observe__messages=True)
            rows = sorted(flitscope.rows(os.path.join(folder, "run", "messages.csv")), key=lambda row: row["ready_cycle"])
        network = flitscope.Network(MESH)
        for row in rows:
            network.advance_to(row["ready_cycle"])
            network.send(network.node(row["source"]), network.node(row["destination"]), bytes=32, content=row)
        while network.in_flight:
            network.step()
        messages = []
        for node in range(network.nodes):
            while (message := network.receive(node)) is not None:
                messages.append(message)
        self.assertGreater(len(rows), 100)
        self.assertEqual(len(messages), len(rows))
        for message in messages:
            self.assertEqual(message.arrived, message.content["arrival_cycle"])

    def test_full_queue_refuses_until_it_has_room(self):
        network = flitscope.Network(MESH, node__injection_queue=2)
        while network.can_send(0):
            network.send(0, 15, bytes=800)
        with self.assertRaises(ValueError):
            network.send(0, 15)
        while not network.can_send(0):
            network.step()
        network.send(0, 15)

    def test_deadlock_is_told_with_its_dependency_cycle(self):
        network = flitscope.Network(RING)
        self.assertIsNone(network.deadlock())
        for node in range(network.nodes):
            network.send(node, (node + 2) % network.nodes, flits=64)
        while network.next_event() is not None:
            network.step()
        deadlock = network.deadlock()
        self.assertEqual(len(deadlock["cycle"]), network.nodes)
        self.assertEqual({worm["source"] for worm in deadlock["cycle"]}, set(range(network.nodes)))
        for worm in deadlock["cycle"]:
            self.assertEqual({held["vc"] for held in [*worm["holds"], worm["wants"]]}, {0})
            self.assertFalse(worm["wants_room"])
        channels = [worm["holds"][-1]["channel"] for worm in deadlock["cycle"]]
        self.assertEqual(channels[1:] + channels[:1], [worm["wants"]["channel"] for worm in deadlock["cycle"]])
        self.assertEqual(len(deadlock["text"].splitlines()), network.nodes)
        self.assertIn(f"holds channel {channels[0]} VC 0", deadlock["text"])
        self.assertGreater(network.stalls()["vc_taken"], 0)

    def test_mistakes_raise_errors(self):
        with self.assertRaises(flitscope.Error) as caught:
            flitscope.Network(topology={"kind": "mesh", "shap": [8, 8]})
        self.assertIn("did you mean 'shape'", str(caught.exception))
        network = flitscope.Network(MESH)
        for wrong in ((0, 16), (16, 0), (0, 1, 0), (0, 1, 1, 8)):
            with self.assertRaises(ValueError):
                network.send(*wrong)
        for wrong in ((-1, 1), (0, 1.5), (0, 1, -1), (0, 1, 1.5), (0, 1, None, 2**64)):
            with self.assertRaises(TypeError):
                network.send(*wrong)
        with self.assertRaises(TypeError):
            network.advance_to(-1)
        with self.assertRaises(ValueError):
            network.node("[9, 9]")
        with self.assertRaises(flitscope.Error) as caught:
            flitscope.Network(MESH, packet__payload=8)
        self.assertIn("packet.payload", str(caught.exception))
        with self.assertRaises(flitscope.Error) as caught:
            flitscope.Network(topology={"kind": "complete", "nodes": 4}, node__ports=1, circuits__reconfiguration=1)
        self.assertIn("a complete network", str(caught.exception))
        self.assertNotIn("--set", str(caught.exception))
        holed = flitscope.Network(topology={"kind": "mesh", "shape": [3, 3], "missing_nodes": [[1, 1]]})
        for wrong in ((0, 4), (4, 0)):
            with self.assertRaises(ValueError):
                holed.send(*wrong)


@unittest.skipIf(importlib.util.find_spec("pandas") is None, "python3-pandas is missing")
class Frames(unittest.TestCase):
    def test_load_is_a_row_for_each_load_and_variant(self):
        routings = ["dimension-order", "odd-even"]
        frame = flitscope.load(MESH, rates=[0.1, 0.2], vary={"router.routing": routings}, workload__measure=1000)
        self.assertEqual(sorted(frame["load"]), [0.1, 0.1, 0.2, 0.2])
        self.assertTrue((abs(frame["accepted"] - frame["load"]) < 0.03).all())

    def test_curves_that_load_leaves_out_are_a_warning(self):
        with self.assertWarnsRegex(UserWarning, "LEFT OUT: dragonfly-minimal: .*does not serve a mesh") as caught:
            frame = flitscope.load(MESH, rates=[0.1], vary={"router.routing": ["dragonfly-minimal", "odd-even"]},
                                   workload__measure=100)
        self.assertEqual(list(frame["curve"]), ["odd-even"])
        self.assertEqual(caught.filename, __file__)

    def test_algorithms_that_compare_leaves_out_are_a_warning(self):
        with self.assertWarnsRegex(UserWarning, "LEFT OUT: seidel-st-mesh: .*needs a mesh"):
            frame = flitscope.compare("broadcast", RING, first="64B", last="64B", only=["two-port-torus", "seidel-st-mesh"])
        self.assertNotIn("seidel-st-mesh", set(frame["algorithm"]))

    def test_values_that_vary_can_be_booleans(self):
        frame = flitscope.load(MESH, rates=[0.1], vary={"router.allow_deadlock": [True, False]}, workload__measure=100)
        self.assertEqual(len(frame), 2)
        with self.assertRaises(TypeError):
            flitscope.load(MESH, rates=[0.1], vary={"router.routing": "odd-even"})
        with self.assertRaises(TypeError):
            flitscope.load(MESH, rates="0.1,0.2")

    def test_texts_that_vary_can_have_commas_and_quotes(self):
        frame = flitscope.load(MESH, rates=[0.1], vary={"name": ["a,b", 'say "c", d']}, workload__measure=100)
        self.assertEqual(list(frame["curve"]), [r'name "a,b"', r'name "say \"c\", d"'])
        frame = flitscope.load(MESH, rates=[0.1], vary={"topology.shape": ["[4, 4]", [2, 2]]}, workload__measure=100)
        self.assertEqual(len(frame), 2)

    def test_compare_ranks_algorithms_of_each_length(self):
        frame = flitscope.compare("broadcast", RING, first="64B", last="128B", only=["two-port-torus"])
        self.assertIn("two-port-torus", set(frame["algorithm"]))
        self.assertEqual(set(frame["message_bytes"]), {64, 128})

    def test_compare_and_what_if_refuse_a_text_in_place_of_a_list(self):
        for text in ("two-port-torus", ""):
            with self.assertRaises(TypeError):
                flitscope.compare("broadcast", RING, only=text)
        with self.assertRaises(TypeError):
            flitscope.what_if(MESH, changes="router.delay=2")

    def test_compare_with_an_empty_list_has_all_algorithms(self):
        all_algorithms = flitscope.compare("broadcast", RING, first="64B", last="64B")
        self.assertGreater(len(all_algorithms), 1)
        frame = flitscope.compare("broadcast", RING, first="64B", last="64B", only=[])
        self.assertEqual(set(frame["algorithm"]), set(all_algorithms["algorithm"]))

    def test_what_if_has_the_machine_as_it_is_and_each_change(self):
        frame = flitscope.what_if(MESH, changes=["router.delay=2", "link.delay=2"])
        self.assertEqual(list(frame["key"]), ["as it is", "router.delay", "link.delay"])
        self.assertTrue((frame["latency.mean"][1:] > frame["latency.mean"][0]).all())

    def test_results_of_a_sweep_are_a_row_for_each_run(self):
        config = os.path.join(CONFIGS, "sweeps", "buffers.yaml")
        with tempfile.TemporaryDirectory() as folder:
            frame = flitscope.sweep(config, os.path.join(folder, "out"), workload__message=64)
        self.assertEqual(len(frame), 36)
        self.assertTrue((frame["status"] == "completed").all())
        least = frame.groupby("link.delay")["cycles"].min()
        self.assertTrue(least.is_monotonic_increasing)

    def test_failed_runs_of_a_sweep_are_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            late = dict(MESH, limits={"cycles": 300}, sweep={"workload.measure": [50, 500], "workload.warmup": [100]})
            frame = flitscope.sweep(late, os.path.join(folder, "late"))
            self.assertEqual(list(frame["status"]), ["completed", "limit"])
            path = os.path.join(folder, "refused.jsonl")
            header = {"flitscope": "schedule", "version": 1, "topology": {"kind": "mesh", "shape": [3, 3]},
                      "ports": {"send": 1, "receive": 1}, "routing": "dimension-order", "algorithm": "none", "steps": 2,
                      "messages": 2, "chunks": [8], "initial": [[[0, 0], [0]]], "goal": [[[1, 0], [0]]]}
            first = {"step": 1, "src": [0, 0], "dst": [1, 0], "path": [[0, 1, 1]], "chunks": [0]}
            beside = {"step": 2, "src": [0, 0], "dst": [1, 1], "path": [[1, 1, 1], [0, 1, 1]], "chunks": [0]}
            with open(path, "w", encoding="utf-8") as file:
                file.write("".join(json.dumps(line) + "\n" for line in (header, first, beside)))
            refused = {"flitscope": 1, "topology": header["topology"], "workload": {"schedule": path},
                       "sweep": {"router.buffer": [4]}}
            frame = flitscope.sweep(refused, os.path.join(folder, "refused"))
            self.assertEqual(list(frame["status"]), ["refused"])
            with self.assertRaisesRegex(flitscope.Error, "holds a sweep already"):
                flitscope.sweep(refused, os.path.join(folder, "refused"))

    def test_names_that_read_as_numbers_or_as_nothing_stay_text(self):
        names = ["NA", "null", "nan", "true", "01", "1", "1e3"]
        replicas = {name: {"workload.seed": seed} for seed, name in enumerate(names, 1)}
        with tempfile.TemporaryDirectory() as folder:
            frame = flitscope.sweep(dict(MESH, name="nan", sweep={"replicas": replicas}), os.path.join(folder, "out"))
        self.assertEqual(list(frame["replica"]), names)
        self.assertEqual(set(frame["name"]), {"nan"})
        self.assertTrue(frame["error"].isna().all())

    def test_id_of_digits_keeps_its_zeros(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            with open(program, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\nprintf 'number,id,curve,cycles\\n1,012345678901,01,7\\n2,1234567890e1,true,\\n'\n")
            os.chmod(program, 0o755)
            with unittest.mock.patch.object(flitscope, "PROGRAM", program):
                frame = flitscope.results(folder)
        self.assertEqual(list(frame["id"]), ["012345678901", "1234567890e1"])
        self.assertEqual(list(frame["curve"]), ["01", "true"])
        self.assertEqual(list(frame["cycles"].isna()), [False, True])

    def test_examples_of_the_page_run_as_they_are(self):
        with open(os.path.join(CONFIGS, os.pardir, "docs", "embedding.md"), encoding="utf-8") as file:
            section = re.search(r"\n## Python\n(.*?)(\n## |\Z)", file.read(), re.DOTALL)[1]
        examples = [textwrap.dedent(text) for text in re.findall(r"(?:\n    .*|\n(?=\n    ))+", section)]
        self.assertEqual(len(examples), 2)
        torus = {"flitscope": 1, "topology": {"kind": "torus", "shape": [2, 2]},
                 "workload": {"algorithm": "all-reduce-ring", "message": 64}}
        files = {"quickstart.yaml": torus, "torus.yaml": torus, "mesh.yaml": MESH,
                 "buffers.yaml": dict(torus, sweep={"router.buffer": [4, 8]})}
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for name, config in files.items():
                with open(name, "w", encoding="utf-8") as file:
                    json.dump(config, file)
            flitscope.run(torus, out="run", observe__trace="binary")
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                for example in examples:
                    exec(example, {"flitscope": flitscope})  # pylint: disable=exec-used
        self.assertRegex(printed.getvalue(), r"^0 [0-9]+ {'any': 'object'}\n{.*'vc_taken': 0.*}\n$")


if __name__ == "__main__":
    unittest.main()
