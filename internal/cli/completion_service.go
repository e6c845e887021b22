package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/contacts"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/cli/transfer"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// The limits of a request while the user waits for the shell.
const (
	completionTimeout = time.Second
	longestValue      = 128 // bytes
	longestText       = 80  // characters
)

// onePage is as much as one request lists.
var onePage = payments.PageQuery{Limit: payments.LargestPage}

// askQuickly calls the service once, with credentials that nobody has to unlock. Without them, or in case of an error,
// there is nothing.
func askQuickly[T any](c *completer, list func(context.Context, payments.Reads) (T, error)) (answer T) {
	ctx, cancel := context.WithTimeout(context.Background(), completionTimeout)
	defer cancel()
	if at, ok := c.quick(); ok {
		answer, _ = list(ctx, at)
	}
	return answer
}

func (c *completer) accounts() []cobra.Completion {
	found := askQuickly(c, func(ctx context.Context, at payments.Reads) (payments.AccountPage, error) {
		return at.ListAccounts(ctx, payments.AccountFilter{PageQuery: onePage})
	}).Data
	for i := range found {
		found[i] = found[i].Masked() // TAB does not ask for personal data
	}
	return rowCandidates(resource.Accounts, found)
}

// contacts are completed by their labels, which people know. A contact is completed by its id if two have the same
// label, or if the label is not one word of a shell.
func (c *completer) contacts() (found []cobra.Completion) {
	list := askQuickly(c, func(ctx context.Context, at payments.Reads) (payments.SavedContactPage, error) {
		return at.ListSavedContacts(ctx, payments.SavedContactFilter{PageQuery: onePage})
	}).Data
	labels := map[string]int{}
	for _, contact := range list {
		labels[contact.Label]++
	}
	for i, contact := range list {
		named := candidate(contact.Label, contact.ID, contact.HolderName)
		if named == nil || labels[contact.Label] > 1 || contact.Label != strings.TrimSpace(contact.Label) {
			named = rowCandidates(contacts.Table, list[i:i+1])
		}
		found = append(found, named...)
	}
	return found
}

func (c *completer) transfers() []cobra.Completion {
	return rowCandidates(transfer.Table, askQuickly(c, func(
		ctx context.Context, at payments.Reads,
	) (payments.TransferPage, error) {
		return at.ListTransfers(ctx, payments.TransferFilter{PageQuery: onePage})
	}).Data)
}

func (c *completer) routes() (found []cobra.Completion) {
	selection := askQuickly(c, func(ctx context.Context, at payments.Reads) (payments.TransferInfo, error) {
		return at.SelectRoutes(ctx, payments.RouteSelection{})
	})
	for _, r := range selection.Routes {
		found = append(found, candidate(r.RouteKey, string(r.FlowType), r.Provider)...)
	}
	return found
}

// rowCandidates makes candidates of resources: their identifiers, described by what else a table shows of them.
func rowCandidates[T any](table resource.Table[T], list []T) (found []cobra.Completion) {
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

// wordCharacters are those of identifiers, route keys and labels. The scripts of the shells quote a space.
const wordCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:>@+ "

// candidate makes a word of what a service sent. A value that a shell or a terminal could take for anything else than
// an identifier is left out.
func candidate(value string, parts ...string) []cobra.Completion {
	if value == "" || len(value) > longestValue || value[0] == '-' || strings.Trim(value, wordCharacters) != "" {
		return nil
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	text := []rune(ui.Sanitize(strings.Join(parts, ", ")))
	if len(text) > longestText {
		text = append(text[:longestText-1], '…')
	}
	return []cobra.Completion{cobra.CompletionWithDesc(value, string(text))}
}
