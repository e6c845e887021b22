package store

import (
	"fmt"
	"math"
	"time"
)

// A JobKind is what a job does.
type JobKind string

// The kinds of job.
const (
	JobKYC         JobKind = "kyc"          // the next step of an account's identity check
	JobTransfer    JobKind = "transfer"     // the next step of a transfer
	JobExpireKey   JobKind = "expire-key"   // deletes an idempotency key
	JobExpireToken JobKind = "expire-token" // deletes an access token
)

// A Job is work that is due at a time. A world has a job once: another one with the same members is the same job.
type Job struct {
	At      time.Time // in UTC
	Kind    JobKind
	Subject string // identifier of the record that it is about
	// Revision is that of the subject when the job was added. If the subject has changed since, the job does nothing.
	Revision int
}

// jobTime writes times in one length, in which they sort as texts.
const jobTime = "2006-01-02T15:04:05.000000000"

// DocumentID implements Document. Jobs sort by their time. Of those at one moment the order is that of their subjects,
// whose identifiers sort as the subjects were made.
func (j *Job) DocumentID() string {
	return j.At.UTC().Format(jobTime) + fmt.Sprintf(" %s %s %d", j.Subject, j.Kind, j.Revision)
}

// Indexed implements Document.
func (*Job) Indexed(string) string { return "" }

func (tx Tx) jobs() Table[Job] { return Table[Job]{tx.Documents, jobs} }

// Schedule adds a job.
func (tx Tx) Schedule(job Job) error { return tx.jobs().Put(&job) }

// NextJob is the earliest job; the error is ErrNotFound if there is none.
func (tx Tx) NextJob() (Job, error) {
	first, err := tx.jobs().List(Query{Ascending: true, Limit: 1})
	if err != nil {
		return Job{}, err
	}
	if len(first) == 0 {
		return Job{}, ErrNotFound
	}
	return *first[0], nil
}

// FinishJob removes a job.
func (tx Tx) FinishJob(job Job) error { return tx.jobs().Delete(job.DocumentID()) }

// Jobs lists all jobs, in the order in which they will run.
func (tx Tx) Jobs() ([]Job, error) {
	found, err := tx.jobs().List(Query{Ascending: true, Limit: math.MaxInt})
	list := make([]Job, 0, len(found))
	for _, job := range found {
		list = append(list, *job)
	}
	return list, err
}
