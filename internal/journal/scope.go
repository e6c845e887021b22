package journal

import (
	"context"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// A Scope is the journal as the commands of one run see it: it knows for whom they write, and opens the file when it is
// first needed.
type Scope struct {
	Path string
	// Service is the base URL, and Profile the profile, of whatever is put down.
	Service, Profile string
	// Client tells the client id that writes are made as; empty when it is not known.
	Client func(context.Context) (string, error)
	Now    func() time.Time
	// Patience is for how long another program's lock is waited for; zero: for 15 seconds, which is the most.
	Patience time.Duration

	mu     sync.Mutex
	opened *Journal
}

var _ payments.Journal = (*Scope)(nil)

// open returns the journal with an intent in which everything is filled.
func (s *Scope) open(ctx context.Context, intent payments.Intent) (*Journal, payments.Intent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	client, err := s.Client(ctx)
	if err != nil {
		return nil, intent, err
	}
	intent.Service, intent.Profile, intent.Client = s.Service, s.Profile, client
	if s.opened == nil {
		patience := longestPatience
		if s.Patience > 0 {
			patience = min(patience, s.Patience)
		}
		if s.opened, err = openFor(ctx, s.Path, s.Now, patience); err != nil {
			return nil, intent, err
		}
	}
	return s.opened, intent, nil
}

// Begin implements payments.Journal.
func (s *Scope) Begin(ctx context.Context, intent payments.Intent, again bool) (payments.JournalEntry, bool, error) {
	j, intent, err := s.open(ctx, intent)
	if err != nil {
		return payments.JournalEntry{}, false, err
	}
	return j.Begin(ctx, intent, again)
}

// End implements payments.Journal.
func (s *Scope) End(intent payments.Intent, result payments.Result) error {
	j, intent, err := s.open(context.Background(), intent)
	if err != nil {
		return err
	}
	return j.End(intent, result)
}

// find is open for a question. An intent that comes from the journal, as its service tells, is looked up where it stands.
func (s *Scope) find(ctx context.Context, intent payments.Intent) (*Journal, payments.Intent, error) {
	j, filled, err := s.open(ctx, intent)
	if intent.Service != "" {
		filled = intent
	}
	return j, filled, err
}

// Lookup is Journal.Lookup.
func (s *Scope) Lookup(ctx context.Context, intent payments.Intent) (payments.JournalEntry, bool, error) {
	j, intent, err := s.find(ctx, intent)
	if err != nil {
		return payments.JournalEntry{}, false, err
	}
	return j.Lookup(ctx, intent)
}

// Claimed implements payments.Journal.
func (s *Scope) Claimed(ctx context.Context, intent payments.Intent, subject string) (bool, error) {
	j, intent, err := s.find(ctx, intent)
	if err != nil {
		return false, err
	}
	return j.Claimed(ctx, intent, subject)
}

// Prepare is Journal.Prepare.
func (s *Scope) Prepare(ctx context.Context, intents []payments.Intent) error {
	j, filled, err := s.open(ctx, payments.Intent{})
	if err != nil {
		return err
	}
	for i := range intents {
		intents[i].Service, intents[i].Profile, intents[i].Client = filled.Service, filled.Profile, filled.Client
	}
	return j.Prepare(ctx, intents)
}

// Record is Journal.Record. An entry that comes from the journal, as its service tells, is settled where it stands, also
// when another client may have sent it; but only its own sender's word counts for its absence: otherwise nothing is put
// down, and the error is ErrOthers.
func (s *Scope) Record(ctx context.Context, entries []payments.JournalEntry) error {
	j, filled, err := s.open(ctx, payments.Intent{})
	if err != nil {
		return err
	}
	for i := range entries {
		entry := &entries[i]
		if entry.Service == "" {
			entry.Service, entry.Profile, entry.Client = filled.Service, filled.Profile, filled.Client
		}
		if entry.Outcome == payments.OutcomeAbsent && (entry.Service != filled.Service || entry.Client != filled.Client) {
			return ErrOthers
		}
	}
	return j.Record(ctx, entries)
}

// Each is Journal.Each for the writes to this service by this client.
func (s *Scope) Each(ctx context.Context, f Filter, each func(payments.JournalEntry) error) error {
	j, filled, err := s.open(ctx, payments.Intent{})
	if err != nil {
		return err
	}
	f.Service, f.Client = filled.Service, filled.Client
	return j.Each(ctx, f, each)
}

// OpenElsewhere counts the writes whose outcome is open and that Each does not come to: those to other services, and by
// other clients. The counts are by the service's base URL.
func (s *Scope) OpenElsewhere(ctx context.Context) (map[string]int, error) {
	j, filled, err := s.open(ctx, payments.Intent{})
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	err = j.Each(ctx, Filter{Open: true}, func(entry payments.JournalEntry) error {
		sameClient := filled.Client == "" || entry.Client == "" || entry.Client == filled.Client
		if entry.Service != filled.Service || !sameClient {
			counts[entry.Service]++
		}
		return nil
	})
	return counts, err
}

// Compact is Journal.Compact; it concerns every service.
func (s *Scope) Compact(ctx context.Context, before time.Time) (int64, error) {
	j, _, err := s.open(ctx, payments.Intent{})
	if err != nil {
		return 0, err
	}
	return j.Compact(ctx, before)
}

// Close closes the journal if it was opened.
func (s *Scope) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened == nil {
		return nil
	}
	return s.opened.Close()
}
