#!/usr/bin/env bash
# All checks of the project. The last line printed is `N passed, N failed`; exit status 0 if nothing
# failed, 1 if something did, 2 for wrong usage or missing packages.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cli/packages.sh"
cd "$root"

build_estimate="5 minutes"           # preset dev
build_estimate_sanitize="8 minutes"  # preset sanitize
build_estimate_fuzz="5 minutes"      # preset fuzz

usage() {
  cat <<'END'
usage: bash tests/run.sh [OPTION]
  (none)            build with g++, headers alone, all tests
  --sanitize        the same under ASan and UBSan, built by clang 14
  --lint [--all]    clang-format 14 on all sources; clang-tidy 14 on the sources changed since
                    origin/main (on origin/main itself: in the last commit), or on all of them
  --update-golden   all tests, and the expected texts are rewritten: review the diff
  --bench           build the benchmarks (Release) and run them
  --fuzz [SECONDS]  build the fuzz targets with clang 14 and run each for SECONDS (60); the corpus
                    grows in build/fuzz/corpus, a finding lies in build/fuzz/findings
END
}

finish() {  # finish PASSED FAILED
  echo "$1 passed, $2 failed"
  (($2 == 0)) || exit 1
  exit 0
}

run_tests() {  # run_tests PRESET ESTIMATE
  local results="$root/build/$1/results.xml" status=0
  build "$1" "$2" all all_verify_interface_header_sets || finish 0 1
  rm -f "$results"
  (cd "build/$1" && ctest --parallel "$(nproc)" --output-on-failure --no-label-summary \
    --no-tests=error --output-junit "$results" </dev/null) || status=$?
  local total failed skipped
  total=$(count_of tests "$results")
  failed=$(count_of failures "$results")
  skipped=$(($(count_of skipped "$results") + $(count_of disabled "$results")))
  if ((status != 0 && failed == 0)); then
    failed=1
  fi
  finish $((total > failed + skipped ? total - failed - skipped : 0)) "$failed"
}

count_of() {  # count_of ATTRIBUTE FILE: of the test suite, 0 if there is no such file
  local count
  count=$(sed -n "/^[[:space:]]*$1=\"/{s/.*=\"\([0-9]*\)\".*/\1/p;q}" "$2" 2>/dev/null || true)
  echo "${count:-0}"
}

our_sources() {
  find hardware model cli tests -name node_modules -prune -o \
    \( -name '*.h' -o -name '*.cpp' \) -print | sort
}

# Files changed since this branch left origin/main, committed or not; where that says nothing (we
# are on origin/main, or there is none) those of the last commit.
changed_files() {
  local base head
  if ! head=$(git rev-parse --quiet --verify HEAD 2>/dev/null); then
    git ls-files --cached --others --exclude-standard 2>/dev/null || our_sources
    return
  fi
  base=$(git merge-base HEAD origin/main 2>/dev/null || true)
  if [[ -z $base || $base == "$head" ]]; then
    base=$(git rev-parse --quiet --verify HEAD~1 || true)
  fi
  if [[ -n $base ]]; then
    git diff --name-only "$base"
  else
    git show --pretty= --name-only HEAD
  fi
  git ls-files --others --exclude-standard
}

# From file names to what clang-tidy is run on: a header is seen through the .cpp beside it. The
# files that must not compile are left out.
tidy_targets() {
  local file
  while read -r file; do
    [[ -e $file && $file =~ ^(hardware|model|cli|tests)/.*\.(h|cpp)$ ]] || continue
    [[ $file =~ ^tests/(compile_fail|architecture)/ || $file == tests/support/catch.h ]] && continue
    [[ $file == *.h && -e ${file%.h}.cpp ]] && file=${file%.h}.cpp
    echo "$file"
  done | sort -u
}

tidy_one() {  # prints the file, and the findings if there are any
  local log
  if log=$(clang-tidy-14 -p build/tidy --quiet --extra-arg=-Wno-pragma-once-outside-header "$1" \
           2>/dev/null </dev/null); then
    echo "tidy $1"
  else
    printf 'tidy %s\n%s\n' "$1" "$log"
    return 1
  fi
}
export -f tidy_one

