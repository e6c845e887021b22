PRAGMA application_id = 1885436259; -- "payc"
PRAGMA user_version = 1;

-- One row for each write: what was about to be sent, and what became of it.
CREATE TABLE writes (
	number          INTEGER PRIMARY KEY,  -- in the order in which they were first put down
	service         TEXT NOT NULL,        -- base URL
	client          TEXT NOT NULL,        -- client id; empty: not known
	operation       TEXT NOT NULL,        -- operationId, or method and path
	idempotency_key TEXT NOT NULL,
	body_hash       TEXT NOT NULL,        -- SHA-256 in hexadecimal
	body            BLOB,                 -- of a transfer, while its outcome is open
	reference       TEXT NOT NULL,
	external_id     TEXT NOT NULL,
	batch_id        TEXT NOT NULL,
	file            TEXT NOT NULL,        -- that the write is a row of; empty: of none
	outcome         TEXT NOT NULL,        -- sending, done, refused, not_sent, unknown, closed
	world           TEXT NOT NULL,        -- of the reference service; empty: not known, or another service
	target          TEXT NOT NULL,        -- identifier of what the write changes; empty: it creates something
	sent_hash       TEXT NOT NULL,        -- SHA-256 of the method, path and bytes that leave
	amount          TEXT NOT NULL,        -- of a transfer; empty: whatever arrives
	currency        TEXT NOT NULL,        -- of the amount
	payee_name      TEXT NOT NULL,        -- by which the user named the contact; empty: it was not read
	payee_id        TEXT NOT NULL,
	payee_label     TEXT NOT NULL,
	payee_holder    TEXT NOT NULL,
	payee_rail      TEXT NOT NULL,
	payee_account   TEXT NOT NULL,        -- masked
	subject         TEXT NOT NULL,        -- identifier of what an answer showed, proven or not
	shown           TEXT NOT NULL,        -- members that differ there, as JSON; empty: none
	accepted        TEXT NOT NULL,        -- identifiers that a person has accepted, separated by spaces
	state           TEXT NOT NULL,        -- of the subject, as the answer had it
	problem         TEXT NOT NULL,        -- problem type
	detail          TEXT NOT NULL,        -- problem detail
	attempts        INTEGER NOT NULL,
	began           TEXT NOT NULL,        -- RFC 3339, UTC
	changed         TEXT NOT NULL,
	sent            TEXT NOT NULL,        -- when it was sent and may have arrived: newest first, a space behind each; empty: never
	user            TEXT NOT NULL,        -- who recorded it last, and on which machine
	host            TEXT NOT NULL,
	owner           TEXT NOT NULL,        -- the process that sends it; see the folder of owners
	given_key       INTEGER NOT NULL,     -- 1: the write has a reference, and a key that the user gave
	UNIQUE (idempotency_key, operation, service, client)
);

CREATE INDEX open_writes ON writes (number) WHERE outcome IN ('sending', 'unknown');

-- An identifier is the effect of one write.
CREATE INDEX subjects ON writes (subject) WHERE subject <> '';

-- A write with a given key is the same payment as one with the key that payctl makes of the reference, so that it is found by the
-- reference. Rows of batches do not pay for this index.
CREATE INDEX given_keys ON writes (reference) WHERE given_key = 1;

-- The payments of the last days with what is added up of them, and the last payment of each payee. The outcome of a payment changes
-- neither.
CREATE INDEX sent_payments ON writes (service, sent, currency, amount, payee_id) WHERE amount <> '' AND sent <> '';
CREATE INDEX payees ON writes (payee_name, sent) WHERE payee_name <> '' AND sent <> '';
