-- A write whose external id must have nothing else is looked up by the external id. Rows of batches have none, and do not
-- pay for the index.
CREATE INDEX external_ids ON writes (external_id) WHERE external_id <> '';
