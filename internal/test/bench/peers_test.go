//go:build linux

package bench

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/sqlitedb"
)

// runPeer runs the test binary as a peer.
func runPeer(name string, args []string) {
	switch name {
	case "sender":
		if err := send(args[0], args[1], args[2], args[3]); err != nil {
			log.Fatal(err)
		}
		os.Exit(0)
	case "bare": // a minimal HTTP server in Go, which prints its URL once it listens
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("http://" + listener.Addr().String())
		log.Fatal(http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "{}")
		})))
	}
}

// send creates the transfers of a file of bodies. Like any careful program, it writes a row to disk before it sends it,
// and records the id afterwards. It checks only the status of a response.
func send(file, journal, url, token string) error {
	bodies, err := os.Open(file)
	if err != nil {
		return err
	}
	defer bodies.Close()
	db, _, err := sqlitedb.Open(journal) // each commit is synced to disk
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // SQLite has one writer
	_, err = db.Exec("CREATE TABLE IF NOT EXISTS writes (key TEXT PRIMARY KEY, body TEXT NOT NULL, id TEXT NOT NULL DEFAULT '') STRICT")
	if err != nil {
		return err
	}
	insert, err := db.Prepare("INSERT INTO writes (key, body) VALUES (?, ?)")
	if err != nil {
		return err
	}
	update, err := db.Prepare("UPDATE writes SET id = ? WHERE key = ?")
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: atOnce}}
	one := func(body string) error {
		var row, made struct {
			Reference string `json:"reference"`
			ID        string `json:"id"`
		}
		if err := json.Unmarshal([]byte(body), &row); err != nil {
			return err
		}
		if _, err := insert.Exec(row.Reference, body); err != nil {
			return err
		}
		request, err := http.NewRequest(http.MethodPost, url+createPath, strings.NewReader(body))
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Idempotency-Key", row.Reference)
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusCreated {
			return errors.New(response.Status)
		}
		if err := json.UnmarshalRead(response.Body, &made); err != nil {
			return err
		}
		_, err = update.Exec(made.ID, row.Reference)
		return err
	}
	rows := make(chan string)
	var group sync.WaitGroup
	for range atOnce {
		group.Go(func() {
			for body := range rows {
				if err := one(body); err != nil {
					log.Fatal(err)
				}
			}
		})
	}
	lines := bufio.NewScanner(bodies)
	for lines.Scan() {
		rows <- lines.Text()
	}
	close(rows)
	group.Wait()
	return lines.Err()
}
