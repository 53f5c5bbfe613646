#!/bin/sh
# Runs the README's two commands on machines that have nothing yet: minimal Debian roots, made here
# with debootstrap, in which an ordinary user with git and sudo clones this repository.
#
# usage (as root): tests/fresh_machine.sh [RELEASE...]     default: stable oldstable unstable
#
# Pictures and logs are kept in build/fresh_machine/RELEASE. With FRESH_MACHINE_OLD_MIRROR=1 a package
# list that the mirror has not renewed for a week is accepted.
set -eu

root=$(CDPATH='' cd -P -- "$(dirname -- "$0")/.." && pwd)
results=$root/build/fresh_machine
[ "$(id -u)" = 0 ] || { echo "fresh_machine: run me as root: a root of its own has to be made" >&2; exit 2; }
command -v debootstrap >/dev/null 2>&1 || { echo "fresh_machine: debootstrap is not here; install it" >&2; exit 2; }
[ $# -gt 0 ] || set -- stable oldstable unstable

# The README's own words: the first block under "Two commands", without its comments.
commands=$(awk '/^## Two commands/ { found = 1 } found && /^```/ { if (inside) exit; inside = 1; next } inside { sub(/ +#.*/, ""); print }' "$root/README.md")
[ -n "$commands" ] || { echo "fresh_machine: README.md names no commands" >&2; exit 2; }

machine=
clean_up() {
    [ -n "$machine" ] || return 0
    for place in dev/pts dev proc sys; do
        if mountpoint -q "$machine/$place"; then umount "$machine/$place" || umount -l "$machine/$place"; fi
    done
    if ! mountpoint -q "$machine/dev" && ! mountpoint -q "$machine/proc" && ! mountpoint -q "$machine/sys"; then
        rm -rf --one-file-system "$machine"
    fi
    machine=
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# try RELEASE: everything for one release; the log goes to standard output.
try() {
    release=$1
    debootstrap --variant=minbase --include=git,sudo,ca-certificates "$release" "$machine"
    mount -t proc proc "$machine/proc"
    mount -t sysfs sys "$machine/sys" # where MPI looks for cores
    mount --bind /dev "$machine/dev"
    mount --bind /dev/pts "$machine/dev/pts" # for the tests that open a terminal
    cp /etc/resolv.conf "$machine/etc/resolv.conf"
    cp /etc/hosts "$machine/etc/hosts"
    if [ -n "${FRESH_MACHINE_OLD_MIRROR-}" ]; then
        echo 'Acquire::Check-Valid-Until "false";' >"$machine/etc/apt/apt.conf.d/99old-mirror"
    fi
    chroot "$machine" useradd -m -s /bin/sh reader
    echo 'reader ALL=(ALL) NOPASSWD: ALL' >"$machine/etc/sudoers.d/reader"
    git clone -q --no-hardlinks "$root" "$machine/home/reader/workbook"
    chroot "$machine" chown -R reader: /home/reader/workbook
    echo "$commands" | while read -r command; do
        echo "+ $command"
        chroot "$machine" su - reader -c "cd workbook && env -u DISPLAY $command" </dev/null
    done
}

failed=
for release in "$@"; do
    machine=$(mktemp -d)
    chmod 755 "$machine"
    mkdir -p "$results/$release"
    rm -f "$results/$release"/*
    echo "$release: running (log: build/fresh_machine/$release/log)"
    status=0
    # A shell of its own, so that the first failing step ends it.
    (set -e; try "$release") >"$results/$release/log" 2>&1 &
    wait $! || status=$?
    cp "$machine"/home/reader/workbook/*.png "$machine"/home/reader/workbook/build/*.log "$results/$release/" 2>/dev/null || :
    if [ "$status" = 0 ]; then
        echo "$release: both commands passed ($(grep -c ' Passed ' "$results/$release/log") tests)"
    else
        failed="$failed $release"
        echo "$release: failed with status $status"
        tail -n 5 "$results/$release/log"
    fi
    clean_up
done
[ -z "$failed" ] || exit 1