run_lint() {  # run_lint changed|all
  local passed=0 failed=0 file targets
  while read -r file; do
    if clang-format-14 "$file" | diff -u --label "$file" --label "$file, formatted" "$file" -; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
    fi
  done < <(our_sources)

  configure tidy || finish "$passed" $((failed + 1))
  if [[ $1 == all ]]; then
    targets=$(our_sources | tidy_targets)
  else
    targets=$(changed_files | tidy_targets)
  fi
  if [[ -n $targets ]]; then
    local results="build/tidy/results" tidied
    xargs -P "$(nproc)" -I{} bash -c 'tidy_one "$1" || echo "$1" >&3' _ {} <<<"$targets" 3>"$results"
    tidied=$(wc -l <<<"$targets")
    failed=$((failed + $(wc -l <"$results")))
    passed=$((passed + tidied - $(wc -l <"$results")))
  fi
  finish "$passed" "$failed"
}

run_bench() {
  build bench "$build_estimate" all || finish 0 1
  if [[ ! -x build/bench/tests/bench/fathom_bench ]]; then
    echo "no benchmarks yet"
    finish 0 0
  fi
  build/bench/tests/bench/fathom_bench || finish 0 1
  finish 1 0
}

# fuzz_one TARGET SECONDS: runs one target on all that was found before. A name of a finding is
# printed by libFuzzer.
fuzz_one() {
  local corpus=build/fuzz/corpus/$1 log=build/fuzz/$1.log
  mkdir -p "$corpus" build/fuzz/findings
  if build/fuzz/tests/fuzz/fuzz_"$1" "$corpus" -dict=tests/fuzz/"$1".dict \
    -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -max_len=16384 -print_final_stats=1 \
    -verbosity=1 -artifact_prefix="build/fuzz/findings/$1-" >"$log" 2>&1 </dev/null; then
    printf 'fuzz %s: %s\n' "$1" "$(grep -a 'DONE' "$log" | tail -n 1)"
  else
    printf 'fuzz %s: a finding\n' "$1"
    grep -av '^#[0-9]' "$log" | tail -n 60
    return 1
  fi
}
export -f fuzz_one

run_fuzz() {  # run_fuzz SECONDS
  build fuzz "$build_estimate_fuzz" fuzz_targets || finish 0 1
  bash tests/fuzz/seeds.sh build/fuzz/corpus || finish 0 1
  local targets failures
  targets=$(cd tests/fuzz && ls -- *.dict)
  failures=$(xargs -P "$(nproc)" -I{} bash -c 'fuzz_one "$1" "$2" >&2 || echo "$1"' _ {} "$1" \
    <<<"${targets//.dict/}" | wc -l)
  finish $(($(wc -l <<<"$targets") - failures)) "$failures"
}

case "$*" in
  "")
    need_packages "${packages_program[@]}" "${packages_tests[@]}"
    run_tests dev "$build_estimate"
    ;;
  --update-golden)
    need_packages "${packages_program[@]}" "${packages_tests[@]}"
    export FATHOM_UPDATE_GOLDEN=1
    run_tests dev "$build_estimate"
    ;;
  --sanitize)
    need_packages "${packages_program[@]}" "${packages_tests[@]}" "${packages_clang[@]}"
    run_tests sanitize "$build_estimate_sanitize"
    ;;
  --lint | "--lint --all" | "--all --lint")
    need_packages "${packages_program[@]}" "${packages_tests[@]}" "${packages_clang[@]}" \
      "${packages_bench[@]}" "${packages_lint[@]}"
    if [[ $* == --lint ]]; then run_lint changed; else run_lint all; fi
    ;;
  --bench)
    need_packages "${packages_program[@]}" "${packages_bench[@]}"
    run_bench
    ;;
  --fuzz | "--fuzz "[1-9]*)
    if [[ $# -gt 2 || ${2:-60} == *[!0-9]* ]]; then
      usage >&2
      exit 2
    fi
    need_packages "${packages_program[@]}" "${packages_clang[@]}"
    run_fuzz "${2:-60}"
    ;;
  --help | -h)
    usage
    ;;
  *)
    usage >&2
    exit 2
    ;;
esac
