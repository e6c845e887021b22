package contacts

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

const (
	here         = "http://127.0.0.1:8700"
	otherMachine = "https://payments.example"
)

// fake keeps one contact and records the requests.
type fake struct {
	payments.Service
	contact payments.SavedContact
	created []payments.NewSavedContact
	key     payments.Idempotency
	filter  payments.SavedContactFilter
	deleted []string
}

func (f *fake) CreateSavedContact(_ context.Context, c payments.NewSavedContact, key payments.Idempotency) (payments.WriteResult[payments.SavedContact], error) {
	f.created, f.key = append(f.created, c), key
	return payments.WriteResult[payments.SavedContact]{Value: f.contact}, nil
}

func (f *fake) GetSavedContact(_ context.Context, id string, _ payments.ReadOptions) (payments.ReadResult[payments.SavedContact], error) {
	if id != f.contact.ID {
		return payments.ReadResult[payments.SavedContact]{}, payments.NotFound("saved contact", id)
	}
	return payments.ReadResult[payments.SavedContact]{Value: f.contact, ETag: `"1"`}, nil
}

func (f *fake) ListSavedContacts(_ context.Context, filter payments.SavedContactFilter) (payments.SavedContactPage, error) {
	f.filter = filter
	return payments.SavedContactPage{Data: []payments.SavedContact{f.contact}}, nil
}

func (f *fake) DeleteSavedContact(_ context.Context, id string) error {
	f.deleted = append(f.deleted, id)
	return nil
}

// a process runs the command on buffers.
type process struct {
	deps     *cmdutil.Deps
	service  *fake
	out, err bytes.Buffer
}

func newProcess(t *testing.T, baseURL, output string) *process {
	t.Helper()
	p := &process{service: &fake{contact: payments.SavedContact{
		ID: "sct_1", Label: "Ada", HolderName: "Ada L", HolderType: payments.AccountTypeIndividual, PaymentRail: "sepa", Currency: "EUR",
		IBAN: "DE****************3000", CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}}}
	file, err := settings.Load(t.TempDir(), nil)
	require.NoError(t, err)
	resolved, err := file.Resolve(settings.Flags{settings.KeyBaseURL: baseURL, settings.KeyOutput: output}, func(string) string { return "" })
	require.NoError(t, err)
	p.deps = &cmdutil.Deps{
		Streams:  &ui.Streams{In: strings.NewReader(""), Out: &p.out, Err: &p.err},
		Now:      time.Now,
		Getenv:   func(string) string { return "" },
		Options:  &cmdutil.Options{Output: output},
		Settings: func() (settings.Settings, error) { return resolved, nil },
		Payments: func() (payments.Service, error) { return p.service, nil },
		Missing:  func(string, func(string) string) []string { return nil },
	}
	return p
}

// atTerminal lets a person type the answer.
func (p *process) atTerminal(answer string) {
	p.deps.In, p.deps.InTTY, p.deps.ErrTTY = strings.NewReader(answer), true, true
}

func (p *process) run(t *testing.T, args ...string) error {
	t.Helper()
	cmd := New(p.deps)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	return cmd.ExecuteContext(t.Context())
}

func input(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "contact.json")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestFlagsWinOverTheInputFile(t *testing.T) {
	t.Parallel()
	p := newProcess(t, here, "table")
	path := input(t, `{"label": "old", "holderName": "Kept", "currency": "usdc", "memo": "42", "address": "G", "unknown": 1}`)
	require.NoError(t, p.run(t, "create", "--input", path, "--label", "new", "--memo", "", "--rail", "stellar",
		"--holder-type", "business", "--idempotency-key", "k"))
	require.Equal(t, []payments.NewSavedContact{{
		Label: "new", HolderName: "Kept", HolderType: payments.AccountTypeBusiness, PaymentRail: "stellar", Currency: "USDC", Address: "G",
	}}, p.service.created)
	require.Equal(t, "k", p.service.key.Key)
}

func TestEveryFlagSetsItsOwnMember(t *testing.T) {
	t.Parallel()
	p := newProcess(t, here, "table")
	var args []string
	for _, name := range []string{"account", "label", "external-id", "holder-name", "holder-type", "rail", "currency", "iban", "bic", "routing-number",
		"account-number", "sort-code", "clabe", "pix-key", "pix-key-type", "address", "memo"} {
		args = append(args, "--"+name, "="+name)
	}
	require.NoError(t, p.run(t, append([]string{"create"}, args...)...))
	require.Equal(t, []payments.NewSavedContact{{
		AccountID: "=account", Label: "=label", ExternalID: "=external-id", HolderName: "=holder-name", HolderType: "=holder-type", PaymentRail: "=rail",
		Currency: "=CURRENCY", IBAN: "=iban", BIC: "=bic", RoutingNumber: "=routing-number", AccountNumber: "=account-number",
		SortCode: "=sort-code", CLABE: "=clabe", PIXKey: "=pix-key", PIXKeyType: "=pix-key-type", Address: "=address", Memo: "=memo",
	}}, p.service.created)
	require.NotEmpty(t, p.service.key.Key, "a create is never sent without a key")
}

