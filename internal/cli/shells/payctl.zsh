#compdef payctl
compdef _payctl payctl

# zsh completion for payctl.
#
# A TAB runs payctl and nothing else: what the words on the line would run or redirect is left alone.

_payctl() {
    local word name program=payctl line directive MATCH MBEGIN MEND
    local -a args lines found nospace match mbegin mend
    for word in "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}"; do
        # A word that is nothing but a variable stands for its value, and ~/ for the home folder.
        if [[ $word =~ '^[$][{]?([A-Za-z_][A-Za-z0-9_]*)[}]?$' ]]; then
            name=$match[1]
            word=${(P)name}
        fi
        word=${word/#\~\//$HOME/}
        args+=("$word")
    done
    whence -p -- "$args[1]" >/dev/null && program=$args[1]
    lines=("${(@f)$($program __complete "${(@)args[2,-1]}" 2>/dev/null)}")
    directive=${lines[-1]#:}
    [[ $directive == <-> ]] || return 1

    for line in "${(@)lines[1,-2]}"; do
        [[ -n $line ]] && found+=("${${line//:/\\:}/$'\t'/:}")
    done
    (( directive & 2 )) && nospace=(-S '')
    [[ $PREFIX == -*=* ]] && compset -P 1 '*='
    if (( $#found )); then
        _describe -t payctl completions found "${(@)nospace}"
    elif (( ! (directive & 5) )); then
        _files
    else
        return 1
    fi
}

# When compinit loads this file by itself, its first call is what somebody pressed TAB for.
if [[ $funcstack[1] == _payctl ]]; then
    _payctl
fi
