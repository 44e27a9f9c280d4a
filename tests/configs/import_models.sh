#!/usr/bin/env bash
# Writes configs/models/ anew from a folder of config.json files whose `_meta.hf_id` names them:
#   bash tests/configs/import_models.sh FATHOM FOLDER
# FATHOM is the program. The file of a model is the one that configs/models/names.csv gives its
# Hugging Face id, else its short id. Names that are new are added to names.csv, none is removed.
set -euo pipefail
fathom=$1 folder=$2
cd "$(dirname "${BASH_SOURCE[0]}")/../../configs/models"
names=$(mktemp)
trap 'rm -f "$names"' EXIT
tail -n +2 names.csv >"$names"

for config in "$folder"/*.json; do
  spec=$("$fathom" import "$config")
  hf=$(sed -n 's/^hugging_face: //p' <<<"$spec" | tr -d '"')
  id=$(sed -n 's/^model: //p' <<<"$spec" | tr -d '"')
  lower=${hf,,}
  file=$(awk -F, -v name="$lower" '$1 == name { print $2 }' "$names" | head -1)
  file=${file:-$id.yaml}
  "$fathom" import "$config" --name "${file%.yaml}" >"$file"
  for name in "$lower" "${lower#*/}" "${file%.yaml}"; do
    awk -F, -v name="$name" '$1 == name { found = 1 } END { exit !found }' "$names" ||
      echo "$name,$file" >>"$names"
  done
done
{ echo "name,file"; LC_ALL=C sort -u "$names"; } >names.csv
