package server_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
)

// A restored world is a new instance with a feed of its own: a cursor of any instance before it, also of the one that the snapshot
// is of, is gone, so that a watcher reads the present states and follows from there. What the restored accounts do then
// is in the feed, from the status that they were restored in.
func TestEventsAfterARestore(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{"memory": "", "durable": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := run(t, refserver.Config{Data: data, KYCDelay: 10 * time.Minute})
			account := a.do("POST", accountsPath, adaBody).member("id").(string)
			a.Advance(t, time.Minute)
			ofSnapshot := a.events("").Cursor
			snapshot := a.do("GET", snapshotPath, "")
			a.do("POST", accountsPath, adaBody)
			latest := a.events("").Cursor

			held := make(chan *answer, 1)
			go func() { held <- a.do("GET", eventsPath+"?after="+latest, "", "Prefer", "wait=60") }()
			require.Equal(t, http.StatusOK, a.do("PUT", snapshotPath, snapshot.body).status)
			requireProblem(t, <-held, payments.KindGone) // a held request gets it at once
			for _, cursor := range []string{latest, ofSnapshot} {
				requireProblem(t, a.do("GET", eventsPath+"?after="+cursor, ""), payments.KindGone)
				requireProblem(t, a.do("GET", eventsPath, "", "Accept", "text/event-stream", "Last-Event-ID", cursor), payments.KindGone)
			}

			begin := a.events("?after=latest")
			require.Empty(t, a.events("").Data, "a snapshot has states, not how they came about")
			require.Equal(t, account, decode[payments.AccountPage](a.do("GET", accountsPath, "")).Data[0].ID)
			a.Advance(t, 20*time.Minute)
			news := a.events("?after=" + begin.Cursor).Data
			require.Len(t, news, 1)
			require.Equal(t, account, news[0].SubjectID)
			require.Equal(t, []string{"pending", "approved"}, []string{*news[0].From, *news[0].To})
			require.Equal(t, news, a.events("").Data)
			require.Equal(t, news, a.events("?subjectId="+account).Data)

			require.Equal(t, http.StatusOK, a.do("PUT", snapshotPath, snapshot.body).status)
			requireProblem(t, a.do("GET", eventsPath+"?after="+begin.Cursor, ""), payments.KindGone) // though it is the same snapshot again
		})
	}
}
