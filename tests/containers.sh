#!/usr/bin/env bash
# Proves Dockerfile and alps.def without a registry of images and without a daemon: debootstrap makes the base image, buildah builds the
# Dockerfile by chroot, and the sections of alps.def run in a chroot as Apptainer runs them. Each then passes the C++ tests and
# makes a small run. Heavy (two full builds), so no part of ./alps test. Needs root, and: apt-get install buildah debootstrap
#   tests/containers.sh docker|apptainer [WORK]
# Files and folders that the machine's apt or pip need can be mounted, read-only unless told: MOUNTS="/etc/pip.conf FROM:TO FROM:TO:rw".
# A folder of ccache for both builds, for example: MOUNTS="ccache.conf:/etc/ccache.conf /var/ccache:/ccache:rw", with cache_dir = /ccache
set -euo pipefail
root="$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"
what="${1:?docker or apptainer}" work="${2:-/tmp/alps-containers}"
read -r -a mounts <<<"${MOUNTS:-}"
jobs="${JOBS:-2}"
mkdir -p "$work"
# what a broken-off call left mounted would be removed with the folder that it is mounted in
if grep -q " $work/" /proc/mounts; then echo "something is mounted under $work; umount it first" >&2; exit 1; fi

# make data, train, plan, evaluate: what `alps demo` does, in little
small_run='set -e; cd /tmp; data=pointmaze-medium-navigate-v0
alps data make $data --episodes 60 --data_dir d
alps train $data --data_dir d --out r --set representation_steps=100 --set model_steps=100 --set prior_steps=100
alps eval r --episodes 2 --tasks 1'

base="$work/base"
if [ ! -e "$base/.done" ]; then
  rm -rf "$base"
  debootstrap --variant=minbase bookworm "$base" http://deb.debian.org/debian
  # debian:bookworm, the image, has updates too
  for suite in bookworm-updates:debian bookworm-security:debian-security; do
    echo "deb http://deb.debian.org/${suite#*:} ${suite%:*} main" >>"$base/etc/apt/sources.list"
  done
  touch "$base/.done"
fi

if [ "$what" = docker ]; then
  export STORAGE_DRIVER="${STORAGE_DRIVER:-overlay}" BUILDAH_ISOLATION=chroot
  if ! buildah inspect --type image docker.io/library/debian:bookworm >/dev/null 2>&1; then
    container="$(buildah from scratch)"
    buildah add "$container" "$base" /
    buildah config --cmd bash "$container"
    buildah commit --rm "$container" docker.io/library/debian:bookworm
  fi
  options=()
  for mount in "${mounts[@]}"; do
    IFS=: read -r from to mode <<<"$mount"
    options+=(-v "$from:${to:-$from}:${mode:-ro}")
  done
  buildah bud --pull-never --layers "${options[@]}" -t alps-test -f "$root/Dockerfile" "$root"
  container="$(buildah from --pull-never alps-test)"
  trap 'buildah rm "$container" >/dev/null' EXIT
  buildah run "$container" -- ctest --test-dir /opt/alps/build/release -j "$jobs" --output-on-failure --no-tests=error
  buildah run "$container" -- bash -c "$small_run"
else
  # a section of the definition file
  section() { awk -v name="%$1" '/^%/ { on = $1 == name; next } on' "$root/alps.def"; }
  image="$work/image"
  rm -rf "$image"
  cp -a "$base" "$image"
  bound=()
  clean() { for path in "${bound[@]}"; do umount "$path"; done; }
  trap clean EXIT
  mount -t proc proc "$image/proc"
  bound=("$image/proc")
  for mount in "${mounts[@]}"; do
    IFS=: read -r from to mode <<<"$mount"
    to="$image${to:-$from}"
    if [ -d "$from" ]; then mkdir -p "$to"; else mkdir -p "$(dirname "$to")"; touch "$to"; fi
    mount --bind "$from" "$to"
    bound=("$to" "${bound[@]}")
    mount -o "remount,${mode:-ro},bind" "$to"
  done
  cp /etc/resolv.conf "$image/etc/resolv.conf"
  # %files copies the whole folder; what a build left there is left out here, for it is removed by %post anyway
  section files | while read -r from to; do
    [ -z "$from" ] || { mkdir -p "$image$to"; tar -C "$root/$from" --exclude ./build --exclude ./.venv --exclude ./runs --exclude ./.git -c . | tar -C "$image$to" -x; }
  done
  # nothing of this machine's environment comes along, as for buildah: a PIP_CERT from outside would overrule the mounted pip.conf
  run() { env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin chroot "$image" /bin/sh -ec "$1"; }
  run "$(section post)"
  run "$(section environment)"$'\n'"$(section test)"
  run "$(section environment)"$'\n'"$small_run"
fi
echo "$what: built, C++ tests and a small run passed"
