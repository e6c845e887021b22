// Command hello is the least HTTP server: what any Go service needs to start. It prints its URL once it listens.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it ends with the process
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("http://" + listener.Addr().String()) //nolint:forbidigo // its only output
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) })
	log.Fatal(http.Serve(listener, handler)) //nolint:gosec // it serves one benchmark on this machine
}
