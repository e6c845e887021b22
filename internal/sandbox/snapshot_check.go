package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
)

// This file checks that a snapshot holds a world that the service could have led to. Its checksum has no key, so that
// anybody can give any content the right one. What a client sees of a record has to satisfy the schema of its response;
// the rules that a schema cannot express are here. What only a request is checked for, such as the check digits of an
// IBAN, is not checked again, since nothing in the service depends on it.

const (
	// maxRecordBytes is the most bytes of the JSON of a record: twice what a request may have, from which nearly all of a
	// record comes.
	maxRecordBytes = 2 << 20
	// maxPlan is the most steps of a plan. Each one rewrites the record when it is due. The script never plans more than
	// five; the rest is for the scripts of other versions.
	maxPlan = 16
	// maxList is the most elements of any other list in a record: as many reasons as an override may give.
	maxList = 20
	// maxText is the most characters of a text in a record: those of a value of metadata, the longest that a request may
	// have.
	maxText = 500
	// maxKey is the most bytes of an idempotency key. The contract has the same bound.
	maxKey = 255
	// maxNumber is the largest number whose canonical JSON is exact (RFC 8785). No world counts so far.
	maxNumber = 1 << 53
	// maxGeneration is where the count of generations stops, so that it never overflows.
	maxGeneration = math.MaxInt32
)

// nextGeneration returns the generation after another one.
func nextGeneration(generation int) int { return min(generation, maxGeneration-1) + 1 }

// errForm reports JSON that is not that of a snapshot.
var errForm = errors.New("is of a form that this service does not know")

// A recordError says which record no world can hold, and why.
type recordError struct {
	pointer jsontext.Pointer // to the record in the world
	reason  error
}

// Error returns words that follow "the world".
func (e *recordError) Error() string {
	return fmt.Sprintf("has a record that no world can hold, %s: %v", e.pointer, e.reason)
}

// readContent decodes the world of a snapshot and checks it. The error is in words that follow "the world".
func readContent(world jsontext.Value) (content snapshotContent, err error) {
	err = json.Unmarshal(world, &content, checkedFormat())
	if wrong, ok := errors.AsType[*recordError](err); ok {
		return content, wrong
	}
	if err != nil {
		return content, errForm
	}
	return content, content.check()
}

// checkedFormat is snapshotFormat with a check of each record when it is decoded: records are far larger in memory than
// the least JSON for them.
var checkedFormat = sync.OnceValue(func() json.Options {
	return json.JoinOptions(snapshotFormat(), json.WithUnmarshalers(json.JoinUnmarshalers(
		checked(checkAccount), checked(checkContact), checked(checkTransfer), checked(checkKey), checked(checkJob),
	)))
})

// checked returns how records of a kind are decoded.
func checked[T any](check func(*T) error) *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(d *jsontext.Decoder, record *T) error {
		text, err := d.ReadValue()
		if err != nil {
			return err
		}
		switch {
		case len(text) > maxRecordBytes:
			err = fmt.Errorf("it has %d bytes, and %d are the most", len(text), maxRecordBytes)
		case json.Unmarshal(text, record, snapshotFormat()) != nil:
			err = errors.New("it " + errForm.Error())
		default:
			err = check(record)
		}
		if err != nil {
			return &recordError{d.StackPointer(), err}
		}
		return nil
	})
}

// The schemas of what a client sees of records.
var (
	accountSchema  = contract.GetAccount.SuccessSchema()
	kycSchema      = contract.GetKYCStatus.SuccessSchema()
	transferSchema = contract.GetTransfer.SuccessSchema()
	contactSchema  = contract.CreateSavedContact.Body // not that of a response, which masks the coordinates
)

// checkSchema validates a value as it goes over the wire.
func checkSchema(schema *contract.Schema, value any) error {
	text, err := payments.Encode(value)
	if err != nil {
		return err
	}
	return checkJSON(schema, text)
}

// checkJSON validates JSON against a schema. It reports one mistake, in words of a bounded length.
func checkJSON(schema *contract.Schema, text []byte) error {
	report, err := contract.Validate(schema, text)
	switch {
	case err != nil:
		return fmt.Errorf("%.200s", err.Error())
	case len(report.Errors) > 0:
		field := slices.Min(slices.Collect(maps.Keys(report.Errors)))
		return fmt.Errorf("%.200s", strings.TrimSuffix(report.Errors[field][0], "."))
	case len(report.Unknown) > 0:
		return fmt.Errorf("the %.100s field is not known", report.Unknown[0])
	}
	return nil
}

