#!/usr/bin/env bash
# bash tests/fuzz/seeds.sh FOLDER [CONFIGS]: collects inputs for the fuzz targets, a folder for each
# target. CONFIGS is a folder of further config.json files.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
corpus=$1

# take TARGET: copies the files named on standard input under the names of their contents.
take() {
  mkdir -p "$corpus/$1"
  local file
  while IFS= read -r file; do
    cp "$file" "$corpus/$1/$(sha1sum <"$file" | cut -d ' ' -f 1)"
  done
}

find configs tests/data/bad -name '*.yaml' | take spec_text
find tests/data "${@:2}" -name '*.json' -size -64k ! -path '*/fuzz/*' ! -name '*index.json' |
  take hf_config
find tests/data -name '*index.json' -size -64k ! -path '*/fuzz/*' | take safetensors_index
for folder in tests/data/fuzz/*/; do
  find "$folder" -type f -size -64k | take "$(basename "$folder")"
done
