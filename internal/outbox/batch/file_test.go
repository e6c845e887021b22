package batch

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

var accounts = Format[payments.NewAccount]{
	Op:      &contract.CreateAccount,
	Aliases: map[string]string{"mail": "email"},
	ID:      "externalId",
	Check: func(a *payments.NewAccount) (faults payments.FieldErrors) {
		*a, faults = a.Check(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
		return faults
	},
	Shown: func(a payments.NewAccount) any { return a.Opened("", "", time.Time{}).Masked() },
}

// wrongRows reads a file of accounts, and returns its errors too.
func wrongRows(t *testing.T, content string) (file *File[payments.NewAccount], wrong string) {
	t.Helper()
	mapping, err := rows.NewMapping(accounts.Members(), nil, nil) // the columns as they are
	require.NoError(t, err)
	read, err := rows.Parse(strings.NewReader(content), mapping, MaxRows)
	require.NoError(t, err)
	file = Read("f", read, accounts)
	for _, e := range file.Errors {
		wrong += e.Error() + "\n"
	}
	return file, wrong
}

// TestNamesOfColumns reads the same row from files whose columns are written in different ways.
func TestNamesOfColumns(t *testing.T) {
	t.Parallel()
	const person = "\ne-1,a@example.com,individual,Ada,Lovelace,GB,blue,1 Road,1990-01-01"
	for name, content := range map[string]string{
		"snake case": "external_id,email,type,first_name,last_name,country,metadata.team,address.line1,birth_date" + person,
		"members":    "externalId,email,type,firstName,lastName,country,metadata.team,address.line1,birthDate" + person,
		"flags":      "external-id,email,type,first-name,last-name,country,metadata.team,address.line1,birth-date" + person,
		"words":      "External ID,E-Mail,Type,First Name,Last Name,Country,metadata.team,Address.Line1,Birth Date" + person,
		"an alias":   "external_id,mail,type,first_name,last_name,country,metadata.team,address.line1,birth_date" + person,
		"NDJSON": `{"externalId":"e-1","email":"a@example.com","type":"individual","first_name":"Ada",` +
			`"lastName":"Lovelace","country":"GB","metadata":{"team":"blue"},"address":{"line1":"1 Road"},` +
			`"birthDate":"1990-01-01","phoneNumber":null}`,
		"an array": `[{"externalId":"e-1","email":"a@example.com","type":"individual","first_name":"Ada",` +
			`"lastName":"Lovelace","country":"GB","metadata.team":"blue","address.line1":"1 Road","birthDate":"1990-01-01"}]`,
	} {
		file, wrong := wrongRows(t, content)
		require.Len(t, file.Errors, 2, "%s %s", name, wrong) // the service also requires a city and a country
		require.Contains(t, wrong, "address.city", name)
		require.Equal(t, payments.NewAccount{
			Type: "individual", FirstName: "Ada", LastName: "Lovelace", Email: "a@example.com", Country: "GB",
			ExternalID: "e-1", BirthDate: "1990-01-01", Metadata: map[string]string{"team": "blue"},
			Address: &payments.Address{Line1: "1 Road"},
		}, file.Items[0].Request, name)
	}
}

// TestErrorsOfRows checks that the errors of a row are reported at its cells.
func TestErrorsOfRows(t *testing.T) {
	t.Parallel()
	for content, wanted := range map[string]string{
		`{"externalId":1}`:                      "1:2: external_id must be a string, not a number.",
		`{"firstName":{"a":"b"}}`:               `unknown column "firstName.a"`,
		`{"address":"x"}`:                       `unknown column "address"`,
		`{"externalId":"a","a":1}`:              `unknown column "a"`,
		`["a"]`:                                 "a row must be a JSON object",
		"{\"externalId\":\"a\"}\n{":             "2:2: unexpected EOF",
		`{"externalId":"a","external_id":"b"}`:  `1:19: "external_id" appears twice`,
		`{"metadata":{"a":1},"externalId":"x"}`: "metadata.a must be a string, not a number.",
	} {
		_, wrong := wrongRows(t, content)
		require.Contains(t, wrong, wanted, content)
	}
}
