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

// mapping takes the columns of accounts as they are.
func mapping(t testing.TB) *rows.Mapping {
	m, err := rows.NewMapping(accounts.Members(), nil, nil)
	require.NoError(t, err)
	return m
}

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

// TestNamesOfColumns reads the same row from files whose columns are written in different ways.
func TestNamesOfColumns(t *testing.T) {
	t.Parallel()
	const person = `,a@example.com,individual,Ada,Lovelace,GB,blue,1 Road,1990-01-01`
	for name, content := range map[string]string{
		"snake case":   "external_id,email,type,first_name,last_name,country,metadata.team,address.line1,birth_date\ne-1" + person,
		"members":      "externalId,email,type,firstName,lastName,country,metadata.team,address.line1,birthDate\ne-1" + person,
		"flags":        "external-id,email,type,first-name,last-name,country,metadata.team,address.line1,birth-date\ne-1" + person,
		"words":        "External ID,E-Mail,Type,First Name,Last Name,Country,metadata.team,Address.Line1,Birth Date\ne-1" + person,
		"another name": "external_id,mail,type,first_name,last_name,country,metadata.team,address.line1,birth_date\ne-1" + person,
		"NDJSON": `{"externalId":"e-1","email":"a@example.com","type":"individual","first_name":"Ada","lastName":"Lovelace",` +
			`"country":"GB","metadata":{"team":"blue"},"address":{"line1":"1 Road"},"birthDate":"1990-01-01","phone":null}`,
		"an array": `[{"externalId":"e-1","email":"a@example.com","type":"individual","first_name":"Ada","lastName":"Lovelace",` +
			`"country":"GB","metadata.team":"blue","address.line1":"1 Road","birthDate":"1990-01-01"}]`,
	} {
		content = strings.Replace(content, `,"phone":null`, `,"phoneNumber":null`, 1)
		read, err := rows.Parse(strings.NewReader(content), mapping(t), MaxRows)
		require.NoError(t, err, name)
		file := Read(name, read, accounts)
		var wrong []string
		for _, e := range file.Errors {
			wrong = append(wrong, e.Error())
		}
		// The service wants a city and a country too.
		require.Len(t, wrong, 2, "%s %s", name, wrong)
		require.Contains(t, strings.Join(wrong, " "), "address.city", name)
		require.Equal(t, "e-1", file.Items[0].Request.ExternalID, name)
		request := file.Items[0].Request
		require.Equal(t, payments.NewAccount{
			Type: "individual", FirstName: "Ada", LastName: "Lovelace", Email: "a@example.com", Country: "GB",
			ExternalID: "e-1", BirthDate: "1990-01-01", Metadata: map[string]string{"team": "blue"},
			Address: &payments.Address{Line1: "1 Road"},
		}, request, name)
	}
}

// TestErrorsOfRows finds every error of a row, at its cell.
func TestErrorsOfRows(t *testing.T) {
	t.Parallel()
	for content, wanted := range map[string]string{
		"type,type\n":                           "1:6: unknown",
		"externalId,external_id\na,b\n":         "",
		`{"externalId":1}`:                      "1:2: external_id must be a string, not a number.",
		`{"firstName":{"a":"b"}}`:               `unknown column "firstName.a"`,
		`{"address":"x"}`:                       `unknown column "address"`,
		`{"externalId":"a","a":1}`:              `unknown column "a"`,
		`["a"]`:                                 "a row must be a JSON object",
		"{\"externalId\":\"a\"}\n{":             "2:2: unexpected EOF",
		`{"externalId":"a","external_id":"b"}`:  `1:19: "external_id" appears twice`,
		`{"metadata":{"a":1},"externalId":"x"}`: "metadata.a must be a string, not a number.",
	} {
		read, err := rows.Parse(strings.NewReader(content), mapping(t), MaxRows)
		if err != nil {
			continue
		}
		file := Read("f", read, accounts)
		var all []string
		for _, e := range file.Errors {
			all = append(all, e.Error())
		}
		if strings.HasPrefix(content, "type,type") {
			wanted = "1:1: the column"
		}
		require.Contains(t, strings.Join(all, "\n"), wanted, content)
	}
}
