package client

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/servicemap"
	"github.com/payctl/payctl/internal/payments"
)

// Services say in several forms whether a list goes on after a page. The client reads them all.
func TestEndsOfLists(t *testing.T) {
	t.Parallel()
	const rows = `{"data":[{"id":"trf_1"}]`
	for name, test := range map[string]struct {
		body, link, cursor string
		next               string
		end                payments.ListEnd
	}{
		"null":                   {body: rows + `,"nextCursor":null}`, end: payments.ListEnds},
		"an empty cursor":        {body: rows + `,"nextCursor":""}`, end: payments.ListEnds},
		"false":                  {body: rows + `,"nextCursor":false}`, end: payments.ListEnds},
		"false as a text":        {body: rows + `,"nextCursor":"false"}`, end: payments.ListEnds},
		"a cursor":               {body: rows + `,"nextCursor":"c2"}`, next: "c2"},
		"a number":               {body: rows + `,"nextCursor":2}`, next: "2"},
		"nothing":                {body: rows + `}`},
		"rows alone":             {body: `[{"id":"trf_1"}]`},
		"no rows":                {body: `{"data":[]}`, end: payments.ListEnds},
		"no rows, rows alone":    {body: `[]`, end: payments.ListEnds},
		"more, and no cursor":    {body: rows + `,"has_more":true}`, end: payments.ListIsCut},
		"more, and null":         {body: rows + `,"hasMore":true,"nextCursor":null}`, end: payments.ListIsCut},
		"more, and a cursor":     {body: rows + `,"has_more":true,"nextCursor":"c2"}`, next: "c2"},
		"no more, and a cursor":  {body: rows + `,"has_more":false,"nextCursor":"c2"}`, end: payments.ListEnds},
		"a larger total":         {body: rows + `,"total":2}`, end: payments.ListIsCut},
		"a total":                {body: rows + `,"total":1}`},
		"a total of other pages": {body: rows + `,"total":2}`, cursor: "c1"},
		"another page":           {body: rows + `,"next":"https://a.test/2"}`, end: payments.ListIsCut},
		"no other page":          {body: rows + `,"next":null}`, end: payments.ListEnds},
		"a link": {
			body: rows + `}`, link: `<https://a.test/1>; rel="prev", <https://a.test/3>; rel="next"`, end: payments.ListIsCut,
		},
		"the same cursor again": {body: `{"data":[],"nextCursor":"c1"}`, cursor: "c1", end: payments.ListEnds},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
				if test.link != "" {
					w.Header().Set("Link", test.link)
				}
				replyJSON(w, 200, test.body)
			})
			c, _ := connect(t, s.URL)
			page, err := c.ListTransfers(t.Context(), payments.TransferFilter{
				PageQuery: payments.PageQuery{Cursor: test.cursor},
			})
			require.NoError(t, err)
			require.Equal(t, test.end, page.End)
			next := ""
			if page.NextCursor != nil {
				next = *page.NextCursor
			}
			require.Equal(t, test.next, next)
		})
	}
}

// Lookups for the effect of a write bypass caches. An id in another letter case is the same id.
func TestLookups(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if r.URL.Path == "/transfers/v1" {
			replyJSON(w, 200, `{"data":[`+transferBody+`],"nextCursor":null}`)
			return
		}
		replyJSON(w, 200, transferBody)
	})
	c, _ := connect(t, s.URL)
	page, err := c.List(t.Context(), &contract.ListTransfers, url.Values{"reference": {"r"}})
	require.NoError(t, err)
	require.Len(t, page.Documents, 1)
	for _, id := range []string{"trf_1", "TRF_1"} {
		document, err := c.Read(t.Context(), &contract.GetTransfer, id)
		require.NoError(t, err)
		require.JSONEq(t, transferBody, string(document))
	}
	for i := range s.count() {
		require.Equal(t, "no-cache", s.request(i).Header.Get("Cache-Control"))
	}
	_, err = c.Read(t.Context(), &contract.GetTransfer, "trf_2")
	require.Equal(t, payments.ProblemUnusable, kindOf(t, err), "it is another transfer")
}

// A deletion returns the status of its answer, since only 204 proves it.
func TestADeletionReturnsItsStatus(t *testing.T) {
	t.Parallel()
	for status, body := range map[int]string{200: `{"deleted":false}`, 202: `{}`, 204: "", 404: `{}`} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { replyJSON(w, status, body) })
		c, _ := connect(t, s.URL)
		got, err := c.DeleteSavedContact(t.Context(), "sct_1")
		require.Equal(t, status, got)
		require.Equal(t, status == 404, err != nil, err)
	}
}

// Where one transfer is found at its own path, a 404 of the service means none. A proxy's page means nothing.
func TestFindingNoTransfer(t *testing.T) {
	t.Parallel()
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte("operations: {findTransfer: 'GET /by/{reference}'}"), &document))
	for media, body := range map[string]string{"application/json": "{}", "": "", "text/html": "<p>"} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { reply(w, 404, media, body) })
		c, _ := connect(t, s.URL, func(config *Config) { config.ServiceMap, _ = servicemap.Parse(document.Content[0]) })
		_, err := c.List(t.Context(), &contract.ListTransfers, url.Values{"reference": {"r"}})
		require.Equal(t, media == "text/html", err != nil, err)
	}
}
