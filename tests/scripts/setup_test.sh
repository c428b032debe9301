#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/setup.sh with programs of its own in place of apt-get, dpkg-query and sudo: what is asked and installed.
set -euo pipefail
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
for name in apt-get sudo dpkg-query apt-cache; do
  printf '#!/bin/sh\n' >"$work/bin/$name"
done
# Only installing is noted. Nothing is installed, everything is available but $LACKING.
cat >>"$work/bin/apt-get" <<EOF
case "\$*" in *"\${LACKING:-nothing}"*) exit 100 ;; esac
[ "\$1" != install ] || echo "\$*" >>"$work/installed"
EOF
cat >>"$work/bin/sudo" <<'EOF'
[ "$1" != -n ] || shift
exec "$@"
EOF
chmod +x "$work"/bin/*
export PATH=$work/bin:$PATH
unset TUNE_YES

fail() { echo "$1; it said:" >&2; cat "$work/said" >&2; exit 1; }
# call FUNCTION PACKAGE...: without a terminal, or with one where `answer` is set.
call() {
  rm -f "$work/installed"
  local line="source '$root/scripts/setup.sh'; $*"
  if [[ -n ${answer+set} ]]; then
    printf '%s\n' "$answer" | SHELL=/bin/bash script -qec "$line" /dev/null >"$work/said" 2>&1
  else
    bash -c "$line" </dev/null >"$work/said" 2>&1
  fi
}
installed() { cat "$work/installed" 2>/dev/null || true; }

call tune_install first second || fail "without a terminal it does not install"
[[ $(installed) == *"first second"* ]] || fail "without a terminal nothing is installed"
! grep -q 'Y/n' "$work/said" || fail "it asks where nobody answers"

for answer in '' y Yes; do
  call tune_install first second || fail "'$answer' does not install"
  grep -q 'install these Debian packages: first second? \[Y/n\]' "$work/said" || fail "it does not ask"
  [[ $(installed) == *"first second"* ]] || fail "'$answer' installs nothing"
done
answer=n
if call tune_install first second; then fail "'n' ends with 0"; fi
[[ -z $(installed) ]] || fail "'n' installs"
grep -q 'install and call again: sudo apt-get install -y first second' "$work/said" || fail "'n' names no packages"
call tune_install chromium || fail "'n' to what can be done without is an error"
[[ -z $(installed) ]] || fail "'n' installs what can be done without"
call 'tune_agree first chromium; tune_install chromium </dev/null' || fail "an answer does not hold for later packages"
[[ -z $(installed) ]] || fail "after 'n' a call without a terminal installs"
TUNE_YES=1 call tune_install first || fail "TUNE_YES=1 does not install"
! grep -q 'Y/n' "$work/said" || fail "TUNE_YES=1 asks"
[[ $(installed) == *first* ]] || fail "TUNE_YES=1 installs nothing"
unset answer
call tune_install chromium npm python3-numpy || fail "what can be done without is not installed"
[[ $(installed) == *"-qq chromium npm"*"--no-install-recommends python3-numpy" ]] || fail "installed: $(installed)"
LACKING=chromium call tune_install chromium npm python3-numpy || fail "a release without Chromium is an error"
[[ $(installed) == *"-qq npm"*"--no-install-recommends python3-numpy" ]] || fail "installed: $(installed)"
grep -q 'going on without chromium' "$work/said" || fail "it does not say what is missing"
