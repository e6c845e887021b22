package cmdutil

import (
	"context"
	"fmt"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

// Contact returns the saved contact that a flag names: by its identifier, its external id or its label. Of one whose
// name has the form of the reference service's identifiers only that is known, without a request.
func (d *Deps) Contact(
	ctx context.Context, service payments.Service, flag, name string,
) (payments.SavedContact, error) {
	named := payments.SavedContact{ID: name}
	if name == "" || payments.IsContactID(name) {
		return named, nil
	}
	if d.Options.Curl {
		return named, Usage("with --curl, %s needs the id of the contact: a label is found with a request of its own", flag)
	}
	var known payments.NamedContacts
	for _, filter := range []payments.SavedContactFilter{{Label: name}, {ExternalID: name}} {
		if err := known.Read(ctx, service, filter); err != nil {
			return named, err
		}
	}
	chosen, fault := known.Choose(name)
	switch {
	case fault != "":
		return named, Usage("%s: %s", flag, fault).WithHint(
			shell.Payctl("contacts list", "--label="+name).With("shows how they differ"))
	case chosen != nil && (chosen.ID == name || payments.IsContactID(chosen.ID)):
		return *chosen, nil
	}
	// Identifiers of other services may have any form. So the name of one contact may be the identifier of another.
	_, err := service.GetSavedContact(ctx, name)
	isUnknown := payments.IsLacking(err)
	switch {
	case chosen != nil && isUnknown:
		return *chosen, nil
	case chosen != nil && err == nil:
		return named, Usage("%s: contact %q is the id of one contact, and the label or external id of %s; give the id of that one, "+
			"or another name", flag, name, chosen.ID)
	case isUnknown:
		return named, &Error{
			Code: ExitNotFound, ProblemType: "not-found", Title: "Not found.",
			Detail: fmt.Sprintf("no saved contact has the id, external id or label %q", name),
			Next:   []shell.Hint{shell.Payctl("contacts list --all")}, Cause: err,
		}
	}
	return named, err
}
