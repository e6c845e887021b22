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
	if _, err := h.pool.Exec(ctx, "INSERT INTO worlds (world, version) VALUES ($1, 0)", world); err != nil {
		return nil, err
	}
	for kind, id := range map[string]string{"token": token, "contact": contact, "account": account} {
		if _, err := h.pool.Exec(ctx, put, kind, world, id, "{}", h.response); err != nil {
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

// The statements of a creation.
const (
	lock  = "SELECT version FROM worlds WHERE world = $1 FOR UPDATE"
	count = "UPDATE worlds SET version = $2 WHERE world = $1"
	get   = "SELECT document FROM documents WHERE kind = $1 AND world = $2 AND id = $3"
	put   = "INSERT INTO documents (kind, world, id, indexed, document) VALUES ($1, $2, $3, $4, $5)"
	first = "SELECT document FROM documents WHERE kind = $1 AND world = $2 ORDER BY id LIMIT 1"
	last  = "SELECT document FROM documents WHERE kind = $1 AND world = $2 ORDER BY id DESC LIMIT 1"
	find  = "SELECT document FROM documents WHERE kind = 'transfer' AND world = $1 AND " +
		"(indexed ->> 'reference') COLLATE \"C\" = $2 ORDER BY id LIMIT 1"
)

// create does what the creation of a transfer does in the database.
func (h *handler) create(ctx context.Context, tx pgx.Tx, reference, key string) error {
	var version int64
	if err := tx.QueryRow(ctx, lock, world).Scan(&version); err != nil {
		return err
	}
	for _, read := range []struct {
		query string
		args  []any
	}{
		{get, []any{"token", world, token}},
		{first, []any{"job", world}},
		{get, []any{"key", world, key}},
		{find, []any{world, reference}},
		{get, []any{"contact", world, contact}},
		{get, []any{"account", world, account}},
		{last, []any{"event", world}},
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
	due := func(d time.Duration) string { return now.Add(d).Format("2006-01-02T15:04:05.000000000") }
	indexed := fmt.Sprintf(`{"reference":%q,"account":%q,"state":"awaiting_funds"}`, reference, account)
	for _, write := range [][]any{
		{"transfer", world, id, indexed, h.response},
		{"event", world, fmt.Sprintf("%020d", version+1), `{"type":"transfer.created","subject":"` + id + `"}`, h.response},
		{"key", world, key, "{}", h.response},
		{"job", world, due(time.Hour) + " " + id, "{}", "{}"},
		{"job", world, due(24*time.Hour) + " " + key, "{}", "{}"},
	} {
		if _, err := tx.Exec(ctx, put, write...); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, count, world, version+1)
	return err
}
