package completion

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

// The limits of a request while the user waits for the shell.
const (
	patience       = time.Second
	mostCandidates = payments.LargestPage // one page
	longestValue   = 128                  // bytes
	longestText    = 80                   // characters
)

// A service knows what is at the service, from a cache or by one call.
type service struct{ deps *cmdutil.Deps }

func (s *service) accounts() []Candidate {
	return s.known("accounts", func(ctx context.Context, at payments.Service) ([]Candidate, error) {
		page, err := at.ListAccounts(ctx, payments.AccountFilter{PageQuery: payments.PageQuery{Limit: mostCandidates}})
		return candidates(page.Data, func(a payments.Account) (string, []string) {
			masked := a.Masked() // TAB does not ask for personal data, and candidates are stored on the disk
			return a.ID, []string{masked.Name(), masked.Email, string(a.KYCStatus)}
		}), err
	})
}

func (s *service) contacts() []Candidate {
	return s.known("contacts", func(ctx context.Context, at payments.Service) ([]Candidate, error) {
		page, err := at.ListSavedContacts(ctx, payments.SavedContactFilter{PageQuery: payments.PageQuery{Limit: mostCandidates}})
		return candidates(page.Data, func(c payments.SavedContact) (string, []string) {
			return c.ID, []string{c.Label, c.HolderName, c.PaymentRail + ":" + c.Currency}
		}), err
	})
}

func (s *service) transfers() []Candidate {
	return s.known("transfers", func(ctx context.Context, at payments.Service) ([]Candidate, error) {
		page, err := at.ListTransfers(ctx, payments.TransferFilter{PageQuery: payments.PageQuery{Limit: mostCandidates}})
		return candidates(page.Data, func(t payments.Transfer) (string, []string) {
			return t.ID, []string{string(t.State), cmdutil.Money(t.Amount, t.Source.Currency), cmp.Or(t.Reference, t.ExternalID)}
		}), err
	})
}

func (s *service) routes() []Candidate {
	return s.selection("routes", func(info payments.TransferInfo) []Candidate {
		return candidates(info.Routes, func(r payments.Route) (string, []string) {
			return r.RouteKey, []string{string(r.FlowType), r.Provider}
		})
	})
}

func (s *service) sources() []Candidate {
	return s.selection("sources", func(info payments.TransferInfo) []Candidate { return endpoints(info.AvailableSources) })
}

func (s *service) destinations() []Candidate {
	return s.selection("destinations", func(info payments.TransferInfo) []Candidate { return endpoints(info.AvailableDestinations) })
}

// parts lists one part of the endpoints on both sides, each value once.
func (s *service) parts(kind string, part func(payments.AvailableEndpoint) string) source {
	return func() []Candidate {
		return s.selection(kind, func(info payments.TransferInfo) []Candidate {
			var values []string
			for _, e := range slices.Concat(info.AvailableSources, info.AvailableDestinations) {
				values = append(values, part(e))
			}
			slices.Sort(values)
			return candidates(slices.Compact(values), func(value string) (string, []string) { return value, nil })
		})
	}
}

func endpoints(list []payments.AvailableEndpoint) []Candidate {
	return candidates(list, func(e payments.AvailableEndpoint) (string, []string) {
		return e.PaymentRail + ":" + e.Currency, []string{e.Provider}
	})
}

func (s *service) selection(kind string, pick func(payments.TransferInfo) []Candidate) []Candidate {
	return s.known(kind, func(ctx context.Context, at payments.Service) ([]Candidate, error) {
		info, err := at.SelectRoutes(ctx, payments.RouteSelection{})
		return pick(info), err
	})
}

// known finds candidates of a kind: those that were found a short time ago, or what the service says in time. Where that
// needs a credential that only a person can unlock, there are none.
func (s *service) known(kind string, ask func(context.Context, payments.Service) ([]Candidate, error)) []Candidate {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	at, identity, ok := s.deps.Quick(ctx)
	if !ok {
		return nil
	}
	dir, err := settings.StateDir(s.deps.Getenv)
	if err != nil {
		return nil
	}
	kept := newCache(dir, s.deps.Now(), identity, kind)
	if found, ok := kept.read(); ok {
		return found
	}
	found, err := ask(ctx, at)
	if err != nil {
		return nil
	}
	kept.write(found) // best effort: without it the next one asks again
	return found
}

// candidates makes words of what a service sent. A value that a shell or a terminal could take for anything else than a
// word is left out.
func candidates[T any](list []T, describe func(T) (value string, parts []string)) []Candidate {
	found := []Candidate{}
	for _, one := range list {
		value, parts := describe(one)
		if !isWord(value) {
			continue
		}
		parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
		found = append(found, Candidate{value, shortened(ui.Sanitize(strings.Join(parts, ", ")))})
	}
	return found
}

// wordCharacters are those of identifiers and route keys.
const wordCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:>@+"

// isWord reports whether a value has only characters of identifiers and route keys.
func isWord(value string) bool {
	return value != "" && len(value) <= longestValue && value[0] != '-' && strings.Trim(value, wordCharacters) == ""
}

func shortened(text string) string {
	runes := []rune(text)
	if len(runes) <= longestText {
		return text
	}
	return string(runes[:longestText-1]) + "…"
}
