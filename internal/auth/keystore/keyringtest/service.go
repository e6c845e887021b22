package keyringtest

import (
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"
)

// A Reaction is what a [Service] does when one of its methods is called.
type Reaction int

// Reactions.
const (
	Answer  Reaction = iota // does what was asked
	Dismiss                 // opens a dialog that is dismissed, and does nothing
	Ignore                  // opens a dialog that is never answered
	Hang                    // never answers
	Vanish                  // leaves the bus without an answer, like a service that crashes
	Refuse                  // answers with an error
)

// A Service is a Secret Service with one collection, unlocked, with room for one item. It misbehaves as its reactions
// say.
type Service struct {
	conn      *dbus.Conn
	done      chan struct{}
	reactions map[string]Reaction // by method: Unlock, OpenSession, CreateItem, SearchItems, GetSecret, Delete

	mu   sync.Mutex
	held *secret
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
	readAlias := func(string) (dbus.ObjectPath, *dbus.Error) { return loginCollection, nil }
	closeSession := func() *dbus.Error { return nil }
	properties := map[string]any{"Get": getProperty}
	for _, part := range []struct {
		path    dbus.ObjectPath
		iface   string
		methods map[string]any
	}{
		{secretsPath, serviceIface, map[string]any{"OpenSession": s.openSession, "Unlock": s.unlock, "ReadAlias": readAlias}},
		{secretsPath, propertiesIface, properties},
		{loginCollection, collectionIface, map[string]any{"CreateItem": s.createItem, "SearchItems": s.searchItems}},
		{loginCollection, propertiesIface, properties},
		{itemPath, "org.freedesktop.Secret.Item", map[string]any{"GetSecret": s.getSecret, "Delete": s.deleteItem}},
		{sessionPath, "org.freedesktop.Secret.Session", map[string]any{"Close": closeSession}},
		{promptPath, "org.freedesktop.Secret.Prompt", map[string]any{"Prompt": s.prompt}},
	} {
		require.NoError(t, s.conn.ExportMethodTable(part.methods, part.path, part.iface))
	}
	requestName(t, s.conn, secretsName)
	return s
}

// Held is the value of the item; empty when there is none.
func (s *Service) Held() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		return ""
	}
	return string(s.held.Value)
}

// Hold sets the value of the item.
func (s *Service) Hold(value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = &secret{Session: sessionPath, Value: []byte(value), ContentType: "text/plain"}
}

// react returns the path of a dialog, or "/" where the method is to do what was asked.
func (s *Service) react(method string) (dbus.ObjectPath, *dbus.Error) {
	switch s.reactions[method] {
	case Dismiss, Ignore:
		return promptPath, nil
	case Hang:
		<-s.done
	case Vanish:
		_ = s.conn.Close()
		return "", dbus.NewError("org.example.Error.Gone", nil) // which the caller does not receive
	case Refuse:
		return "", dbus.NewError("org.example.Error.Odd", []any{"it cannot be done"})
	case Answer:
	}
	return "/", nil
}

func getProperty(_, name string) (dbus.Variant, *dbus.Error) {
	if name == "Collections" {
		return dbus.MakeVariant([]dbus.ObjectPath{loginCollection}), nil
	}
	return dbus.MakeVariant(false), nil // Locked
}

func (s *Service) openSession(string, dbus.Variant) (dbus.Variant, dbus.ObjectPath, *dbus.Error) {
	_, err := s.react("OpenSession")
	return dbus.MakeVariant(""), sessionPath, err
}

func (s *Service) unlock(objects []dbus.ObjectPath) ([]dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
	prompt, err := s.react("Unlock")
	if prompt != "/" {
		objects = []dbus.ObjectPath{}
	}
	return objects, prompt, err
}

func (s *Service) createItem(
	_ map[string]dbus.Variant, value secret, _ bool,
) (item, prompt dbus.ObjectPath, err *dbus.Error) {
	prompt, err = s.react("CreateItem")
	if prompt != "/" || err != nil {
		return "/", prompt, err
	}
	s.Hold(string(value.Value))
	return itemPath, "/", nil
}

func (s *Service) searchItems(map[string]string) ([]dbus.ObjectPath, *dbus.Error) {
	_, err := s.react("SearchItems")
	if s.Held() == "" {
		return []dbus.ObjectPath{}, err
	}
	return []dbus.ObjectPath{itemPath}, err
}

func (s *Service) getSecret(dbus.ObjectPath) (secret, *dbus.Error) {
	_, err := s.react("GetSecret")
	return secret{Session: sessionPath, Parameters: []byte{}, Value: []byte(s.Held()), ContentType: "text/plain"}, err
}

func (s *Service) deleteItem() (dbus.ObjectPath, *dbus.Error) {
	prompt, err := s.react("Delete")
	if prompt == "/" && err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.held = nil
	}
	return prompt, err
}

// prompt opens the dialog. It is dismissed after a millisecond, unless one is to be ignored.
func (s *Service) prompt(string) *dbus.Error {
	for _, reaction := range s.reactions {
		if reaction == Ignore {
			return nil
		}
	}
	time.AfterFunc(time.Millisecond, func() {
		_ = s.conn.Emit(promptPath, "org.freedesktop.Secret.Prompt.Completed", true, dbus.MakeVariant([]dbus.ObjectPath{}))
	})
	return nil
}
