#!/bin/sh
# Rebuilds the head of a CT scan on libgomp and on ForestGOMP. Prints the times side by side and writes the picture.
# Usage: demo.sh [BUILD-FOLDER]; called by `make demo`. MPU_LIMIT: seconds given to each run (default 60).
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../../build}" 2>/dev/null && pwd) || { echo "demo: there is no build folder ${1:-build}; run make first" >&2; exit 1; }
limit=${MPU_LIMIT:-60}
scan=${MPU_INPUT:-/usr/share/doc/invesalius-examples/examples/Cranium.inv3}
picture=$build/head.png

"$here/../../scripts/install-deps" build demo || exit 1
[ -e "$scan" ] || { echo "demo: there is no scan $scan; MPU_INPUT names another" >&2; exit 1; }
make -s -C "$here" BIN="$build/bin/mpu" || { echo "demo: mpu did not build" >&2; exit 1; }

output=$(mktemp)
trap 'rm -f "$output"' EXIT
reference= wrong=0

# Prints one line of the table: NAME REPEAT COMMAND...; the time is the shortest of REPEAT.
row() {
	name=$1 repeat=$2
	shift 2
	[ -t 2 ] && printf '  %s...\r' "$name" >&2
	timeout "$limit" "$@" --json --repeat "$repeat" "$scan" >"$output"
	status=$?
	seconds=$(sed -n 's/.*"phase": "refine", "seconds": \([0-9.]*\).*/\1/p' "$output" | sort -g | head -n 1)
	regions=$(sed -n 's/.*"regions": \([0-9]*\).*/\1/p' "$output" | tail -n 1)
	threads=$(sed -n 's/.*"threads": \([0-9]*\).*/\1/p' "$output" | tail -n 1)
	checksum=$(sed -n 's/.*"phase": "refine".*"checksum": "\([0-9a-f]*\)".*/\1/p' "$output" | sort -u)
	if [ $status -eq 124 ] && [ -z "$seconds" ]; then
		printf '%-38s %10s\n' "$name" "not finished after $limit s"
		return
	elif [ $status -ne 0 ] && [ $status -ne 124 ]; then
		printf '%-38s %10s\n' "$name" "failed, exit status $status"
		wrong=1
		return
	fi
	reference=${reference:-$checksum}
	verdict=$checksum
	if [ -n "$checksum" ] && [ "$checksum" != "$reference" ]; then
		verdict="$checksum: NOT THE SAME RESULT"
		wrong=1
	fi
	printf '%-38s %8.3f s %9s %9s   %s\n' "$name" "$seconds" "$regions" "$threads" "$verdict"
}

LC_ALL=C
unset LD_LIBRARY_PATH OMP_NUM_THREADS OMP_PLACES OMP_PROC_BIND OMP_MAX_ACTIVE_LEVELS
export LC_ALL
mpu=$build/bin/mpu
echo "Refinement of the octree over $(basename "$scan"), $(getconf _NPROCESSORS_ONLN) CPUs"
printf '%-38s %10s %9s %9s   %s\n' "" seconds regions threads checksum
row "serial" 3 "$mpu" --variant serial
row "ideal: one bound process a CPU" 3 "$mpu" --ideal "$(getconf _NPROCESSORS_ONLN)"
row "oneTBB" 3 "$mpu" --variant tbb
row "OpenMP nested, libgomp, one level" 3 "$mpu" --variant nested --levels 1
row "OpenMP nested, libgomp, all levels" 1 "$mpu" --variant nested
if [ -e "$build/lib/libgomp.so.1" ]; then
	LD_LIBRARY_PATH=$build/lib
	export LD_LIBRARY_PATH
	row "OpenMP nested, ForestGOMP, all levels" 3 "$mpu" --variant nested
else
	echo "ForestGOMP itself is missing: there is no $build/lib/libgomp.so.1; make builds it. The picture is made on libgomp."
	wrong=1
fi

levels=1
[ -n "$LD_LIBRARY_PATH" ] && levels=64
if timeout 300 "$mpu" --levels $levels --pieces 1 --picture "$picture" "$scan" >"$output" && [ -s "$picture" ]; then
	echo "The picture is $picture"
else
	echo "demo: the picture could not be made:" >&2
	cat "$output" >&2
	wrong=1
fi
exit $wrong
