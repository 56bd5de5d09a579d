#!/bin/sh
# Installs nvcc 11.8, its headers and a libcuda to link with, on Debian 12 as root:
# 1.6 GB. For go generate ./kernels and for building with the tag cuda. It adds the
# components contrib and non-free to the package sources that the machine has.
set -e
[ "$(id -u)" = 0 ] || { echo "install-toolkit.sh: run as root" >&2; exit 1; }
for f in /etc/apt/sources.list.d/*.sources; do
    [ -f "$f" ] && grep -q debian "$f" && sed -i 's/^Components: main$/Components: main contrib non-free/' "$f"
done
[ -f /etc/apt/sources.list ] && sed -i '/debian/s/ main$/ main contrib non-free/' /etc/apt/sources.list
apt-get update
DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends nvidia-cuda-toolkit nvidia-cuda-dev libcuda1
