#!/bin/sh
# Checks the browser edition: build/browser and build/browser-code by `./workbook browser --build-only`, the
# native programs in build/bin. Every page is opened. The chapters that have all the code of those that they follow are
# compared with the native ones; all of them, with agree.py. Without Emscripten, Node or Chromium it says so and skips what needs them.
#
# usage: tests/browser/check.sh [programs | pages]     one half of the checks alone: what the programs compute and how
#                                                      large they are, or what the pages do in a browser
set -eu
part=${1-all}
case $part in
    all | programs | pages) ;;
    *)
        echo "check.sh: there is no part '$part': there are programs and pages" >&2
        exit 2
        ;;
esac
cd "$(dirname "$0")/../.."

status=0
try() {
    "$@" || {
        code=$?
        [ "$code" -eq 77 ] || status=1
    }
}
skip() {
    echo "SKIPPED: $*"
    exit 0
}
[ -f build/browser/index.html ] || skip 'there is no browser edition; ./workbook browser --build-only makes it'
command -v node >/dev/null 2>&1 || skip 'there is no Node here (Debian: apt install nodejs)'

# After `./workbook browser --quick` only the last chapters' programs are as small as they are published.
only_last=
if grep -q '^WORKBOOK_BROWSER_QUICK:BOOL=ON$' build/browser-code/CMakeCache.txt 2>/dev/null; then
    only_last=--last
fi
programs() {
    try python3 tests/browser/agree.py --code build/browser-code/bin --bin build/bin --last
    if command -v emcc >/dev/null 2>&1; then
        for folder in build/browser-code build; do
            cmake --build $folder --target stable_fluids_channel >build/browser.log 2>&1 || {
                tail -n 5 build/browser.log
                status=1
            }
        done
        try python3 tests/browser/library.py --code build/browser-code/bin --bin build/bin
    else
        echo 'SKIPPED: the library under Node: there is no Emscripten here (Debian: apt install emscripten)'
    fi
    try python3 tests/browser/size.py build/browser $only_last
}
pages() {
    try node tests/browser/pages.js build/browser
    try tests/browser/axe.sh
    try node tests/browser/webgpu.js build/browser
}
[ "$part" = pages ] || programs
[ "$part" = programs ] || pages
exit "$status"
