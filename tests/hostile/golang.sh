# A Go program whose goroutines run, and are preempted by SIGURG, while a C library that it calls is in parallel regions.
# finding: 8
# limit: 20
# needs: go
set -eu
folder=$HOSTILE_BUILD/golang
if [ "${1:-}" != build ]; then
	GOTRACEBACK=none exec "$folder/program"
fi
mkdir -p "$folder"
cp "$(dirname "$0")"/golang/* "$folder"
cd "$folder"
HOME=$folder GOCACHE=$folder/cache GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local CGO_ENABLED=1 go build -o program .
