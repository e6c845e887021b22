package cli

import (
	"context"
	"encoding/json"
	"errors"
	"mime"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// maxInput is the most bytes that are read of a body.
const maxInput = 64 << 20

type apiOptions struct {
	fields  []string
	input   string
	headers []string
	key     cmdutil.Key
	accept  bool
}

// newAPI returns `payctl api`: any call of the service, published or not.
func newAPI(d *cmdutil.Deps) *cobra.Command {
	o := &apiOptions{}
	cmd := &cobra.Command{
		Use:   "api [METHOD] PATH",
		Short: "Make any call of the service, published or not",
		Long: `Make any call of the service below the base URL, with the credentials of the login.

The method is GET, or POST where there are fields or an input. Fields are texts: with GET those of the
query, otherwise members of the JSON body; any other body is an --input. A call that may change
something carries an Idempotency-Key. -v shows the status and the header of the answer.`,
		Example: `  payctl api /accounts/v1 --jq '.data[].id'
  payctl api '/transfers/v1?state=awaiting_funds' -o json
  payctl api /accounts/v1 -f type=individual -f firstName=Ada -f lastName=L -f email=a@example.com -f country=GB
  echo '{"selectedSource": {"currency": "USDC"}}' | payctl api PATCH /transfers/info/v1 --input -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			request, err := o.request(cmd.Context(), d, args)
			if err != nil {
				return err
			}
			return o.run(cmd.Context(), d, request)
		},
	}
	f := cmd.Flags()
	f.StringArrayVarP(&o.fields, "field", "f", nil, "add a text `NAME=VALUE`")
	f.StringVar(&o.input, "input", "", "send the content of `FILE`, or of standard input with -, as the body")
	f.StringArrayVarP(&o.headers, "header", "H", nil, "add a header field `NAME: VALUE`")
	o.key.AddTo(cmd)
	cmdutil.AddAcceptPayee(cmd, &o.accept)
	cmd.MarkFlagsMutuallyExclusive("field", "input")
	return cmd
}

// request puts the request together. Nothing is sent.
func (o *apiOptions) request(ctx context.Context, d *cmdutil.Deps, args []string) (effect.Request, error) {
	request := effect.Request{Method: "GET"}
	var err error
	if request.Path, err = pathBelow(args[len(args)-1]); err != nil {
		return request, err
	}
	switch {
	case len(args) > 1:
		request.Method = strings.ToUpper(args[0])
	case o.input != "" || len(o.fields) > 0:
		request.Method = "POST"
	}
	method := request.Method
	if strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || method == "CONNECT" || method == "TRACE" {
		return request, cmdutil.Usage("%q is no method that can be called", method)
	}
	if request.Header, err = cmdutil.ReadHeader(o.headers); err != nil {
		return request, err
	}
	const keyField = "Idempotency-Key"
	if o.key.Given() {
		request.Header[keyField] = []string{o.key.Idempotency(d).Key}
	}
	if keys := request.Header[keyField]; len(keys) == 1 {
		request.Key = keys[0]
		delete(request.Header, keyField)
	}
	if o.input != "" {
		read := d.Content
		if request.Header["Content-Type"] != nil {
			read = d.Bytes // the body may be no text
		}
		request.Body, err = read(ctx, o.input, maxInput)
		return request, err
	}
	members, query := map[string]string{}, url.Values{}
	for _, field := range o.fields {
		name, value, ok := strings.Cut(field, "=")
		if _, twice := members[name]; !ok || name == "" || twice || !utf8.ValidString(field) {
			return request, cmdutil.Usage("the field %q is not NAME=VALUE in UTF-8, or its name is given twice", field)
		}
		members[name], query[name] = value, []string{value}
	}
	switch isRead := method == "GET" || method == "HEAD"; {
	case len(members) == 0:
	case isRead && strings.Contains(request.Path, "?"):
		request.Path += "&" + query.Encode()
	case isRead:
		request.Path += "?" + query.Encode()
	default:
		request.Body, err = json.Marshal(members)
	}
	return request, err
}

// pathBelow is the path of a call below the base URL. Credentials go to no other origin.
func pathBelow(given string) (string, error) {
	path := "/" + strings.TrimPrefix(given, "/")
	if strings.HasPrefix(path, "//") || strings.Contains(given, "://") && given[0] != '/' {
		return "", cmdutil.Usage("the path %q is not one below the base URL, such as /accounts/v1", given).
			WithNote("give another service with --base-url or a profile")
	}
	return path, nil
}

// run makes the call and prints the answer: without -o and --jq as it came, JSON indented.
func (o *apiOptions) run(ctx context.Context, d *cmdutil.Deps, request effect.Request) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	if printer.Format() == ui.FormatCSV {
		return cmdutil.Usage("an answer of which only its maker knows the members has no rows for -o csv").
			WithNote("use -o json, ndjson or yaml, or --jq with @csv")
	}
	isPlain := printer.Format() == ui.FormatTable && d.Options.JQ == ""
	answer, err := o.send(ctx, d, request)
	if answer == nil {
		return err
	}
	if _, isMade := errors.AsType[*cmdutil.Error](err); isMade { // a transfer that has failed
		return errors.Join(printAnswer(d, printer, answer, isPlain), err)
	}
	if err != nil {
		// A problem document is printed for every command; the body of another error is here.
		if refusal, ok := errors.AsType[*payments.ProblemError](err); ok && refusal.Document == nil && isPlain {
			return errors.Join(err, printAnswer(d, printer, answer, isPlain))
		}
		return err
	}
	return cmdutil.OutputFailed(printAnswer(d, printer, answer, isPlain),
		"the call was made, and answered with status "+strconv.Itoa(answer.Status))
}

// send sends a request. With an error the response is the last one, or nil if none came.
func (o *apiOptions) send(
	ctx context.Context, d *cmdutil.Deps, request effect.Request,
) (*payments.Response, error) {
	service, err := d.Connect(cmdutil.Calls{})
	if err != nil {
		return nil, err
	}
	service.AcceptPayee = o.accept
	meant, err := service.Meaning(request)
	if err != nil {
		return nil, err
	}
	isTransfer := meant.Operation == contract.CreateAutoTransfer.ID
	if isTransfer {
		if err := cmdutil.CheckReference("reference", effect.Text(meant.Body, "reference")); err != nil {
			return nil, err
		}
	}
	random := ""
	if request.Key == "" && service.Writes(request.Method, request.Path) {
		random = o.key.Idempotency(d).Key
	}
	result := service.Call(ctx, request, random)
	response := result.Response
	switch {
	case response == nil && result.Document == nil:
		return nil, result.Err
	case response == nil: // it was done before
		response = &payments.Response{
			Status: 200, Body: result.Document, Header: map[string][]string{"Content-Type": {"application/json"}},
		}
	}
	if isTransfer && result.IsDone() && result.Err == nil && payments.TransferState(result.State).Failed() {
		result.Err = cmdutil.TransferFailed(result.Subject, result.State)
	}
	return response, result.Err
}

// printAnswer prints an answer: its JSON in the form that is asked for, any other text as it came or as a JSON string.
func printAnswer(d *cmdutil.Deps, printer *ui.Printer, answer *payments.Response, isPlain bool) error {
	media, _, _ := mime.ParseMediaType(textproto.MIMEHeader(answer.Header).Get("Content-Type"))
	isJSON := media == "application/json" || strings.HasSuffix(media, "+json") // RFC 6839 section 3.1
	switch {
	case isJSON && json.Valid(answer.Body):
		return printer.Print(json.RawMessage(answer.Body), nil)
	case len(answer.Body) == 0 && !isPlain:
		return printer.Print(nil, nil)
	case !isPlain && utf8.Valid(answer.Body):
		return printer.Print(string(answer.Body), nil)
	case !isPlain:
		return cmdutil.Usage("the answer is neither JSON nor text, and has no form for -o or --jq").
			WithNote("leave them out and send standard output to a file")
	}
	body := answer.Body
	if d.OutTTY {
		text := strings.TrimSuffix(strings.ReplaceAll(string(body), "\r\n", "\n"), "\n")
		body = []byte(ui.SanitizeLines(text) + "\n")
	}
	_, err := d.Out.Write(body)
	return err
}
