//go:build linux

package bench

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// runPeer runs the test binary as a server that prints its URL once it listens.
func runPeer(name string, args []string) {
	var handler http.Handler
	switch {
	case name == "transactions":
		handler = newTransactions(args[0], args[1])
	case len(args) > 0:
		handler = fixedResponses(args[0])
	default: // the least that an HTTP server in Go needs to start
		handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("http://" + listener.Addr().String())
	log.Fatal(http.Serve(listener, handler))
}

// The JSON of the operations that are measured, as plain structs of encoding/json. Members that an operation does not
// have are left out.
type (
	bareEndpoint struct {
		Currency    string `json:"currency,omitempty"`
		PaymentRail string `json:"paymentRail,omitempty"`
		Provider    string `json:"provider,omitempty"`
		MinAmount   string `json:"minAmount,omitempty"`
		MaxAmount   string `json:"maxAmount,omitempty"`
		Amount      string `json:"amount,omitempty"`
		Decimals    int    `json:"decimals,omitempty"`
	}
	bareRequest struct {
		SelectedSource            *bareEndpoint `json:"selectedSource,omitempty"`
		SelectedDestination       *bareEndpoint `json:"selectedDestination,omitempty"`
		DestinationSavedContactID string        `json:"destinationSavedContactId,omitempty"`
		Route                     string        `json:"route,omitempty"`
		Amount                    string        `json:"amount,omitempty"`
		Reference                 string        `json:"reference,omitempty"`
	}
	bareRoute struct {
		RouteKey string `json:"routeKey"`
		FlowType string `json:"flowType"`
		Provider string `json:"provider"`
	}
	bareFee struct {
		Type     string `json:"type"`
		Side     string `json:"side"`
		Currency string `json:"currency"`
		Amount   string `json:"amount,omitempty"`
		Rate     string `json:"rate,omitempty"`
	}
	bareTerms struct {
		RouteKey                   string    `json:"routeKey"`
		MinAmount                  string    `json:"minAmount"`
		MaxAmount                  string    `json:"maxAmount"`
		Fees                       []bareFee `json:"fees"`
		ExchangeRate               string    `json:"exchangeRate"`
		EstimatedSettlementSeconds int       `json:"estimatedSettlementSeconds"`
		KYCRequired                bool      `json:"kycRequired"`
	}
	bareDeposit struct {
		PaymentRail      string `json:"paymentRail"`
		Currency         string `json:"currency"`
		Amount           string `json:"amount"`
		BeneficiaryName  string `json:"beneficiaryName"`
		PaymentReference string `json:"paymentReference"`
		Address          string `json:"address"`
	}
	bareSelection struct {
		SelectedSource        *bareEndpoint  `json:"selectedSource"`
		SelectedDestination   *bareEndpoint  `json:"selectedDestination"`
		AvailableSources      []bareEndpoint `json:"availableSources"`
		AvailableDestinations []bareEndpoint `json:"availableDestinations"`
		Routes                []bareRoute    `json:"routes"`
		TransactionsInfo      []bareTerms    `json:"transactionsInfo"`
	}
	bareTransfer struct {
		ID                        string        `json:"id"`
		AccountID                 string        `json:"accountId"`
		Route                     string        `json:"route"`
		FlowType                  string        `json:"flowType"`
		Provider                  string        `json:"provider"`
		Source                    *bareEndpoint `json:"source"`
		Destination               *bareEndpoint `json:"destination"`
		DestinationSavedContactID string        `json:"destinationSavedContactId"`
		Amount                    string        `json:"amount"`
		AmountType                string        `json:"amountType"`
		Flexible                  bool          `json:"flexible"`
		ConvertedAmount           string        `json:"convertedAmount"`
		ExchangeRate              string        `json:"exchangeRate"`
		Fees                      []bareFee     `json:"fees"`
		RoundingResidue           string        `json:"roundingResidue"`
		State                     string        `json:"state"`
		FailureReason             *string       `json:"failureReason"`
		ReturnCode                *string       `json:"returnCode"`
		Refund                    *bareFee      `json:"refund"`
		DepositInstructions       bareDeposit   `json:"depositInstructions"`
		OnchainTransactions       []bareFee     `json:"onchainTransactions"`
		Reference                 string        `json:"reference"`
		ExpectedSettlementAt      string        `json:"expectedSettlementAt"`
		CreatedAt                 string        `json:"createdAt"`
		UpdatedAt                 string        `json:"updatedAt"`
	}
)

// fixedResponses decodes each request and answers with the decoded form of the JSON in a file.
func fixedResponses(file string) http.Handler {
	text, err := os.ReadFile(file)
	selected, created := bareSelection{}, bareTransfer{}
	if err := errors.Join(err, json.Unmarshal(text, &selected), json.Unmarshal(text, &created)); err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	for pattern, response := range map[string]any{"PATCH " + selectPath: &selected, "POST " + createPath: &created} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			var got bareRequest
			if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(response)
		})
	}
	return mux
}