func TestBadInputIsRefusedWithItsPlace(t *testing.T) {
	t.Parallel()
	p := newProcess(t, here, "table")
	err := p.run(t, "create", "--input", input(t, "{\n  \"label\": oops\n}"))
	require.ErrorIs(t, err, cmdutil.ErrUsage)
	require.ErrorContains(t, err, "contact.json:2:")
	require.Empty(t, p.service.created)
}

func TestGetShowsOnlyTheCoordinatesThatAreThere(t *testing.T) {
	t.Parallel()
	p := newProcess(t, here, "table")
	require.NoError(t, p.run(t, "get", "sct_1"))
	require.Equal(t, "Contact\tsct_1\nLabel\tAda\nHolder\tAda L (individual)\nReached by\tsepa:EUR\nIBAN\tDE****************3000\n"+
		"Created\t2026-01-02 03:04:05Z\n", p.out.String())

	p = newProcess(t, here, "json")
	require.NoError(t, p.run(t, "get", "sct_1"))
	var got payments.SavedContact
	require.NoError(t, json.Unmarshal(p.out.Bytes(), &got))
	require.Equal(t, p.service.contact, got)
	require.NotContains(t, p.out.String(), `"bic"`)
}

func TestListInCSV(t *testing.T) {
	t.Parallel()
	p := newProcess(t, here, "csv")
	c := &p.service.contact
	c.Label, c.AccountID, c.ExternalID = "=HYPERLINK()", "acc_1", "x-1"
	require.NoError(t, p.run(t, "list", "--account", "acc_1", "--limit", "5", "--external-id", "x-1", "--label", "=HYPERLINK()"))
	require.Equal(t, payments.SavedContactFilter{
		PageQuery: payments.PageQuery{Limit: 5}, AccountID: "acc_1", ExternalID: "x-1", Label: "=HYPERLINK()",
	}, p.service.filter)
	require.Equal(t, "id,label,holderName,paymentRail,currency,externalId,accountId,createdAt\n"+
		"sct_1,'=HYPERLINK(),Ada L,sepa,EUR,x-1,acc_1,2026-01-02T03:04:05Z\n", p.out.String())
}

func TestDeleteHere(t *testing.T) {
	t.Parallel()
	p := newProcess(t, here, "json")
	p.atTerminal("n\n")
	require.NoError(t, p.run(t, "delete", "sct_1"))
	require.Equal(t, []string{"sct_1"}, p.service.deleted)
	require.NotContains(t, p.err.String(), "[y/N]", "a service on this machine holds no real contacts")
	require.JSONEq(t, `{"id": "sct_1", "deleted": true}`, p.out.String())

	p = newProcess(t, here, "table")
	require.NoError(t, p.run(t, "delete", "sct_1"))
	require.Empty(t, p.out.String())
	require.Contains(t, p.err.String(), "Deleted the contact sct_1.")
}

func TestABadFilterIsRefusedBeforeAnythingIsDone(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"delete", "sct_1"}, {"create", "--label", "Ada"}} {
		p := newProcess(t, here, "json")
		p.deps.Options.JQ = ".["
		require.ErrorIs(t, p.run(t, args...), cmdutil.ErrUsage)
		require.Empty(t, p.service.deleted)
		require.Empty(t, p.service.created)
	}
}

func TestDeleteElsewhereHasToBeConfirmed(t *testing.T) {
	t.Parallel()

	p := newProcess(t, otherMachine, "table")
	require.ErrorIs(t, p.run(t, "delete", "sct_1"), cmdutil.ErrUsage, "there is no terminal to ask at")
	require.Empty(t, p.service.deleted)

	for _, answer := range []string{"n\n", "\n", ""} {
		p = newProcess(t, otherMachine, "table")
		p.atTerminal(answer)
		require.ErrorIs(t, p.run(t, "delete", "sct_1"), cmdutil.ErrDeclined, "%q", answer)
		require.Empty(t, p.service.deleted)
		require.Contains(t, p.err.String(), "Ada L", "the question shows whom it is about")
	}

	p = newProcess(t, otherMachine, "table")
	p.atTerminal("y\n")
	require.NoError(t, p.run(t, "delete", "sct_1"))
	require.Equal(t, []string{"sct_1"}, p.service.deleted)

	p = newProcess(t, otherMachine, "table")
	p.deps.Options.Yes = true
	require.NoError(t, p.run(t, "delete", "sct_1"))
	require.Equal(t, []string{"sct_1"}, p.service.deleted)

	p = newProcess(t, otherMachine, "table")
	p.atTerminal("y\n")
	require.True(t, payments.IsKind(p.run(t, "delete", "sct_2"), payments.KindNotFound), "what is not there is not asked about")
	require.Empty(t, p.service.deleted)
}

// Whatever a service allows, an update does not lead the money of later payments to another beneficiary.
func TestAnUpdateLeavesWhereTheMoneyGoes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"iban": "GB33BUKB20201555555555"}`, `{"label": "Bo", "address": "0x1"}`, `{"currency": "USD"}`, `{"bankAccount": "1"}`,
	} {
		p := newProcess(t, here, "json")
		err := p.run(t, "update", "sct_1", "--input", input(t, text))
		require.ErrorIs(t, err, cmdutil.ErrUsage, text)
		require.ErrorContains(t, err, "cannot be changed; nothing was sent")
	}
}
