-- Entries of a world's request log, in batches. The id is the number of a batch's last entry, in 19 digits.

CREATE TABLE requests (
    world    TEXT NOT NULL,
    id       TEXT NOT NULL,
    created  TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (world, id)
);
