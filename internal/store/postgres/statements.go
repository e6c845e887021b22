package postgres

// These are all statements on the tables. The documents of all worlds are in one table, so the INSERT of a transfer is
// putDocument with the kind "transfer". The column kind has the collection's name.

// createTables makes the tables of a schema that has none. Its lock makes servers that start together take turns. Texts
// sort by their bytes. The column indexed has the values of store.Document.Indexed.
const createTables = `
SELECT pg_advisory_xact_lock(hashtext('payctl'));
CREATE TABLE IF NOT EXISTS payctl_version (version integer NOT NULL);
CREATE TABLE IF NOT EXISTS worlds (world text COLLATE "C" PRIMARY KEY, version bigint NOT NULL);
CREATE TABLE IF NOT EXISTS documents (
	kind text COLLATE "C" NOT NULL,
	world text COLLATE "C" NOT NULL,
	id text COLLATE "C" NOT NULL,
	indexed jsonb NOT NULL,
	document json NOT NULL,
	PRIMARY KEY (kind, world, id)
);
CREATE TABLE IF NOT EXISTS requests (
	world text COLLATE "C" NOT NULL,
	number bigint GENERATED ALWAYS AS IDENTITY,
	instance text NOT NULL,
	entry json NOT NULL,
	PRIMARY KEY (world, number)
);
INSERT INTO payctl_version (version) SELECT 1 WHERE NOT EXISTS (SELECT FROM payctl_version);
`

// createIndex makes the index of a column. Lists use the same expressions. If kind and world were separate columns, a
// plan made before the table has statistics would use the primary key instead.
const createIndex = `CREATE INDEX IF NOT EXISTS "documents_%[1]s"
	ON documents ((kind || ' ' || world), (indexed ->> '%[1]s') COLLATE "C", id) WHERE (indexed ->> '%[1]s') IS NOT NULL;
`

// dueFormat gives all times the same length, so that texts sort like times.
const dueFormat = "2006-01-02T15:04:05.000000000"

// createDueIndex makes the index for the document of a world that is due first.
const createDueIndex = `CREATE INDEX IF NOT EXISTS documents_due
	ON documents (world, (indexed ->> 'due') COLLATE "C", id) WHERE (indexed ->> 'due') IS NOT NULL;
`

// schemaVersion is the version of the tables that this program makes.
const schemaVersion = 1

const (
	schemaExists = `SELECT count(*) > 0, COALESCE(bool_and(has_schema_privilege(oid, 'USAGE') AND
		has_schema_privilege(oid, 'CREATE')), false) FROM pg_namespace WHERE nspname = $1`
	tablesExist = `SELECT to_regclass('payctl_version') IS NOT NULL`
	readVersion = `SELECT version FROM payctl_version`
	readServer  = `SELECT current_setting('server_encoding'),
		pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'`

	beginUpdate = `BEGIN ISOLATION LEVEL READ COMMITTED`
	beginView   = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`
	// lockWorld locks a world against other updates, and counts this one.
	lockWorld = `INSERT INTO worlds (world, version) VALUES ($1, 1)
		ON CONFLICT (world) DO UPDATE SET version = worlds.version + 1`
	commit   = `COMMIT`
	rollBack = `ROLLBACK`

	getDocument = `SELECT kind, document FROM documents WHERE kind = $1 AND world = $2 AND id = $3`
	putDocument = `INSERT INTO documents (kind, world, id, indexed, document) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (kind, world, id) DO UPDATE SET indexed = excluded.indexed, document = excluded.document`
	deleteDocument  = `DELETE FROM documents WHERE kind = $1 AND world = $2 AND id = $3`
	deleteDocuments = `DELETE FROM documents WHERE kind = $1 AND world = $2`

	listDocuments = `SELECT kind, document FROM documents WHERE kind = $1 AND world = $2`
	listByColumn  = `SELECT kind, document FROM documents WHERE kind || ' ' || world = $1`
	// byColumn uses the index of a column. The other columns of a list use byOtherColumn, which does not.
	byColumn      = ` AND (indexed ->> '%s') COLLATE "C" = $%d`
	byOtherColumn = ` AND COALESCE(indexed ->> '%s', '') = $%d`
	after         = ` AND id > $%d`
	before        = ` AND id < $%d`
	ascending     = ` ORDER BY id LIMIT $%d`
	descending    = ` ORDER BY id DESC LIMIT $%d`

	nextDue = `SELECT kind, document FROM documents WHERE world = $1 AND (indexed ->> 'due') IS NOT NULL
		ORDER BY (indexed ->> 'due') COLLATE "C", id LIMIT 1`

	// insertRequests does not wait for the disk: the request log need not survive a crash.
	insertRequests = `INSERT INTO requests (world, instance, entry)
		SELECT entries.* FROM unnest($1::text[], $2::text[], $3::json[]) AS entries,
			(SELECT set_config('synchronous_commit', 'off', true)) AS settings`
	listRequests = `SELECT number, entry FROM requests WHERE world = $1 AND instance = $2
		ORDER BY number DESC LIMIT $3`
	deleteRequests    = `DELETE FROM requests WHERE world = $1`
	deleteOldRequests = `DELETE FROM requests WHERE world = $1 AND number <=
		(SELECT number FROM requests WHERE world = $1 ORDER BY number DESC OFFSET $2 LIMIT 1)`

	hasRoom = `SELECT EXISTS (SELECT FROM documents WHERE kind = 'world' AND world = $1)
		OR (SELECT count(*) FROM documents WHERE kind = 'world') < $2`
	readVersions = `SELECT world, version FROM worlds WHERE world = ANY ($1)`
)
