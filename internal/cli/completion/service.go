package completion

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

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

func (s *service) accounts(place) []Candidate {
	return s.known("accounts", func(ctx context.Context, at payments.Reads) ([]Candidate, error) {
		page, err := at.ListAccounts(ctx, payments.AccountFilter{PageQuery: payments.PageQuery{Limit: mostCandidates}})
		return candidates(page.Data, func(a payments.Account) (string, []string) {
			masked := a.Masked() // TAB does not ask for personal data, and candidates are stored on the disk
			return a.ID, []string{masked.Name(), masked.Email, string(a.KYCStatus)}
		}), err
	})
}

func (s *service) contacts(place) []Candidate {
	return s.known("contacts", func(ctx context.Context, at payments.Reads) ([]Candidate, error) {
		page, err := at.ListSavedContacts(ctx, payments.SavedContactFilter{PageQuery: payments.PageQuery{Limit: mostCandidates}})
		return candidates(page.Data, func(c payments.SavedContact) (string, []string) {
			return c.ID, []string{c.Label, c.HolderName, c.PaymentRail + ":" + c.Currency}
		}), err
	})
}

func (s *service) transfers(place) []Candidate {
	return s.known("transfers", func(ctx context.Context, at payments.Reads) ([]Candidate, error) {
		page, err := at.ListTransfers(ctx, payments.TransferFilter{PageQuery: payments.PageQuery{Limit: mostCandidates}})
		return candidates(page.Data, func(t payments.Transfer) (string, []string) {
			return t.ID, []string{string(t.State), cmdutil.Money(t.Amount, t.Source.Currency), cmp.Or(t.Reference, t.ExternalID)}
		}), err
	})
}

// subjects finds what events can be about.
func (s *service) subjects(at place) []Candidate {
	return slices.Concat(s.accounts(at), s.transfers(at), s.contacts(at))
}

// routes finds routes in two steps: first their sources, such as ethereum:USDC->, then the routes from the source that
// was chosen.
func (s *service) routes(at place) []Candidate {
	all := s.selection("routes", func(info payments.TransferInfo) []Candidate {
		return candidates(info.Routes, func(r payments.TransferRoute) (string, []string) {
			return r.RouteKey, []string{string(r.FlowType), r.Provider}
		})
	})
	var sources []Candidate
	count := map[string]int{}
	for _, route := range all {
		source, _, ok := strings.Cut(route.Value, "->")
		if source += "->"; ok && strings.HasPrefix(source, at.begun) {
			if count[source] == 0 {
				sources = append(sources, Candidate{Value: source})
			}
			count[source]++
		}
	}
	if len(sources) < 2 { // one was chosen
		return all
	}
	for i := range sources {
		sources[i].Description = cmdutil.Count(count[sources[i].Value], "route(s)")
	}
	return sources
}

// contactNames finds contacts by their label, and by their id where nothing was typed.
func (s *service) contactNames(at place) []Candidate {
	if at.begun == "" {
		return s.contacts(at)
	}
	labels := s.known("labels", func(ctx context.Context, at payments.Reads) ([]Candidate, error) {
		page, err := at.ListSavedContacts(ctx, payments.SavedContactFilter{PageQuery: payments.PageQuery{Limit: mostCandidates}})
		return labelled(page.Data), err
	})
	return slices.Concat(s.contacts(at), labels)
}

// labelled makes candidates of the labels that only one contact has.
func labelled(contacts []payments.SavedContact) []Candidate {
	count := map[string]int{}
	for _, c := range contacts {
		count[c.Label]++
	}
	var found []Candidate
	for _, c := range contacts {
		if count[c.Label] == 1 && isLabel(c.Label) {
			text := ui.Sanitize(c.PaymentRail + ":" + c.Currency + ", " + c.ID)
			found = append(found, Candidate{c.Label, shortened(text)})
		}
	}
	return found
}

// requirements finds the names of what the identity check of an account requires, with an equals sign.
func (s *service) requirements(at place) []Candidate {
	if len(at.args) == 0 {
		return nil
	}
	account := at.args[0]
	return s.known("requirements "+account, func(ctx context.Context, at payments.Reads) ([]Candidate, error) {
		check, err := at.GetKYCStatus(ctx, account, payments.ReadOptions{})
		found := candidates(check.Value.Requirements, func(r payments.KYCRequirement) (string, []string) {
			return r.Name, []string{r.Status}
		})
		for i := range found {
			found[i].Value += "="
		}
		return found, err
	})
}

// documents finds what --file of kyc submit takes: the name of a requirement, and behind it a file.
func (s *service) documents(at place) []Candidate {
	if name, path, ok := strings.Cut(at.begun, "="); ok {
		return files(name+"=", path)
	}
	return s.requirements(at)
}

func (s *service) sources(place) []Candidate {
	return s.selection("sources", func(info payments.TransferInfo) []Candidate { return endpoints(info.AvailableSources) })
}

func (s *service) destinations(place) []Candidate {
	return s.selection("destinations", func(info payments.TransferInfo) []Candidate { return endpoints(info.AvailableDestinations) })
}

// currencies lists those of the endpoints on both sides.
func (s *service) currencies(place) []Candidate {
	return s.selection("currencies", func(info payments.TransferInfo) []Candidate {
		var values []string
		for _, e := range slices.Concat(info.AvailableSources, info.AvailableDestinations) {
			values = append(values, e.Currency)
		}
		slices.Sort(values)
		return candidates(slices.Compact(values), func(value string) (string, []string) { return value, nil })
	})
}

func endpoints(list []payments.AvailableEndpoint) []Candidate {
	return candidates(list, func(e payments.AvailableEndpoint) (string, []string) {
		return e.PaymentRail + ":" + e.Currency, []string{e.Provider}
	})
}

func (s *service) selection(kind string, pick func(payments.TransferInfo) []Candidate) []Candidate {
	return s.known(kind, func(ctx context.Context, at payments.Reads) ([]Candidate, error) {
		info, err := at.SelectRoutes(ctx, payments.RouteSelection{})
		return pick(info), err
	})
}

// known finds candidates of a kind: those that were found a short time ago, or what the service says in time. Where that
// needs a credential that only a person can unlock, there are none.
func (s *service) known(kind string, ask func(context.Context, payments.Reads) ([]Candidate, error)) []Candidate {
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

// isLabel reports whether a text means the same to every shell within quotes of any kind, and to every terminal.
func isLabel(text string) bool {
	if text == "" || len(text) > longestValue || strings.TrimSpace(text) != text || text[0] == '-' || ui.Sanitize(text) != text {
		return false
	}
	return !strings.ContainsFunc(text, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune(" _-.:@+,/", c)
	})
}

func shortened(text string) string {
	runes := []rune(text)
	if len(runes) <= longestText {
		return text
	}
	return string(runes[:longestText-1]) + "…"
}
