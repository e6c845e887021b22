-- Lists of saved contacts filter by your identifier and by the label. Contacts that are there already have no identifier.
ALTER TABLE contacts ADD COLUMN external_id TEXT;
ALTER TABLE contacts ADD COLUMN label TEXT;
UPDATE contacts SET label = json_extract(document, '$.label');
CREATE INDEX contacts_by_external_id ON contacts (world, external_id, id) WHERE external_id IS NOT NULL;
CREATE INDEX contacts_by_label ON contacts (world, label, id) WHERE label IS NOT NULL;
