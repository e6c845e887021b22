package payments_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

func TestWalksThatNeverEnd(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(page int) (rows int, cursor string){
		"the same page":      func(int) (int, string) { return 1, "a" },
		"two pages in turn":  func(page int) (int, string) { return 1, strconv.Itoa(page % 2) },
		"back to the middle": func(page int) (int, string) { return 1, strconv.Itoa(min(page, 50+page%7)) },
		"always one more":    func(page int) (int, string) { return 1, strconv.Itoa(page) },
		"empty pages":        func(page int) (int, string) { return 0, strconv.Itoa(page) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var walk payments.PageGuard
			var err error
			for page := 0; err == nil && page <= 1_000_000; page++ {
				rows, cursor := next(page)
				err = walk.Step(rows, cursor)
			}
			require.ErrorIs(t, err, payments.ErrEndless)
		})
	}
}

func TestWalksThatMayEnd(t *testing.T) {
	t.Parallel()
	var walk payments.PageGuard
	for page := range 20_000 {
		rows := 0
		if page%900 == 0 {
			rows = 1
		}
		require.NoError(t, walk.Step(rows, strconv.Itoa(page)))
	}
}
