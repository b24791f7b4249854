#!/usr/bin/env bash
# What soak, wrk and h2load say of a server that stalls, and what is true of it.
#
# The server (driver/examples/stalling_server.rs) answers after 20 ms, and for 300 ms of every 2 s it holds all answers back.
# Asked at times that do not depend on it, its p50, p95 and p99 are 20, 220 and 300 ms. A closed loop stops asking while it
# waits, so too few of its requests fall into the stall.
#
# Needs: bash, cargo, wrk and h2load (Debian: wrk nghttp2-client), and a built `soak`. Installs nothing, leaves nothing behind.
#
#   bench/stall.sh      SOAK=target/release/soak LENGTH=20 (seconds, even)
set -euo pipefail

soak=${SOAK:-target/release/soak}
length=${LENGTH:-20}
for tool in cargo wrk h2load "$soak"; do
    command -v "$tool" >/dev/null || { echo "$0: $tool is needed and not found" >&2; exit 2; }
done
work=$(mktemp -d)
server=
finish() {
    if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; fi
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

cargo build --quiet --release --package soak-driver --example stalling_server
target=$(cargo metadata --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
"$target/release/examples/stalling_server" 0 >"$work/server" &
server=$!
until grep -q listening "$work/server"; do sleep 0.05; done
url="http://$(sed 's/listening on //' "$work/server")/"

echo "== true: p50 20 ms, p95 220 ms, p99 300 ms"
echo "== soak drive, open loop, 500 calls a second"
"$soak" drive "$url" --rate 500 --duration "${length}s" --connections 256 --idle sleep
echo "== wrk, closed loop, 10 connections"
wrk -t1 -c10 "-d${length}s" --latency "$url"
echo "== h2load --h1, closed loop, 10 connections"
h2load --h1 -t1 -c10 "-D$length" "$url" | grep -E "time for request|finished in|requests:"
