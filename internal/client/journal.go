package client

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

const (
	// keyLife is how long a key is relied on: somewhat less than the 24 hours for which a service keeps it.
	keyLife = 23 * time.Hour
	// clockSlack is how far a clock may have been set back for the time that a key has lived to count still: what is left
	// of the 24 hours.
	clockSlack = time.Hour
	// busyPoll is how often another program that is sending the same write is looked after.
	busyPoll = 50 * time.Millisecond
)

// A recovery tells what became of a write that was sent before, without sending it again.
type recovery[T any] struct {
	// read reads the effect of a write that is known to have been done; nil: it cannot be read.
	read func(ctx context.Context, subject string) (T, error)
	// find looks for the effect of a write whose outcome is open; nil: there is nothing to find it by.
	find func(ctx context.Context) (value T, found bool, err error)
	// of tells the identifier and the state of the effect.
	of func(T) (subject, state string)
}

// A keyed is a write that takes an idempotency key.
type keyed[T any] struct {
	intent payments.Intent
	// send sends it. Lost is what is known of an earlier program that sent it with the same key and had no answer; nil: none
	// did.
	send    func(ctx context.Context, lost error) (T, error)
	earlier recovery[T]
}

// once makes a write after putting it down in the journal. Where the journal knows of it already it is not made again but
// read, or found, or, where the service is trusted to honour the key, sent again with it. Made says that this call sent it.
func once[T any](ctx context.Context, c *Client, w keyed[T]) (value T, made bool, err error) {
	if c.config.Journal == nil || w.intent.Key == "" || c.config.Curl != nil {
		value, err = w.send(ctx, nil)
		return value, err == nil, err
	}
	if c.config.Token != nil { // without a credential nothing would leave
		if _, err := c.config.Token.Token(ctx); err != nil {
			return value, false, err
		}
	}
	var lost error
	patience := c.config.Now().Add(c.config.Timeout)
	for again := false; ; {
		w.intent.World = c.World()
		entry, mine, err := c.config.Journal.Begin(ctx, w.intent, again)
		switch {
		case err != nil:
			return value, false, unjournalled(ctx, err)
		case mine:
			value, err = w.send(ctx, lost)
			result := resultOf(err)
			if err == nil {
				result.Subject, result.State = w.earlier.of(value)
			}
			c.end(w.intent, result)
			return value, err == nil, err
		case entry.Busy:
			if !c.config.Now().Before(patience) || c.config.Sleep(ctx, busyPoll) != nil {
				return value, false, beingSent(entry)
			}
			again = false // what comes of that one is judged anew
			continue
		}
		if entry.Outcome.Settled() {
			value, err = w.read(ctx, entry)
		} else if again = c.mayRepeat(ctx, w.intent, entry); again {
			if !c.elsewhere(entry) {
				lost = sentBefore(entry)
			}
			continue
		} else {
			value, err = w.find(ctx, c, entry)
		}
		if c.elsewhere(entry) {
			continue // it was sent to a world that is gone
		}
		if entry.Outcome.Settled() && entry.BodyHash != w.intent.BodyHash && entry.BodyHash != "" {
			err = otherContent(entry)
		}
		return value, false, err
	}
}

// read reads what the journal says was done.
func (w keyed[T]) read(ctx context.Context, entry payments.JournalEntry) (value T, err error) {
	if w.earlier.read == nil || entry.Subject == "" {
		return value, alreadySent(entry)
	}
	value, err = w.earlier.read(ctx, entry.Subject)
	if entry.Client == "" && payments.IsKind(err, payments.KindNotFound) {
		return value, notSeen(entry, err)
	}
	return value, err
}

