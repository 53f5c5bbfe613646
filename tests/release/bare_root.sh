#!/bin/sh
# Installs the library's wheel on machines that have nothing but python3 and NumPy, and runs the eight lines of
# library/README.md there: minimal Debian roots, made with debootstrap. Each then runs them on a processor without AVX,
# too, which QEMU plays, and must get the same bits.
#
# usage (as root): tests/release/bare_root.sh WHEEL [RELEASE...]     default: bookworm trixie
#
# BARE_ROOTS=DIR uses the roots that are there, and keeps those that it makes. Without qemu-x86_64-static (Debian:
# apt install qemu-user-static) it says that it leaves the processor without AVX out.
set -eu

root=$(CDPATH='' cd -P -- "$(dirname -- "$0")/../.." && pwd)
fail() {
    echo "bare_root: $*" >&2
    exit 2
}
[ $# -gt 0 ] || fail "which wheel? common/release/release.sh wheel makes one in build/release/"
wheel=$1
shift
[ -f "$wheel" ] || fail "there is no $wheel"
[ $# -gt 0 ] || set -- bookworm trixie
[ "$(id -u)" = 0 ] || fail "run me as root: a root of its own has to be made"
command -v debootstrap >/dev/null 2>&1 || fail "debootstrap is not here; install it"
pip=$(python3 -c 'import ensurepip, glob, os
print(*(glob.glob(os.path.join(os.path.dirname(ensurepip.__file__), "_bundled", "pip-*.whl")) +
        glob.glob("/usr/share/python-wheels/pip-*.whl"))[:1])') || pip=
[ -f "$pip" ] || fail "there is no pip to lend to the root; install python3-venv"

# README's own lines, and then one that prints what came out.
lines() {
    awk '/^Hot gas rises in eight lines:/ { found = 1 } found && /^```/ { if (inside) exit; inside = 1; next } inside' \
        "$root/library/README.md"
    echo 'picture = open("plume.png", "rb").read(); import hashlib'
    echo 'print(sf.__version__, len(picture), "bytes", hashlib.sha256(picture).hexdigest())'
}
[ "$(lines | wc -l)" -eq 10 ] || fail "library/README.md has no eight lines after 'Hot gas rises in eight lines:'"

roots=${BARE_ROOTS-}
made=
[ -n "$roots" ] || {
    roots=$(mktemp -d)
    made=$roots
}
clean_up() { [ -z "$made" ] || rm -rf --one-file-system "$made"; }
trap clean_up EXIT
trap 'exit 130' INT TERM

for release in "$@"; do
    machine=$roots/$release
    [ -x "$machine/usr/bin/python3" ] ||
        debootstrap --variant=minbase --include=python3,python3-numpy "$release" "$machine" >"$roots/$release.log" 2>&1 ||
        fail "debootstrap failed: see $roots/$release.log"
    rm -rf "$machine/opt/fluid"
    mkdir -p "$machine/opt/fluid"
    cp "$wheel" "$machine/opt/fluid/"
    cp "$pip" "$machine/opt/fluid/pip.zip"
    lines >"$machine/opt/fluid/eight_lines.py"
    chroot "$machine" python3 /opt/fluid/pip.zip/pip --disable-pip-version-check install -q --no-index --target /opt/fluid/packages \
        "/opt/fluid/$(basename "$wheel")" >"$roots/$release.log" 2>&1 || {
        tail -n 5 "$roots/$release.log" >&2
        fail "pip could not install the wheel in $release"
    }
    said=$(chroot "$machine" env PYTHONPATH=/opt/fluid/packages python3 /opt/fluid/eight_lines.py)
    echo "$release: $said"
    emulator=$(command -v qemu-x86_64-static) || {
        echo "$release: SKIPPED: a processor without AVX: there is no qemu-x86_64-static (Debian: apt install qemu-user-static)"
        continue
    }
    cp "$emulator" "$machine/opt/fluid/qemu"
    # The processor that it plays has SSE 4.2, which NumPy may ask for, and no AVX.
    old=$(chroot "$machine" env PYTHONPATH=/opt/fluid/packages /opt/fluid/qemu -cpu Nehalem /usr/bin/python3 \
        /opt/fluid/eight_lines.py)
    echo "$release, without AVX: $old"
    [ "$old" = "$said" ] || fail "$release: without AVX the result is another"
done
