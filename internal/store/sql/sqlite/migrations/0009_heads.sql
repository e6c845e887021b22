-- Each world has one row that counts its commits, in place of the tables contents and counters.
CREATE TABLE heads (
    world    TEXT NOT NULL PRIMARY KEY,
    version  BIGINT NOT NULL,
    contents TEXT NOT NULL,
    pruned   BIGINT NOT NULL,
    last     BIGINT NOT NULL,
    jobs     BIGINT NOT NULL,
    recent   TEXT NOT NULL
);
-- The marker of a commit comes behind the heads in the file. The log is copied into the database in the order of pages, so
-- that a database with the marker has the heads too.
CREATE TABLE progress_behind_heads (
    id     INTEGER PRIMARY KEY,
    marker BLOB NOT NULL
);
INSERT INTO progress_behind_heads (id, marker) SELECT id, marker FROM progress;
INSERT INTO heads (world, version, contents, pruned, last, jobs, recent)
    SELECT known.world, 1, COALESCE(contents.name, known.world),
        COALESCE(counters.pruned, 0), COALESCE(counters.last, 0), COALESCE(counters.jobs, 0), ''
    FROM (
        SELECT world FROM worlds UNION SELECT world FROM contents UNION SELECT world FROM counters
        EXCEPT SELECT name FROM contents EXCEPT SELECT name FROM unused_contents
    ) AS known
    LEFT JOIN contents ON contents.world = known.world
    LEFT JOIN counters ON counters.world = COALESCE(contents.name, known.world);
DROP TABLE contents;
DROP TABLE counters;
DROP TABLE progress;
ALTER TABLE progress_behind_heads RENAME TO progress;

-- Contents that no world has are deletable from a time on.
CREATE TABLE deletable_contents (
    name      TEXT NOT NULL PRIMARY KEY,
    deletable TEXT NOT NULL
);
INSERT INTO deletable_contents (name, deletable) SELECT name, '' FROM unused_contents;
DROP TABLE unused_contents;
ALTER TABLE deletable_contents RENAME TO unused_contents;

-- Nothing reads when a row was created.
ALTER TABLE worlds DROP COLUMN created;
ALTER TABLE clients DROP COLUMN created;
ALTER TABLE tokens DROP COLUMN created;
ALTER TABLE idempotency_keys DROP COLUMN created;
ALTER TABLE accounts DROP COLUMN created;
ALTER TABLE contacts DROP COLUMN created;
ALTER TABLE transfers DROP COLUMN created;
ALTER TABLE requests DROP COLUMN created;
