"""Serves the browser edition at an address that it prints, to this machine alone.

usage: serve.py DIR
"""

import functools
import http.server
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "book"))
from book import end_with_the_reader


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map,
                      ".wasm": "application/wasm", ".js": "text/javascript", ".woff2": "font/woff2"}

    def end_headers(self):
        self.send_header("Cache-Control", "no-cache")  # a page that was built anew is seen at once
        super().end_headers()

    def log_message(self, *_):
        pass


def main():
    handler = functools.partial(Handler, directory=sys.argv[1])
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 8007), handler)
    except OSError:  # that one is taken: any other
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    end_with_the_reader()
    print(f"http://127.0.0.1:{server.server_port}/ (Ctrl+C ends it)", flush=True)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a browser may leave, and the server stays
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
