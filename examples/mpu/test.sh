#!/bin/sh
# Tests mpu on a small synthetic sphere and on broken input. Usage: test.sh [MPU [FOLDER-WITH-LIBGOMP]]
# Prints PASS and FAIL lines, and a line MISSING if mpu was built without oneTBB.
here=$(cd "$(dirname "$0")" && pwd)
mpu=${1:-$here/../../build/bin/mpu}
library=${2:-}
[ -x "$mpu" ] || { echo "FAIL mpu: $mpu is missing; make -C examples/mpu builds it"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
export OMP_NUM_THREADS=2

check() { # check NAME STATUS [DETAIL]
	if [ "$2" -eq 0 ]; then
		passed=$((passed + 1))
		echo "PASS mpu: $1"
	else
		failed=$((failed + 1))
		echo "FAIL mpu: $1${3:+: $3}"
	fi
}

same() { # same NAME A B
	[ -n "$2" ] && [ "$2" = "$3" ]
	check "$1" $? "'$2' and '$3'"
}

checksums() { # of the tree and the mesh
	timeout 100 "$mpu" --json --tolerance 1e-3 "$@" 2>/dev/null | sed -n 's/.*"checksum": "\([0-9a-f]*\)".*/\1/p' | sort -u | tr '\n' ' '
}

# Input must be refused: exit status 1, no output, and one line on stderr with the given words.
refused() { # refused NAME WORDS ARGS...
	name=$1 words=$2
	shift 2
	timeout 100 "$mpu" "$@" >"$work/out" 2>"$work/err"
	status=$?
	[ $status -eq 1 ] && [ "$(wc -l <"$work/err")" -eq 1 ] && grep -q -- "$words" "$work/err"
	check "$name" $? "status $status, stderr: $(head -c 200 "$work/err")"
}

# Makes 2000 points of a sphere of radius 3 round (1, 2, 3), exact in single precision, in several kinds of files.
perl -e '
	my ($folder) = @ARGV;
	my $n = 2000;
	my (@ascii, @obj, $little, $big);
	for my $i (0 .. $n - 1) {
		my $z = 1 - (2 * $i + 1) / $n;
		my ($r, $a) = (sqrt(1 - $z * $z), $i * 2.39996322972865);
		my @normal = ($r * cos $a, $r * sin $a, $z);
		my @all = unpack("f*", pack("f*", 1 + 3 * $normal[0], 2 + 3 * $normal[1], 3 + 3 * $normal[2], @normal));
		my @text = map { sprintf "%.17g", $_ } @all;
		push @ascii, "@text\n";
		push @obj, "v @text[0..2]\nvn @text[3..5]\n";
		$little .= pack("f<6", @all);
		$big .= pack("C f>6", 7, @all);
	}
	sub keep { my ($name, @text) = @_; open(my $f, ">:raw", "$folder/$name") or die; print $f @text; }
	sub header { my ($format, $extra) = @_; "ply\nformat $format 1.0\ncomment a sphere\nelement vertex $n\n$extra"
		. join("", map { "property float $_\n" } qw(x y z nx ny nz)) . "end_header\n" }
	keep("ascii.ply", header("ascii", ""), @ascii);
	keep("little.ply", header("binary_little_endian", ""), $little);
	keep("big.ply", header("binary_big_endian", "property uchar colour\n"), $big);
	keep("cloud.obj", @obj);
	keep("cloud.xyz", @ascii);
	keep("cut_ascii.ply", header("ascii", ""), @ascii[0 .. 999]);
	keep("cut_binary.ply", header("binary_little_endian", ""), substr($little, 0, 24001));
	keep("cut_header.ply", substr(header("ascii", ""), 0, 60));
	keep("not.ply", "solid sphere\n" x 10);
	keep("letters.ply", header("ascii", ""), @ascii[0 .. 9], "one two three 0 0 1\n", @ascii[10 .. $n - 1]);
	keep("promise.ply", "ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty float x\nend_header\n1\n");
	keep("face.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
		. "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n3 0 1 2\n");
	keep("bare.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n");
	keep("scan.inv3", "\x1f\x8b\x08\x00 not a project");
	keep("empty.ply", "");
' "$work" || { echo "FAIL mpu: the inputs could not be made (perl)"; exit 1; }

reference=$(checksums --variant serial --grid 48 "$work/ascii.ply")
[ "$(echo "$reference" | wc -w)" -eq 2 ]
check "serial gives two checksums" $? "'$reference'"
same "nested gives the serial result" "$(checksums --variant nested --grid 48 "$work/ascii.ply")" "$reference"
same "nested with one level gives the serial result" "$(checksums --variant nested --levels 1 --grid 48 "$work/ascii.ply")" "$reference"
same "nested in teams of 3 gives the serial result" "$(checksums --variant nested --team 3 --grid 48 "$work/ascii.ply")" "$reference"
same "tasks give the serial result" "$(checksums --variant tasks --threads 3 --grid 48 "$work/ascii.ply")" "$reference"
if timeout 100 "$mpu" --variant tbb "$work/ascii.ply" 2>&1 | grep -q "built without oneTBB"; then
	echo "MISSING mpu: tbb gives the serial result: oneTBB (scripts/install-deps test; then make -B -C examples/mpu)"
else
	same "tbb gives the serial result" "$(checksums --variant tbb --threads 3 --grid 48 "$work/ascii.ply")" "$reference"
fi
same "three repetitions, one result" "$(checksums --variant nested --repeat 3 --grid 48 "$work/ascii.ply")" "$reference"
same "one thread, the same mesh" "$(OMP_NUM_THREADS=1 checksums --variant serial --grid 48 "$work/ascii.ply")" "$reference"
other=$(checksums --variant serial --tolerance 3e-2 --grid 48 "$work/ascii.ply")
[ -n "$other" ] && [ "$other" != "$reference" ]
check "another tolerance, another checksum" $?
for kind in little.ply big.ply cloud.obj cloud.xyz; do
	same "$kind reads as ascii.ply does" "$(checksums --variant serial --grid 48 "$work/$kind")" "$reference"
done
if [ -n "$library" ]; then
	same "nested on the libgomp.so.1 of $library gives the serial result" \
		"$(LD_LIBRARY_PATH=$library checksums --variant nested --grid 48 "$work/ascii.ply")" "$reference"
fi

timeout 100 "$mpu" --variant serial --tolerance 1e-3 --grid 48 --mesh "$work/mesh.obj" --picture "$work/a.png" --width 64 "$work/ascii.ply" >/dev/null
awk '$1 == "v" { r = sqrt(($2 - 1) ^ 2 + ($3 - 2) ^ 2 + ($4 - 3) ^ 2) - 3; if (r < 0) r = -r; if (r > worst) worst = r; n++ }
	END { if (!(n > 1000 && worst < 0.01)) { print n " vertices, worst " worst; exit 1 } }' "$work/mesh.obj" >"$work/out"
check "the sphere's radius is met within 1/300" $? "$(cat "$work/out")"
# The surface is closed, so every edge belongs to two triangles, once in each direction. It is a sphere, so V - E + F = 2.
awk '$1 == "v" { v++ } $1 == "f" { f++; for (i = 2; i <= 4; i++) { a = $i; b = $(i == 4 ? 2 : i + 1); sub("/.*", "", a); sub("/.*", "", b); e[a, b]++ } }
	END { for (k in e) { split(k, p, SUBSEP); n++; if (e[k] != 1 || e[p[2], p[1]] != 1) bad++ }
	if (bad || v - n / 2 + f != 2) { print bad + 0 " open edges, Euler number " v - n / 2 + f; exit 1 } }' "$work/mesh.obj" >"$work/out"
check "the mesh is closed and of one piece" $? "$(cat "$work/out")"
[ "$(head -c 4 "$work/a.png" | tail -c 3)" = PNG ]
check "a picture is written" $?
same "a written mesh reads as an OBJ" "$(timeout 100 "$mpu" --json --variant serial "$work/mesh.obj" | grep -c checksum)" 1

[ "$(timeout 100 "$mpu" --json --ideal 2 --repeat 2 "$work/ascii.ply" | grep -c '"variant": "ideal"')" -eq 2 ]
check "--ideal 2 prints a time for each repetition" $?
[ "$(timeout 100 "$mpu" --json --part 2/2 "$work/ascii.ply" | grep -c '"part": 2, "parts": 2')" -eq 1 ]
check "--part 2/2 prints its time" $?
timeout 100 "$mpu" --help | grep -q "^  --variant"
check "--help" $?

refused "missing file" "No such file" "$work/nothing.ply"
mkdir "$work/folder.ply"
refused "a folder" "a folder" "$work/folder.ply"
refused "empty file" "empty" "$work/empty.ply"
refused "truncated ascii PLY" "truncated PLY" "$work/cut_ascii.ply"
refused "truncated binary PLY" "truncated PLY" "$work/cut_binary.ply"
refused "truncated PLY header" "truncated PLY" "$work/cut_header.ply"
refused "not a PLY" "not a PLY" "$work/not.ply"
refused "letters for numbers" "not a number" "$work/letters.ply"
refused "more vertices than bytes" "more than the file can hold" "$work/promise.ply"
refused "a face without its vertex" "names vertex 1 of 1" "$work/face.ply"
refused "points without normals" "without normals" "$work/bare.ply"
refused "a damaged scan" "damaged gzip" "$work/scan.inv3"
refused "unknown kind of file" "unknown kind" "$0"
refused "unknown option" "unknown option" --fast 1 "$work/ascii.ply"
refused "unknown variant" "can be serial, nested" --variant cilk "$work/ascii.ply"
refused "a negative team" "from 1 to 64" --team -3 "$work/ascii.ply"
refused "a part of nothing" "I/N" --part 3/2 "$work/ascii.ply"
refused "no input" "no input"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
