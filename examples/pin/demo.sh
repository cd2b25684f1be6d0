#!/bin/sh
# Runs a program of three regions, each with other pairs of members that share data, on a simulated machine of two sockets.
# Plans where they should sit, measures that, and draws it. Usage: demo.sh [BUILD-FOLDER]; called by `make demo-pin`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../../build}" 2>/dev/null && pwd) || { echo "demo: there is no build folder ${1:-build}; run make first" >&2; exit 1; }
drawing=$build/sharing.svg plan=$build/pairs.pin

gcc -O2 -fopenmp -I "$here/../../include" -o "$build/pairs" "$here/../../tests/sim/pairs.c" -L "$build/lib" -l:libgomp.so.1
echo "Three regions pair member k of 8 with k + 4, k ^ 1 and k ^ 2, on two sockets of 4 cores. No single placement serves all three."
"$build/bin/forestgomp" pin --machine nehalem-2x4 --given --svg "$drawing" --output "$plan" "$build/pairs" 64 10 4 50 100 100
echo "The drawing is $drawing: who shares with whom, by compact and as planned. The plan is $plan"
if [ -t 1 ] && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null; then
	xdg-open "$drawing"
fi
