"""The scripts that make shells ask us what can be typed.

They hand over what was typed as arguments, and take what comes back as data: no `eval`, no
`compgen -W` and nothing else that expands, since titles come from whatever the agent has read.
"""

import argparse

from explorer.commands.output import write
from explorer.errors import ExitCode

BASH = r"""# Completion of session-explorer for bash. In ~/.bashrc:
#   source <(session-explorer completion bash)
_session_explorer() {
    local program=$1 kind='' one
    type -P "$program" >/dev/null || program=session-explorer
    COMPREPLY=()
    while IFS= read -r -d '' one; do
        if [[ -z $kind ]]; then
            kind=$one
        else
            COMPREPLY+=("$one")
        fi
    done < <("$program" complete bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
    if [[ $kind == paths ]]; then
        compopt -o default 2>/dev/null
    fi
}
complete -o nosort -F _session_explorer session-explorer 2>/dev/null ||
    complete -F _session_explorer session-explorer
"""

ZSH = r"""#compdef session-explorer
# Completion of session-explorer for zsh. In ~/.zshrc, after compinit:
#   source <(session-explorer completion zsh)
# or save it as _session-explorer in a folder of $fpath.
_session_explorer() {
    emulate -L zsh
    local kind='' value line
    local -a values shown
    {
        IFS= read -r -d '' kind
        while IFS= read -r -d '' value && IFS= read -r -d '' line; do
            values+=("$value")
            shown+=("$line")
        done
    } < <(session-explorer complete zsh "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)
    if [[ $kind == paths ]]; then
        _files
    elif (( $#values )); then
        compadd -V sessions -l -d shown -M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]}' \
            -a values
    fi
}
if [[ $funcstack[1] == _session-explorer ]]; then
    _session_explorer "$@"
else
    compdef _session_explorer session-explorer
fi
"""

FISH = r"""# Completion of session-explorer for fish:
#   session-explorer completion fish > ~/.config/fish/completions/session-explorer.fish
function __session_explorer_complete
    set -l words (commandline -opc)
    set -l token (commandline -ct)
    set -l found (session-explorer complete fish $words "$token" 2>/dev/null | string split0)
    if test "$found[1]" = paths
        __fish_complete_path "$token"
    else if set -q found[2]
        string join0 -- $found[2..-1] | string split0
    end
end
complete -c session-explorer -f -k -a '(__session_explorer_complete)'
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


def print_script(options: argparse.Namespace, now: float) -> int:
    write(SCRIPTS[options.shell].rstrip("\n"))
    return ExitCode.DONE