func checkAccount(a *store.Account) error {
	switch {
	case !service.IsAccountID(a.ID):
		return errors.New("its id is not that of an account")
	case a.KYC.AccountID != a.ID || a.KYC.Status != a.KYCStatus:
		return errors.New("its identity check is that of another account or status")
	case len(a.Plan) > maxPlan:
		return planError(len(a.Plan))
	}
	return cmp.Or(checkBounds(a), checkSchema(accountSchema, a.Account), checkSchema(kycSchema, a.KYC), checkKYCPlan(a))
}

func planError(steps int) error {
	return fmt.Errorf("its plan has %d steps, and %d are the most", steps, maxPlan)
}

// checkKYCPlan checks that the plan of an identity check is a path through its state machine, and that there is an
// attempt left wherever a submission may come.
func checkKYCPlan(a *store.Account) error {
	status := a.KYCStatus
	for i := 0; ; i++ {
		if status.TakesSubmission() && status != payments.KYCStatusExpired && a.KYC.Attempt >= payments.MaxKYCAttempts {
			return fmt.Errorf("it is or becomes %s after attempt %d, which was the last", status, a.KYC.Attempt)
		}
		if i == len(a.Plan) {
			break
		}
		step := a.Plan[i]
		switch {
		case !status.CanBecome(step.Status):
			return fmt.Errorf("step %d of its plan leads from %s to %.40q", i+1, status, step.Status)
		case step.Polls > maxPolls:
			return fmt.Errorf("step %d of its plan waits for %d reads, and %d are the most", i+1, step.Polls, maxPolls)
		}
		status = service.EnteredKYCStatus(step.Status, a.KYC.Attempt)
	}
	if a.Polled > maxPolls {
		return fmt.Errorf("it has %d reads, and %d are the most", a.Polled, maxPolls)
	}
	return nil
}

func checkContact(c *store.Contact) error {
	if !service.IsContactID(c.ID) {
		return errors.New("its id is not that of a saved contact")
	}
	return cmp.Or(checkBounds(c), checkSchema(contactSchema, c.NewSavedContact))
}

// checkTransfer checks a transfer. Its route need not be one that the catalogue has: it may have been another catalogue
// when the transfer was made.
func checkTransfer(t *store.Transfer) error {
	switch {
	case t.Transfer == nil || !service.IsTransferID(t.ID):
		return errors.New("its id is not that of a transfer")
	case len(t.Plan) > maxPlan:
		return planError(len(t.Plan))
	case !service.IsContactID(t.DestinationSavedContactID):
		return errors.New("the id of its contact is not that of a saved contact")
	case !hasAmount(t):
		return fmt.Errorf("it is %.40q without an amount", t.State)
	case t.Polled > maxPolls:
		return fmt.Errorf("it has %d reads, and %d are the most", t.Polled, maxPolls)
	}
	// The record itself has the fields that its state replaces, too.
	fields := struct {
		payments.Transfer
		Plan             []store.TransferStep
		Polled, Revision int
	}{t.Whole(), t.Plan, t.Polled, t.Revision}
	return cmp.Or(
		checkBounds(fields),
		checkSchema(transferSchema, service.TransferResponse(t)), t.CheckInvariants(), checkTransferPlan(t),
	)
}

// checkTransferPlan checks that the plan of a transfer is a path through its state machine.
func checkTransferPlan(t *store.Transfer) error {
	state := t.State
	for i, step := range t.Plan {
		switch {
		case !state.CanBecome(step.State):
			return fmt.Errorf("step %d of its plan leads from %s to %.40q", i+1, state, step.State)
		case step.ByDeposit && (state != payments.TransferStateAwaitingFunds || step.Polls > 0):
			return fmt.Errorf("step %d of its plan waits for a deposit, and for something else", i+1)
		case step.Polls > maxPolls:
			return fmt.Errorf("step %d of its plan waits for %d reads, and %d are the most", i+1, step.Polls, maxPolls)
		case service.TakesReason(step.State) != (step.Reason != ""):
			return fmt.Errorf("step %d of its plan has the reason %.40q, which does not fit %s", i+1, step.Reason, step.State)
		}
		state = step.State
	}
	return nil
}

