package servicemap

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/textutil"
)

// pages describes the pages of a list.
type pages struct {
	next          string // as in the profile; empty means not given
	more, total   jsontext.Pointer
	cursor, limit string // query parameters; empty means that the service has none
}

func (m *Map) pagesOf(id string) pages {
	p, isOwn := m.pages[id]
	if !isOwn {
		p, isOwn = m.pages[""]
	}
	if !isOwn || id == contract.ListEvents.ID {
		p = pages{cursor: "cursor", limit: "limit"}
	}
	return p
}

// end returns the cursor of the next page, and how the page at a cursor describes the rest of its list.
func (p pages) end(at string, reply *payments.Response, rows []jsontext.Value) (next string, end payments.ListEnd) {
	header := http.Header(reply.Header)
	before, at := p.seen(at)
	if p.next == "offset" {
		before, _ = strconv.Atoi(at)
	}
	seen := before + len(rows)
	word, rest, _ := strings.Cut(p.next, " ")
	isCounted := false
	switch {
	case p.next == "":
		return guessEnd(reply.Body, header, rows, at)
	case p.next[0] == '/':
		value, _ := valueAt(reply.Body, jsontext.Pointer(p.next))
		if next = textOf(value); next == "false" || len(rows) == 0 && next == at {
			next = ""
		}
	case word == "link":
		next = linkToNext(header)
	case word == "header":
		next = header.Get(rest)
	case word == "page":
		current, _ := strconv.Atoi(cmp.Or(at, rest))
		next, isCounted = strconv.Itoa(current+1), true
	case word == "offset":
		next, isCounted = strconv.Itoa(seen), true
	case word == "id" && len(rows) > 0:
		last, _ := readObject(rows[len(rows)-1])
		next, isCounted = textOf(last["id"]), true
	}
	more, _ := valueAt(reply.Body, p.more)
	if isCounted && len(rows) == 0 || p.more != "" && more.Kind() == 'f' {
		next = ""
	}
	if next != "" && p.total != "" && p.next != "offset" {
		next = strconv.Itoa(seen) + ":" + next
	}
	if next != "" {
		return next, payments.ListMayGoOn
	}
	value, _ := valueAt(reply.Body, p.total)
	total, err := strconv.Atoi(textOf(value))
	isCut := p.total != "" && err == nil && total > seen
	if isCut || p.more != "" && more.Kind() == 't' && !isCounted {
		return "", payments.ListIsCut
	}
	return "", payments.ListEnds
}

// seen splits a cursor of a list with a total into the number of rows before it and the service's cursor.
func (p pages) seen(cursor string) (rows int, own string) {
	before, own, found := strings.Cut(cursor, ":")
	if rows, err := strconv.Atoi(before); p.total != "" && found && err == nil {
		return rows, own
	}
	return 0, cursor
}

// linkToNext returns the target of the link to the next page (RFC 8288 section 3), or "".
func linkToNext(header http.Header) string {
	if len(header["Link"]) == 0 {
		return ""
	}
	isNext := textutil.Regexp(`(?i);\s*rel\s*=\s*"?[^",;]*\bnext\b`)
	for _, link := range textutil.Regexp(`<([^>]*)>([^<]*)`).FindAllStringSubmatch(strings.Join(header["Link"], ","), -1) {
		if isNext.MatchString(link[2]) {
			return link[1]
		}
	}
	return ""
}

// isURL reports whether a cursor is the address of the next page.
func isURL(cursor string) bool {
	isPath := strings.HasPrefix(cursor, "/") || strings.HasPrefix(cursor, "?")
	return strings.HasPrefix(cursor, "http://") || strings.HasPrefix(cursor, "https://") ||
		isPath && strings.Contains(cursor, "?")
}

// follow returns the query of the address of the next page. The request goes to the list's own path below the base URL.
func follow(cursor, path string) (url.Values, error) {
	at, err := url.Parse(cursor)
	if err != nil || at.RawQuery == "" || at.Path != "" && !strings.HasSuffix(at.EscapedPath(), path) {
		return nil, fmt.Errorf("the next page is at %.100q, which is not the list's path with a query", cursor)
	}
	return url.ParseQuery(at.RawQuery)
}

// guessEnd reads what a page says about the rest of its list, in the usual forms: beside its rows, or one level deeper.
func guessEnd(
	document jsontext.Value, header http.Header, rows []jsontext.Value, at string,
) (next string, end payments.ListEnd) {
	said := map[string]jsontext.Value{} // by folded names
	read := func(of jsontext.Value) (members map[string]jsontext.Value) {
		_ = json.Unmarshal(of, &members) // no object says nothing
		for name, value := range members {
			said[payments.FoldMember(name)] = value
		}
		return members
	}
	members := read(document)
	following, saysNext := said["nextcursor"]
	if next = textOf(following); next == "false" || next == "null" {
		next = ""
	}
	for _, value := range members {
		if value.Kind() == '{' {
			read(value)
		}
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return !slices.Contains([]string{"", "null", "false", "0"}, strings.Trim(string(said[name]), `"`))
		})
	}
	more := strings.Trim(string(said["hasmore"]), `"`)
	total, _ := strconv.Atoi(cmp.Or(textOf(said["total"]), textOf(said["totalcount"])))
	saysMore := total > len(rows) && at == "" || linkToNext(header) != "" ||
		has("hasmore", "hasnext", "hasnextpage", "next", "nextpage", "nextpagetoken")
	link, hasLink := said["next"]
	switch {
	case more == "false", more == "0", len(rows) == 0 && next != "" && next == at:
		return "", payments.ListEnds
	case next == "" && saysMore:
		return "", payments.ListIsCut
	case next == "" && (saysNext || len(rows) == 0 || hasLink && (link.Kind() == 'n' || string(link) == `""`)):
		return "", payments.ListEnds
	}
	return next, payments.ListMayGoOn
}
