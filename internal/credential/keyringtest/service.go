package keyringtest

import (
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"
)

// A Reaction is what a [Service] does about a call of one of its methods.
type Reaction int

// Reactions.
const (
	Answer  Reaction = iota // does what was asked
	Dismiss                 // opens a dialog that is dismissed, and does nothing
	Ignore                  // opens a dialog that nobody answers
	Hang                    // never answers
	Vanish                  // leaves the bus without an answer, as a service that crashes
	Refuse                  // answers with an error
)

// A Service is a Secret Service with one collection, unlocked, that misbehaves as its reactions say.
type Service struct {
	conn      *dbus.Conn
	done      chan struct{}
	reactions map[string]Reaction // by method: Unlock, OpenSession, CreateItem, SearchItems, GetSecret, Delete

	mu      sync.Mutex
	held    *secret
	prompts int
}

const (
	itemPath    = loginCollection + "/1"
	sessionPath = secretsPath + "/session/1"
	promptPath  = secretsPath + "/prompt/1"
)

// Serve puts a Secret Service on the bus.
func Serve(t testing.TB, bus string, reactions map[string]Reaction) *Service {
	t.Helper()
	s := &Service{conn: Connect(t, bus), done: make(chan struct{}), reactions: reactions}
	t.Cleanup(func() { close(s.done) })
	for _, part := range []struct {
		object any
		path   dbus.ObjectPath
		iface  string
	}{
		{service{s}, secretsPath, serviceIface},
		{properties{}, secretsPath, "org.freedesktop.DBus.Properties"},
		{collection{s}, loginCollection, "org.freedesktop.Secret.Collection"},
		{properties{}, loginCollection, "org.freedesktop.DBus.Properties"},
		{item{s}, itemPath, "org.freedesktop.Secret.Item"},
		{session{}, sessionPath, "org.freedesktop.Secret.Session"},
		{prompt{s}, promptPath, "org.freedesktop.Secret.Prompt"},
	} {
		require.NoError(t, s.conn.Export(part.object, part.path, part.iface))
	}
	reply, err := s.conn.RequestName(secretsName, dbus.NameFlagDoNotQueue)
	require.NoError(t, err)
	require.Equal(t, dbus.RequestNameReplyPrimaryOwner, reply)
	return s
}

// Held is the value of the one item; empty when there is none.
func (s *Service) Held() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		return ""
	}
	return string(s.held.Value)
}

// Hold puts a value into the one item.
func (s *Service) Hold(value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = &secret{Session: sessionPath, Value: []byte(value), ContentType: "text/plain"}
}

// react is the path of a dialog, or "/" where the call is to be served.
func (s *Service) react(method string) (dbus.ObjectPath, *dbus.Error) {
	switch s.reactions[method] {
	case Dismiss, Ignore:
		return promptPath, nil
	case Hang:
		<-s.done
	case Vanish:
		_ = s.conn.Close()
		return "", dbus.NewError("org.example.Error.Gone", nil) // which nobody receives
	case Refuse:
		return "", dbus.NewError("org.example.Error.Odd", []any{"it cannot be done"})
	case Answer:
	}
	return "/", nil
}

type service struct{ s *Service }

func (o service) OpenSession(string, dbus.Variant) (dbus.Variant, dbus.ObjectPath, *dbus.Error) {
	_, err := o.s.react("OpenSession")
	return dbus.MakeVariant(""), sessionPath, err
}

func (o service) Unlock(objects []dbus.ObjectPath) ([]dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
	prompt, err := o.s.react("Unlock")
	if prompt != "/" {
		objects = []dbus.ObjectPath{}
	}
	return objects, prompt, err
}

func (o service) ReadAlias(string) (dbus.ObjectPath, *dbus.Error) { return loginCollection, nil }

type properties struct{}

func (properties) Get(_, name string) (dbus.Variant, *dbus.Error) {
	if name == "Collections" {
		return dbus.MakeVariant([]dbus.ObjectPath{loginCollection}), nil
	}
	return dbus.MakeVariant(false), nil
}

type collection struct{ s *Service }

func (o collection) CreateItem(_ map[string]dbus.Variant, value secret, _ bool) (item, prompt dbus.ObjectPath, err *dbus.Error) {
	prompt, err = o.s.react("CreateItem")
	if prompt != "/" || err != nil {
		return "/", prompt, err
	}
	o.s.Hold(string(value.Value))
	return itemPath, "/", nil
}

func (o collection) SearchItems(map[string]string) ([]dbus.ObjectPath, *dbus.Error) {
	_, err := o.s.react("SearchItems")
	if o.s.Held() == "" {
		return []dbus.ObjectPath{}, err
	}
	return []dbus.ObjectPath{itemPath}, err
}

type item struct{ s *Service }

func (o item) GetSecret(dbus.ObjectPath) (secret, *dbus.Error) {
	_, err := o.s.react("GetSecret")
	return secret{Session: sessionPath, Parameters: []byte{}, Value: []byte(o.s.Held()), ContentType: "text/plain"}, err
}

func (o item) Delete() (dbus.ObjectPath, *dbus.Error) {
	prompt, err := o.s.react("Delete")
	if prompt == "/" && err == nil {
		o.s.mu.Lock()
		defer o.s.mu.Unlock()
		o.s.held = nil
	}
	return prompt, err
}

type session struct{}

func (session) Close() *dbus.Error { return nil }

type prompt struct{ s *Service }

// Prompt opens the dialog, which is dismissed a moment later unless one is to be ignored.
func (o prompt) Prompt(string) *dbus.Error {
	o.s.mu.Lock()
	defer o.s.mu.Unlock()
	o.s.prompts++
	for _, reaction := range o.s.reactions {
		if reaction == Ignore {
			return nil
		}
	}
	time.AfterFunc(time.Millisecond, func() {
		_ = o.s.conn.Emit(promptPath, "org.freedesktop.Secret.Prompt.Completed", true, dbus.MakeVariant([]dbus.ObjectPath{}))
	})
	return nil
}
