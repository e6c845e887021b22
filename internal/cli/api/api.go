// Package api is `payctl api`: any call of the service, published or not.
package api

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/settings"
)

// maxInput is the most bytes that are read of a body.
const maxInput = 64 << 20

type options struct {
	fields  []string
	input   string
	headers []string
	all     bool
	key     cmdutil.Key
}

// Deps are what the command is given.
type Deps struct {
	*cmdutil.Deps
	// Call sends any request below the settings' base URL with the login's credentials. With an error the answer is
	// what the service answered, or nil where it did not answer to the end.
	Call func(context.Context, Call) (*Answer, error)
}

// A Call is an HTTP request to the service, below the base URL.
type Call struct {
	Method string // in capitals
	Path   string // begins with a slash, is escaped, and may have a query
	Query  map[string][]string
	Header map[string][]string // by canonical name
	Body   []byte
	// Key is the idempotency key of a call that may change something, where the header has none.
	Key string
}

// An Answer is a complete HTTP response.
type Answer struct {
	Status int
	Header map[string][]string // by canonical name
	Body   []byte
}

// New returns the command.
func New(d *Deps) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "api [METHOD] PATH",
		Short: "Make any call of the service, published or not",
		Long: `Make any call of the service below the base URL, with the credentials of the login.

The method is GET, or POST where there are fields or an input. Fields are texts: with GET those of the
query, otherwise members of the JSON body; any other body is an --input. A call that may change
something carries an Idempotency-Key. -v shows the status and the header of the answer.`,
		Example: `  payctl api /accounts/v1 --jq '.data[].id'
  payctl api '/transfers/v1?state=awaiting_funds' --all -o ndjson
  payctl api /accounts/v1 -f type=individual -f firstName=Ada -f lastName=L -f email=a@example.com -f country=GB
  echo '{"selectedSource": {"currency": "USDC"}}' | payctl api PATCH /transfers/info/v1 --input -`,
		Args: arguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			call, err := o.call(cmd.Context(), d, args)
			if err != nil {
				return err
			}
			return run(cmd.Context(), d, o, call)
		},
	}
	f := cmd.Flags()
	f.StringArrayVarP(&o.fields, "field", "f", nil, "add a text `NAME=VALUE`")
	f.StringVar(&o.input, "input", "", "send the content of `FILE`, or of standard input with -, as the body")
	f.StringArrayVarP(&o.headers, "header", "H", nil, "add a header field `NAME: VALUE`")
	f.BoolVar(&o.all, "all", false, "follow nextCursor through all pages of a list")
	o.key.AddTo(cmd)
	cmd.MarkFlagsMutuallyExclusive("field", "input")
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
func (o *options) call(ctx context.Context, d *Deps, args []string) (Call, error) {
	call := Call{Method: "GET", Key: o.key.Idempotency(d.Deps).Key}
	resolved, err := d.Settings()
	if err != nil {
		return call, err
	}
	if call.Path, err = below(resolved.BaseURL, args[len(args)-1]); err != nil {
		return call, err
	}
	switch {
	case len(args) > 1:
		call.Method = strings.ToUpper(args[0])
	case o.input != "" || len(o.fields) > 0:
		call.Method = "POST"
	}
	if strings.Trim(call.Method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || call.Method == "CONNECT" || call.Method == "TRACE" {
		return call, cmdutil.Usage("%q is no method that can be called", call.Method)
	}
	if o.all && call.Method != "GET" {
		return call, cmdutil.Usage("--all is for GET, which changes nothing, not for %s", call.Method)
	}
	if call.Header, err = cmdutil.ReadHeader(o.headers); err != nil {
		return call, err
	}
	if o.key.Given() {
		call.Header["Idempotency-Key"] = []string{call.Key}
	}
	if o.input != "" {
		read := d.Content
		if call.Header["Content-Type"] != nil {
			read = d.Bytes // the body may be no text
		}
		call.Body, err = read(ctx, o.input, maxInput)
		return call, err
	}
	return call, o.addFields(&call)
}

// addFields adds the fields to the query or the body of a call.
func (o *options) addFields(call *Call) (err error) {
	members := map[string]string{}
	call.Query = map[string][]string{}
	for _, field := range o.fields {
		name, value, ok := strings.Cut(field, "=")
		_, twice := members[name]
		if !ok || name == "" || twice {
			return cmdutil.Usage("the field %q is not written as NAME=VALUE, or its name is given twice", field)
		}
		members[name] = value
		call.Query[name] = []string{value}
	}
	if len(members) == 0 || call.Method == "GET" || call.Method == "HEAD" {
		return nil
	}
	call.Query = nil
	if call.Body, err = json.Marshal(members, json.Deterministic(true)); err != nil {
		return cmdutil.Usage("the fields are not UTF-8, which JSON is written in: %v", err)
	}
	return nil
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

func run(ctx context.Context, d *Deps, o *options, call Call) error {
	out, err := newOutput(ctx, d)
	if err != nil {
		return err
	}
	if o.all {
		return out.pages(ctx, call)
	}
	answer, err := d.Call(ctx, call)
	switch {
	case answer == nil:
		return err
	case err != nil:
		return out.failure(answer, err)
	}
	return cmdutil.OutputFailed(out.print(answer), "the call was made, and answered with status "+strconv.Itoa(answer.Status))
}
