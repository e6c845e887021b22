-- Events that were committed together lie in one row, as an array: hardly any is ever read alone, and rows are what a commit
-- costs. A row has the events from place first to place last, and the types that are among them, each with a space on
-- either side.

CREATE TABLE events_in_rows (
    world    TEXT NOT NULL,
    last     BIGINT NOT NULL,
    first    BIGINT NOT NULL,
    types    TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (world, last)
);
INSERT INTO events_in_rows (world, last, first, types, document)
    SELECT world, seq, seq, ' ' || type || ' ', '[' || document || ']' FROM events;
DROP TABLE events;
ALTER TABLE events_in_rows RENAME TO events;
