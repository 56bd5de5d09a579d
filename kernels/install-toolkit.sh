#!/bin/sh
# Installs nvcc 11.8, its headers and a libcuda to link with, and zstd, on Debian 12 as root:
# 1.6 GB. For go generate ./kernels and for building with the tag cuda. It adds the
# components contrib and non-free to the package sources that the machine has.
set -e
[ "$(id -u)" = 0 ] || { echo "install-toolkit.sh: run as root" >&2; exit 1; }
# add ADDRESS FILE appends the components that lines lack.
add() {
    sed -i -E "$1{/ contrib( |\$)/!s/\$/ contrib/;/ non-free( |\$)/!s/\$/ non-free/}" "$2"
}
for f in /etc/apt/sources.list.d/*.sources; do
    if [ -f "$f" ] && grep -q debian "$f"; then add '/^Components:.* main( |$)/' "$f"; fi
done
if [ -f /etc/apt/sources.list ]; then add '/^deb.*debian.* main( |$)/' /etc/apt/sources.list; fi
export DEBIAN_FRONTEND=noninteractive
dpkg --configure -a || true # one that was cut short: apt-get refuses every other until it is finished
apt-get update
apt-get install -y --fix-broken --no-install-recommends
apt-get install -y --no-install-recommends nvidia-cuda-toolkit nvidia-cuda-dev libcuda1 zstd
