package metrics

import (
	"bytes"
	"os"
	"strconv"
)

// residentBytes reads /proc/self/statm, whose second number is the pages in memory.
func residentBytes() (float64, bool) {
	text, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(text)
	if err != nil || len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseUint(string(fields[1]), 10, 64)
	return float64(pages) * float64(os.Getpagesize()), err == nil
}

// openFiles counts the entries of /proc/self/fd, without the descriptor that reads them.
func openFiles() (float64, bool) {
	entries, err := os.ReadDir("/proc/self/fd")
	return float64(len(entries) - 1), err == nil
}
