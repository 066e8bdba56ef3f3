"""flitscope from Python: runs experiments and studies, reads what they write, and steps networks.

A thin layer over the command line, but for Network, which is in this process. docs/ explains the keys and results.

    import flitscope
    result = flitscope.run("broadcast.yaml", router__buffer=4)
    print(result["cycles"])
    frame = flitscope.sweep("buffers.yaml", out="buffers.sweep")
    for event in flitscope.trace("run/trace.bin"):
        ...
    network = flitscope.Network("mesh.yaml", node__injection_queue=4)
    network.send(0, 63, bytes=256, content="anything")
    network.step()

What the program notes of a call that succeeds, such as curves that it leaves out, is a UserWarning.
"""
import contextlib
import csv
import fractions
import io
import json
import os
import pathlib
import re
import subprocess
import tempfile
import warnings

try:
    import _flitscope
except ImportError:  # the rest needs the program only
    _flitscope = None

__all__ = ["Error", "Network", "run", "sweep", "results", "load", "compare", "what_if", "rows", "trace", "version"]

#: The program; the environment's FLITSCOPE names another one.
PROGRAM = os.environ.get("FLITSCOPE", "flitscope")

#: Exit codes with a result: done, deadlock, goal missed, limit reached.
_WITH_RESULT = {0, 3, 4, 5}

#: Columns of frames that are text, whatever it reads as.
_TEXTS = ("id", "name", "replica", "curve", "version", "host.name")

#: Ends of the names of columns with names.
_NAMES = ("name", "node", "channel", "source", "destination", "target", "waits_most_for", "class")

#: Words, and fractions such as 3/2.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*|[0-9]+/[0-9]+")

#: Lines on standard error that say no more than that a run goes on.
_HEARTBEAT = re.compile(r"^flitscope \S+: at work for .*\n", re.MULTILINE)


class Error(Exception):
    """The program refused its input or could not write its output. `code` is its exit code, the text its message."""

    def __init__(self, code, text):
        super().__init__(text.strip())
        self.code = code


def version():
    """The version of the program, such as "1.0.0"."""
    return _call(["--version"]).split()[1]


def run(config, out=None, **settings):
    """Runs an experiment and returns its result, the dictionary that result.json holds.

    `config` is a file, or a configuration as a dictionary. `settings` change keys of it: router__buffer=4, or
    **{"router.buffer": 4}. With `out` the run directory is written there. A deadlock, a goal that is missed and a limit that is
    reached are results ("status"), not errors. Raises Error for mistakes in the configuration. Files that a dictionary names
    need absolute paths.
    """
    with _file_of(config) as path:
        words = ["run", path, "--json", *_settings(settings)]
        if out is not None:
            words += ["--out", _path(out)]
        return json.loads(_call(words, _prints_result))


def sweep(config, out, resume=False, **settings):
    """Runs all experiments of a configuration with a section `sweep`, in the directory `out`, and returns results(out).

    With `resume` it runs only those that `out` does not have. A run that fails is a row with its "status". Raises Error for a
    sweep that is refused.
    """
    _pandas()  # missing, it shows before the runs
    with _file_of(config) as path:
        words = ["sweep", path, "--out", _path(out), "--quiet", *_settings(settings)]
        if resume:
            words.append("--resume")
        _call(words, _has_rows)
    return results(out)


def results(directory):
    """The results of a sweep as a pandas.DataFrame, a row for each run, with all columns."""
    return _frame(["results", _path(directory), "--columns", "all", "--format", "csv"])


def load(*configs, rates=None, vary=None, **settings):
    """Curves of latency against load as a pandas.DataFrame, a row for each point ("flitscope load").

    `rates` are loads in flits per node and cycle; without them they are chosen, and saturation is searched. `vary` maps keys to
    lists of values, a curve for each combination: vary={"router.routing": ["dimension-order", "odd-even"]}. Values that the
    machine cannot have are left out with a warning.
    """
    options = [] if rates is None else ["--rates", ",".join(map(str, _list("rates", rates)))]
    for key, values in (vary or {}).items():
        options += ["--vary", f"{key}={','.join(map(_part, _list(f'vary: {key}', values)))}"]
    with contextlib.ExitStack() as files:
        paths = [files.enter_context(_file_of(config)) for config in configs]
        return _frame(["load", *paths, "--csv", "--quiet", *options, *_settings(settings)])


def compare(goal, on, first=None, last=None, only=None, schedules=(), **settings):
    """The algorithms for a collective on the machine of a configuration as a pandas.DataFrame, a row for each algorithm and length
    ("flitscope compare"). `first` and `last` are lengths, such as "64KiB"; `only` is a list of algorithms, of all if it is empty;
    `schedules` is a list of schedule files that take part. Algorithms that cannot run there are left out with a warning."""
    algorithms = None if only is None else ",".join(_list("only", only))
    options = [word for file in _list("schedules", schedules) for word in ("--schedule", str(file))]
    for option, value in (("--from", first), ("--to", last), ("--only", algorithms or None)):
        if value is not None:
            options += [option, str(value)]
    with _file_of(on) as path:
        return _frame(["compare", goal, "--on", path, "--csv", "--quiet", *options, *_settings(settings)])


def what_if(config, changes=(), **settings):
    """What each change of the machine would gain as a pandas.DataFrame, a row for each ("flitscope what-if"). `changes` is a list of
    texts KEY=VALUE; without them the program chooses."""
    with _file_of(config) as path:
        options = [word for change in _list("changes", changes) for word in ("--change", change)]
        return _frame(["what-if", path, "--csv", "--quiet", *options, *_settings(settings)])


