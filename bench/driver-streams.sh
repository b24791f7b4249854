#!/usr/bin/env bash
# How many messages a second one driver core sends and matches on gRPC streams, against a canned echo that is faster than
# the driver: closed loop (the driver's own ceiling), then open loop at a fixed rate (what it keeps up with on time).
#
# Echo on one CPU, driver on another, a body of 7 bytes and one of 1,025. Prints messages/s, CPU per message, and in the
# open loop what was never sent. Messages that failed end the script with 1.
#
# Needs: bash, python3, taskset, a built `soak` and the echo: cargo build --release -p soak-cli && cargo build --release
# -p soak-driver --example grpc_sink. Installs nothing, listens on 127.0.0.1 only, leaves nothing behind.
#
#   bench/driver-streams.sh      TARGET=target/release ROUNDS=3 SECONDS_EACH=3 RATE=200000 SERVER_CPU=1 DRIVER_CPU=0
set -euo pipefail

target=${TARGET:-target/release}
rounds=${ROUNDS:-3}
length=${SECONDS_EACH:-3}
rate=${RATE:-200000}
server_cpu=${SERVER_CPU:-1}
driver_cpu=${DRIVER_CPU:-0}
soak=$target/soak
sink=$target/examples/grpc_sink
for tool in "$soak" "$sink" python3 taskset; do
    command -v "$tool" >/dev/null || { echo "$0: $tool is needed and not found" >&2; exit 2; }
done

work=$(mktemp -d)
sink_pid=
finish() {
    # The echo stops when its standard input closes.
    exec 3>&- || true
    if [ -n "$sink_pid" ]; then wait "$sink_pid" 2>/dev/null || true; fi
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM
head -c 7 /dev/zero | tr '\0' 'x' >"$work/7"
head -c 1025 /dev/zero | tr '\0' 'x' >"$work/1025"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
mkfifo "$work/stdin"
taskset -c "$server_cpu" "$sink" "$port" <"$work/stdin" 3>&- &
sink_pid=$!
exec 3>"$work/stdin"
for _ in $(seq 100); do
    python3 -c "import socket; socket.create_connection(('127.0.0.1', $port)).close()" 2>/dev/null && break
    sleep 0.05
done

run() {
    taskset -c "$driver_cpu" "$soak" drive "127.0.0.1:$port/soak.Echo/Chat" --protocol grpc-stream --connections 8 \
        --streams 40 --idle sleep --duration "${length}s" --body "$work/$1" --rate "$2" "${@:3}" -o json >"$work/out"
    python3 - "$work/out" "$1" "$2" <<'PY'
import json, sys
out, body, rate = json.load(open(sys.argv[1])), sys.argv[2], sys.argv[3]
failed = sum(out["errors"].values())
print(f"{body:>5} B  {rate:>7}  {out['delivered']:>12,.0f}/s  {out['cpuMicrosPerRequest']:>7.3f} us/message"
      f"  never sent {out['neverSent']:,}  failed {failed:,}")
sys.exit(1 if failed else 0)
PY
}

for round in $(seq "$rounds"); do
    echo "round $round"
    for body in 7 1025; do
        run "$body" max
        run "$body" "$rate"
    done
done
