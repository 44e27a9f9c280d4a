# shellcheck shell=bash disable=SC2034
# Sourced by cli/run.sh and tests/run.sh: the Debian packages and the build that both need.
# All that is printed here goes to standard error.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

packages_program=(cmake g++ ninja-build libcli11-dev libeigen3-dev libfmt-dev libyaml-cpp-dev
                  nlohmann-json3-dev)
packages_tests=(catch2)
packages_clang=(clang-14 libclang-rt-14-dev)
packages_lint=(clang-format-14 clang-tidy-14)
packages_bench=(libbenchmark-dev)

# need_packages PACKAGE…: installs what is missing, as root or by sudo without a password. Otherwise
# prints the line to type and exits with status 2. A system without dpkg is left as it is.
need_packages() {
  command -v dpkg-query >/dev/null || return 0
  local package line missing=() as_root=()
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status} ' "$package" 2>/dev/null) == installed* ]] ||
      missing+=("$package")
  done
  ((${#missing[@]} == 0)) && return 0

  line="apt-get update && apt-get install -y ${missing[*]}"
  if ((EUID != 0)); then
    line="sudo apt-get update && sudo apt-get install -y ${missing[*]}"
    as_root=(sudo -n)
    if ! "${as_root[@]}" true 2>/dev/null; then
      printf 'packages are missing; install them with:\n%s\n' "$line" >&2
      exit 2
    fi
  fi
  echo "installing ${missing[*]}" >&2
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y
             -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
  # A new machine has no package lists. A broken extra source must not stop us: the installation
  # itself tells whether the lists are good enough.
  "${apt[@]}" update </dev/null >&2 || true
  if ! "${apt[@]}" install --no-install-recommends "${missing[@]}" </dev/null >&2; then
    printf 'packages could not be installed by:\n%s\n' "$line" >&2
    exit 2
  fi
}

# quietly COMMAND…: shows what the command printed only if it fails.
quietly() {
  local log
  log=$("$@" 2>&1 </dev/null) || {
    printf '%s\n' "$log" >&2
    return 1
  }
}

# configure PRESET: from nothing only if it was never done or the presets are newer.
configure() {
  local ninja_file="$root/build/$1/build.ninja"
  if [[ ! -e $ninja_file || $root/CMakePresets.json -nt $ninja_file ]]; then
    quietly cmake -S "$root" --preset "$1" || return 1
    touch "$ninja_file"
  fi
  # Looks again at the lists of sources and at data files that the configuration read.
  quietly cmake --build "$root/build/$1" --target build.ninja
}

# build PRESET ESTIMATE TARGET…: silent when nothing is to be built, else shows the progress.
build() {
  local preset=$1 estimate=$2 make=(cmake --build "$root/build/$1" --parallel "$(nproc)" --target)
  shift 2
  configure "$preset" || return 1
  "${make[@]}" "$@" 2>&1 </dev/null |
    show_progress "building $preset (from nothing: about $estimate on 2 cores)" >&2
}

# show_progress TITLE: ninja's lines under a title, less what it says when nothing is to do. On a
# terminal the steps share one line.
show_progress() {
  local line title=$1 newline=''
  while IFS= read -r line; do
    [[ $line == *'Re-checking globbed'* || $line == 'ninja: no work to do.' ]] && continue
    [[ -n $title ]] && printf '%s\n' "$title"
    title=''
    if [[ -t 1 && $line =~ ^\[[0-9]+/[0-9]+\] ]]; then
      printf '\r\e[K%.*s' "$(tput cols 2>/dev/null || echo 80)" "$line"
      newline=$'\n'
    else
      printf '%s%s\n' "$newline" "$line"
      newline=''
    fi
  done
  printf '%s' "$newline"
}
