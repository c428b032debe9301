#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the documentation as a site: scripts/site.sh [FOLDER]. Default: build/site; open FOLDER/index.html; the search
# needs a server: python3 -m http.server -d FOLDER.
# Needs MkDocs Material (Debian, Ubuntu: mkdocs-material) and the program, for the report of the shipped recording.
set -eu
cd "$(dirname "$0")/.."
if ! command -v mkdocs >/dev/null || ! mkdocs --version >/dev/null 2>&1; then
  as_root=$([ "$(id -u)" = 0 ] || echo sudo)
  if [ "${TUNE_YES:-}" != 1 ] && [ -t 0 ]; then
    printf 'The site needs MkDocs Material. Install it with: %s apt-get install mkdocs-material [Y/n] ' "$as_root"
    read -r answer
    case $answer in [nN]*) echo "install mkdocs-material, then call scripts/site.sh again" >&2; exit 1 ;; esac
  fi
  $as_root apt-get install -y --no-install-recommends mkdocs-material >&2 || {
    echo "cannot install mkdocs-material: install it, then call scripts/site.sh again" >&2
    exit 1
  }
fi
program=${TUNE_PROGRAM:-build/bin/tune}
[ -x "$program" ] || { echo "$program is missing: call './tune --version' once, which builds it" >&2; exit 1; }
TUNE_SITE=$(realpath -m "${1:-build/site}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
TUNE_SITE_PAGES=$scratch/pages
export TUNE_SITE TUNE_SITE_PAGES
python3 scripts/site_pages.py "$TUNE_SITE_PAGES"
"$program" report --db db/recordings/nvidia_h200.db --out "$TUNE_SITE_PAGES/report.html" >/dev/null
mkdocs build --strict --quiet --config-file mkdocs.yml
echo "$TUNE_SITE/index.html"
