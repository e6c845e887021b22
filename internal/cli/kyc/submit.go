package kyc

import (
	"context"
	"encoding/base64"
	"mime"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// largestDocument bounds a document, in bytes: no service takes larger photos. A service may take less.
const largestDocument = 8 << 20

type submitOptions struct {
	input  cmdutil.Input
	fields []string // name=value or name=@path
	key    cmdutil.Key
}

func newSubmit(d *cmdutil.Deps) *cobra.Command {
	o := &submitOptions{}
	cmd := &cobra.Command{
		Use:   "submit ACCOUNT",
		Short: "Submit what an identity check requires",
		Long: `Submit what an identity check requires: details with --field NAME=VALUE, documents with
--field NAME=@PATH, or the whole request body with --input, to which the flags add. payctl kyc get
shows the names of the requirements. When none is open any more, the check is reviewed again.`,
		Example: `  payctl kyc submit acc_01kdwcj2m07dx6vaehz84r9gfw --field registrationNumber=01234567
  payctl kyc submit acc_01kdwcj2m07dx6vaehz84r9gfw --field identity_document=@passport.jpg
  payctl kyc submit acc_01kdwcj2m07dx6vaehz84r9gfw --input submission.json`,
		RunE: func(cmd *cobra.Command, args []string) error { return submit(cmd.Context(), d, o, args[0]) },
	}
	cmd.Flags().StringArrayVar(&o.fields, "field", nil,
		"answer a requirement, `NAME=VALUE`, or with the document in a file, NAME=@PATH; may be repeated")
	o.input.AddTo(cmd)
	o.key.AddTo(cmd)
	return cmd
}

func submit(ctx context.Context, d *cmdutil.Deps, o *submitOptions, accountID string) error {
	submission, err := o.submission(ctx, d, accountID)
	if err != nil {
		return err
	}
	key := o.key.Idempotency(d)
	check, err := cmdutil.PrintOne(ctx, d, d.Payments, func(s payments.Service) (payments.KYC, error) {
		written, err := s.SubmitKYC(ctx, accountID, submission, key)
		return written.Value, err
	}, func(k payments.KYC) ui.Details { return Details(k, d.ServiceNow().In(cmdutil.Zone(false))) })
	if err == nil && check.Status == payments.KYCStatusPending {
		d.Hint(shell.Payctl("kyc watch --", accountID))
	}
	return err
}

// submission builds the request body for an account from --input and the flags.
func (o *submitOptions) submission(
	ctx context.Context, d *cmdutil.Deps, accountID string,
) (payments.KYCSubmission, error) {
	var s payments.KYCSubmission
	if err := o.input.Read(ctx, d, &s); err != nil {
		return s, err
	}
	for _, field := range o.fields {
		name, value, ok := strings.Cut(field, "=")
		if !ok || name == "" || value == "" {
			return s, cmdutil.Usage("--field %s is not NAME=VALUE or NAME=@PATH", field)
		}
		answer := payments.KYCAnswer{Name: name, Value: value}
		if path, isFile := strings.CutPrefix(value, "@"); isFile {
			var err error
			if answer, err = document(ctx, d, name, path); err != nil {
				return s, err
			}
		}
		s.Requirements = append(s.Requirements, answer)
	}
	if len(s.Requirements) == 0 {
		return s, cmdutil.Usage("there is nothing to submit: give --field or --input").WithHint(
			shell.Payctl("kyc get --", accountID).With("shows what is required, and how to submit it"))
	}
	for i, answer := range s.Requirements {
		sameName := func(before payments.KYCAnswer) bool { return before.Name == answer.Name }
		if slices.ContainsFunc(s.Requirements[:i], sameName) {
			return s, cmdutil.Usage("the requirement %s is answered twice", answer.Name)
		}
	}
	return s, nil
}

// document answers a requirement with the document in a file.
func document(ctx context.Context, d *cmdutil.Deps, name, path string) (payments.KYCAnswer, error) {
	content, err := d.Bytes(ctx, path, largestDocument)
	switch {
	case err != nil:
		return payments.KYCAnswer{}, err
	case len(content) == 0:
		return payments.KYCAnswer{}, cmdutil.Usage("%s is empty", cmdutil.TheInput(path))
	}
	kind, _, _ := mime.ParseMediaType(mime.TypeByExtension(filepath.Ext(path))) // empty if it is unknown
	return payments.KYCAnswer{Name: name, Document: base64.StdEncoding.EncodeToString(content), ContentType: kind}, nil
}
