package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sqlitedb"
)

// Limits are the most that one payment may have, and all payments of a day together, by currency. If there is a limit,
// a currency without one is refused, and so is a payment without an amount.
type Limits struct{ Payment, Day map[string]money.Decimal }

// refused returns the problem of a payment that is held back.
func refused(kind payments.ProblemType, title, format string, args ...any) error {
	return payments.NewLocalProblem(kind, nil, title+" Nothing was sent.", format, args...)
}

// Alike has the names of payments of the same amount to the same contact. Two are enough: one may be the payment's own.
type Alike map[string][]string

// Add adds a payment, and returns the name of another one like it, or "".
func (a Alike) Add(contact, currency string, amount money.Decimal, name string) (other string) {
	key := contact + "\n" + currency + "\n" + amount.Written(0).String()
	if len(a[key]) < 2 && !slices.Contains(a[key], name) {
		a[key] = append(a[key], name)
	}
	for _, known := range a[key] {
		if known != name {
			return known
		}
	}
	return ""
}

const (
	nameOf = `coalesce(nullif(reference, ''), nullif(external_id, ''), idempotency_key)`
	isSent = `service = ?1 AND amount <> '' AND sent <> '' AND sent > ?2 || ' '` // after a time

	// sumSent counts payments by amount. Payments that were sent several times are also grouped by their times.
	sumSent = `SELECT amount, CASE WHEN length(sent) > 31 THEN sent ELSE '' END AS times, count(*) FROM writes
	WHERE ` + isSent + ` AND currency = ?3 GROUP BY amount, times`

	findOpen = `SELECT ` + nameOf + `, amount, sent FROM writes
	WHERE ` + isOpen + ` AND service = ?1 AND currency = ?2 AND amount <> ''`
	findAlike = `SELECT ` + nameOf + `, payee_id, currency, amount FROM writes WHERE ` + isSent + `
	AND (?3 = '' OR payee_id = ?3 AND CAST(amount AS REAL) = CAST(?4 AS REAL)) ORDER BY sent DESC`
	findPayee = `SELECT payee_id, payee_label, payee_holder, payee_rail, payee_account FROM writes
	WHERE payee_name = ?2 AND payee_name <> '' AND sent <> '' AND service = ?1 AND (world = ?3 OR world = '' OR ?3 = '')
	ORDER BY sent DESC LIMIT 1`
)

// A guard checks payments in one transaction. No other program records anything meanwhile.
type guard struct {
	*file
	conn   *sqlitedb.Conn
	own    PendingWrite
	limits Limits
	days   map[string]*day // by currency
}

// A day is the sum of the payments of the last 24 hours.
type day struct {
	sum  money.Decimal
	open []string // names
}

// Alike returns the payments of an amount to a contact that any client sent within three days. An empty contact means
// all payments.
func (j *Journal) Alike(ctx context.Context, contact, amount string) (Alike, error) {
	found := Alike{}
	return found, j.transact(ctx, func(g *guard) error {
		args := []any{g.own.Service, timeText(g.now().Add(-72 * time.Hour)), contact, amount}
		return g.conn.Rows(ctx, findAlike, args, func(row func(...any) error) error {
			var name, payee, currency, text string
			err := row(&name, &payee, &currency, &text)
			amount, _ := money.ParseDecimal(text) // a forged amount is like no other
			found.Add(payee, currency, amount, name)
			return err
		})
	})
}

// Check returns why payments would be refused if they were claimed in this order, by index. It assumes that they have
// no entries.
func (j *Journal) Check(
	ctx context.Context, count int, intent func(int) PendingWrite,
) (map[int][]*payments.ProblemError, error) {
	refused := map[int][]*payments.ProblemError{}
	return refused, j.transact(ctx, func(g *guard) error {
		for i := range count {
			one := intent(i)
			for again := true; again; one.AcceptsPayee = true {
				err := g.check(&one, false)
				why, isRefused := errors.AsType[*payments.ProblemError](err)
				if again = payments.IsProblem(err, payments.ProblemPayeeChanged); isRefused {
					refused[i] = append(refused[i], why)
				} else if err != nil {
					return err
				}
			}
			g.add(&one)
		}
		return nil
	})
}