// hasAmount reports whether a transfer has an amount if its state needs one.
func hasAmount(t *store.Transfer) bool {
	switch t.State {
	case payments.TransferStateAwaitingFunds, payments.TransferStateInReview, payments.TransferStateCanceled,
		payments.TransferStateExpired, payments.TransferStateFailed:
		return t.Source.Amount != nil || t.Flexible
	}
	return t.Source.Amount != nil
}

// checkKey checks an idempotency key. Its response is sent as it is when the request is repeated.
func checkKey(k *store.Key) error {
	operation, key, _ := strings.Cut(k.ID, " ")
	op := contract.Find(operation)
	switch {
	case op == nil || !op.TakesIdempotencyKey || key == "" || len(key) > maxKey:
		return fmt.Errorf("its ID is not an operation that takes an idempotency key, and a key of 1 to %d bytes", maxKey)
	case k.Fingerprint != k.Fingerprint.Hash():
		return errors.New("its fingerprint is not a hash")
	}
	return cmp.Or(checkBounds(k), checkJSON(op.SuccessSchema(), k.Response))
}

func checkJob(j *store.Job) error {
	switch j.Kind {
	case store.JobKYC, store.JobTransfer, store.JobExpireKey:
		return checkBounds(j)
	}
	return fmt.Errorf("its kind %.40q is not known", j.Kind)
}

// checkBounds checks every number, time, duration, text and list of a value.
func checkBounds(value any) error { return boundsError(reflect.Indirect(reflect.ValueOf(value)), "") }

// boundsError is checkBounds for a part of a value.
func boundsError(v reflect.Value, name string) error {
	switch v.Type() {
	case reflect.TypeFor[time.Time]():
		if at := v.Interface().(time.Time); at.Before(earliest) || at.After(service.LastTime) {
			return fmt.Errorf("the time %s is not from %d to %d", name, earliest.Year(), service.LastTime.Year())
		}
		return nil
	case reflect.TypeFor[payments.Decimal](), reflect.TypeFor[payments.Metadata](), reflect.TypeFor[[]byte]():
		return nil // the first is in bounds by its form, the others by a schema
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return boundsError(v.Elem(), name)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if err := boundsError(v.Field(i), v.Type().Field(i).Name); err != nil {
				return err
			}
		}
	case reflect.Slice:
		if v.Len() > maxList {
			return fmt.Errorf("the list %s has %d elements, and %d are the most", name, v.Len(), maxList)
		}
		for i := range v.Len() {
			if err := boundsError(v.Index(i), name); err != nil {
				return err
			}
		}
	case reflect.Int, reflect.Int64:
		switch n := v.Int(); {
		case n < 0:
			return fmt.Errorf("%s is negative", name)
		case n > maxNumber && v.Type() != reflect.TypeFor[time.Duration]():
			return fmt.Errorf("%s is more than %d", name, int64(maxNumber))
		}
	case reflect.String:
		if utf8.RuneCountInString(v.String()) > maxText {
			return fmt.Errorf("the text %s has more than %d characters", name, maxText)
		}
	}
	return nil
}

// check checks what belongs to no record, or to several. The records have been checked, each by itself. The error is in
// words that follow "the world".
func (c *snapshotContent) check() error {
	if err := c.checkClock(); err != nil {
		return err
	}
	if c.Generation < 0 || c.Generation > maxGeneration {
		return fmt.Errorf("has a Generation that is not from 0 to %d", maxGeneration)
	}
	if err := cmp.Or(
		checkOrder("Accounts", c.Accounts), checkOrder("Contacts", c.Contacts),
		checkOrder("Transfers", c.Transfers), checkOrder("Keys", c.Keys),
	); err != nil {
		return err
	}
	for i, contact := range c.Contacts {
		if find(c.Accounts, contact.AccountID) == nil {
			return errorAt("Contacts", i, "the world does not have its account")
		}
	}
	for i, transfer := range c.Transfers {
		if find(c.Accounts, transfer.AccountID) == nil {
			return errorAt("Transfers", i, "the world does not have its account")
		}
	}
	return c.checkJobs()
}

func (c *snapshotContent) checkClock() error {
	clock, scaled := c.Clock, 0
	switch clock.Mode {
	case payments.ClockModeReal:
		scaled = 1
	case payments.ClockModeScaled:
		scaled = min(max(clock.Scale, 1), maxScale)
	case payments.ClockModeManual:
	default:
		return fmt.Errorf("has a clock with the mode %.40q", clock.Mode)
	}
	if clock.Scale != scaled {
		return fmt.Errorf("has a %s clock with the scale %d", clock.Mode, clock.Scale)
	}
	if clock.Shown.Before(earliest) || clock.Shown.After(latest) {
		return fmt.Errorf("has a clock that does not show a time from %d to %d", earliest.Year(), latest.Year())
	}
	return nil
}

