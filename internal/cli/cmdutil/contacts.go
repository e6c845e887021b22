package cmdutil

import (
	"context"
	"fmt"

	"github.com/payctl/payctl/internal/payments"
)

// ContactID returns the identifier of the saved contact that a flag names: by its identifier, its external id or its
// label. What has the form of the reference service's identifiers is taken as it is, without a request.
func (d *Deps) ContactID(ctx context.Context, service payments.Service, flag, name string) (string, error) {
	if name == "" || payments.IsContactID(name) {
		return name, nil
	}
	if d.Options.Curl {
		return "", Usage("with --curl, %s needs the id of the contact: a label is found with a request of its own", flag)
	}
	var known payments.NamedContacts
	for _, filter := range []payments.SavedContactFilter{{Label: name}, {ExternalID: name}} {
		if err := known.Read(ctx, service, filter); err != nil {
			return "", err
		}
	}
	switch found := known.Find(name); len(found) {
	case 0:
	case 1:
		return found[0].ID, nil
	default:
		return "", Usage("%s: %s", flag, payments.AmbiguousContact(name, found))
	}
	_, err := service.GetSavedContact(ctx, name, payments.ReadOptions{}) // identifiers of other services may have any form
	if payments.IsKind(err, payments.KindNotFound) {
		return "", &Error{
			Code: ExitNotFound, Kind: "not-found", Title: "Not found.",
			Detail: fmt.Sprintf("no saved contact has the id, external id or label %q", name),
			Next:   []string{"payctl contacts list --all"}, Cause: err,
		}
	}
	return name, err
}
