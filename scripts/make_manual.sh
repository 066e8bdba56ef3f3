#!/usr/bin/env bash
# Writes the manual page from what the program says of itself: --help of all commands, and `list`.
# usage: make_manual.sh PROGRAM FILE.gz
set -euo pipefail
program=$1
file=$2

# Lines of text as they are, in roff.
verbatim() { sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^\([.']\)/\\\\\&\1/"; }
block() {
  printf '.nf\n'
  verbatim
  printf '.fi\n'
}

help=$("$program" --help)
version=$("$program" --version | sed -n '1s/flitscope //p')
{
  printf '.TH FLITSCOPE 1 "" "flitscope %s" "User commands"\n' "$version"
  printf '.SH NAME\nflitscope \\- flit-level, cycle-accurate interconnect simulator\n'
  printf '.SH SYNOPSIS\n.B flitscope\n.I COMMAND\n[\\fIARGUMENT\\fR]... [\\fIOPTION\\fR]...\n'
  printf '.SH DESCRIPTION\n'
  sed -n '1s/^flitscope: //p' <<<"$help" | sed 's/^./\u&/; s/$/./' | verbatim
  printf 'An experiment is a YAML file; its keys are listed below.\n.SH COMMANDS\n'
  sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p' <<<"$help" | while read -r command; do
    printf '.SS %s\n' "$command"
    "$program" "$command" --help | sed '/^ *-h \[ --help \]/d; /^Options:$/d' | cat -s | block
  done
  for kind in $("$program" list | grep '^[a-z]'); do
    printf '.SH %s\n' "${kind^^}"
    if [[ $kind == keys ]]; then
      "$program" list keys | sed 1d | fold -s -w 76 | block
    else
      # The names and what they are; `flitscope list` has their parameters.
      "$program" list "$kind" | sed -n '/^  [^ ]/{s/^  //;N;s/\n */: /;p}' | fold -s -w 76 | block
    fi
  done
  printf '.SH EXIT STATUS\n'
  sed -n '/^Exit codes: /,$p' <<<"$help" | sed 's/^Exit codes: //' | verbatim
  printf '.SH FILES\n.TP\n.I /usr/share/flitscope/configs\nexperiments to start from\n'
} | gzip -9n >"$file"
