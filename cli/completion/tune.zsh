#compdef tune
# SPDX-License-Identifier: Apache-2.0
# Completion of tune in zsh: eval "$(tune reference zsh)" after compinit, or this file as _tune in a folder of $fpath.
_tune() {
  local -a candidates
  candidates=(${(f)"$(${words[1]} complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( ${#candidates} == 0 )); then
    _files
  elif [[ ${#candidates} == 1 && ${candidates[1]} == *= ]]; then
    compadd -S '' -- $candidates
  else
    compadd -- $candidates
  fi
}
if [[ $funcstack[1] == _tune ]]; then _tune "$@"; else compdef _tune tune; fi
