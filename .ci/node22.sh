#!/usr/bin/env bash
# Runs a short suite on Node 22. The npm package `node` brings the program and its headers. The
# native packages are compiled against these headers in a copy of the tree; this tree stays as it is.
set -euo pipefail
cd "$(dirname "$0")/.."

NODE_22=22.23.3
SUITE='server/edge/http server/edge/sockets/handshake persistence/journal'
SUITE="$SUITE crash/heartbeat conformance/public-client server/start/start engine/wire"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/node" "$folder/tree"
echo '{ "private": true }' > "$folder/node/package.json"
npm install --prefix "$folder/node" --no-audit --no-fund --loglevel=error "node@$NODE_22"
headers=$(find "$folder/node" -path '*/include/node/node.h' -print -quit)
git ls-files -z | tar --null --files-from=- --create | tar --extract --directory "$folder/tree"

PATH="$folder/node/node_modules/node/bin:$PATH"
export PATH npm_config_nodedir="${headers%/include/node/node.h}"
node --version | grep -q '^v22[.]'
make --directory "$folder/tree" test ONLY="$SUITE"
