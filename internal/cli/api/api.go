// Package api is `payctl api`: any call of the service, published or not.
package api

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/settings"
)

type options struct {
	method   string
	fields   fieldFlags
	input    string
	headers  []string
	include  bool
	paginate bool
	key      cmdutil.Key
}

// New returns the command.
func New(d *cmdutil.Deps) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "api [METHOD] PATH",
		Short: "Make any call of the service, published or not",
		Long: `Make any call of the service below the base URL, with the credentials of the login.

The method is GET, or POST where there are fields or an input. Fields make the JSON body; with GET
and HEAD, or with --input, they make the query. -f a[b]=value is a member of an object, a[]=value an
element of an array. A call that may change something carries an Idempotency-Key.`,
		Example: `  payctl api /accounts/v1 --jq '.data[].id'
  payctl api '/transfers/v1?state=awaiting_funds' --paginate -o ndjson
  payctl api PATCH /transfers/info/v1 -f 'selectedSource[currency]=USDC'
  payctl api POST /contacts/saved/v1 --input contact.json
  payctl api -i /healthz`,
		Args: arguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			call, err := o.call(d, cmd, args)
			if err != nil {
				return err
			}
			return run(cmd.Context(), d, o, call)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.method, "method", "X", "", "the `METHOD` (default GET, or POST with fields or an input)")
	f.VarP(o.fields.adder(false), "raw-field", "f", "add a string `NAME=VALUE`")
	f.VarP(o.fields.adder(true), "field", "F", "add a `NAME=VALUE` that may be true, false, null, a whole number, @FILE or @-")
	f.StringVar(&o.input, "input", "", "send the content of `FILE`, or of standard input with -, as the body")
	f.StringArrayVarP(&o.headers, "header", "H", nil, "add a header field `NAME: VALUE`")
	f.BoolVarP(&o.include, "include", "i", false, "print the status line and the header before the body")
	f.BoolVar(&o.paginate, "paginate", false, "follow nextCursor through all pages")
	// As gh has it; every other command has -q for --quiet.
	f.StringVarP(&d.Options.JQ, "jq", "q", "", "filter the JSON answer with this jq `EXPRESSION`; strings are printed raw")
	f.BoolVar(&d.Options.Quiet, "quiet", false, "no notes on standard error")
	o.key.AddTo(cmd)
	return cmd
}

func arguments(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}, args[0]) {
		return cmdutil.Usage("%s %s needs PATH", cmd.CommandPath(), args[0]).WithHint("give a path such as /accounts/v1")
	}
	if len(args) < 2 {
		return cmdutil.Args("PATH")(cmd, args)
	}
	return cmdutil.Args("METHOD", "PATH")(cmd, args)
}

// call puts the request together. Nothing is sent.
func (o *options) call(d *cmdutil.Deps, cmd *cobra.Command, args []string) (cmdutil.Call, error) {
	call := cmdutil.Call{Key: o.key.Idempotency(d).Key}
	resolved, err := d.Settings()
	if err != nil {
		return call, err
	}
	if call.Path, err = below(resolved.BaseURL, args[len(args)-1]); err != nil {
		return call, err
	}
	if call.Method, err = o.chosenMethod(args); err != nil {
		return call, err
	}
	if call.Header, err = cmdutil.ReadHeader(o.headers); err != nil {
		return call, err
	}
	if o.key.Given() {
		call.Header["Idempotency-Key"] = []string{call.Key}
	}
	in := reader{ctx: cmd.Context(), deps: d}
	if o.input != "" {
		read := d.Content
		if call.Header["Content-Type"] != nil {
			read = d.Bytes // the body may be no text
		}
		if call.Body, err = in.content(o.input, read); err != nil {
			return call, err
		}
	}
	fields, err := o.fields.read(&in)
	if err != nil {
		return call, err
	}
	inQuery := cmd.Flags().Changed("input") || call.Method == "GET" || call.Method == "HEAD"
	switch {
	case len(fields) == 0:
	case inQuery:
		call.Query, err = fields.query()
	default:
		call.Body, err = fields.body()
	}
	if o.paginate && call.Method != "GET" {
		return call, cmdutil.Usage("--paginate is for GET, which changes nothing, not for %s", call.Method)
	}
	return call, err
}

func (o *options) chosenMethod(args []string) (string, error) {
	method := o.method
	if len(args) > 1 {
		if method != "" {
			return "", cmdutil.Usage("the method is given twice: %s and --method %s", args[0], method)
		}
		method = args[0]
	}
	switch {
	case method != "":
	case o.input != "" || len(o.fields) > 0:
		method = "POST"
	default:
		method = "GET"
	}
	method = strings.ToUpper(method)
	if strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || method == "CONNECT" || method == "TRACE" {
		return "", cmdutil.Usage("%q is no method that can be called", method)
	}
	return method, nil
}

// below is the path of a call below the base URL. A whole URL has to lie there.
func below(base *url.URL, given string) (string, error) {
	if !strings.Contains(given, "://") || strings.HasPrefix(given, "/") {
		path := "/" + strings.TrimPrefix(given, "/")
		if strings.HasPrefix(path, "//") {
			return "", cmdutil.Usage("the path %q must begin with one slash", given)
		}
		return path, nil
	}
	target, err := url.Parse(given)
	if err != nil || target.User != nil || settings.Origin(target) != settings.Origin(base) {
		return "", cmdutil.Usage("credentials for %s do not go to another origin", settings.Origin(base)).
			WithHint("give a path such as /accounts/v1, or another service with --base-url or a profile")
	}
	path, ok := strings.CutPrefix(target.EscapedPath(), base.EscapedPath()+"/")
	if !ok {
		return "", cmdutil.Usage("the URL is not below the base URL %s", base)
	}
	if target.RawQuery != "" {
		path += "?" + target.RawQuery
	}
	return "/" + path, nil
}

func run(ctx context.Context, d *cmdutil.Deps, o *options, call cmdutil.Call) error {
	out, err := newOutput(ctx, d, o)
	if err != nil {
		return err
	}
	if o.paginate {
		return pages(ctx, d, out, call)
	}
	answer, err := d.Call(ctx, call)
	if answer == nil {
		return err
	}
	if err != nil {
		return out.failure(answer, err)
	}
	return cmdutil.OutputFailed(out.success(answer), "the call was made, and answered with status "+strconv.Itoa(answer.Status))
}
