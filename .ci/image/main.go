// Command image writes root.tar, everything in the container image except the program. Its output is reproducible. Run
// it in its folder: go run . FILE SECONDS. SECONDS since 1970 is the time of every file.
package main

import (
	"archive/tar"
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// user is the user id of the program's processes. Such images commonly use this id; no system gives it to a person.
const user = 65532

const passwd = `root:x:0:0:root:/:/sbin/nologin
payctl:x:65532:65532:payctl:/home/payctl:/sbin/nologin
`

const group = `root:x:0:
payctl:x:65532:
`

const certificatesNotice = `/etc/ssl/certs/ca-certificates.crt has the certificate authorities that Mozilla trusts for servers, without those that it
trusts only under conditions. They are from certdata.txt of Mozilla's NSS (https://hg.mozilla.org/projects/nss), which is
under the Mozilla Public License 2.0 (https://mozilla.org/MPL/2.0/), by way of the Go module
golang.org/x/crypto/x509roots/fallback, whose licence follows.

`

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: go run . FILE SECONDS")
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func write(file, seconds string) error {
	since, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	root, err := entries()
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	writer := tar.NewWriter(&archive)
	for _, e := range root {
		e.header.ModTime, e.header.Format = time.Unix(since, 0), tar.FormatUSTAR
		e.header.Size = int64(len(e.content))
		if err := writer.WriteHeader(&e.header); err != nil {
			return err
		}
		if _, err := writer.Write(e.content); err != nil {
			return err
		}
	}
	if err := writer.Close(); err != nil {
		return err
	}
	return os.WriteFile(file, archive.Bytes(), 0o644)
}

type entry struct {
	header  tar.Header
	content []byte
}

// entries returns the files and folders of the image. A folder comes before its contents.
func entries() ([]entry, error) {
	notices, err := os.ReadFile("../../docs/NOTICES")
	if err != nil {
		return nil, err
	}
	authorities, err := authorities()
	if err != nil {
		return nil, err
	}
	licence, err := licence()
	if err != nil {
		return nil, err
	}
	return []entry{
		folder("data/", user, 0o700), // new volumes get this owner, which serve --data requires
		folder("etc/", 0, 0o755),
		file("etc/group", []byte(group)),
		file("etc/passwd", []byte(passwd)),
		folder("etc/ssl/", 0, 0o755),
		folder("etc/ssl/certs/", 0, 0o755),
		file("etc/ssl/certs/ca-certificates.crt", authorities),
		folder("home/", 0, 0o755),
		folder("home/payctl/", user, 0o700), // for the settings of commands that run in a container
		folder("tmp/", 0, 0o1777),
		folder("usr/", 0, 0o755),
		folder("usr/bin/", 0, 0o755),
		folder("usr/share/", 0, 0o755),
		folder("usr/share/doc/", 0, 0o755),
		folder("usr/share/doc/ca-certificates/", 0, 0o755),
		file("usr/share/doc/ca-certificates/copyright", slices.Concat([]byte(certificatesNotice), licence)),
		folder("usr/share/doc/payctl/", 0, 0o755),
		file("usr/share/doc/payctl/NOTICES", notices),
	}, nil
}

func folder(name string, owner int, mode int64) entry {
	return entry{header: tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: mode, Uid: owner, Gid: owner}}
}

func file(name string, content []byte) entry {
	return entry{header: tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644}, content: content}
}

// authorities returns the certificates as PEM, in the order of the module, which is by name. It omits authorities with
// a condition, such as a last day of issue: PEM cannot express it.
func authorities() ([]byte, error) {
	var text bytes.Buffer
	count := 0
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue
		}
		certificate, err := x509.ParseCertificate(root.Certificate)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&text, "# %s\n", certificate.Subject)
		if err := pem.Encode(&text, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
		count++
	}
	if count < 50 {
		return nil, fmt.Errorf("the module has only %d certificates", count)
	}
	return text.Bytes(), nil
}

// licence returns the licence of the module that the certificates come from.
func licence() ([]byte, error) {
	const module = "golang.org/x/crypto/x509roots/fallback"
	at, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("%w: %s", err, failed.Stderr)
	} else if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(strings.TrimSpace(string(at)), "LICENSE"))
}
