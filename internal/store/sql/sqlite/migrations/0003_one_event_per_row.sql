-- Each event gets a row of its own, with its type in a column.

CREATE TABLE single_events (
    world    TEXT NOT NULL,
    seq      BIGINT NOT NULL,
    type     TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (world, seq)
);
INSERT INTO single_events (world, seq, type, document)
    SELECT events.world, json_extract(event.value, '$.Seq'), json_extract(event.value, '$.Type'), event.value
    FROM events, json_each(events.document) AS event;
DROP TABLE events;
ALTER TABLE single_events RENAME TO events;

-- From here on the version is in user_version. Earlier programs count the rows of this table, and refuse more than two.
CREATE TABLE IF NOT EXISTS migrations (version BIGINT NOT NULL PRIMARY KEY);
INSERT INTO migrations (version) VALUES (1), (2), (3) ON CONFLICT DO NOTHING;
