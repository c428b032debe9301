# SPDX-License-Identifier: Apache-2.0
# Completion of tune in bash: eval "$(tune reference bash)", or this file in share/bash-completion/completions.
_tune() {
  local line=${COMP_LINE:0:COMP_POINT} words current candidates
  read -ra words <<<"$line"
  [[ $line != *[[:space:]] ]] || words+=("")
  current=${words[-1]}
  mapfile -t candidates < <("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null)
  # bash replaces only what stands behind the last '=' or ':'.
  local kept=$current
  kept=${kept%"${kept##*[=:]}"}
  COMPREPLY=("${candidates[@]#"$kept"}")
  [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace
}
complete -o default -o bashdefault -F _tune tune ./tune
