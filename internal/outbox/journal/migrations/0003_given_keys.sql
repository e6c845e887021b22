-- A write with a reference and a key of the user's own. It is the same payment as one with the key that payctl makes of the
-- reference, so it must be found by the reference. Rows of batches have no such key, and do not pay for the index.
ALTER TABLE writes ADD COLUMN given_key INTEGER NOT NULL DEFAULT 0;
UPDATE writes SET given_key = 1 WHERE reference <> '' AND NOT (length(idempotency_key) = 39 -- payctl- and 32 digits
	AND idempotency_key GLOB 'payctl-*' AND substr(idempotency_key, 8) NOT GLOB '*[^0-9a-f]*');
CREATE INDEX given_keys ON writes (reference) WHERE given_key = 1;

-- The clients that have claimed writes. One that is not known ('') may be any of them, so that their writes are looked up
-- too.
CREATE TABLE clients (service TEXT NOT NULL, client TEXT NOT NULL, PRIMARY KEY (service, client)) WITHOUT ROWID;
INSERT INTO clients SELECT DISTINCT service, client FROM writes;