// peerConnections is how many connections to the database a service has, and its peer.
const peerConnections = 8

// peerTables are documents by kind and id, and a row to lock for each world.
const peerTables = `
CREATE SCHEMA peer;
CREATE TABLE peer.worlds (world text PRIMARY KEY, version bigint NOT NULL);
CREATE TABLE peer.documents (world text, kind text, id text, reference text, document text NOT NULL, PRIMARY KEY (world, kind, id));
CREATE INDEX ON peer.documents (world, kind, reference);
INSERT INTO peer.worlds VALUES ('bench', 0);
INSERT INTO peer.documents VALUES ('bench', 'token', 'tok_1', NULL, '{}'), ('bench', 'contact', 'sct_1', NULL, '{}'),
	('bench', 'account', 'acc_1', NULL, '{}')`

// A transactions creates a transfer in one transaction, statement by statement, with pgx's pool and its prepared
// statements. It locks the world, reads what a create reads and writes what it writes. It settles nothing, checks
// nothing and authenticates no client.
type transactions struct {
	pool     *pgxpool.Pool
	response string
}

func newTransactions(databaseURL, file string) *transactions {
	response, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	config, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		log.Fatal(err)
	}
	config.MaxConns = peerConnections
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err == nil {
		_, err = pool.Exec(context.Background(), peerTables)
	}
	if err != nil {
		log.Fatal(err)
	}
	return &transactions{pool, string(response)}
}

// ServeHTTP implements http.Handler.
func (t *transactions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked bareRequest
	err := json.NewDecoder(r.Body).Decode(&asked)
	if err == nil {
		err = pgx.BeginFunc(r.Context(), t.pool, func(tx pgx.Tx) error {
			return t.create(r.Context(), tx, asked.Reference, r.Header.Get("Idempotency-Key"))
		})
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, t.response)
}

// create does what the creation of a transfer does in a database.
func (t *transactions) create(ctx context.Context, tx pgx.Tx, reference, key string) error {
	var version int64
	err := tx.QueryRow(ctx, "SELECT version FROM peer.worlds WHERE world = 'bench' FOR UPDATE").Scan(&version)
	if err != nil {
		return err
	}
	for _, read := range [][2]string{{"token", "tok_1"}, {"key", key}, {"contact", "sct_1"}, {"account", "acc_1"}} {
		rows, err := tx.Query(ctx, "SELECT document FROM peer.documents WHERE world = 'bench' AND kind = $1 AND id = $2",
			read[0], read[1])
		if err != nil {
			return err
		}
		if _, err := pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
			return err
		}
	}
	rows, err := tx.Query(ctx,
		"SELECT id FROM peer.documents WHERE world = 'bench' AND kind = 'transfer' AND reference = $1", reference)
	if err != nil {
		return err
	}
	if _, err := pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		return err
	}
	id := rand.Text()
	for _, write := range []struct{ kind, id, reference, document string }{
		{"transfer", id, reference, t.response}, {"event", id, "", t.response[:len(t.response)/2]},
		{"key", key, "", t.response}, {"job", id, "", "{}"}, {"job", key, "", "{}"},
	} {
		if _, err := tx.Exec(ctx, "INSERT INTO peer.documents VALUES ('bench', $1, $2, NULLIF($3, ''), $4)",
			write.kind, write.id, write.reference, write.document); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, "UPDATE peer.worlds SET version = $1 WHERE world = 'bench'", version+1)
	return err
}
