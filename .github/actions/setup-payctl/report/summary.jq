# Writes the report of `payctl serve --report` as Markdown, for the summary of a job.

# text shows a value that a client may have chosen: every character that could mean something in Markdown or HTML becomes a
# character reference, which is shown as the character and means nothing.
def text:
  tostring
  | if length > 300 then .[:300] + "…" else . end
  | explode
  | map(if . >= 48 and . <= 57 or . >= 65 and . <= 90 or . >= 97 and . <= 122 or . == 32 then [.] | implode
        elif . < 32 or . == 127 then " "
        else "&#\(.);" end)
  | add // "";

# counts shows an object of numbers by key, such as 200 × 4, 404 × 1.
def counts: to_entries | sort_by(.key) | map("\(.key | if . == "0" then "cut off" else text end) × \(.value | text)") | join(", ");

# table writes rows below a head; nothing if there are none.
def table($head; rows):
  [rows] | if length == 0 then empty else
    "", "| \($head | join(" | ")) |", "|\($head | map(" --- |") | add)", (.[] | "| \(join(" | ")) |")
  end;

# most is the number of violations that are listed: GitHub limits the size of a summary.
def most: 50;

"### payctl",
"",
"Requests: \(.requests | text) · operations used: \(.operations | length), not used: \(.notCovered | length) · " +
  (if .checked then "**violations of the contract: \(.violationCount | text)**" else "not checked against the contract" end),
table(["violation in", "where", "reason", "request"];
  .violations[:most][] | ["\(.method | text) \(.path | text) → \(.status | text)", (.pointer | text), (.reason | text), (.requestId // "" | text)]),
(if .violationCount > most then "", "The report lists more of them." else empty end),
table(["operation", "responses by status"]; .operations | to_entries[] | [(.key | text), (.value | counts)]),
table(["not in the contract", "responses"]; .notInContract | to_entries[] | [(.key | text), (.value | text)]),
table(["problem", "responses"]; .refused | to_entries[] | [(.key | text), (.value | text)]),
table(["injected fault", "times"]; .faults | to_entries[] | [(.key | text), (.value | text)]),
(if .notCovered == [] then empty else
  "", "<details><summary>Operations that were not used</summary>", "", (.notCovered | map(text) | join(", ")), "", "</details>"
end),
""
