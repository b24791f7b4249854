#!/bin/sh
# Hands on the first argument alone, and starts the server without the variable: the errors of many a start script.
unset POOL_SIZE
exec python3 counted-server.py "$1"
