# fish completion for payctl.
#
# A TAB runs payctl and nothing else: what the words on the line would run or redirect is left alone.

# Sets what can stand at the cursor. It fails where that is a file, which fish completes by itself.
function __payctl_prepare
    set -g __payctl_found
    set -l args
    set -l typed (commandline -ct)
    # Its last quote may be open.
    set -l current (string unescape -- $typed; or string unescape -- $typed\'; or string unescape -- $typed\")
    for word in (commandline -opc) "$current"
        # A word that is nothing but a variable stands for its value, and ~/ for the home folder.
        if set -l name (string match -r -g '^\$([A-Za-z_][A-Za-z0-9_]*)$' -- $word); and set -q $name
            set word "$$name"
        end
        if string match -q '~/*' -- $word
            set word $HOME/(string sub -s 3 -- $word)
        end
        set -a args $word
    end
    set -l program payctl
    type -q -- $args[1]; and set program $args[1]
    set -l lines ($program __complete $args[2..-1] 2>/dev/null)
    string match -qr '^:[0-9]+$' -- "$lines[-1]"; or return 0 # there is no answer, or it was cut short
    # Of --flag=value the values are given, and fish wants the whole word.
    set -l flag (string match -r -- '^-[^=]*=' $args[-1])
    for line in $lines[1..-2]
        set -a __payctl_found "$flag$line"
    end
    set -l directive (string sub -s 2 -- $lines[-1])
    set -q __payctl_found[1]; or test (math "floor($directive / 4) % 2 + $directive % 2") -gt 0
end

complete -c payctl -e
complete -c payctl -n __payctl_prepare -f -a '$__payctl_found'
