package invocation

import (
	"context"
	"fmt"

	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

// ContactID returns the identifier of the saved contact that a flag names: by its identifier, its external id or its
// label. What has the form of the reference service's identifiers is taken as it is, without a request.
func (d *Deps) ContactID(ctx context.Context, service payments.Service, flag, name string) (string, error) {
	if name == "" || payments.IsContactID(name) {
		return name, nil
	}
	if d.Options.Curl {
		return "", exit.Usage("with --curl, %s needs the id of the contact: a label is found with a request of its own", flag)
	}
	var known payments.NamedContacts
	for _, filter := range []payments.SavedContactFilter{{Label: name}, {ExternalID: name}} {
		if err := known.Read(ctx, service, filter); err != nil {
			return "", err
		}
	}
	found := known.Find(name)
	switch {
	case len(found) > 1:
		return "", exit.Usage("%s: %s", flag, payments.AmbiguousContact(name, found)).WithHint(shell.Hint(
			"payctl contacts list --label=LABEL   (shows how they differ)", shell.Values{"--label=LABEL": "--label=" + name}))
	case len(found) == 1 && (found[0].ID == name || payments.IsContactID(found[0].ID) && !known.Partial):
		return found[0].ID, nil
	case len(found) == 1 && known.Partial:
		return "", exit.Usage("%s: %s", flag, payments.UncertainContact(name, found[0]))
	}
	// Identifiers of other services may have any form, so that the name of one contact may be the identifier of another.
	_, err := service.GetSavedContact(ctx, name, payments.ReadOptions{})
	isUnknown := payments.IsKind(err, payments.KindNotFound)
	switch {
	case len(found) == 1 && isUnknown:
		return found[0].ID, nil
	case len(found) == 1 && err == nil:
		return "", exit.Usage("%s: contact %q is the id of one contact, and the label or external id of %s; give the id of that one, "+
			"or another name", flag, name, found[0].ID)
	case isUnknown:
		return "", &exit.Error{
			Code: exit.ExitNotFound, Kind: "not-found", Title: "Not found.",
			Detail: fmt.Sprintf("no saved contact has the id, external id or label %q", name),
			Next:   []string{"payctl contacts list --all"}, Cause: err,
		}
	}
	return name, err
}
