# Makes the page docs/PERFORMANCE.md of what `go test -bench` prints.
BEGIN {
	print "<!-- Written by make bench. Do not edit. -->\n# Performance\n"
	printf "Measured on %s with %s by `make bench`, which also writes this page.\n\n", date, go
	while ((getline line < intro) > 0) print line
	print "\n| payctl / its peer or limit | payctl | peer | ratio | limit | holds |\n| --- | --- | --- | --- | --- | --- |"
}
/^Benchmark/ && / ratio/ {
	name = $1; sub(/^Benchmark[A-Za-z]*\//, "", name); sub(/-[0-9]+$/, "", name); gsub(/_/, " ", name); gsub(/\//, " / ", name)
	this = other = ratio = bound = holds = ""
	for (i = 3; i < NF; i += 2) {
		unit = $(i + 1)
		if (unit ~ /^payctl:/) this = $i " " substr(unit, 8)
		if (unit ~ /^peer:/) other = $i " " substr(unit, 6)
		if (unit == "ratio") ratio = $i
		if (unit == "at-most") bound = "at most " $i
		if (unit == "at-least") bound = "at least " $i
	}
	split(bound, limit, " ")
	if (bound != "") holds = ((limit[2] == "most") ? ratio + 0 <= limit[3] + 0 : ratio + 0 >= limit[3] + 0) ? "yes" : "no"
	printf "| %s | %s | %s | %s | %s | %s |\n", name, this, other, ratio, bound, holds
}
