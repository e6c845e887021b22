package report

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
)

var currencies = rapid.SampledFrom([]string{"USDC", "EUR", "BRL"})

// amounts has known and unknown amounts, also such that do not fit into a machine word.
var amounts = rapid.Custom(func(t *rapid.T) *payments.Decimal {
	if rapid.IntRange(0, 4).Draw(t, "known") == 0 {
		return nil
	}
	text := strconv.FormatUint(rapid.Uint64Max(999_999_999_999_999_999).Draw(t, "integer"), 10)
	if places := rapid.IntRange(0, 18).Draw(t, "places"); places > 0 {
		text += fmt.Sprintf(".%018d", rapid.Uint64Max(999_999_999_999_999_999).Draw(t, "fraction"))[:places+1]
	}
	return new(payments.MustDecimal(text))
})

var transfers = rapid.Custom(func(t *rapid.T) payments.Transfer {
	side := func(name string) payments.TransferSide {
		return payments.TransferSide{Currency: currencies.Draw(t, name), Amount: amounts.Draw(t, name+" amount")}
	}
	transfer := payments.Transfer{
		State:  payments.TransferState(rapid.SampledFrom([]string{"failed", "payment_processed", "news"}).Draw(t, "state")),
		Route:  rapid.SampledFrom([]string{"a->b", "b->c"}).Draw(t, "route"),
		Source: side("source"), Destination: side("destination"),
		BatchID:   rapid.SampledFrom([]string{"", "bat_1", "bat_2"}).Draw(t, "batch"),
		CreatedAt: time.Unix(rapid.Int64Range(1_770_000_000, 1_770_200_000).Draw(t, "created"), 0),
	}
	for range rapid.IntRange(0, 3).Draw(t, "fees") {
		transfer.Fees = append(transfer.Fees, payments.Fee{Currency: currencies.Draw(t, "fee"), Amount: amounts.Draw(t, "fee amount")})
	}
	return transfer
})

// naive is a sum as anybody would write it, of fractions.
type naive struct {
	transfers                              map[int]bool
	source, destination, fees              *big.Rat
	sources, destinations                  int
	noSource, noDestination, unknownCharge int
}

func addNaive(sum *big.Rat, unknown *int, amount *payments.Decimal) {
	if amount == nil {
		*unknown++
		return
	}
	value, ok := new(big.Rat).SetString(amount.String())
	if !ok {
		panic(amount)
	}
	sum.Add(sum, value)
}

// The totals of any transfers by any groupings are the sums of fractions, and the rows together are the transfers.
func TestTotalsAreExact(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("there", 9*60*60)
	rapid.Check(t, func(r *rapid.T) {
		all := rapid.SliceOfN(transfers, 0, 20).Draw(r, "transfers")
		by := rapid.SliceOfNDistinct(rapid.SampledFrom(Groupings()), 0, 5, rapid.ID[Grouping]).Draw(r, "by")
		totals := NewTotals(by, zone)
		want, wantAll := map[string]*naive{}, map[string]*naive{}
		for i, transfer := range all {
			require.NoError(r, totals.Add(&transfer))
			groups := map[Grouping]string{
				ByState: string(transfer.State), ByRoute: transfer.Route, ByBatch: transfer.BatchID,
				ByDay: transfer.CreatedAt.In(zone).Format("2006-01-02"),
			}
			each := func(currency string, add func(n *naive)) {
				key := ""
				for _, grouping := range totals.By() {
					if grouping == ByCurrency {
						key += currency
					}
					key += groups[grouping] + "|"
				}
				for _, sums := range []struct {
					of  map[string]*naive
					key string
				}{{want, key}, {wantAll, currency + "|"}} {
					n := sums.of[sums.key]
					if n == nil {
						n = &naive{transfers: map[int]bool{}, source: new(big.Rat), destination: new(big.Rat), fees: new(big.Rat)}
						sums.of[sums.key] = n
					}
					n.transfers[i] = true
					add(n)
				}
			}
			each(transfer.Source.Currency, func(n *naive) {
				n.sources++
				addNaive(n.source, &n.noSource, transfer.Source.Amount)
			})
			each(transfer.Destination.Currency, func(n *naive) {
				n.destinations++
				addNaive(n.destination, &n.noDestination, transfer.Destination.Amount)
			})
			for _, fee := range transfer.Fees {
				each(fee.Currency, func(n *naive) { addNaive(n.fees, &n.unknownCharge, fee.Amount) })
			}
		}
		require.Equal(r, len(all), totals.Transfers())
		requireRows(r, want, totals.Rows(), totals.By())
		requireRows(r, wantAll, totals.All(), []Grouping{ByCurrency})
		if slices.Contains(by, ByCurrency) {
			require.Equal(r, by, totals.By())
		} else {
			require.Equal(r, append(slices.Clone(by), ByCurrency), totals.By())
		}
	})
}

func requireRows(r *rapid.T, want map[string]*naive, rows []*Row, by []Grouping) {
	require.Len(r, rows, len(want))
	var order []string
	for _, row := range rows {
		var key, position string
		for _, grouping := range by {
			key += row.Group(grouping) + "|"
			position += row.Group(grouping) + "\x00"
		}
		order = append(order, position)
		n := want[key]
		require.NotNil(r, n, key)
		require.Equal(r, []int{len(n.transfers), n.sources, n.noSource, n.destinations, n.noDestination, n.unknownCharge},
			[]int{row.Transfers, row.SourceTransfers, row.SourceUnknown, row.DestinationTransfers, row.DestinationUnknown, row.FeesUnknown})
		for i, sum := range []payments.Decimal{row.SourceAmount, row.DestinationAmount, row.Fees} {
			got, ok := new(big.Rat).SetString(sum.String())
			require.True(r, ok)
			require.Zero(r, []*big.Rat{n.source, n.destination, n.fees}[i].Cmp(got), "%s is %s", key, sum)
		}
	}
	require.True(r, slices.IsSorted(order), strings.Join(order, " "))
}

func TestAReportHasABound(t *testing.T) {
	t.Parallel()
	totals := NewTotals([]Grouping{ByBatch}, time.UTC)
	var err error
	for i := 0; i <= maxRows && err == nil; i++ {
		err = totals.Add(&payments.Transfer{BatchID: strconv.Itoa(i)})
	}
	require.ErrorIs(t, err, ErrTooManyRows)
	require.Len(t, totals.Rows(), maxRows)
}
