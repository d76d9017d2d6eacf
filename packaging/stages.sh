# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# How packaging/test runs a stage, counts it and tells of it. Sourced, never run; `logs` is the folder of its logs.

: "${logs:?the folder of the logs}"
passed=0 failed=0 skipped=0 second=0

# stage NAME KIND REPORT COMMAND...: runs it and adds what the report says; see packaging/tally for KIND. A REPORT of
# "-" is the command's own output. A command that fails without a failed test in its report counts as one.
stage() {
  local name="$1" kind="$2" report="$3" log="$logs/$1.log" began=$SECONDS status=0 said p f s again
  shift 3
  [ "$report" != - ] || report="$log"
  [ "$report" = "$log" ] || rm -f "$report" "$(second_report "$report")"
  ("$@") >"$log" 2>&1 || status=$?
  # A report may be a pattern of several files.
  # shellcheck disable=SC2086
  said="$(python3 -B "$SEGUE_ROOT/packaging/tally" "$kind" $report 2>>"$log")" || said="0 1 0 0"
  read -r p f s again <<<"${said%%$'\n'*}"
  if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then f=1; fi
  if [ $((p + f)) -eq 0 ]; then f=1; echo "the stage ran no test" >>"$log"; fi
  add "$p" "$f" "$s" "$again"
  printf '%-18s %6d passed, %d failed%s%s  %4d s\n' "$name" "$p" "$f" "$(beside "$s" skipped)" \
    "$(beside "$again" "at the second try")" $((SECONDS - began))
  [ "$again" -eq 0 ] || show_first_failures "$log" "${said#*$'\n'}"
  [ "$f" -eq 0 ] || show_faults "$log"
}

add() { passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3)) second=$((second + $4)); }

# beside COUNT WORD: what is only told where there is some.
beside() { [ "$1" -eq 0 ] || echo ", $1 $2"; }

# second_report REPORT: where packaging/tally looks for that of a second try.
second_report() { printf '%s\n' "${1%.xml}.second.xml"; }

# show_first_failures LOG TEXT
show_first_failures() {
  echo "--- at the second try; the first is in $1"
  cut -c1-2000 <<<"$2"
  echo "---"
}

# show_faults LOG: the lines that name a fault when there are some, else the end.
show_faults() {
  echo "--- from $1"
  grep -aE '^(FAIL|FAILED|ERROR|\[ERROR\]|.*\*\*\*(Failed|Exception|Timeout))' "$1" >"$1.faults" || tail -n 30 "$1" >"$1.faults"
  sed -n 1,25p "$1.faults" | cut -c1-2000
  echo "---"
}

# totals: the last lines; whether nothing failed.
totals() {
  [ "$skipped" -eq 0 ] || echo "$skipped skipped"
  [ "$second" -eq 0 ] || echo "$second passed at the second try only"
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}

# lane NAME COMMAND: a function of stages, to be run in the background: what mostly computes goes beside what mostly
# waits. Its lines and its counts stand in files until join_lane asks for them.
lane() {
  local name="$1"
  shift
  passed=0 failed=0 skipped=0 second=0
  renice -n 10 "$BASHPID" >/dev/null
  "$@" >"$logs/$name.lane" 2>&1
  echo "$passed $failed $skipped $second" >"$logs/$name.counts"
}

# join_lane NAME: waits for it, prints what it said and adds its counts. A lane that ended half-way counts as a failure.
join_lane() {
  local p=0 f=1 s=0 again=0
  wait
  cat "$logs/$1.lane"
  read -r p f s again <"$logs/$1.counts" || echo "the stages of $1 did not come to their end"
  add "$p" "$f" "$s" "$again"
}

# ---- tests, and those with a second try ----

# units FOLDER REPORT CTEST-OPTION...
units() {
  local folder="$1" report="$2"
  shift 2
  ctest --test-dir "$folder" --output-on-failure --timeout 900 -j "$(jobs_wanted)" --output-junit "$report" "$@"
}

# twice STATUS REPORT COMMAND...: for tests with clients and brokers that live, many processes that wait for each other
# on a machine that may stand still for seconds between any two of their steps. `COMMAND... REPORT first` runs them all;
# where that ends with the STATUS which says that tests have failed, `COMMAND... REPORT second` tries those once more, by
# themselves when all the rest is over. That is told openly, and what fails twice has failed. Tests without live parts
# have no such excuse, and no second try.
twice() {
  local failing="$1" report="$2" status=0
  shift 2
  "$@" "$report" first || status=$?
  [ "$status" -eq "$failing" ] || return "$status"
  echo "== what failed is tried once more"
  "$@" "$(second_report "$report")" second
}

# live_units FOLDER NAMES REPORT: of ctest, which ends with 8 where tests have failed.
live_units() { twice 8 "$3" live_units_try "$1" "$2"; }

live_units_try() {
  case "$4" in
    first) units "$1" "$3" -R "$2" ;;
    second) units "$1" "$3" --rerun-failed -j 1 ;;
  esac
}

# live_pytest FOLDER TESTS REPORT: of pytest, which ends with 1 where tests have failed; with $python.
live_pytest() { twice 1 "$3" live_pytest_try "$1" "$2"; }

live_pytest_try() {
  local own="${3%.xml}" which=(--cache-clear)
  own="${own%.second}"
  [ "$4" = first ] || which=(--last-failed --last-failed-no-failures none)
  (cd "$1" && "${python:?}" -B -m pytest -q -o cache_dir="$own.cache" --basetemp "$own.tmp" "${which[@]}" --junitxml "$3" "$2")
}
