"""A server that writes a line for each request to its standard error, which is kept beside the results."""

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Counted(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"ok")


ThreadingHTTPServer.request_queue_size = 128
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Counted).serve_forever()
