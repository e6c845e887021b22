# Shared by the scripts of these actions (sourced). They run in the bash of every runner, which on macOS is version 3.2.
# shellcheck shell=bash

# fail MESSAGE… ends the step with an error that GitHub shows next to the job.
fail() {
  local text=$*
  # A message that began a new line could be another command to the runner.
  text=${text//\%/%25} text=${text//$'\r'/%0D} text=${text//$'\n'/%0A}
  echo "::error title=payctl::$text"
  exit 1
}

# posix PATH prints a path as bash writes it, native PATH as other programs of this system do. Only on Windows do they differ.
posix() { if command -v cygpath >/dev/null; then cygpath -u "$1"; else printf '%s\n' "$1"; fi; }
native() { if command -v cygpath >/dev/null; then cygpath -w "$1"; else printf '%s\n' "$1"; fi; }

# show_log FILE prints the end of a log. Clients choose some of what is in it, so the runner must find no command there.
show_log() {
  local token
  token=$(head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n')
  echo "::group::The log of the service"
  echo "::stop-commands::$token"
  tail -n 100 "$1"
  echo
  echo "::$token::"
  echo '::endgroup::'
}
