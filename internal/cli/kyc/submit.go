package kyc

import (
	"context"
	"encoding/base64"
	"mime"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
)

// largestDocument is the most bytes of a document that are read. What the service takes may be less.
const largestDocument = 8 << 20

type submitOptions struct {
	input  deps.Input
	fields []string // name=value
	files  []string // name=path
	key    deps.Key
}

func newSubmit(d *deps.Deps) *cobra.Command {
	o := &submitOptions{}
	cmd := &cobra.Command{
		Use:   "submit ACCOUNT",
		Short: "Hand in what an identity check wants",
		Long: `Hand in what an identity check wants: details with --field, documents with --file, or the whole request body with --input,
to which the flags add. What is wanted, and by which name, payctl kyc get tells. When nothing is open any more the check
goes to review again.`,
		Example: `  payctl kyc submit acc_01kdwcj2m07dx6vaehz84r9gfw --field registrationNumber=01234567
  payctl kyc submit acc_01kdwcj2m07dx6vaehz84r9gfw --file identity_document=passport.jpg
  payctl kyc submit acc_01kdwcj2m07dx6vaehz84r9gfw --input submission.json && payctl kyc watch acc_01kdwcj2m07dx6vaehz84r9gfw`,
		Args: deps.Args("ACCOUNT"),
		RunE: func(cmd *cobra.Command, args []string) error { return submit(cmd.Context(), d, o, args[0]) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.fields, "field", nil, "answer a requirement by a value, `NAME=VALUE`; may be repeated")
	f.StringArrayVar(&o.files, "file", nil, "answer a requirement by the document in a file, `NAME=PATH`, or from standard input, NAME=-; may be repeated")
	o.input.AddTo(cmd)
	o.key.AddTo(cmd)
	return cmd
}

func submit(ctx context.Context, d *deps.Deps, o *submitOptions, accountID string) error {
	submission, err := o.submission(ctx, d)
	if err != nil {
		return err
	}
	key := o.key.Idempotency(d)
	check, err := deps.ShowOne(ctx, d, func(s payments.Service) (payments.KYC, error) {
		written, err := s.SubmitKYC(ctx, accountID, submission, key)
		return written.Value, err
	}, details)
	if err == nil && check.Status == payments.KYCStatusPending {
		d.Hint("Next: payctl kyc watch %s", accountID)
	}
	return err
}

// submission puts the body together from --input and the flags.
func (o *submitOptions) submission(ctx context.Context, d *deps.Deps) (payments.KYCSubmission, error) {
	var s payments.KYCSubmission
	if err := o.input.Read(ctx, d, &s); err != nil {
		return s, err
	}
	for _, field := range o.fields {
		name, value, ok := strings.Cut(field, "=")
		if !ok || name == "" || value == "" {
			return s, deps.Usage("--field %s is not NAME=VALUE", field)
		}
		s.Requirements = append(s.Requirements, payments.KYCAnswer{Name: name, Value: value})
	}
	for _, file := range o.files {
		name, path, ok := strings.Cut(file, "=")
		if !ok || name == "" || path == "" {
			return s, deps.Usage("--file %s is not NAME=PATH", file)
		}
		answer, err := document(ctx, d, name, path)
		if err != nil {
			return s, err
		}
		s.Requirements = append(s.Requirements, answer)
	}
	if len(s.Requirements) == 0 {
		return s, deps.Usage("there is nothing to submit: give --field, --file or --input")
	}
	for i, answer := range s.Requirements {
		if slices.ContainsFunc(s.Requirements[:i], func(before payments.KYCAnswer) bool { return before.Name == answer.Name }) {
			return s, deps.Usage("the requirement %s is answered twice", answer.Name)
		}
	}
	return s, nil
}

// document is the document in a file that answers a requirement.
func document(ctx context.Context, d *deps.Deps, name, path string) (payments.KYCAnswer, error) {
	content, err := d.Content(ctx, path, largestDocument)
	switch {
	case err != nil:
		return payments.KYCAnswer{}, err
	case len(content) == 0:
		return payments.KYCAnswer{}, deps.Usage("%s is empty", deps.TheInput(path))
	}
	kind, _, _ := mime.ParseMediaType(mime.TypeByExtension(filepath.Ext(path))) // empty where it is not known
	return payments.KYCAnswer{Name: name, Document: base64.StdEncoding.EncodeToString(content), ContentType: kind}, nil
}
