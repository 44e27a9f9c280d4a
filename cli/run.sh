#!/usr/bin/env bash
# Builds the program (Release) and runs it. Without arguments: the flagship plan.
#   bash cli/run.sh                     plan for GLM-5 NVFP4 on 8 RTX PRO 6000 without peer-to-peer
#   bash cli/run.sh fit MODEL SYSTEM …  any other command of fathom
# Standard output holds only what the program prints.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

flagship=(plan glm-5-nvfp4 8x-rtx-pro-6000-se-no-p2p
          --concurrency 512 --isl 128 --osl 64 --isl-spread uniform --osl-spread uniform --top 100)
build_estimate="3 minutes"

need_packages "${packages_program[@]}"
build release "$build_estimate" fathom || exit 70
if (($# == 0)); then
  set -- "${flagship[@]}"
fi
exec "$root/build/release/cli/fathom" "$@"
