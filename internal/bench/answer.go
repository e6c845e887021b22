package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// readAnswer reads one HTTP/1.1 answer to its end, and no more of it than that takes.
func readAnswer(r *bufio.Reader, status string) error {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return err
	}
	if at := len("HTTP/1.1 "); len(line) < at+len(status) || string(line[at:at+len(status)]) != status {
		return fmt.Errorf("the answer is %s, not %s", strings.TrimSpace(string(line)), status)
	}
	length, chunked := 0, false
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) <= len("\r\n") {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(strings.TrimSpace(string(value))); err != nil {
				return err
			}
		}
		chunked = chunked || bytes.HasPrefix(line, []byte("Transfer-Encoding: chunked"))
	}
	if chunked {
		return skipChunks(r)
	}
	_, err = r.Discard(length)
	return err
}

func skipChunks(r *bufio.Reader) error {
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		size, err := strconv.ParseUint(strings.TrimSpace(string(line)), 16, 31)
		if err != nil {
			return err
		}
		if _, err := io.CopyN(io.Discard, r, int64(size)+int64(len("\r\n"))); err != nil {
			return err
		}
		if size == 0 {
			return nil
		}
	}
}
