package memory

import "strings"

// These are all statements on the database, apart from the pragmas in folder.go. The documents of all worlds are in
// one table, so the INSERT of a transfer is putDocument with the kind "transfer". The column kind has the
// collection's name.

const createTables = `BEGIN IMMEDIATE;
CREATE TABLE documents (
	kind TEXT NOT NULL,
	world TEXT NOT NULL,
	id TEXT NOT NULL,
	document TEXT, -- never NULL, but with NOT NULL SQLite would copy pages, to undo a part of putManyDocuments
	PRIMARY KEY (kind, world, id)
) STRICT;
CREATE TABLE commits (number INTEGER NOT NULL) STRICT;
INSERT INTO commits (number) VALUES (0);
PRAGMA user_version = 1;
COMMIT;`

const (
	readVersion = `SELECT user_version, (SELECT count(*) FROM sqlite_schema) FROM pragma_user_version`

	putDocument = `INSERT INTO documents (kind, world, id, document) VALUES (?1, ?2, ?3, ?4)
		ON CONFLICT (kind, world, id) DO UPDATE SET document = excluded.document`
	deleteDocument  = `DELETE FROM documents WHERE kind = ?1 AND world = ?2 AND id = ?3`
	deleteDocuments = `DELETE FROM documents WHERE kind = ?1 AND world = ?2`
	readDocuments   = `SELECT document FROM documents WHERE kind = ?1 AND world = ?2 ORDER BY id`

	readWorlds = `SELECT world FROM documents WHERE kind = 'world'`
	// renewWorlds begins a new instance of every world.
	renewWorlds = `UPDATE documents
		SET document = json_set(document, '$.Instance', 'wld_' || lower(hex(randomblob(16)))) WHERE kind = 'world'`

	readCommits = `SELECT number FROM commits`
	setCommits  = `UPDATE commits SET number = ?1`
)

// putManyRows is how many documents putManyDocuments puts.
const putManyRows = 24

// putManyDocuments is putDocument for many documents: a statement takes longer than a row of it.
var putManyDocuments = `INSERT OR ROLLBACK INTO documents (kind, world, id, document) VALUES (?, ?, ?, ?)` +
	strings.Repeat(`, (?, ?, ?, ?)`, putManyRows-1) +
	` ON CONFLICT (kind, world, id) DO UPDATE SET document = excluded.document`
