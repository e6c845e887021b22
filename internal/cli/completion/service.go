package completion

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/payctl/payctl/internal/cli/accounts"
	"github.com/payctl/payctl/internal/cli/contacts"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/cli/transfer"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// The limits of a request while the user waits for the shell.
const (
	patience     = time.Second
	longestValue = 128 // bytes
	longestText  = 80  // characters
)

// page is as much as one request lists.
var page = payments.PageQuery{Limit: payments.LargestPage}

// A service knows what is at the service, by one call.
type service struct{ quick func() (payments.Reads, bool) }

// ask calls the service with credentials that nobody has to unlock. Without them, or in case of an error, there is nothing.
func ask[T any](s *service, list func(context.Context, payments.Reads) (T, error)) (answer T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if at, ok := s.quick(); ok {
		answer, _ = list(ctx, at)
	}
	return answer
}

func (s *service) accounts(place) []Candidate {
	found := ask(s, func(ctx context.Context, at payments.Reads) (payments.AccountPage, error) {
		return at.ListAccounts(ctx, payments.AccountFilter{PageQuery: page})
	}).Data
	for i := range found {
		found[i] = found[i].Masked() // TAB does not ask for personal data
	}
	return rows(accounts.Table, found)
}

// contacts finds contacts by their id, and also by a label that only one of them has.
func (s *service) contacts(at place) []Candidate {
	list := ask(s, func(ctx context.Context, at payments.Reads) (payments.SavedContactPage, error) {
		return at.ListSavedContacts(ctx, payments.SavedContactFilter{PageQuery: page})
	}).Data
	found, count := rows(contacts.Table, list), map[string]int{}
	for _, c := range list {
		count[c.Label]++
	}
	for _, c := range list {
		if at.begun != "" && count[c.Label] == 1 && isLabel(c.Label) && isWord(c.ID) {
			found = append(found, Candidate{c.Label, c.ID})
		}
	}
	return found
}

func (s *service) transfers(place) []Candidate {
	return rows(transfer.Table, ask(s, func(ctx context.Context, at payments.Reads) (payments.TransferPage, error) {
		return at.ListTransfers(ctx, payments.TransferFilter{PageQuery: page})
	}).Data)
}

// subjects finds what events can be about.
func (s *service) subjects(at place) []Candidate {
	return slices.Concat(s.accounts(at), s.transfers(at), s.contacts(at))
}

// requirements finds the names of what the identity check of an account requires, with an equals sign.
func (s *service) requirements(at place) (found []Candidate) {
	if len(at.args) == 0 {
		return nil
	}
	check := ask(s, func(ctx context.Context, reads payments.Reads) (payments.ReadResult[payments.KYC], error) {
		return reads.GetKYCStatus(ctx, at.args[0], payments.ReadOptions{})
	})
	for _, r := range check.Value.Requirements {
		for _, c := range candidate(r.Name, r.Status) {
			found = append(found, Candidate{c.Value + "=", c.Description})
		}
	}
	return found
}

func (s *service) routes(place) (found []Candidate) {
	for _, r := range s.selection().Routes {
		found = append(found, candidate(r.RouteKey, string(r.FlowType), r.Provider)...)
	}
	return found
}

func (s *service) sources(place) []Candidate { return endpoints(s.selection().AvailableSources) }

func (s *service) destinations(place) []Candidate {
	return endpoints(s.selection().AvailableDestinations)
}

func endpoints(list []payments.AvailableEndpoint) (found []Candidate) {
	for _, e := range list {
		found = append(found, candidate(e.PaymentRail+":"+e.Currency, e.Provider)...)
	}
	return found
}

func (s *service) selection() payments.TransferInfo {
	return ask(s, func(ctx context.Context, at payments.Reads) (payments.TransferInfo, error) {
		return at.SelectRoutes(ctx, payments.RouteSelection{})
	})
}

// rows makes candidates of resources: their identifiers, described by what else a table shows of them.
func rows[T any](table resource.Table[T], list []T) (found []Candidate) {
	for _, row := range list {
		var parts []string
		cells := table.Cells(row)
		for i, cell := range cells[1:] {
			if in := table[i+1].In; (in == resource.InBoth || in == resource.InTable) && !cell.Absent && cell.Time.IsZero() {
				parts = append(parts, cell.Text)
			}
		}
		found = append(found, candidate(cells[0].Text, parts...)...)
	}
	return found
}

// candidate makes a word of what a service sent. A value that a shell or a terminal could take for anything else than a word
// is left out.
func candidate(value string, parts ...string) []Candidate {
	if !isWord(value) {
		return nil
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	text := []rune(ui.Sanitize(strings.Join(parts, ", ")))
	if len(text) > longestText {
		text = append(text[:longestText-1], '…')
	}
	return []Candidate{{value, string(text)}}
}

// isLabel reports whether a text means the same to every shell within quotes of any kind, and to every terminal.
func isLabel(text string) bool {
	if text == "" || len(text) > longestValue || strings.TrimSpace(text) != text || text[0] == '-' || ui.Sanitize(text) != text {
		return false
	}
	return !strings.ContainsFunc(text, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune(" _-.:@+,/", c)
	})
}

// wordCharacters are those of identifiers and route keys.
const wordCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:>@+"

// isWord reports whether a value has only characters of identifiers and route keys.
func isWord(value string) bool {
	return value != "" && len(value) <= longestValue && value[0] != '-' && strings.Trim(value, wordCharacters) == ""
}
