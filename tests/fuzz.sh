#!/usr/bin/env bash
# Fuzzes the readers of traces and of job files with libFuzzer: tests/fuzz.sh SECONDS [NAME...]
#
# Without names every reader gets an equal part of SECONDS; with names (of folders in
# tests/fuzz/seeds) each of these gets all of them. What is found is left in build-fuzz/found/NAME.
# A folder's file "format" says which --format its seeds are of; the folder "job" has job files.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: tests/fuzz.sh SECONDS [NAME...]}
shift
seeds=tests/fuzz/seeds
readers=("$@")
each=$seconds
if [ ${#readers[@]} -eq 0 ]; then
  mapfile -t readers < <(ls "$seeds")
  each=$((seconds > ${#readers[@]} ? seconds / ${#readers[@]} : 1))
fi

[ -f build-fuzz/build.ninja ] || cmake --preset fuzz >/dev/null
cmake --build --preset fuzz

for reader in "${readers[@]}"; do
  program=build-fuzz/x25sim_trace_fuzz
  [ "$reader" = job ] && program=build-fuzz/x25sim_job_fuzz
  found=build-fuzz/found/$reader
  corpus=build-fuzz/corpus/$reader
  mkdir -p "$found" "$corpus"
  format=$(cat "$seeds/$reader/format" 2>/dev/null || true)
  log=build-fuzz/$reader.log
  if ! X25SIM_FUZZ_FORMAT=$format "$program" "$corpus" "$seeds/$reader" \
      -max_total_time="$each" -timeout=10 -rss_limit_mb=1024 -max_len=8192 \
      -artifact_prefix="$found/" >"$log" 2>&1; then
    echo "tests/fuzz.sh: $reader: failed" >&2
    tail -n 40 "$log" >&2
    exit 1
  fi
  echo "$reader: $(tail -n 1 "$log")"
done
