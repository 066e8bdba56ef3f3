#!/usr/bin/env python3
"""Measures the tables of docs/collectives/ anew: what each `flitscope compare .. --markdown` of a page prints, below it.

    scripts/update_collectives.py [PAGE...]     such as 8x8; without names all pages, which takes hours

FLITSCOPE is the program, build/release/flitscope unless it is set."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
program = os.path.abspath(os.environ.get('FLITSCOPE', root / 'build/release/flitscope'))
pages = root / 'docs/collectives'

for name in sys.argv[1:] or sorted(each.stem for each in pages.glob('*x*.md')):
    page = pages / f'{name}.md'
    text = page.read_text()
    machine = re.search(r'`machine\.yaml`:\n\n((?:    .*\n)+)', text)[1]
    with tempfile.TemporaryDirectory() as directory:
        (pathlib.Path(directory) / 'machine.yaml').write_text(re.sub('^    ', '', machine, flags=re.M))

        def measured(match):
            words = shlex.split(match[1])
            print(f'{name}:', *words, file=sys.stderr)
            done = subprocess.run([program, *words[1:], '--quiet'], cwd=directory, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f'{page}: {done.stderr}')
            return f'    $ {match[1]}\n\n{done.stdout.rstrip()}\n\n'

        # From a command up to the next heading of the page, or command.
        text = re.sub(r'    \$ (flitscope compare .*--markdown)\n\n(?:(?!## |    ).*\n)*', measured, text)
    page.write_text(text.rstrip() + '\n')