// errorAt returns a *recordError of an element of a list.
func errorAt(list string, i int, reason string) error {
	return &recordError{jsontext.Pointer(fmt.Sprintf("/%s/%d", list, i)), errors.New(reason)}
}

// checkOrder checks that the records of a table are there, each once, in the order in which the store lists them.
func checkOrder[T any, P record[T]](list string, records []*T) error {
	for i, record := range records {
		if record == nil {
			return errorAt(list, i, "it is null")
		}
		if i > 0 && P(record).DocumentID() >= P(records[i-1]).DocumentID() {
			return errorAt(list, i, "its identifier is not less than that of the record before")
		}
	}
	return nil
}

// find returns the record with an identifier in a list that passes checkOrder; nil: there is none.
func find[T any, P record[T]](records []*T, id string) P {
	i, found := slices.BinarySearchFunc(records, id, func(record *T, id string) int {
		return strings.Compare(id, P(record).DocumentID())
	})
	if !found {
		return nil
	}
	return records[i]
}

// A timer is what a record waits for: the job of a revision, which was scheduled at a time.
type timer struct {
	revision int
	since    time.Time
}

func accountTimer(a *store.Account) (t timer, waits bool) {
	if a == nil || len(a.Plan) == 0 || a.Plan[0].Polls > 0 {
		return t, false
	}
	return timer{a.Revision, a.KYC.UpdatedAt}, true
}

func transferTimer(r *store.Transfer) (t timer, waits bool) {
	if r == nil || len(r.Plan) == 0 || r.Plan[0].Polls > 0 {
		return t, false
	}
	return timer{r.Revision, r.UpdatedAt}, true
}

func keyTimer(k *store.Key) (t timer, waits bool) {
	if k == nil {
		return t, false
	}
	return timer{since: k.At}, true
}

// timerOf returns what the subject of a job waits for.
func (c *snapshotContent) timerOf(job store.Job) (timer, bool) {
	switch job.Kind {
	case store.JobKYC:
		return accountTimer(find(c.Accounts, job.Subject))
	case store.JobTransfer:
		return transferTimer(find(c.Transfers, job.Subject))
	default:
		return keyTimer(find(c.Keys, job.Subject))
	}
}

// dropStaleJobs drops the jobs that would do nothing: their subject has changed since, or is gone.
func (c *snapshotContent) dropStaleJobs() {
	c.Jobs = slices.DeleteFunc(c.Jobs, func(job store.Job) bool {
		timer, waits := c.timerOf(job)
		return !waits || timer.revision != job.Revision
	})
}

// checkJobs drops stale jobs, and checks that each record that waits for a time has one job, which is due after the
// record's last change.
func (c *snapshotContent) checkJobs() error {
	c.dropStaleJobs()
	type subject struct {
		kind store.JobKind
		id   string
	}
	due := make(map[subject]bool, len(c.Jobs))
	for i, job := range c.Jobs {
		timer, _ := c.timerOf(job)
		of := subject{job.Kind, job.Subject}
		switch {
		case due[of]:
			return errorAt("Jobs", i, "its subject has another job")
		case job.At.Before(timer.since.Truncate(precision)): // earlier versions kept smaller parts of a second
			return errorAt("Jobs", i, "it is due before the last change of its subject")
		}
		due[of] = true
	}
	for i, a := range c.Accounts {
		if _, waits := accountTimer(a); waits && !due[subject{store.JobKYC, a.ID}] {
			return errorAt("Accounts", i, "it waits for a time, and has no job for it")
		}
	}
	for i, t := range c.Transfers {
		if _, waits := transferTimer(t); waits && !due[subject{store.JobTransfer, t.ID}] {
			return errorAt("Transfers", i, "it waits for a time, and has no job for it")
		}
	}
	for i, k := range c.Keys {
		if !due[subject{store.JobExpireKey, k.ID}] {
			return errorAt("Keys", i, "it has no job that deletes it")
		}
	}
	return nil
}

// record is a pointer to a T that a table can keep.
type record[T any] interface {
	*T
	store.Document
}
