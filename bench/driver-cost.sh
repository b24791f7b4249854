#!/usr/bin/env bash
# What a request costs the driver, beside the same request made by wrk (HTTP/1.1) or h2load (HTTP/2 cleartext).
#
# One server that neither tool is tuned to (nginx, nghttpd) on one CPU, the tools in turn on another, in interleaved rounds:
# user + system time of the whole tool's process, divided by the requests it completed. Closed loop, a 1 KB body. Prints every
# round and the median of the rounds' ratios. Rounds with more than 1 % of steal are shown, marked and not counted.
#
# Needs: bash, python3, taskset; for h1 nginx and wrk, for h2 nghttpd and h2load (Debian: nginx-light wrk nghttp2-server
# nghttp2-client), and a built `soak`. Installs nothing, listens on 127.0.0.1 only, leaves nothing behind.
#
#   bench/driver-cost.sh [h1|h2]      SOAK=target/release/soak ROUNDS=5 SECONDS_EACH=4 SERVER_CPU=1 DRIVER_CPU=0
set -euo pipefail

protocol=${1:-h1}
soak=${SOAK:-target/release/soak}
rounds=${ROUNDS:-5}
length=${SECONDS_EACH:-4}
server_cpu=${SERVER_CPU:-1}
driver_cpu=${DRIVER_CPU:-0}

case $protocol in
    h1) peer=wrk; server=nginx ;;
    h2) peer=h2load; server=nghttpd ;;
    *) echo "usage: $0 [h1|h2]" >&2; exit 2 ;;
esac
for tool in "$peer" "$server" "$soak" python3 taskset; do
    command -v "$tool" >/dev/null || { echo "$0: $tool is needed and not found" >&2; exit 2; }
done

work=$(mktemp -d)
server_pid=
finish() {
    if [ -n "$server_pid" ]; then kill "$server_pid" 2>/dev/null || true; wait "$server_pid" 2>/dev/null || true; fi
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM
# The server's workers may run as another user.
chmod 711 "$work"
mkdir "$work/www"
head -c 1024 /dev/zero | tr '\0' 'x' >"$work/www/1k"
chmod -R a+rX "$work/www"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
url="http://127.0.0.1:$port/1k"

start_nginx() {
    cat >"$work/nginx.conf" <<CONF
worker_processes 1;
daemon off;
pid $work/nginx.pid;
error_log $work/error.log;
events { worker_connections 4096; }
http {
    access_log off;
    keepalive_requests 1000000000;
    keepalive_timeout 600s;
    open_file_cache max=10;
    client_body_temp_path $work/t1; proxy_temp_path $work/t2; fastcgi_temp_path $work/t3;
    uwsgi_temp_path $work/t4; scgi_temp_path $work/t5;
    server { listen 127.0.0.1:$port backlog=4096; root $work/www; default_type text/plain; }
}
CONF
    taskset -c "$server_cpu" nginx -c "$work/nginx.conf" >"$work/server.log" 2>&1 &
    server_pid=$!
}

start_nghttpd() {
    taskset -c "$server_cpu" nghttpd --no-tls -n1 -a 127.0.0.1 -d "$work/www" "$port" >"$work/server.log" 2>&1 &
    server_pid=$!
}

"start_$server"
for _ in $(seq 100); do
    python3 -c "import socket; socket.create_connection(('127.0.0.1', $port)).close()" 2>/dev/null && break
    sleep 0.05
done

# Runs a tool; prints its CPU seconds (user + system) and the steal share of the driver's CPU meanwhile, keeps its output.
measure() {
    python3 - "$driver_cpu" "$work/out" "$@" <<'PY'
import os, resource, subprocess, sys
cpu, out, command = sys.argv[1], sys.argv[2], sys.argv[3:]
def ticks():
    for line in open("/proc/stat"):
        if line.startswith("cpu" + cpu + " "):
            fields = [int(field) for field in line.split()[1:9]]
            return sum(fields), fields[7]
before, all_before = resource.getrusage(resource.RUSAGE_CHILDREN), ticks()
with open(out, "wb") as file:
    code = subprocess.call(command, stdout=file, stderr=subprocess.STDOUT)
after, all_after = resource.getrusage(resource.RUSAGE_CHILDREN), ticks()
if code != 0:
    sys.exit(open(out).read())
spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
steal = 100 * (all_after[1] - all_before[1]) / max(1, all_after[0] - all_before[0])
print(f"{spent:.6f} {steal:.2f}")
PY
}

on_driver() { echo taskset -c "$driver_cpu" "$@"; }
peer_command() {
    case $protocol in
        h1) on_driver wrk -t1 -c64 "-d${length}s" "$url" ;;
        h2) on_driver h2load -t1 -c8 -m100 "-D$length" "$url" ;;
    esac
}
soak_command() {
    local shape="--protocol http1 --connections 64"
    [ "$protocol" = h2 ] && shape="--protocol http2 --connections 8 --streams 100"
    # shellcheck disable=SC2086
    on_driver "$soak" drive "$url" $shape --rate max --idle sleep --duration "${length}s" -o json
}
peer_requests() {
    case $protocol in
        h1) awk '/requests in/ { print $1 }' "$work/out" ;;
        h2) awk '/^requests:/ { print $8 }' "$work/out" ;;
    esac
}
soak_requests() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["ok"])' "$work/out"; }

one() {
    local who=$1 cost requests
    # shellcheck disable=SC2046
    cost=$(measure $("${who}_command"))
    requests=$("${who}_requests")
    echo "$cost $requests" >"$work/$who"
}

echo "driver cost, $protocol, closed loop, $server on CPU $server_cpu, $(uname -r), $("$soak" --version 2>/dev/null || echo soak)"
printf '%-6s %14s %12s %14s %12s %7s %7s\n' round "soak µs/req" "soak req/s" "$peer µs/req" "$peer req/s" ratio "steal %"
for round in $(seq "$rounds"); do
    if [ $((round % 2)) = 1 ]; then one soak; one peer; else one peer; one soak; fi
    python3 - "$work" "$round" "$length" <<'PY'
import sys
work, turn, length = sys.argv[1], sys.argv[2], float(sys.argv[3])
(own, own_steal, own_n), (peer, peer_steal, peer_n) = ([float(x) for x in open(f"{work}/{who}").read().split()] for who in ("soak", "peer"))
own_cost, peer_cost, steal = own / own_n * 1e6, peer / peer_n * 1e6, max(own_steal, peer_steal)
mark = " not counted" if steal > 1 else ""
print(f"{turn:<6} {own_cost:>13.2f} {own_n / length:>12.0f} {peer_cost:>13.2f} {peer_n / length:>12.0f} {own_cost / peer_cost:>7.3f} {steal:>7.2f}{mark}")
if not mark:
    open(f"{work}/ratios", "a").write(f"{own_cost / peer_cost}\n")
PY
done
python3 - "$work/ratios" <<'PY'
import os, statistics, sys
if not os.path.exists(sys.argv[1]):
    sys.exit("no round without steal: no ratio")
ratios = sorted(float(line) for line in open(sys.argv[1]))
print(f"median ratio {statistics.median(ratios):.3f} over {len(ratios)} rounds, {ratios[0]:.3f} to {ratios[-1]:.3f}")
PY
