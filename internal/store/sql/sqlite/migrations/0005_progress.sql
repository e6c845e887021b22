-- How far commits have come: one row, which every commit that writes replaces. See progress.go for the marker.

CREATE TABLE progress (
    id     INTEGER PRIMARY KEY,
    marker BLOB NOT NULL
);
INSERT INTO progress (id, marker) VALUES (1, x'fffe70617963746c2070726f67c0c1ff000000000000000000000000000000000000000000000000');
