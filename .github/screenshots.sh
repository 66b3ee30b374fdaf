#!/usr/bin/env bash
# Takes the README's pictures of the lesson in public/, light and dark, with a
# local Chromium, from any folder:
#
#	.github/screenshots.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	echo 'screenshots: install chromium first' >&2
	exit 3
}
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT

sandbox=()
if [ "$(id -u)" -eq 0 ]; then
	sandbox=(--no-sandbox) # Chromium refuses to run as root with it
fi

# take FILE SCHEME, 0 being dark and 1 light
take() {
	"$browser" --headless "${sandbox[@]}" --disable-gpu --disable-quic --no-first-run --hide-scrollbars \
		--disable-background-networking --disable-component-update --disable-sync \
		--user-data-dir="$profile" --blink-settings="preferredColorScheme=$2" \
		--window-size=1280,1180 --screenshot="$PWD/.github/$1" \
		"file://${VERBATIM_PUBLIC:-$PWD/public}/distributed-rate-limiter.html" 2>/dev/null
	echo "screenshots: .github/$1"
}

take lesson.png 1
take lesson-dark.png 0
