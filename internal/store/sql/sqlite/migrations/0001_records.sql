-- Records are JSON documents, each in the world of a client. The columns beside a document repeat what lists select by;
-- NULL stands for an empty value. Identifiers, worlds and moments sort by their bytes (PostgreSQL: COLLATE "C"); moments
-- are text of one length, see times.go.

CREATE TABLE worlds (
    world    TEXT NOT NULL,
    id       TEXT NOT NULL,
    created  TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (world, id)
);

CREATE TABLE clients (
    world    TEXT NOT NULL,
    id       TEXT NOT NULL,
    created  TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (world, id)
);

CREATE TABLE tokens (
    world    TEXT NOT NULL,
    id       TEXT NOT NULL,
    created  TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (world, id)
);

CREATE TABLE idempotency_keys (
    world    TEXT NOT NULL,
    id       TEXT NOT NULL,
    created  TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (world, id)
);

CREATE TABLE accounts (
    world       TEXT NOT NULL,
    id          TEXT NOT NULL,
    created     TEXT NOT NULL,
    external_id TEXT,
    email       TEXT,
    kyc_status  TEXT,
    document    TEXT NOT NULL,
    PRIMARY KEY (world, id)
);
CREATE INDEX accounts_by_external_id ON accounts (world, external_id, id) WHERE external_id IS NOT NULL;
CREATE INDEX accounts_by_email ON accounts (world, email, id) WHERE email IS NOT NULL;
CREATE INDEX accounts_by_kyc_status ON accounts (world, kyc_status, id) WHERE kyc_status IS NOT NULL;

CREATE TABLE contacts (
    world      TEXT NOT NULL,
    id         TEXT NOT NULL,
    created    TEXT NOT NULL,
    account_id TEXT,
    document   TEXT NOT NULL,
    PRIMARY KEY (world, id)
);
CREATE INDEX contacts_by_account_id ON contacts (world, account_id, id) WHERE account_id IS NOT NULL;

CREATE TABLE transfers (
    world       TEXT NOT NULL,
    id          TEXT NOT NULL,
    created     TEXT NOT NULL,
    reference   TEXT,
    external_id TEXT,
    batch_id    TEXT,
    account_id  TEXT,
    state       TEXT,
    document    TEXT NOT NULL,
    PRIMARY KEY (world, id)
);
CREATE INDEX transfers_by_reference ON transfers (world, reference, id) WHERE reference IS NOT NULL;
CREATE INDEX transfers_by_external_id ON transfers (world, external_id, id) WHERE external_id IS NOT NULL;
CREATE INDEX transfers_by_batch_id ON transfers (world, batch_id, id) WHERE batch_id IS NOT NULL;
CREATE INDEX transfers_by_account_id ON transfers (world, account_id, id) WHERE account_id IS NOT NULL;
CREATE INDEX transfers_by_state ON transfers (world, state, id) WHERE state IS NOT NULL;

-- Jobs of one moment run in the order of their numbers. No process owns a job: whoever looks at a world first runs what is due.
CREATE TABLE jobs (
    world    TEXT NOT NULL,
    due      TEXT NOT NULL,
    number   BIGINT NOT NULL,
    kind     TEXT NOT NULL,
    subject  TEXT NOT NULL,
    revision BIGINT NOT NULL,
    PRIMARY KEY (world, due, number)
);

-- Events have places from 1 without gaps.
CREATE TABLE events (
    world    TEXT NOT NULL,
    seq      BIGINT NOT NULL,
    type     TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (world, seq)
);

-- What is counted in a world: the events that were forgotten, the events, and the jobs, which get their numbers by it.
CREATE TABLE counters (
    world  TEXT NOT NULL PRIMARY KEY,
    pruned BIGINT NOT NULL,
    last   BIGINT NOT NULL,
    jobs   BIGINT NOT NULL
);
