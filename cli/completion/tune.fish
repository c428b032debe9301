# SPDX-License-Identifier: Apache-2.0
# Completion of tune in fish: tune reference fish | source, or this file in share/fish/vendor_completions.d.
function __tune_complete
    set -l words (commandline -opc) (commandline -ct)
    $words[1] complete -- $words[2..-1] 2>/dev/null
end
complete -c tune -a '(__tune_complete)'
