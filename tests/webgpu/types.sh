#!/bin/sh
# Checks the types of the modules in webgpu/ and playground/, as jsconfig.json says. Their comments name the types, and
# webgpu/webgpu.d.ts has those of WebGPU. 77: no TypeScript.
set -eu
cd "$(dirname "$0")/../.."

command -v tsc >/dev/null 2>&1 || {
    echo 'SKIPPED: the types of the JavaScript modules: there is no tsc here (Debian: apt install node-typescript)'
    exit 77
}
tsc --version
tsc -p jsconfig.json
echo "types: $(git ls-files 'webgpu/*.js' 'playground/*.js' | grep -cv /node/) modules, 0 problems"