// day returns the day of a currency. Times in the future count, and open payments always count.
func (g *guard) day(currency string) (*day, error) {
	if d := g.days[currency]; d != nil {
		return d, nil
	}
	since, d := timeText(g.now().Add(-24*time.Hour)), &day{}
	add := func(text string, count int) error {
		amount, err := money.ParseDecimal(text)
		if err != nil {
			return errForged
		}
		d.sum = d.sum.Add(amount.Mul(money.MustDecimal(strconv.Itoa(count))))
		return nil
	}
	g.days[currency] = d
	args := []any{g.own.Service, since, currency}
	err := g.conn.Rows(context.Background(), sumSent, args, func(row func(...any) error) error {
		var amount, times string
		var count int
		err := row(&amount, &times, &count)
		if all := strings.Fields(times); len(all) > 0 {
			count *= len(slices.DeleteFunc(all, func(at string) bool { return at <= since }))
		}
		return cmp.Or(err, add(amount, count))
	})
	if err != nil {
		return d, err
	}
	args = []any{g.own.Service, currency}
	return d, g.conn.Rows(context.Background(), findOpen, args, func(row func(...any) error) error {
		var name, amount, sent string
		err := row(&name, &amount, &sent)
		if d.open = append(d.open, name); err == nil && sent[:min(len(sent), len(since))] <= since {
			err = add(amount, 1)
		}
		return err
	})
}

// check returns a problem for a payment that must be held back. A recorded payment counts already.
func (g *guard) check(i *PendingWrite, isRecorded bool) error {
	if i.Body == nil { // only payments have a body
		return nil
	}
	if i.Payee.Name != "" && !i.AcceptsPayee && !isRecorded {
		was := Payee{}
		args := []any{g.own.Service, i.Payee.Name, i.World}
		err := g.conn.Rows(context.Background(), findPayee, args, func(row func(...any) error) error {
			return row(&was.ID, &was.Label, &was.Holder, &was.Rail, &was.Account)
		})
		if err != nil {
			return err
		} else if was.isOther(i.Payee) {
			return refused(payments.ProblemPayeeChanged, "The payee has changed.", "%q was last paid as %s, and is now %s.",
				i.Payee.Name, was, i.Payee)
		}
	}
	if i.Repeats || g.limits.Payment == nil && g.limits.Day == nil {
		return nil
	}
	amount, wrong := money.ParseDecimal(i.Amount)
	payment, hasPayment := g.limits.Payment[i.Currency]
	most, hasDay := g.limits.Day[i.Currency]
	const title = "A limit of the profile holds this back."
	switch {
	case wrong != nil:
		return refused(payments.ProblemHeldBack, title, "The profile has limits, and the payment has no amount.")
	case !hasPayment && !hasDay:
		return refused(payments.ProblemHeldBack, title, "The profile has limits, and none for %s.", i.Currency)
	case hasDay:
		d, err := g.day(i.Currency)
		if err != nil {
			return err
		}
		before, open := d.sum, ""
		if isRecorded {
			before, _ = before.Sub(amount)
		}
		if n := len(d.open); n > 0 {
			open = fmt.Sprintf(", %d of them open: %s", n, strings.Join(d.open[:min(n, 10)], ", "))
		}
		if before.Add(amount).Cmp(most) > 0 {
			return refused(payments.ProblemHeldBack, title,
				"%s %s does not fit limit_day %s:%[2]s: payments of the last 24 hours have %[4]s%s.",
				i.Amount, i.Currency, most, before, open)
		}
	}
	if hasPayment && amount.Cmp(payment) > 0 && !i.IsConfirmed && !isRecorded {
		return refused(payments.ProblemAboveLimit, title, "%s %s is more than limit_payment %s:%[2]s.", i.Amount, i.Currency,
			payment)
	}
	return nil
}

// add counts a payment that the transaction records.
func (g *guard) add(i *PendingWrite) {
	if d := g.days[i.Currency]; d != nil && !i.Repeats {
		amount, _ := money.ParseDecimal(i.Amount) // check has parsed it
		d.sum = d.sum.Add(amount)
	}
}

// person returns who runs the program, and on which machine.
var person = sync.OnceValues(func() (name, host string) {
	if who, err := user.Current(); err == nil {
		name = who.Username
	}
	host, _ = os.Hostname() // empty if it is not known
	return name, host
})
