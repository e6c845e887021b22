package postgres

// Statement is the statement of an Insertion.
var Statement = insertion
