package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// renew makes every world another instance (store.World). The versions go up by more than there are changes, so that
// what a process knows from before is older than what it finds. Heads come first, as in the commits of worlds.
var renew = []string{
	"UPDATE heads SET version = version + 4294967296",
	"UPDATE worlds SET document = (document::jsonb || jsonb_build_object(" +
		"'Instance', 'wld_' || replace(gen_random_uuid()::text, '-', ''), " +
		"'Version', COALESCE((document::jsonb ->> 'Version')::bigint, 0) + 1000000))::text",
	"UPDATE identity SET uuid = gen_random_uuid()::text",
}

// renewIfRestored looks whether the schema is where its identity was written. If it is not, it was restored from a
// dump, and clients may know of writes that it does not have. Then the worlds become other instances, and the database
// gets another UUID.
func (db *DB) renewIfRestored(ctx context.Context, conn *pgconn.PgConn, found identity) (identity, error) {
	place, err := db.readPlace(ctx, conn)
	if err != nil || samePlace(found.place, place) {
		return found, err
	}
	return db.change(ctx, conn, func(found identity) (statements []string) {
		if samePlace(found.place, place) {
			return nil // another process has done it
		}
		if db.restored = found.place != ""; db.restored { // otherwise the schema is new
			statements = append(statements, renew...)
		}
		return append(statements, "UPDATE identity SET place = "+quoteText(place))
	})
}

// readPlace returns what identifies the table identity: its number, and the identifier of the server's data. A dump has
// neither, while copies of the server's files, and standbys, have both. CockroachDB has no such identifier, and each
// server of YugabyteDB may have its own; there, the number alone has to do.
func (db *DB) readPlace(ctx context.Context, conn *pgconn.PgConn) (string, error) {
	row, err := oneRow(ctx, conn, "SELECT "+quoteText(quoteName(db.schema)+".identity")+"::regclass::oid")
	if err != nil {
		return "", err
	}
	server, err := oneRow(ctx, conn, "SELECT COALESCE("+
		"(SELECT system_identifier::text FROM pg_control_system() WHERE version() NOT LIKE '%-YB-%'), '')")
	switch code := codeOf(err); {
	case code == codeUnknownFunction || code == codeForbidden:
		return row[0], nil
	case err != nil:
		return "", err
	}
	return row[0] + ofServer + server[0], nil
}

// ofServer is between the two parts of a place.
const ofServer = " of "

// samePlace reports whether two places are the same, as far as both are known: of two users of one database, one may
// not be allowed to ask for the identifier of the server's data.
func samePlace(a, b string) bool {
	tableA, serverA, _ := strings.Cut(a, ofServer)
	tableB, serverB, _ := strings.Cut(b, ofServer)
	return tableA == tableB && (serverA == serverB || serverA == "" || serverB == "")
}

// Restored reports whether Open has found that the schema was restored from a backup.
func (db *DB) Restored() bool { return db.restored }
