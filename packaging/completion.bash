# Completion of flitscope in bash. What there is to complete, the program is asked for.
_flitscope() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} program=${COMP_WORDS[0]}
  local words
  COMPREPLY=()
  # bash takes `=` for the end of a word: --set workload.algorithm=NAME comes as three.
  if ((COMP_CWORD > 2)) && [[ $previous == = || $current == = ]]; then
    local key=${COMP_WORDS[COMP_CWORD - 2]} value=$current kind=
    if [[ $current == = ]]; then
      key=$previous
      value=
    fi
    case $key in
      workload.algorithm) kind=algorithms ;;
      workload.traffic) kind=traffic ;;
      router.routing) kind=routings ;;
      topology.kind) kind=topologies ;;
      *) return ;;
    esac
    words=$("$program" list "$kind" 2>/dev/null | sed -n 's/^  \([^ ].*\)/\1/p')
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$value")
    return
  fi
  if ((COMP_CWORD == 1)); then
    words=$("$program" --help 2>/dev/null | sed -n 's/^  \([a-z-]*\) .*/\1/p')
  elif [[ $previous == --set ]]; then
    words=$("$program" list keys 2>/dev/null | awk '
      /^  [^ ]/ { section = $1 == "(top" ? "" : $1 "." }
      /^      [^ ]/ { sub(":$", "", $1); print section $1 "=" }' | sort -u)
    compopt -o nospace 2>/dev/null
  elif [[ $current == -* ]]; then
    words=$("$program" "${COMP_WORDS[1]}" --help 2>/dev/null | grep -o -- '^  *\(-[a-z] \[ \)\{0,1\}--[a-z-]*' |
      grep -o -- '--[a-z-]*')
  elif [[ ${COMP_WORDS[1]} == list ]] && ((COMP_CWORD == 2)); then
    words=$("$program" list 2>/dev/null | grep '^[a-z]')
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _flitscope flitscope
