-- Nothing looks writes up by their batch, and every row of one paid for it.
DROP INDEX batches;
