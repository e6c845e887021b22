package completion

import (
	"slices"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/sandbox"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

// vocabulary says what each name in capitals stands for.
func vocabulary(d *cmdutil.Deps, service *service) map[string]source {
	return map[string]source{
		"PROFILE":  func(place) []Candidate { return profiles(d) },
		"ACCOUNT":  service.accounts,
		"CONTACT":  service.contacts,
		"TRANSFER": service.transfers,
		"ROUTE":    service.routes,
		"STATUS":   enum(d, "listAccounts", "kycStatus"),
		"STATUSES": enum(d, "listAccounts", "kycStatus"),
		"STATE":    enum(d, "listTransfers", "state"),
		"STATES":   enum(d, "listTransfers", "state"),
		"GROUPS":   words("state", "currency", "route", "day", "batch"),
		"TYPES":    enum(d, "listEvents", "types"),
		"EVENT":    func(at place) []Candidate { return words(sandbox.Triggers(d)...)(at) },
		"SIDE":     enum(d, "createAutoTransfer", "amountType"),
		"FORMAT":   formats,
		"STORE":    words(settings.CredentialStoreKeyring, settings.CredentialStoreFile),
		"KEY":      func(place) []Candidate { return profileKeys(d) },
		"MODE":     words("real", "manual", "10x"),
		"PACE":     words("real", "manual", "10x"),
		"CURSOR":   words("beginning", "latest"),
		"METHOD":   words("GET", "POST", "PUT", "PATCH", "DELETE"),
		"PATH":     func(place) []Candidate { return paths(d) },
	}
}

// flagSources says what flags take whose usage does not tell them apart from others.
func flagSources(d *cmdutil.Deps, service *service) map[string]source {
	return map[string]source{
		"rail":            words(payments.Rails()...),
		"type":            enum(d, "createAccount", "type"),
		"holder-type":     enum(d, "createSavedContact", "holderType"),
		"created-after":   words("today", "yesterday", "7d", "24h"),
		"created-before":  words("today", "yesterday", "7d", "24h"),
		"deposits":        words("auto", "manual"),
		"source":          service.sources,
		"destination":     service.destinations,
		"idempotency-key": nil,
		"set":             nil,
		"subject":         service.subjects,

		"payctl kyc submit --field": service.requirements,
		"payctl kyc submit --file":  service.requirements,
	}
}

func words(values ...string) source {
	return func(place) []Candidate {
		candidates := make([]Candidate, len(values))
		for i, value := range values {
			candidates[i].Value = value
		}
		return candidates
	}
}

// enum lists the values that the contract has for a member of an operation.
func enum(d *cmdutil.Deps, operationID, member string) source {
	return func(at place) []Candidate { return words(d.Enum(operationID, member)...)(at) }
}

func formats(place) []Candidate {
	var candidates []Candidate
	for _, format := range ui.Formats() {
		candidates = append(candidates, Candidate{Value: string(format)})
	}
	return candidates
}

func profiles(d *cmdutil.Deps) []Candidate {
	file, err := d.Config()
	if err != nil {
		return nil
	}
	var candidates []Candidate
	for _, name := range file.Profiles() {
		base, _ := file.Value(name, settings.KeyBaseURL)
		candidates = append(candidates, Candidate{name, ui.Sanitize(base)})
	}
	return candidates
}

func profileKeys(d *cmdutil.Deps) []Candidate {
	var candidates []Candidate
	for _, key := range settings.Keys() {
		if key.InProfile && !key.IsMapping {
			candidates = append(candidates, Candidate{Value: key.Name})
		}
	}
	for _, op := range d.Mappable {
		candidates = append(candidates, Candidate{"operations." + op.ID, op.Method + " " + op.Path})
	}
	return candidates
}

// paths lists each path once, with all that can be done there.
func paths(d *cmdutil.Deps) []Candidate {
	var candidates []Candidate
	for _, op := range d.Mappable {
		at := slices.IndexFunc(candidates, func(c Candidate) bool { return c.Value == op.Path })
		if at < 0 {
			candidates = append(candidates, Candidate{op.Path, op.Summary})
			continue
		}
		candidates[at].Description += ", " + op.Summary
	}
	return candidates
}
