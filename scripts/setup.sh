# SPDX-License-Identifier: Apache-2.0
# Sourced by ./tune and ./run-tests: installs what is missing, configures and builds. Everything it says goes to
# standard error, so that the program's own output stays clean.

tune_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tune_build=${TUNE_BUILD_DIR:-$tune_root/build}

tune_packages=(g++ cmake ninja-build git ca-certificates libboost-program-options-dev libsqlitecpp-dev
               libsqlite3-dev libfmt-dev libexpected-dev nlohmann-json3-dev libxxhash-dev libeigen3-dev zlib1g-dev
               libtomlplusplus-dev libtree-sitter-dev)
tune_test_packages=(libgtest-dev libgmock-dev python3-numpy clang-19)
# Large, and first needed by the tests themselves.
tune_late_test_packages=(chromium python3-pandas python3-yaml)
# What can be done without: then pages of `tune report` take their chart library from the web, the test that opens
# them in a browser and those of Python and of workflows are skipped, GCC compiles the tests, too, and `tune new` says
# what it lacks.
tune_optional_packages=" nodejs npm chromium libtree-sitter-dev python3-numpy python3-pandas python3-yaml clang-19 "
# Only where the commands are missing: who has them from elsewhere has no such packages, and Debian's npm would replace
# their node.
command -v node >/dev/null || tune_packages+=(nodejs)
command -v npm >/dev/null || tune_packages+=(npm)

tune_say() { echo "tune: $*" >&2; }
tune_die() { tune_say "$*"; exit 1; }

# Prints those of the named packages that are not installed.
tune_missing_packages() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
}

# tune_agree PACKAGE...: asks once, at a terminal, whether what is missing of these may be installed. TUNE_YES=1 and calls
# without a terminal agree.
tune_agree() {
  [[ -z ${tune_agreed:-} ]] || return 0
  tune_agreed=yes
  [[ ${TUNE_YES:-} != 1 && -t 0 && -t 2 ]] || return 0
  command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || return 0
  local missing answer=
  mapfile -t missing < <(tune_missing_packages "$@")
  ((${#missing[@]})) || return 0
  read -r -p "tune: install these Debian packages: ${missing[*]}? [Y/n] " answer || answer=n
  [[ -z $answer || $answer == [yY]* ]] || tune_agreed=no
}

tune_install() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    command -v cmake >/dev/null && command -v g++ >/dev/null ||
      tune_die "this system has no apt-get: install a C++20 compiler, CMake 3.25 or newer, Ninja and git, then call again"
    tune_say "this system has no apt-get: CMake fetches the libraries that it does not find"
    return
  fi
  local missing package needed=() optional=()
  mapfile -t missing < <(tune_missing_packages "$@")
  for package in "${missing[@]}"; do
    if [[ $tune_optional_packages == *" $package "* ]]; then optional+=("$package"); else needed+=("$package"); fi
  done
  ((${#missing[@]})) || return 0
  tune_agree "$@"
  local as_root=()
  if [[ $tune_agreed == no ]]; then
    ((${#needed[@]} == 0)) || tune_die "nothing is installed; install and call again: sudo apt-get install -y ${needed[*]}"
    tune_say "going on without ${optional[*]}"
    return 0
  elif ((EUID != 0)); then
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 && -t 2 ]]; }; then
      as_root=(sudo)
    elif ((${#needed[@]})); then
      tune_die "missing packages; install them and call again: sudo apt-get install -y ${missing[*]}"
    else
      tune_say "going on without ${optional[*]}"
      return 0
    fi
  fi
  tune_say "installing from Debian's packages: ${missing[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2 ||
    tune_say "the package lists could not be updated; trying with the ones at hand"
  # A release may lack one of the libraries: CMake fetches that one, so it is no reason to stop.
  local available=()
  for package in "${needed[@]}"; do
    if apt-cache show "$package" >/dev/null 2>&1; then available+=("$package"); else
      tune_say "no package $package in this release: CMake fetches it"
    fi
  done
  ((${#available[@]} == 0)) ||
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${available[@]}" >&2 ||
    tune_die "installing failed; by hand: sudo apt-get install -y ${available[*]}"
  # Together, since each call takes seconds; where that fails, one by one.
  local bare=() whole=()
  for package in "${optional[@]}"; do
    if [[ $package == python3-* || $package == clang-* ]]; then bare+=("$package"); else whole+=("$package"); fi
  done
  tune_try_to_install "${whole[@]}"
  tune_try_to_install --no-install-recommends "${bare[@]}"
}

# tune_try_to_install [OPTION] PACKAGE...: for tune_install, as ${as_root[@]}.
tune_try_to_install() {
  local option=() package
  [[ ${1:-} != --* ]] || { option=("$1"); shift; }
  (($#)) || return 0
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${option[@]}")
  (($# > 1)) && "${install[@]}" "$@" >&2 && return 0
  for package in "$@"; do "${install[@]}" "$package" >&2 || tune_say "going on without $package"; done
}

# tune_run_logged LOG WHAT COMMAND...: shows the log's end only when the command fails.
tune_run_logged() {
  local log=$1 what=$2
  shift 2
  if ! "$@" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    tune_die "$what failed; the whole log is $log"
  fi
}

# tune_show_progress LOG: keeps what a build prints in LOG and shows how far it is: a line that counts on a terminal, a
# line each tenth elsewhere.
tune_show_progress() {
  local line done all tenth=0
  while IFS= read -r line; do
    printf '%s\n' "$line"
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    done=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
    if [[ -t 2 ]]; then
      printf '\rtune: building: %d of %d steps' "$done" "$all" >&2
    elif ((done * 10 / all > tenth)); then
      tenth=$((done * 10 / all))
      tune_say "building: $done of $all steps"
    fi
  done >"$1"
  [[ ! -t 2 || -z ${all:-} ]] || echo >&2
}

# tune_make TARGET: the log's end is shown only when it fails.
tune_make() {
  local log=$tune_build/build.log
  if ! NINJA_STATUS='[%f/%t] ' cmake --build "$tune_build" --target "$1" 2>&1 | tune_show_progress "$log"; then
    grep -v '^\[' "$log" | tail -n 40 >&2
    tune_die "building failed; the whole log is $log"
  fi
}

# tune_configure OPTION...: with the toolkit that is in the usual place even where it is not on the PATH.
tune_configure() {
  local toolkit=()
  if [[ -z ${CUDAToolkit_ROOT:-} ]] && ! command -v nvcc >/dev/null && [[ -d /usr/local/cuda ]]; then
    toolkit=(-DCUDAToolkit_ROOT=/usr/local/cuda)
  fi
  mkdir -p "$tune_build"
  tune_run_logged "$tune_build/configure.log" "configuring" \
    cmake -S "$tune_root" -B "$tune_build" -G Ninja "${toolkit[@]}" "$@"
}
