-- The events about one account, contact or transfer are read by themselves. Documents of new events have no longer what is
-- in a column beside them, which makes up for what the index costs.
ALTER TABLE events ADD COLUMN subject TEXT;
UPDATE events SET subject = NULLIF(json_extract(document, '$.SubjectID'), '');
CREATE INDEX events_by_subject ON events (world, subject, seq) WHERE subject IS NOT NULL;
