# SPDX-License-Identifier: Apache-2.0
# Types at an interactive zsh: zsh -f complete.zsh TYPED SHOWN... - after each TYPED and a tab, SHOWN must appear.
zmodload zsh/zpty
zpty -b shell 'TERM=dumb zsh -f -i'

await() {  # for the text on the terminal, ten seconds at most
  local part all=
  integer i
  for ((i = 0; i < 500; i++)); do
    if zpty -r -t shell part 2>/dev/null; then
      all+=$part
      [[ $all != *$1* ]] || return 0
    else
      sleep 0.02
    fi
  done
  print -r -- "no '$1' in: $all"
  return 1
}

zpty -w shell 'PROMPT="> "; autoload -Uz compinit; compinit -u -D; eval "$(tune reference zsh)"; print rea""dy'
await ready || exit 1
while (($# > 1)); do
  zpty -w -n shell "$1"$'\t'
  await "$2" || exit 1
  zpty -w -n shell $'\x15'  # an empty line again
  shift 2
done
