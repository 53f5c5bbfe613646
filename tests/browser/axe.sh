#!/bin/sh
# Runs axe-core over the browser edition, and over the EPUB if it is there (tests/browser/axe.js). axe-core comes with a
# Python package. 77: it cannot be had.
set -eu
cd "$(dirname "$0")/../.."

venv=build/axe-venv
if ! cmp -s tests/browser/requirements.txt "$venv/requirements.txt"; then
    rm -rf "$venv"
    # shellcheck disable=SC2015 # whichever fails
    python3 -m venv "$venv" >build/axe.log 2>&1 &&
        "$venv/bin/python" -m pip install --disable-pip-version-check --no-input --no-deps \
            -r tests/browser/requirements.txt >>build/axe.log 2>&1 || {
        echo 'SKIPPED: axe-core: its package cannot be installed: see build/axe.log'
        exit 77
    }
    cp tests/browser/requirements.txt "$venv/"
fi
set -- build/browser
if [ -f build/book/fluid_workbook.epub ]; then
    rm -rf build/epub
    python3 -m zipfile -e build/book/fluid_workbook.epub build/epub
    set -- "$@" build/epub
fi
node tests/browser/axe.js "$venv"/lib/python3*/site-packages/axe_core_python/axe.min.js "$@"
