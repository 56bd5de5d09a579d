#!/bin/sh
# Builds the PTX of every kernel source; go generate ./kernels runs it. The text
# depends on nvcc's version alone: 11.8 is what the committed files were built with.
# compute_70 is the oldest architecture with independent thread scheduling, and what
# drivers compile for anything newer. No fma contraction: scores must be the CPU's.
set -e
cd "$(dirname "$0")"
nvcc --version | grep -q 'release 11.8' || { echo "build-ptx.sh: needs nvcc 11.8" >&2; exit 1; }
mkdir -p ptx
for source in *.cu; do
    ptx=ptx/$(basename "$source" .cu).ptx
    nvcc -ptx -std=c++17 -arch=compute_70 -O3 --fmad=false -o "$ptx" "$source"
    # Names of local functions carry a hash of the folder's path: not part of the text.
    sed -i -E 's/_INTERNAL_[0-9a-f]{8}_/_INTERNAL_00000000_/g' "$ptx"
done
