#!/bin/sh
# Checks the browser edition: build/browser and build/browser-code by `./workbook browser --build-only`, the
# native programs in build/bin. Without Emscripten, Node or Chromium it says so and skips what needs them.
set -eu
cd "$(dirname "$0")/../.."

status=0
try() {
    "$@" || {
        code=$?
        [ "$code" -eq 77 ] || status=1
    }
}
if [ ! -f build/browser/index.html ]; then
    echo 'SKIPPED: there is no browser edition; ./workbook browser --build-only makes it'
    exit 0
fi
try python3 tests/browser/agree.py --code build/browser-code/bin --bin build/bin
try python3 tests/browser/size.py build/browser
try node tests/browser/pages.js build/browser
exit "$status"
