// Package importer creates an account or a contact for every row of a file. Read checks the whole file before anything
// is sent; Sender sends the rows. Each row is created once, by its external id (outbox.ImportAccount).
package importer

import (
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

// ExternalID is the member that makes a row repeatable.
const ExternalID = "externalId"

// A Kind describes what the rows of a file become: requests of type T.
type Kind[T any] struct {
	// Body is the schema of a request.
	Body *contract.Schema
	// Aliases are further names of members, by the further name.
	Aliases map[string]string
	// Check brings a request into its normal form, and returns what is wrong with it beyond its schema.
	Check func(*T) payments.FieldErrors
	// Shown is a request as it may be shown, without personal data.
	Shown func(T) any
}

// A Row is a request as it stands in the file.
type Row[T any] struct {
	Line       int
	ExternalID string
	Request    T

	positions map[string]rows.Position // by the name of the member
}

// Position is where a member of the row stands in the file: that of the row if it has none.
func (r *Row[T]) Position(member string) rows.Position {
	if at, ok := r.positions[member]; ok {
		return at
	}
	return rows.Position{Line: r.Line, Column: 1}
}

// column returns the name of a member as a column: externalId is external_id. Metadata keeps its names.
func column(member string) string {
	if strings.HasPrefix(member, metadataPrefix) {
		return member
	}
	var b strings.Builder
	for _, r := range member {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// metadataPrefix begins the names of members that have names of the user's.
const metadataPrefix = "metadata."

// Members are the columns that a file may have, by which it can be mapped.
func (k *Kind[T]) Members() rows.Members {
	names := k.names()
	all := rows.Members{Prefix: metadataPrefix, Match: func(name string) (string, bool) {
		if member, ok := names[rows.FoldColumn(name)]; ok {
			return column(member), true
		}
		return name, isObject(k.Body, name)
	}}
	for _, member := range members(k.Body) {
		all.Names = append(all.Names, column(member))
	}
	all.Required = []string{column(ExternalID)}
	for _, m := range k.Body.Members {
		if m.Required && m.Name != ExternalID {
			all.Required = append(all.Required, column(m.Name))
		}
	}
	return all
}

// isObject reports whether a member holds others.
func isObject(s *contract.Schema, name string) bool {
	return slices.ContainsFunc(s.Members, func(m contract.Member) bool {
		return m.Name == name && m.Schema.Kind == contract.Object
	})
}

// names are the members by their names as fold returns them.
func (k *Kind[T]) names() map[string]string {
	names := map[string]string{}
	for _, member := range members(k.Body) {
		names[rows.FoldColumn(member)] = member
	}
	for alias, member := range k.Aliases {
		names[rows.FoldColumn(alias)] = member
	}
	return names
}

// members lists the other members of a schema by their names, those of an object as address.city.
func members(s *contract.Schema) (names []string) {
	for _, m := range s.Members {
		switch {
		case m.Schema.Kind == contract.Object && m.Schema.Values != nil: // metadata
		case m.Schema.Kind == contract.Object:
			for _, inner := range m.Schema.Members {
				names = append(names, m.Name+"."+inner.Name)
			}
		default:
			names = append(names, m.Name)
		}
	}
	return names
}
