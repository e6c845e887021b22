// Command statements is the peer of payctl serve --database: a net/http handler that creates a transfer in one transaction,
// statement by statement, with pgx's pool and its prepared statements. It reads and writes the same tables as payctl, which
// it finds empty, and locks the row of the world in the same way. It settles nothing, checks nothing and authenticates no
// client. Its arguments are the database's URL, the schema, the number of connections and a file with the response. It
// prints its URL once it listens.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	world   = "peer"
	contact = "sct_1"
	account = "acc_1"
	token   = "token"
)

// largestBody is the largest request body that is read, in bytes.
const largestBody = 1 << 20

// A transfer is what the peer reads of a request.
type transfer struct {
	Reference string `json:"reference"`
}

type handler struct {
	pool     *pgxpool.Pool
	response string
}

func main() {
	h, err := open(context.Background(), os.Args[1], os.Args[2], os.Args[3], os.Args[4])
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("http://" + listener.Addr().String())
	log.Fatal(http.Serve(listener, h))
}

// open connects to the database, and adds what every create reads.
func open(ctx context.Context, databaseURL, schema, connections, file string) (*handler, error) {
	response, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		return nil, err
	}
	most, err := strconv.ParseInt(connections, 10, 32)
	if err != nil {
		return nil, err
	}
	config.MaxConns = int32(most)
	config.ConnConfig.RuntimeParams["search_path"] = schema
	config.ConnConfig.RuntimeParams["enable_seqscan"] = "off" // plans are made while the tables are empty
	h := &handler{response: string(response)}
	if h.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, err
	}
	for _, add := range []struct {
		query string
		args  []any
	}{
		{"INSERT INTO heads (world, version, contents, pruned, last, jobs, recent) VALUES ($1, 0, $1, 0, 0, 0, '')", []any{world}},
		{"INSERT INTO tokens (world, id, document) VALUES ($1, $2, $3)", []any{world, token, h.response}},
		{"INSERT INTO contacts (world, id, document) VALUES ($1, $2, $3)", []any{world, contact, h.response}},
		{"INSERT INTO accounts (world, id, document) VALUES ($1, $2, $3)", []any{world, account, h.response}},
	} {
		if _, err := h.pool.Exec(ctx, add.query, add.args...); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var t transfer
	err := json.NewDecoder(io.LimitReader(r.Body, largestBody)).Decode(&t)
	if err == nil {
		err = pgx.BeginFunc(r.Context(), h.pool, func(tx pgx.Tx) error {
			return h.create(r.Context(), tx, t.Reference, r.Header.Get("Idempotency-Key"))
		})
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, h.response)
}

// create does what the creation of a transfer does in the database.
func (h *handler) create(ctx context.Context, tx pgx.Tx, reference, key string) error {
	var version, last, jobs int64
	if err := tx.QueryRow(ctx, "SELECT version, last, jobs FROM heads WHERE world = $1 FOR UPDATE", world).
		Scan(&version, &last, &jobs); err != nil {
		return err
	}
	for _, read := range []struct {
		query string
		args  []any
	}{
		{"SELECT document FROM tokens WHERE world = $1 AND id = $2", []any{world, token}},
		{"SELECT subject FROM jobs WHERE world = $1 ORDER BY due, number LIMIT 1", []any{world}},
		{"SELECT document FROM idempotency_keys WHERE world = $1 AND id = $2", []any{world, key}},
		{"SELECT id FROM transfers WHERE world = $1 AND reference = $2 ORDER BY id LIMIT 1", []any{world, reference}},
		{"SELECT document FROM contacts WHERE world = $1 AND id = $2", []any{world, contact}},
		{"SELECT document FROM accounts WHERE world = $1 AND id = $2", []any{world, account}},
	} {
		rows, err := tx.Query(ctx, read.query, read.args...)
		if err != nil {
			return err
		}
		if _, err := pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
			return err
		}
	}
	now, id := time.Now().UTC(), "trf_"+rand.Text()
	due := func(d time.Duration) string { return now.Add(d).Format("2006-01-02T15:04:05.000000000Z") }
	insertJob := "INSERT INTO jobs (world, due, number, kind, subject, revision) VALUES ($1, $2, $3, $4, $5, 1)"
	for _, write := range []struct {
		query string
		args  []any
	}{
		{
			"INSERT INTO transfers (world, id, document, reference, account_id, state) VALUES ($1, $2, $3, $4, $5, $6)",
			[]any{world, id, h.response, reference, account, "awaiting_funds"},
		},
		{
			"INSERT INTO events (world, seq, type, subject, document) VALUES ($1, $2, $3, $4, $5)",
			[]any{world, last + 1, "transfer.created", id, h.response[:len(h.response)/2]},
		},
		{"INSERT INTO idempotency_keys (world, id, document) VALUES ($1, $2, $3)", []any{world, key, h.response}},
		{insertJob, []any{world, due(time.Hour), jobs + 1, "transfer", id}},
		{insertJob, []any{world, due(24 * time.Hour), jobs + 2, "expire-key", key}},
		{
			"UPDATE heads SET version = $2, last = $3, jobs = $4 WHERE world = $1",
			[]any{world, version + 1, last + 1, jobs + 2},
		},
	} {
		if _, err := tx.Exec(ctx, write.query, write.args...); err != nil {
			return err
		}
	}
	return nil
}
