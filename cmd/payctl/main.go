// Command payctl operates against a payments API; `payctl serve` is a reference service of it.
package main

import (
	"os"

	"github.com/payctl/payctl/internal/app"
)

func main() { os.Exit(app.Main(os.Args[1:])) }