def rows(path):
    """Iterates over a CSV file of a run (messages.csv, channels.csv, steps.csv, trace.csv): a dictionary for each row, whole
    numbers as int, other numbers as float, nothing as None."""
    with open(path, encoding="utf-8", newline="") as file:
        yield from map(_row, csv.DictReader(file))


def trace(path, *filters):
    """Iterates over the events of a flit trace, trace.csv or trace.bin, as rows() does. Memory does not grow with it. `filters`
    are options of `flitscope trace` and their values, for trace.bin: of a trace.csv they raise ValueError."""
    if pathlib.Path(path).suffix == ".csv":
        if filters:
            raise ValueError(f"{path}: filters are for trace.bin, which 'observe: {{trace: binary}}' writes")
        yield from rows(path)
        return
    words = [PROGRAM, "trace", _path(path), *map(str, filters)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        try:
            yield from map(_row, csv.DictReader(program.stdout))
        except GeneratorExit:  # the caller has read enough
            program.kill()
            raise
        message = program.stderr.read()
    if program.returncode != 0:
        raise Error(program.returncode, message)


if _flitscope is None:

    class Network:
        """A network that the program steps; it needs the module _flitscope, which is missing."""

        def __init__(self, *_, **__):
            raise Error(1, "flitscope.Network needs the module _flitscope beside flitscope.py (docs/install.md)")

else:

    class Network(_flitscope.Network):
        """A network in this process, whose cycles the program runs: send, step, receive.

        `config` is a file, or a configuration as a dictionary, whose workload does not count; `settings` are as in run().
        Without a configuration all is in the settings: Network(topology={"kind": "mesh", "shape": [8, 8]}). What is sent and
        received before step() belongs to that cycle. Impossible calls raise ValueError, numbers that are negative, not whole or
        above the range of their argument TypeError. docs/embedding.md has an example.
        """

        def __init__(self, config=None, **settings):
            with _file_of({"flitscope": 1} if config is None else config) as path:
                try:
                    super().__init__(path, list(_settings(settings))[1::2])
                except _flitscope.Refused as error:
                    raise Error(2, str(error)) from None


def _succeeds(done):
    return done.returncode == 0


def _prints_result(done):
    """A schedule that breaks its rules may have no result."""
    return done.returncode == 0 or (done.returncode in _WITH_RESULT and done.stdout)


def _has_rows(done):
    """Runs of a sweep that fail are rows, without a message."""
    return done.returncode in _WITH_RESULT or (done.returncode in (1, 2) and not done.stderr)


def _call(words, is_good=_succeeds, depth=3):
    """What the program prints. Its notes are warnings, at the caller `depth` frames up."""
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
    if not is_good(done):
        raise Error(done.returncode, done.stderr)
    if notes := _HEARTBEAT.sub("", done.stderr).strip():
        warnings.warn(notes, stacklevel=depth)
    return done.stdout


def _pandas():
    import pandas  # only frames need it

    return pandas


def _frame(words):
    pandas = _pandas()
    # A replica may be called NA or 01, an id be of digits only: these stay text, and nothing but an empty cell is missing.
    text = dict.fromkeys(_TEXTS, str)
    return pandas.read_csv(io.StringIO(_call(words, _prints_result, depth=4)), dtype=text, keep_default_na=False, na_values=[""])


def _settings(settings):
    for key, value in settings.items():
        name = key.replace("__", ".")
        yield "--set"
        try:
            yield f"{name}={_text(value)}"
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None


def _list(name, values):
    if isinstance(values, str):
        raise TypeError(f"{name} needs a list of values")
    return values


def _text(value):
    return value if isinstance(value, str) else _yaml(value)


def _part(value):
    """A text for a list with commas between its parts."""
    has_commas = isinstance(value, str) and "," in value and value[0] not in "[{"
    return _quoted(value) if has_commas else _text(value)


def _yaml(value):
    """The value as YAML: JSON, but words and fractions without quotes. In quotes the program takes a fraction for no number."""
    if isinstance(value, dict):
        keys = [_quoted(key if isinstance(key, str) else json.dumps(key)) for key in value]
        return "{" + ", ".join(f"{key}: {_yaml(of)}" for key, of in zip(keys, value.values())) + "}"
    if hasattr(value, "tolist"):  # numbers and arrays of numpy, columns of pandas
        return _yaml(value.tolist())
    if isinstance(value, fractions.Fraction):
        return str(value)
    if isinstance(value, (list, tuple, range)):
        return "[" + ", ".join(map(_yaml, value)) + "]"
    # Without quotes these three are no words.
    if isinstance(value, str) and value.lower() not in ("true", "false", "null") and _PLAIN.fullmatch(value):
        return value
    return _quoted(value)


def _quoted(value):
    """JSON in which characters are themselves: YAML has no pairs of escapes for one."""
    return json.dumps(value, ensure_ascii=False)


def _path(path):
    """Not to be taken for an option."""
    name = os.fspath(path)
    return os.path.join(os.curdir, name) if name.startswith("-") else name


@contextlib.contextmanager
def _file_of(config):
    if not isinstance(config, dict):
        yield _path(config)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "config.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(_yaml(config))
        yield path


def _row(row):
    return {name: _value(name, text) for name, text in row.items()}


def _value(name, text):
    if text is None or text == "":
        return None
    # A node may be called 1_0, a message 3.10.
    if name.endswith(_NAMES) or not re.fullmatch(r"[-+]?[0-9.]+([eE][-+]?[0-9]+)?", text):
        return text
    for kind in (int,) if name.endswith(("message", "culprit")) else (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text
