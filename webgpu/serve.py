"""Serves the page of 24_webgpu to this machine alone, and opens it in the reader's browser.

usage: serve.py [--mine] [--n N] [--scene NAME] [--kernels NAME] [--iterations COUNT] [--diff NUMBER] [--visc NUMBER]
  --mine   with mine/24_webgpu/cells.wgsl, which the page compiles again each time it is saved

It ends with status 4 when the page finds no WebGPU, so that the caller can show 22_cells in its place.
"""

import argparse
import http.server
import os
import signal
import sys
import threading
import urllib.parse
import webbrowser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WITHOUT_WEBGPU = 4
# What a flag must be: a whole number or any number, from the least to the most; or one of these words.
FLAGS = {"n": (int, 3, 512), "iterations": (int, 1, 200), "diff": (float, 0, 1000000), "visc": (float, 0, 1000000),
         "scene": ("rings", "jets", "none"), "kernels": ("relax_1_cell", "relax_2_colour", "relax_3_tile")}
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css"}
PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>24_webgpu: The same cells on any GPU</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="page.css"><link rel="stylesheet" href="webgpu/page.css"></head>
<body><main><h1>24 · The same cells on any GPU</h1>
{section}</main>
<script type="module">
document.getElementById('webgpu').addEventListener('without-webgpu', () => fetch('without-webgpu'));
import('./webgpu/page.js');
</script></body></html>
"""


def file_of(address, cells):
    """The file of that address, or None. Nothing else is served."""
    if address == "/page.css":
        return ROOT / "common/browser/page.css"
    if address == "/webgpu/cells.wgsl":
        return cells
    name = address.removeprefix("/webgpu/")
    if address.startswith("/webgpu/") and "/" not in name and name.endswith((".js", ".wgsl", ".css")):
        return ROOT / "webgpu" / name
    return None


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        address = urllib.parse.urlsplit(self.path).path
        if address == "/":
            self.answer(200, "text/html; charset=utf-8", self.server.page.encode())
        elif address == "/without-webgpu":
            self.answer(204, "text/plain", b"")
            self.server.status = WITHOUT_WEBGPU
            threading.Thread(target=self.server.shutdown).start()  # it would wait for this request's end
        else:
            file = file_of(address, self.server.cells)
            if file and file.is_file():
                self.answer(200, TYPES.get(file.suffix, "text/plain; charset=utf-8"), file.read_bytes())
            else:
                self.answer(404, "text/plain", b"")

    def answer(self, status, kind, data):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def fail(words):
    print(f"24_webgpu: {words}", file=sys.stderr)
    sys.exit(2)


def check_flag(name, word):
    """Ends the program where a flag is not what it must be."""
    known = FLAGS[name]
    if isinstance(known[0], str):
        if word not in known:
            fail(f"--{name}: there is no '{word}'; there are {', '.join(known)}")
        return
    kind, least, most = known
    try:
        value = kind(word)
    except ValueError:
        value = None
    if value is None or not least <= value <= most:
        fail(f"--{name}: '{word}' is not a {'whole ' if kind is int else ''}number from {least} to {most}")


def has_window():
    """Whether there is a screen that a browser could open a window on."""
    return sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


def main():
    parser = argparse.ArgumentParser(prog="24_webgpu", usage=__doc__.split("usage: ")[1], add_help=True)
    parser.error = fail
    parser.add_argument("--mine", action="store_true")
    for flag in FLAGS:
        parser.add_argument(f"--{flag}")
    asked = parser.parse_args()
    given = {flag: getattr(asked, flag) for flag in FLAGS if getattr(asked, flag) is not None}
    for flag, word in given.items():
        check_flag(flag, word)
    cells = ROOT / ("mine" if asked.mine else "chapters") / "24_webgpu" / "cells.wgsl"
    if not cells.is_file():
        fail(f"there is no {cells.relative_to(ROOT)} yet; begin with: ./workbook start 24")
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 8024), Handler)
    except OSError:  # another one serves there
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    section = (ROOT / "webgpu/section.html").read_text(encoding="utf-8")
    if asked.mine:
        section = section.replace('id="webgpu"', 'id="webgpu" data-watch', 1)
    server.page, server.cells, server.status = PAGE.replace("{section}", section), cells, 0
    query = urllib.parse.urlencode(given)
    address = f"http://127.0.0.1:{server.server_address[1]}/" + (f"?{query}" if query else "")
    print(f"workbook: the page is {address} (Ctrl-C ends it)", flush=True)
    if has_window():
        webbrowser.open(address)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    if server.status == WITHOUT_WEBGPU:
        print("workbook: this browser has no WebGPU: the page names those that have it", file=sys.stderr)
    sys.exit(server.status)


if __name__ == "__main__":
    main()
