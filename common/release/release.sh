#!/bin/sh
# Makes the files of a release. The workflow .github/workflows/release.yml calls it, and it can be called without it:
#
# usage: common/release/release.sh tag v1.4.0       whether that is this version's tag, and CHANGELOG.md has the version
#        common/release/release.sh notes            what CHANGELOG.md says about this version
#        common/release/release.sh source           the source archive of the last commit
#        common/release/release.sh browser          the browser edition, as a zip
#        common/release/release.sh book             the book as EPUB and PDF
#        common/release/release.sh wheel            the library's wheel for this Linux and those with a later glibc
#        common/release/release.sh checksums        SHA256SUMS of all that is in the folder
#
# The files go to build/release/. What is missing is installed as `./workbook --yes` does.
set -eu

root=$(CDPATH='' cd -P -- "$(dirname -- "$0")/../.." && pwd)
out=$root/build/release
fail() {
    echo "release: $*" >&2
    exit 2
}
cd "$root"
command -v python3 >/dev/null 2>&1 || fail "python3 is not here; install Python 3.9 or newer"
version=$(python3 common/book/version.py)
mkdir -p "$out"

# notes: the section of this version, without its heading.
notes() {
    awk -v heading="## [$version]" '
        index($0, "## [") == 1 { inside = index($0, heading) == 1; next }
        inside { print }' CHANGELOG.md
}

check_tag() {
    [ "${1-}" = "v$version" ] || fail "the tag is '${1-}', and library/include/stable_fluids.h says v$version"
    [ -n "$(notes)" ] || fail "CHANGELOG.md has no section [$version]"
}

# In two steps, so that an archive is there only when it is whole. gzip -n: the same bytes for the same commit.
source_archive() {
    name=fluid_workbook-$version
    git archive --format=tar --prefix="$name/" -o "$out/$name.tar.part" HEAD
    gzip -9n <"$out/$name.tar.part" >"$out/$name.tar.gz.part"
    rm "$out/$name.tar.part"
    mv "$out/$name.tar.gz.part" "$out/$name.tar.gz"
}

browser_edition() {
    ./workbook --yes browser --build-only
    python3 common/release/zip_folder.py build/browser "$out/fluid_workbook-$version-browser.zip" \
        "fluid_workbook-$version"
}

offline_book() {
    ./workbook --yes book
    for kind in epub pdf; do
        cp "build/book/fluid_workbook.$kind" "$out/fluid_workbook-$version.$kind"
    done
}

# The host's code alone: CUDA's runtime would make the wheel large, and need a driver. The loops for AVX2 and AVX-512
# are in it, and the library asks the processor which of them it can run.
wheel() {
    venv=$root/build/release-venv
    if ! cmp -s common/release/requirements.txt "$venv/requirements.txt"; then
        rm -rf "$venv"
        python3 -m venv "$venv" || fail "python3 cannot make a virtual environment (Debian: apt install python3-venv)"
        "$venv/bin/python" -m pip install --disable-pip-version-check --no-input -r common/release/requirements.txt
        cp common/release/requirements.txt "$venv/requirements.txt"
    fi
    made=$(mktemp -d)
    "$venv/bin/python" -m build --wheel library --outdir "$made" -Ccmake.define.WORKBOOK_CUDA=OFF
    PATH=$venv/bin:$PATH auditwheel show "$made"/*.whl
    # The oldest glibc that will do. No library is copied into the wheel: it needs those that every Linux has.
    PATH=$venv/bin:$PATH auditwheel repair --plat auto --wheel-dir "$made/repaired" "$made"/*.whl
    mv "$made"/repaired/*.whl "$out/"
    rm -rf "$made"
}

case ${1-} in
    tag) check_tag "${2-}" ;;
    notes) notes ;;
    source) source_archive ;;
    browser) browser_edition ;;
    book) offline_book ;;
    wheel) wheel ;;
    checksums) (cd "$out" && rm -f SHA256SUMS && sha256sum -- * >SHA256SUMS.part && mv SHA256SUMS.part SHA256SUMS) ;;
    *) fail "what of a release? tag, notes, source, browser, book, wheel or checksums" ;;
esac
