// Command bare is the peer of payctl serve: a net/http server that decodes a request's JSON and encodes a fixed response
// with encoding/json, and does nothing else. Its argument is a file with the response. Without an argument it answers
// every request with {}, which is the least that an HTTP server in Go needs to start. It prints its URL once it listens.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
)

// The JSON of the operations that are measured, as plain structs; members that an operation does not have are left out.
type (
	endpoint struct {
		Currency    string `json:"currency,omitempty"`
		PaymentRail string `json:"paymentRail,omitempty"`
		Provider    string `json:"provider,omitempty"`
		MinAmount   string `json:"minAmount,omitempty"`
		MaxAmount   string `json:"maxAmount,omitempty"`
		Amount      string `json:"amount,omitempty"`
		Decimals    int    `json:"decimals,omitempty"`
	}
	request struct {
		SelectedSource            *endpoint `json:"selectedSource,omitempty"`
		SelectedDestination       *endpoint `json:"selectedDestination,omitempty"`
		DestinationSavedContactID string    `json:"destinationSavedContactId,omitempty"`
		Route                     string    `json:"route,omitempty"`
		Amount                    string    `json:"amount,omitempty"`
		Reference                 string    `json:"reference,omitempty"`
	}
	route struct {
		RouteKey string `json:"routeKey"`
		FlowType string `json:"flowType"`
		Provider string `json:"provider"`
	}
	fee struct {
		Type     string `json:"type"`
		Side     string `json:"side"`
		Currency string `json:"currency"`
		Amount   string `json:"amount,omitempty"`
		Rate     string `json:"rate,omitempty"`
	}
	terms struct {
		RouteKey                   string `json:"routeKey"`
		MinAmount                  string `json:"minAmount"`
		MaxAmount                  string `json:"maxAmount"`
		Fees                       []fee  `json:"fees"`
		ExchangeRate               string `json:"exchangeRate"`
		EstimatedSettlementSeconds int    `json:"estimatedSettlementSeconds"`
		KYCRequired                bool   `json:"kycRequired"`
	}
	deposit struct {
		PaymentRail      string `json:"paymentRail"`
		Currency         string `json:"currency"`
		Amount           string `json:"amount"`
		BeneficiaryName  string `json:"beneficiaryName"`
		PaymentReference string `json:"paymentReference"`
		Address          string `json:"address"`
	}
	selection struct {
		SelectedSource        *endpoint  `json:"selectedSource"`
		SelectedDestination   *endpoint  `json:"selectedDestination"`
		AvailableSources      []endpoint `json:"availableSources"`
		AvailableDestinations []endpoint `json:"availableDestinations"`
		Routes                []route    `json:"routes"`
		TransactionsInfo      []terms    `json:"transactionsInfo"`
	}
	transfer struct {
		ID                        string    `json:"id"`
		AccountID                 string    `json:"accountId"`
		Route                     string    `json:"route"`
		FlowType                  string    `json:"flowType"`
		Provider                  string    `json:"provider"`
		Source                    *endpoint `json:"source"`
		Destination               *endpoint `json:"destination"`
		DestinationSavedContactID string    `json:"destinationSavedContactId"`
		Amount                    string    `json:"amount"`
		AmountType                string    `json:"amountType"`
		Flexible                  bool      `json:"flexible"`
		ConvertedAmount           string    `json:"convertedAmount"`
		ExchangeRate              string    `json:"exchangeRate"`
		Fees                      []fee     `json:"fees"`
		RoundingResidue           string    `json:"roundingResidue"`
		State                     string    `json:"state"`
		FailureReason             *string   `json:"failureReason"`
		ReturnCode                *string   `json:"returnCode"`
		Refund                    *fee      `json:"refund"`
		DepositInstructions       deposit   `json:"depositInstructions"`
		OnchainTransactions       []fee     `json:"onchainTransactions"`
		Reference                 string    `json:"reference"`
		ExpectedSettlementAt      string    `json:"expectedSettlementAt"`
		CreatedAt                 string    `json:"createdAt"`
		UpdatedAt                 string    `json:"updatedAt"`
	}
)

func main() {
	handler := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) }))
	if len(os.Args) > 1 {
		text, err := os.ReadFile(os.Args[1])
		if err != nil {
			log.Fatal(err)
		}
		handler = fixedResponses(text)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("http://" + listener.Addr().String())
	log.Fatal(http.Serve(listener, handler))
}

// fixedResponses answers both measured operations with the decoded form of a JSON text.
func fixedResponses(text []byte) http.Handler {
	info, created := selection{}, transfer{}
	if err := errors.Join(json.Unmarshal(text, &info), json.Unmarshal(text, &created)); err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("PATCH /transfers/info/v1", func(w http.ResponseWriter, r *http.Request) { respond(w, r, &info) })
	mux.HandleFunc("POST /transfers/auto/v1", func(w http.ResponseWriter, r *http.Request) { respond(w, r, &created) })
	return mux
}

func respond(w http.ResponseWriter, r *http.Request, response any) {
	var got request
	if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(response)
}
