#!/bin/sh
# The command forestgomp, which lies in the Python package. It is no Python script, because starting Python takes longer than the command.
version=@VERSION@
self=$0
while [ -h "$self" ]; do
	target=$(readlink -- "$self")
	case $target in
	/*) self=$target ;;
	*) self=$(dirname -- "$self")/$target ;;
	esac
done
case $self in
*/*) bin=${self%/*} ;;
*) bin=. ;;
esac
# The package of this version lies in each Python's folder with the same bytes, so the first one will do. pip install --target has it beside.
for place in "$bin"/../lib/python3*/*-packages "$bin"/../lib64/python3*/*-packages "$bin"/../local/lib/python3*/*-packages "$bin"/..; do
	command=$place/forestgomp/bin/forestgomp
	[ -x "$command" ] && [ -d "$place/forestgomp-$version.dist-info" ] || continue
	# Scripts and `doctor` belong to this Python.
	if [ -z "$FORESTGOMP_PYTHON" ]; then
		python=${place%/*}
		python=${python##*/}
		for FORESTGOMP_PYTHON in "$bin/$python" "$bin/python3" "$(command -v "$python")" ""; do
			[ ! -x "$FORESTGOMP_PYTHON" ] || break
		done
		export FORESTGOMP_PYTHON
	fi
	exec "$command" "$@"
done
echo "forestgomp: the Python package forestgomp $version is not where pip put it; \`pip install --force-reinstall WHEEL\` brings it back" >&2
exit 127
