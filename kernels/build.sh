#!/bin/sh
# Builds the device code of every kernel source of this folder, or of DIR with -C DIR, or
# of the modules named: PTX, which drivers compile for any GPU, and code for the
# architectures that need no compiling. go generate ./kernels runs it. The output depends
# on the version of nvcc alone.
#
# compute_70 is the oldest architecture with independent thread scheduling. The code is
# made from the same PTX: sm_80 runs on 8.6 and 8.9 too. Products of bytes on tensor cores
# (mma.h) need compute_80. No fma contraction: scores must
# be the CPU's.
set -e
dir=$(dirname "$0")
[ "$1" != -C ] || { dir=$2; shift 2; }
cd "$dir"
nvcc --version | grep -q 'release 11.8' || { echo "build.sh: needs nvcc 11.8" >&2; exit 1; }
export ARCHS="80 90" WORK="$(mktemp -d)"
trap 'rm -rf "$WORK"' EXIT
mkdir -p code
[ $# -gt 0 ] || set -- $(ls *.cu | sed 's/\.cu$//')

# A file is written only if what runs changes. Versions of zstd may differ, and so do runs of
# ptxas, in the order of what .debug_frame says of several kernels.
export KEEP='run() {
    case "$1" in
    *.ptx) cat "$1" ;;
    *) objcopy -I elf64-little -O elf64-little -R .debug_frame "$1" "$1.run" 2>/dev/null && cat "$1.run" ;;
    esac
}
keep() {
    to="code/$1.zst"
    old="$WORK/old.$1"
    if zstd -dqf "$to" -o "$old" 2>/dev/null && run "$old" >"$old.a" && run "$WORK/$1" >"$old.b" && cmp -s "$old.a" "$old.b"; then return; fi
    zstd -19 -qf "$WORK/$1" -o "$to"
}'
# Names of local functions carry a hash of the folder's path: not part of the text.
printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} sh -ec "$KEEP"'
    arch=70
    ! grep -q "mma\.h" {}.cu || arch=80
    nvcc -ptx -std=c++17 -arch=compute_$arch -O3 --fmad=false -o "$WORK/{}.ptx" {}.cu
    sed -i -E "s/_INTERNAL_[0-9a-f]{8}_/_INTERNAL_00000000_/g" "$WORK/{}.ptx"
    keep {}.ptx'
for arch in $ARCHS; do printf "%s.sm_$arch\n" "$@"; done | xargs -P "$(nproc)" -I{} sh -ec "$KEEP"'
    file={}
    ptxas -arch="${file##*.}" -O3 -o "$WORK/$file" "$WORK/${file%.*}.ptx"
    keep "$file"'
