# bash completion for payctl.
#
# A TAB runs payctl and nothing else: what the words on the line would run or redirect is left alone.

# Splits what stands before the cursor into words, without their quotes. Sets words, whose last is the one under the cursor;
# raw, what was typed of that one; and quote, the quote that is still open in it. bash's own COMP_WORDS are cut at colons and
# have quotes, which only an evaluation would take off.
__payctl_split() {
    local line=${COMP_LINE:0:COMP_POINT} char word= target=
    words=() raw= quote=
    while [[ -n $line ]]; do
        char=${line:0:1} line=${line:1} raw+=$char
        if [[ $char == "$quote" ]]; then
            quote=
        elif [[ $char == \\ && $quote != \' ]]; then
            [[ -z $quote || $line == [\"\\\$\`]* ]] && char=
            word+=$char${line:0:1} raw+=${line:0:1} line=${line:1}
        elif [[ -n $quote ]]; then
            word+=$char
        elif [[ $char == [\"\'] ]]; then
            quote=$char
        elif [[ $char == [[:space:]\<\>] ]]; then
            [[ $char != [[:space:]] && $word != *[!0-9]* ]] && raw=$char # the 2 of 2> is no word
            if [[ ${#raw} -gt 1 ]]; then
                [[ -z $target ]] && words+=("$word")
                target=
            fi
            word= raw=
            if [[ $char != [[:space:]] ]]; then
                target=1 # the next word is where a redirection leads
                while [[ $line == [\<\>\&\|]* ]]; do line=${line:1}; done
            fi
        else
            word+=$char
        fi
    done
    words+=("$word")
}

__start_payctl() {
    local -a words lines args texts
    local raw quote word program=payctl line flag prefix longest=0 directive=0
    local variable='^[$][{]?([A-Za-z_][A-Za-z0-9_]*)[}]?$' # written out behind =~ it is a syntax error to bash 3
    COMPREPLY=()
    __payctl_split
    for word in "${words[@]}"; do
        # A word that is nothing but a variable stands for its value, and ~/ for the home folder.
        [[ $word =~ $variable ]] && word=${!BASH_REMATCH[1]-}
        [[ $word == \~/* ]] && word=$HOME/${word:2}
        args+=("$word")
    done
    [[ $(type -t "${args[0]}") == file ]] && program=${args[0]}
    while IFS= read -r line; do lines+=("$line"); done < <("$program" __complete "${args[@]:1}" 2>/dev/null)
    if ((${#lines[@]} > 0)); then
        directive=${lines[${#lines[@]} - 1]#:}
        unset "lines[${#lines[@]} - 1]"
    fi
    [[ $directive =~ ^[0-9]+$ ]] || return # an answer that was cut short, and arithmetic would run what stands in it
    if [[ $(type -t compopt) == builtin ]]; then # bash 3 has none
        ((directive & 2)) && compopt -o nospace
        ((directive & 5)) && compopt +o default
    fi

    # Of --flag=value the values are given. Readline replaces what follows the last of COMP_WORDBREAKS, or an open quote.
    word=${words[${#words[@]} - 1]} flag=
    [[ $word == -*=* ]] && flag=${word%%=*}=
    prefix=${raw%"$2"}
    for line in ${lines[@]+"${lines[@]}"}; do # under set -u there are no empty arrays before bash 4.4
        word=${line%%$'\t'*}
        if [[ -n $quote ]]; then
            [[ $prefix == "$flag$quote" ]] || continue
        else
            [[ $word == *[!A-Za-z0-9_./:@%+=,-]* ]] && printf -v word %q "$word"
            word=$flag$word
            [[ $word == "$prefix"* ]] || continue
            word=${word:${#prefix}}
        fi
        COMPREPLY+=("$word")
        [[ $line == *$'\t'* ]] && texts+=("${line#*$'\t'}") || texts+=('')
        ((${#word} > longest)) && longest=${#word}
    done

    # Only a list that is shown (COMP_TYPE ?, ! or @) has descriptions: what is inserted is the word alone.
    [[ ${#COMPREPLY[@]} -gt 1 && " 63 33 64 " == *" ${COMP_TYPE-} "* ]] || return
    local i text room=$((${COLUMNS:-80} - longest - 4))
    for i in "${!COMPREPLY[@]}"; do
        text=${texts[i]}
        [[ -n $text && $room -gt 8 ]] || continue
        ((${#text} > room)) && text=${text:0:room - 1}…
        printf -v word '%-*s  (%s)' "$longest" "${COMPREPLY[i]}" "$text"
        COMPREPLY[i]=$word
    done
}

complete -o default -F __start_payctl payctl
