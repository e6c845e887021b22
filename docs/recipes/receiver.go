//go:build ignore

// Receives webhooks: go run receiver.go, beside payctl listen --forward-to http://127.0.0.1:3000/
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
	webhook, err := standardwebhooks.NewWebhook(os.Getenv("PAYCTL_WEBHOOK_SECRET")) // of payctl listen --print-secret
	if err != nil {
		log.Fatal(err)
	}
	done := map[string]bool{} // of an application: a table with a unique key
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		var event struct{ ID, Type, SubjectID, To string }
		if err != nil || webhook.Verify(body, r.Header) != nil || json.Unmarshal(body, &event) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if !done[event.ID] { // one may come a second time
			fmt.Println(event.Type, event.SubjectID, event.To)
			done[event.ID] = true
		}
		w.WriteHeader(http.StatusNoContent) // only now: an event that is not acknowledged comes again
	})))
}
