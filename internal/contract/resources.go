package contract

import "slices"

// An Action is what an operation does to a resource.
type Action uint8

// The actions.
const (
	Reads Action = iota
	Lists
	Creates
	Updates
	Submits
	Cancels
	Deletes
)

// A Use is an operation of a resource.
type Use struct {
	Op     *Operation
	Action Action
	// Commands are the commands that use the operation.
	Commands string
	// Words are the words for the action in a service's paths. Empty means that the method decides.
	Words []string
}

// A Resource describes a kind of document that the service shows.
type Resource struct {
	Name   string // in a profile, as in transfer.id
	Noun   string // for people
	Type   string // the schema and Go type; empty for a list
	ID     string // the member with its id
	PartOf string // the resource whose id reads it; empty means its own

	Status   string   // the member with its status; empty if it has none
	StatusOf string   // the resource with the words of its status
	Decisive []string // the members that decisions need

	Get, List *Operation // or nil
	Uses      []Use      // the first one shows a document
}

// Resources are all resources. The last one has the operations without a document.
var Resources = []*Resource{
	{
		Name: "account", Noun: "account", Type: "Account", ID: "id", Status: "kycStatus", StatusOf: "kyc",
		Decisive: []string{"id"},
		Get:      &GetAccount, List: &ListAccounts, Uses: []Use{
			{Op: &GetAccount, Commands: "accounts get"},
			{Op: &ListAccounts, Action: Lists, Commands: "accounts list, kyc list"},
			{Op: &CreateAccount, Action: Creates, Commands: "accounts create, accounts import"},
			{Op: &UpdateAccount, Action: Updates, Commands: "accounts update"},
		},
	},
	{
		Name: "kyc", Noun: "identity check", Type: "KYC", ID: "accountId", PartOf: "account",
		Status: "status", StatusOf: "kyc", Decisive: []string{"status"},
		Get: &GetKYCStatus, Uses: []Use{
			{Op: &GetKYCStatus, Commands: "kyc get, kyc watch", Words: []string{"kyc", "verification", "identity"}},
			{Op: &SubmitKYC, Action: Submits, Commands: "kyc submit", Words: []string{"submission", "submit", "answer"}},
		},
	},
	{
		Name: "contact", Noun: "contact", Type: "SavedContact", ID: "id", Decisive: []string{"id"},
		Get: &GetSavedContact, List: &ListSavedContacts, Uses: []Use{
			{Op: &GetSavedContact, Commands: "contacts get"},
			{Op: &ListSavedContacts, Action: Lists, Commands: "contacts list"},
			{Op: &CreateSavedContact, Action: Creates, Commands: "contacts create, contacts import"},
			{Op: &UpdateSavedContact, Action: Updates, Commands: "contacts update"},
		},
	},
	{
		Name: "transfer", Noun: "transfer", Type: "Transfer", ID: "id", Status: "state", StatusOf: "transfer",
		Decisive: []string{"id", "state"},
		Get:      &GetTransfer, List: &ListTransfers, Uses: []Use{
			{Op: &GetTransfer, Commands: "transfer get, transfer watch"},
			{Op: &ListTransfers, Action: Lists, Commands: "transfer list, transfer report, transfer resolve"},
			{Op: &CreateAutoTransfer, Action: Creates, Commands: "transfer auto, transfer batch"},
			{Op: &CancelTransfer, Action: Cancels, Commands: "transfer cancel",
				Words: []string{"cancel", "cancellation", "void"}},
		},
	},
	{
		Name: "token", Type: "AccessToken", Decisive: []string{"access_token"},
		Uses: []Use{{Op: &CreateAccessToken, Action: Creates, Commands: "auth login"}},
	},
	{Name: "list", Decisive: []string{"data"}},
	{Name: "event", Type: "Event", List: &ListEvents, Uses: []Use{{Op: &ListEvents, Action: Lists, Commands: "events"}}},
	{Uses: []Use{
		{Op: &DescribeAccessToken, Commands: "auth status"},
		{Op: &RevokeAccessToken, Action: Deletes, Commands: "auth logout"},
		{Op: &DeleteSavedContact, Action: Deletes, Commands: "contacts delete"},
		{Op: &SelectRoutes, Commands: "routes select, routes list"},
	}},
}

// Schema returns the schema of a document of the resource.
func (r *Resource) Schema() *Schema {
	if r.Name == "list" {
		return ListTransfers.SuccessSchema()
	}
	shown, _ := r.Uses[0].Op.Shown()
	return shown
}

// Creation returns the operation that creates one. Nil means that there is none.
func (r *Resource) Creation() *Operation {
	for _, use := range r.Uses {
		if use.Action == Creates {
			return use.Op
		}
	}
	return nil
}

// Resource returns the resource that an operation shows. It has no name if there is none, as for nil.
func (op *Operation) Resource() *Resource {
	return findResource(func(r *Resource) bool {
		return slices.ContainsFunc(r.Uses,
			func(u Use) bool { return u.Op == op })
	})
}

// Use returns what an operation does to its resource. Operations of the sandbox have the zero Use.
func (op *Operation) Use() Use {
	uses := op.Resource().Uses
	if i := slices.IndexFunc(uses, func(u Use) bool { return u.Op == op }); i >= 0 {
		return uses[i]
	}
	return Use{}
}

// ResourceNamed returns the resource with a name.
func ResourceNamed(name string) *Resource {
	return findResource(func(r *Resource) bool { return r.Name == name })
}

// findResource returns the first resource that matches, or the one without a name.
func findResource(matches func(*Resource) bool) *Resource {
	if i := slices.IndexFunc(Resources, matches); i >= 0 {
		return Resources[i]
	}
	return Resources[len(Resources)-1]
}

// IsRead reports whether an operation changes nothing. The method does not decide: route selection is a PATCH that only
// reads.
func (op *Operation) IsRead() bool { return op.Method == "GET" || op.ID == SelectRoutes.ID }