// find looks for what may have been done.
func (w keyed[T]) find(ctx context.Context, c *Client, entry payments.JournalEntry) (value T, err error) {
	if w.earlier.find == nil {
		return value, stillOpen(entry)
	}
	value, found, err := w.earlier.find(ctx)
	switch {
	case err != nil:
		return value, err
	case !found:
		return value, stillOpen(entry)
	}
	result := payments.Result{Outcome: payments.OutcomeDone}
	result.Subject, result.State = w.earlier.of(value)
	if w.intent.IsFoundByExternalID() {
		if claimed, err := c.config.Journal.Claimed(ctx, w.intent, result.Subject); err != nil || claimed {
			return *new(T), cmp.Or(err, stillOpen(entry))
		}
	}
	if entry.BodyHash != w.intent.BodyHash && entry.BodyHash != "" { // what was found is the other's
		return value, otherContent(payments.JournalEntry{Intent: entry.Intent, Result: result, Changed: entry.Changed})
	}
	c.end(w.intent, result)
	return value, nil
}

// end tells the journal. When that fails the entry stays open, which loses nothing; whoever closes the journal is told.
func (c *Client) end(intent payments.Intent, result payments.Result) {
	result.World = c.World()
	_ = c.config.Journal.End(intent, result)
}

// mayRepeat says whether a write whose outcome is open may be sent again: the same, to a service that honours its key,
// while the key lives.
func (c *Client) mayRepeat(ctx context.Context, intent payments.Intent, entry payments.JournalEntry) bool {
	age := c.config.Now().Sub(entry.Began)
	return entry.BodyHash == intent.BodyHash && age >= -clockSlack && age < keyLife && c.trusts(ctx)
}

// elsewhere says whether an entry is of another world of a reference service than the one that answers.
func (c *Client) elsewhere(entry payments.JournalEntry) bool {
	world := c.World()
	return entry.Result.World != "" && world != "" && entry.Result.World != world
}

// Trusted says whether the service is relied on to honour idempotency keys, as far as is known: a reference service that
// names its world does; any other when the settings say so, but not a reference service that names none, which plays one
// that does not.
func (c *Client) Trusted() bool {
	return c.World() != "" || c.config.KeysHonoured && !c.worldless.Load()
}

// trusts is Trusted, after asking a service that has not shown yet which it is. One that does not tell is not trusted.
func (c *Client) trusts(ctx context.Context) bool {
	if c.config.KeysPresumed && c.World() == "" && !c.worldless.Load() {
		// Which answer it is does not matter: other services need not have the operation.
		answer, _ := c.call(ctx, call{op: &contract.DescribeAccessToken}, nil)
		if c.World() == "" && (answer == nil || isReference(answer)) {
			return false
		}
	}
	return c.Trusted()
}

// notice takes from an answer what it tells of the service.
func (c *Client) notice(answer *Response, authorization string) {
	world, server := answer.Header.Get("Payctl-World"), answer.Header.Get("Server")
	see(&c.world, world)
	see(&c.server, server)
	if world == "" && isReference(answer) && strings.HasPrefix(authorization, bearer) && answer.Status < http.StatusMultipleChoices {
		c.worldless.Store(true)
	}
}

// isReference says whether a reference service answered.
func isReference(answer *Response) bool {
	return strings.HasPrefix(answer.Header.Get("Server"), "payctl/")
}

// resultOf is what the journal is told of a write that was sent.
func resultOf(err error) payments.Result {
	result := payments.Result{Outcome: payments.OutcomeDone}
	if err == nil {
		return result
	}
	var kept *keptError
	if errors.As(err, &kept) {
		result.Outcome = payments.OutcomeNotSent
		return result
	}
	var refusal *payments.Refusal
	if !errors.As(err, &refusal) {
		result.Outcome = payments.OutcomeUnknown
		if errors.Is(err, context.Canceled) { // had it been sent, it would be a refusal of kind payments.KindOutcomeUnknown
			result.Outcome = payments.OutcomeNotSent
		}
		return result
	}
	result.Status, result.Problem, result.Detail = refusal.Status, refusal.Type, refusal.Detail
	switch refusal.Kind() {
	case payments.KindOutcomeUnknown:
		result.Outcome = payments.OutcomeUnknown
	case payments.KindUnreachable, payments.KindInvalidRequest, payments.KindInvalidSettings, payments.KindCredential, payments.KindInsecure:
		result.Outcome = payments.OutcomeNotSent
	default:
		result.Outcome = payments.OutcomeRefused
	}
	return result
}
