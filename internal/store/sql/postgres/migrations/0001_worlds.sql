-- The tables of the worlds. Names are without a schema: the transaction that applies this file has it in its search_path.
-- All texts sort by their bytes, as Go compares strings.

-- heads has one row for each world: the row that a transaction locks before it reads or writes anything of the world.
CREATE TABLE heads (
    world    TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    version  BIGINT NOT NULL, -- counts the commits that changed the world
    contents TEXT COLLATE "C" NOT NULL, -- the name under which the rows of the world's contents are kept
    pruned   BIGINT NOT NULL, -- the events up to this one were forgotten
    last     BIGINT NOT NULL, -- the last event
    jobs     BIGINT NOT NULL, -- the number of the last job that was added
    recent   TEXT COLLATE "C" NOT NULL -- identifies the latest commits
);

-- Contents of no world: they are still being written, or can be deleted from a time on.
CREATE TABLE unused_contents (
    name      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    deletable TEXT COLLATE "C" NOT NULL
);

-- Records are JSON documents. The columns next to a document repeat what lists select by; NULL stands for an empty value.

CREATE TABLE worlds (
    world    TEXT COLLATE "C" NOT NULL,
    id       TEXT COLLATE "C" NOT NULL,
    document TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (world, id)
);

CREATE TABLE clients (
    world    TEXT COLLATE "C" NOT NULL,
    id       TEXT COLLATE "C" NOT NULL,
    document TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (world, id)
);

CREATE TABLE tokens (
    world    TEXT COLLATE "C" NOT NULL,
    id       TEXT COLLATE "C" NOT NULL,
    document TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (world, id)
);

CREATE TABLE idempotency_keys (
    world    TEXT COLLATE "C" NOT NULL,
    id       TEXT COLLATE "C" NOT NULL,
    document TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (world, id)
);

-- Entries of a world's request log, in batches. The id is the number of a batch's last entry, in 19 digits.
CREATE TABLE requests (
    world    TEXT COLLATE "C" NOT NULL,
    id       TEXT COLLATE "C" NOT NULL,
    document TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (world, id)
);

CREATE TABLE accounts (
    world       TEXT COLLATE "C" NOT NULL,
    id          TEXT COLLATE "C" NOT NULL,
    external_id TEXT COLLATE "C",
    email       TEXT COLLATE "C",
    kyc_status  TEXT COLLATE "C",
    document    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (world, id)
);
CREATE INDEX accounts_by_external_id ON accounts (world, external_id, id) WHERE external_id IS NOT NULL;
CREATE INDEX accounts_by_email ON accounts (world, email, id) WHERE email IS NOT NULL;
CREATE INDEX accounts_by_kyc_status ON accounts (world, kyc_status, id) WHERE kyc_status IS NOT NULL;

CREATE TABLE contacts (
    world       TEXT COLLATE "C" NOT NULL,
    id          TEXT COLLATE "C" NOT NULL,
    external_id TEXT COLLATE "C",
    label       TEXT COLLATE "C",
    account_id  TEXT COLLATE "C",
    document    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (world, id)
);
CREATE INDEX contacts_by_external_id ON contacts (world, external_id, id) WHERE external_id IS NOT NULL;
CREATE INDEX contacts_by_label ON contacts (world, label, id) WHERE label IS NOT NULL;
CREATE INDEX contacts_by_account_id ON contacts (world, account_id, id) WHERE account_id IS NOT NULL;

CREATE TABLE transfers (
    world       TEXT COLLATE "C" NOT NULL,
    id          TEXT COLLATE "C" NOT NULL,
    reference   TEXT COLLATE "C",
    external_id TEXT COLLATE "C",
    batch_id    TEXT COLLATE "C",
    account_id  TEXT COLLATE "C",
    state       TEXT COLLATE "C",
    document    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (world, id)
);
CREATE INDEX transfers_by_reference ON transfers (world, reference, id) WHERE reference IS NOT NULL;
CREATE INDEX transfers_by_external_id ON transfers (world, external_id, id) WHERE external_id IS NOT NULL;
CREATE INDEX transfers_by_batch_id ON transfers (world, batch_id, id) WHERE batch_id IS NOT NULL;
CREATE INDEX transfers_by_account_id ON transfers (world, account_id, id) WHERE account_id IS NOT NULL;
CREATE INDEX transfers_by_state ON transfers (world, state, id) WHERE state IS NOT NULL;

-- Jobs of one time run in the order of their numbers. No process owns a job: the next one to use a world runs what is due.
CREATE TABLE jobs (
    world    TEXT COLLATE "C" NOT NULL,
    due      TEXT COLLATE "C" NOT NULL,
    number   BIGINT NOT NULL,
    kind     TEXT COLLATE "C" NOT NULL,
    subject  TEXT COLLATE "C" NOT NULL,
    revision BIGINT NOT NULL,
    PRIMARY KEY (world, due, number)
);

-- Events have places from 1 without gaps.
CREATE TABLE events (
    world    TEXT COLLATE "C" NOT NULL,
    seq      BIGINT NOT NULL,
    type     TEXT COLLATE "C" NOT NULL,
    subject  TEXT COLLATE "C",
    document TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (world, seq)
);
CREATE INDEX events_by_subject ON events (world, subject, seq) WHERE subject IS NOT NULL;
