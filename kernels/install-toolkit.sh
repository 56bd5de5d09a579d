#!/bin/sh
# Installs nvcc 11.8, its headers and a libcuda to link with, on Debian 12 as root:
# 1.6 GB. For go generate ./kernels and for building with the tag cuda.
set -e
[ "$(id -u)" = 0 ] || { echo "install-toolkit.sh: run as root" >&2; exit 1; }
cat > /etc/apt/sources.list.d/pinion-cuda.sources <<S
Types: deb
URIs: http://deb.debian.org/debian
Suites: bookworm
Components: contrib non-free non-free-firmware
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
S
apt-get update
DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends nvidia-cuda-toolkit nvidia-cuda-dev libcuda1
