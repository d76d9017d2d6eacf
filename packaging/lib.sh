# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the scripts of packaging/ share. Sourced, never run.

# shellcheck disable=SC2034 # the sourcing scripts use it
SEGUE_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

# say TEXT: one line of progress.
say() { printf '%s\n' "$*" >&2; }

# die TEXT: one line that says what, where, and what would be right.
die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# refuse TEXT: the same for arguments that are wrong, before anything has begun.
refuse() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 2
}

# given WHAT OPTION [VALUE...]: the value behind an option; WHAT says in words what has to stand there.
given() {
  if [ "$#" -lt 3 ] || [ -z "$3" ]; then refuse "$2 needs $1"; fi
  printf '%s\n' "$3"
}

# given_number LEAST OPTION [VALUE...]: the same for a whole number of at least LEAST.
given_number() {
  local value
  value="$(given "a whole number of at least $1" "${@:2}")" || exit
  if [[ ! "$value" =~ ^[0-9]{1,9}$ ]] || [ "$((10#$value))" -lt "$1" ]; then
    refuse "$2 is $value: it needs a whole number of at least $1"
  fi
  printf '%s\n' "$((10#$value))"
}

# usage STATUS: prints the comment block atop the calling script.
usage() {
  sed -n '/^# Usage/,/^$/s/^# \{0,1\}//p' "$0"
  exit "$1"
}

# have PROGRAM: is it on the path?
have() { command -v "$1" >/dev/null 2>&1; }

# jobs_wanted: how many compilers run at once; SEGUE_JOBS overrides it.
jobs_wanted() { printf '%s\n' "${SEGUE_JOBS:-$(nproc 2>/dev/null || echo 2)}"; }

# as_root COMMAND...: runs it as root, by sudo where that asks nothing.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif have sudo && sudo -n true 2>/dev/null; then
    sudo -n "$@"
  else
    die "needs root for: $* - run it yourself, or run this script as root or with a sudo that asks no password"
  fi
}

# apt_installed PACKAGE
apt_installed() { dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null | grep -q '^ii'; }

# apt_install PACKAGE...: installs those that are missing; says which, asks nothing.
apt_install() {
  local missing=() package
  for package in "$@"; do
    apt_installed "$package" || missing+=("$package")
  done
  [ "${#missing[@]}" -gt 0 ] || return 0
  say "installing from the distribution: ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update || say "the package lists could not all be refreshed"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null ||
    die "could not install ${missing[*]}: install them with your package manager and start again"
}

# need TEST PACKAGE ...: pairs of a test and the Debian package that cures it. "pc:NAME" asks pkg-config for a module,
# "py:NAME" Python for one, "h:NAME" the compiler for a header; anything else names a program.
need() {
  local wanted=() unmet=()
  while [ "$#" -gt 0 ]; do
    if ! need_met "$1"; then
      wanted+=("$2")
      unmet+=("${1#p?:}")
    fi
    shift 2
  done
  [ "${#wanted[@]}" -gt 0 ] || return 0
  have apt-get || die "missing: ${unmet[*]} (packages on Debian: ${wanted[*]}); install them with your package manager"
  apt_install "${wanted[@]}"
}

need_met() {
  case "$1" in
    py:*) python3 -c "import ${1#py:}" 2>/dev/null ;;
    h:*) printf '#include <%s>\n' "${1#h:}" | gcc -E -x c - >/dev/null 2>&1 ;;
    pc:*) have pkg-config && pkg-config --exists "${1#pc:}" ;;
    *) have "$1" ;;
  esac
}

# java_major: the major version of the JDK's compiler on the path, 0 when there is none.
java_major() { javac -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p' | grep . || echo 0; }

# need_java: a JDK of 17 or newer, and Maven.
need_java() {
  if [ "$(java_major)" -lt 17 ]; then
    have apt-get || die "needs a JDK of 17 or newer and Maven; install them with your package manager"
    apt_install default-jdk-headless
    [ "$(java_major)" -ge 17 ] || die "the distribution's JDK is $(java_major); 17 or newer is needed first on the path"
  fi
  need mvn maven
}

# step NAME COMMAND...: says what begins, and how long it took.
step() {
  local name="$1" began=$SECONDS
  shift
  say "== $name"
  "$@"
  say "== $name: $((SECONDS - began)) s"
}

# describe_border FOLDER: leaves the border's description as the headers are there, as description.txt.
describe_border() {
  "${CC:-gcc}" -std=c11 -I"$SEGUE_ROOT/abi" -I"$SEGUE_ROOT/hosts/c/include" "$SEGUE_ROOT/tests/abi/describe.c" -o "$1/describe" &&
    "$1/describe" >"$1/description.txt"
}
