#!/bin/sh
# Runs phases.c on a simulated machine of 4 nodes of 4 PUs: a team ends, and its PUs go to the other team. Prints the
# times of the phases, and makes the page of the run. Usage: demo.sh [BUILD-FOLDER]; called by `make demo-forest`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../../build}" 2>/dev/null && pwd) || { echo "demo: there is no build folder ${1:-build}; run make first" >&2; exit 1; }
machine='numa:4 core:4'
trace=$build/forest.fgt page=$build/forest.html

gcc -O2 -fopenmp -I "$here/../../include" -o "$build/phases" "$here/phases.c" -L "$build/lib" -l:libgomp.so.1
echo "Two teams of 16 threads on a simulated machine of 4 nodes of 4 PUs. A phase is 0.4 ms of work for each thread."
FGOMP_TRACE=$trace "$build/bin/forestgomp" sim --machine "$machine" --given --sched affinity "$build/phases" 16 12
"$build/bin/forestgomp" trace "$trace" --output "$page"
echo "The page is $page: it shows which PU ran which thread, and the bubbles on their runqueues, step by step"
if [ -t 1 ] && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null; then
	xdg-open "$page"
fi
