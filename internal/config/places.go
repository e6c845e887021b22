package config

import (
	"path/filepath"

	"github.com/payctl/payctl/internal/safefile"
)

// Places are the folder dir of the configuration and the file in it, with what is asked of each before it is read.
func Places(dir string) []safefile.Place {
	path := filepath.Join(dir, FileName)
	return []safefile.Place{
		{Path: dir, Folder: true, Public: true, Check: func() error { return safefile.Trusted(dir) }},
		{Path: path, Check: func() error {
			_, err := safefile.ReadTrusted(path, 0)
			return err
		}},
	}
}
