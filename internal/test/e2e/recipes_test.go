package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
)

// recipeFaults are the faults of the service while the recipes run: it is slow, fails, and loses responses before and
// after the effect of a request.
var recipeFaults = []string{
	"createAccount=drop,times:2", "createSavedContact=truncate,times:2", "createAccessToken=status:503,times:1",
	"createAutoTransfer=malformed,times:2", "createAutoTransfer=drop,percent:3", "createAutoTransfer=status:503,percent:2",
	"listTransfers=reset,times:2", "*=status:503,percent:1", "*=delay:20ms,percent:5",
}

// TestRecipes runs each script of docs/recipes twice and checks its effects: the second run changes nothing.
func TestRecipes(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the recipes are scripts for sh")
	}
	folder := t.TempDir()
	require.NoError(t, os.CopyFS(folder, os.DirFS(filepath.Join("..", "..", "..", "docs", "recipes"))))
	args := []string{"serve", "--addr", "127.0.0.1:0", "--check", "--seed", "7", "--kyc-delay", "100ms",
		"--settle-delay", "10ms", "--report", "coverage.json"}
	for _, fault := range recipeFaults {
		args = append(args, "--fault", fault)
	}
	runScript(t, folder, "payctl", append(args, "--", "sh", "-euxc", `
		for recipe in onboarding payment reconciliation payroll; do
			sh $recipe.sh
			sh $recipe.sh
		done
		payctl sandbox faults --clear
		payctl accounts list --all --show-pii -o json >accounts.json
		payctl contacts list --all -o json >contacts.json
		payctl transfer list --all -o json >transfers.json
		sed 's/INV-1002,/INV-9999,/' invoices.csv >other.csv
		! sh reconciliation.sh other.csv >findings.txt
	`)...)

	var accounts []payments.Account
	readJSON(t, filepath.Join(folder, "accounts.json"), &accounts)
	require.Len(t, accounts, 20)
	for _, account := range accounts {
		require.Equal(t, payments.KYCStatusApproved, account.KYCStatus)
		require.Equal(t, account.Email, account.ExternalID)
	}
	var contacts []payments.SavedContact
	readJSON(t, filepath.Join(folder, "contacts.json"), &contacts)
	require.Len(t, contacts, 20)
	var transfers []payments.Transfer
	readJSON(t, filepath.Join(folder, "transfers.json"), &transfers)
	require.Len(t, transfers, 220)
	var invoices, salaries money.Decimal
	references := map[string]bool{}
	for _, transfer := range transfers {
		require.Equal(t, payments.TransferStatePaymentProcessed, transfer.State)
		references[transfer.Reference] = true
		if strings.HasPrefix(transfer.Reference, "INV-") {
			invoices = invoices.Add(*transfer.Source.Amount)
		} else {
			salaries = salaries.Add(*transfer.Destination.Amount)
		}
	}
	require.Len(t, references, 220)
	require.Equal(t, "19881.00", invoices.String())
	require.Equal(t, "54259.30", salaries.String())
	findings, err := os.ReadFile(filepath.Join(folder, "findings.txt"))
	require.NoError(t, err)
	require.Regexp(t, `(?m)^missing\t3\tINV-9999\t`, string(findings))
	require.Regexp(t, `(?m)^extra\t-\tINV-1002\t`, string(findings))
	var happened struct{ Faults map[string]int }
	readJSON(t, filepath.Join(folder, "coverage.json"), &happened)
	require.Greater(t, len(happened.Faults), 4)
}

func TestTheRecipeOfACIJob(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the recipes are scripts for sh")
	}
	folder := t.TempDir()
	recipe, err := filepath.Abs(filepath.Join("..", "..", "..", "docs", "recipes", "ci.sh"))
	require.NoError(t, err)
	runScript(t, folder, "sh", recipe)
	var coverage struct {
		Faults     map[string]int
		Operations map[string]map[string]int
	}
	readJSON(t, filepath.Join(folder, "coverage.json"), &coverage)
	require.Equal(t, 1, coverage.Faults["createAutoTransfer=drop"])
	require.Equal(t, 1, coverage.Operations["createAccount"]["201"])
}

// TestReceivers triggers events and checks that the receivers get them.
func TestReceivers(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a receiver is a script for sh")
	}
	folder := t.TempDir()
	recipes := filepath.Join("..", "..", "..", "docs", "recipes")
	require.NoError(t, os.CopyFS(folder, os.DirFS(recipes)))
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(folder, "receiver"),
		filepath.Join(recipes, "receiver.go"))
	said, err := build.CombinedOutput()
	require.NoError(t, err, "%s", said)
	address := shortAddress(t)
	_, port, _ := strings.Cut(address, ":")
	runScript(t, folder, "payctl", "serve", "--addr", "127.0.0.1:0", "--webhook", "http://"+address, "--", "sh", "-euxc", `
		PORT=`+port+` ./receiver >got &
		payctl sandbox trigger transfer.processed
		payctl listen --exec 'sh receiver.sh' --after beginning --limit 9 2>said
		payctl listen --exec 'sh receiver.sh' --after beginning --limit 9 2>again
		grep -q '^welcome acc_' said
		grep -q '^paid trf_' said
		! grep -q '^paid' again
		until grep -q '^transfer.stateChanged trf_.* payment_processed' got; do sleep 0.05; done
		kill $!`)
}

// runScript runs a program in a folder, with its clock at noon, so that no recipe runs past midnight.
func runScript(t *testing.T, folder, name string, args ...string) {
	now := time.Now()
	noon := time.Date(now.Year(), now.Month(), now.Day(), 12, 0, 0, 0, time.Local)
	clock := filepath.Join(t.TempDir(), "clock")
	require.NoError(t, os.WriteFile(clock, []byte(noon.Sub(now).String()), 0o600))
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir = folder
	command.Env = inherited("HOME="+t.TempDir(), clockFile+"="+clock)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	require.NoError(t, command.Run(), "%s", &out)
}

func readJSON(t *testing.T, path string, value any) {
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, value))
}
