-- Under which name the contents of a world are, in the column world of their rows. The contents of a world that is not in
-- this table have the name of the world. The worlds, clients and tokens of a world always have it.
CREATE TABLE contents (
    world TEXT NOT NULL PRIMARY KEY,
    name  TEXT NOT NULL
);

-- Contents of no world: they are still being written, or can be deleted.
CREATE TABLE unused_contents (
    name      TEXT NOT NULL PRIMARY KEY,
    deletable BIGINT NOT NULL
);
