package payments_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

func TestWalksThatNeverEnd(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(page int) (row, cursor string){
		"the same page":     func(page int) (string, string) { return strconv.Itoa(page), "a" },
		"two pages in turn": func(page int) (string, string) { return strconv.Itoa(page), strconv.Itoa(page % 2) },
		"back to the middle": func(page int) (string, string) {
			return strconv.Itoa(page), strconv.Itoa(min(page, 50+page%7))
		},
		"always one more": func(page int) (string, string) { return strconv.Itoa(page), strconv.Itoa(page) },
		"always the same": func(page int) (string, string) { return "a", strconv.Itoa(page) },
		"empty pages":     func(page int) (string, string) { return "", strconv.Itoa(page) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var walk payments.PageGuard
			var err error
			for page := 0; err == nil && page <= 1_000_000; page++ {
				row, cursor := next(page)
				err = walk.Step(cursor, slices.DeleteFunc([]string{row}, func(id string) bool { return id == "" }))
			}
			require.ErrorIs(t, err, payments.ErrEndless)
		})
	}
}

func TestWalksThatMayEnd(t *testing.T) {
	t.Parallel()
	var walk payments.PageGuard
	for page := range 20_000 {
		var rows []string
		if page%900 == 0 {
			rows = []string{"", strconv.Itoa(page)}
		}
		require.NoError(t, walk.Step(strconv.Itoa(page), rows))
	}
}
