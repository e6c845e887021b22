package postgres_test

import (
	"strings"
	"testing"

	"github.com/payctl/payctl/internal/test/testkit"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store/postgres"
)

// Lists by a column use its index, even with a generic plan and before the table has statistics.
func TestListsUseTheirIndexes(t *testing.T) {
	t.Parallel()
	url, schema := testkit.NewDatabase(t)
	s, err := postgres.Open(t.Context(), postgres.Config{URL: url})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	_, err = conn.Exec(t.Context(), "SET search_path = "+schema)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), "SET plan_cache_mode = force_generic_plan; "+
		"SET enable_seqscan = off; SET enable_bitmapscan = off")
	require.NoError(t, err)
	for _, rows := range []string{"0", "20000"} {
		_, err = conn.Exec(t.Context(), `INSERT INTO documents (kind, world, id, indexed, document)
			SELECT 'transfer', 'w', 'trf_' || n, jsonb_build_object('reference', 'r' || n, 'due', '2026' || n,
				'state', 'failed', 'account', 'acc_' || n % 9), '{}'
			FROM generate_series(1, `+rows+`) n`)
		require.NoError(t, err)
		for name, list := range map[string]string{
			"reference": `kind || ' ' || world = $1 AND (indexed ->> 'reference') COLLATE "C" = $2 ORDER BY id LIMIT $3`,
			"account": `kind || ' ' || world = $1 AND (indexed ->> 'account') COLLATE "C" = $2 AND
				COALESCE(indexed ->> 'state', '') = $4 ORDER BY id DESC LIMIT $3`,
			"state": `kind || ' ' || world = $1 AND (indexed ->> 'state') COLLATE "C" = $2 AND
				id < $4 ORDER BY id DESC LIMIT $3`,
			"due":  `world = $2 AND (indexed ->> 'due') IS NOT NULL ORDER BY (indexed ->> 'due') COLLATE "C", id LIMIT $3`,
			"pkey": `kind = $1 AND world = $2 AND id < $4 ORDER BY id DESC LIMIT $3`,
		} {
			_, err = conn.Exec(t.Context(), "DEALLOCATE ALL; PREPARE list (text, text, bigint, text) AS "+
				"SELECT document FROM documents WHERE "+list)
			require.NoError(t, err)
			found, err := conn.Query(t.Context(), "EXPLAIN EXECUTE list ('transfer w', 'w', 9, 'y')",
				pgx.QueryExecModeSimpleProtocol)
			require.NoError(t, err)
			lines, err := pgx.CollectRows(found, pgx.RowTo[string])
			require.NoError(t, err)
			require.Contains(t, strings.Join(lines, "\n"), "using documents_"+name+" ", "with %s rows", rows)
			require.NotContains(t, strings.Join(lines, "\n"), "Sort", name)
		}
	}
}
