package keyringtest

import (
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"
)

// Names of the dialogs that gnome-keyring asks for (gcr, gcr-system-prompter.c).
const (
	prompterName     = "org.gnome.keyring.SystemPrompter"
	prompterPath     = dbus.ObjectPath("/org/gnome/keyring/Prompter")
	prompterIface    = "org.gnome.keyring.internal.Prompter"
	prompterCallback = "org.gnome.keyring.internal.Prompter.Callback"
)

// A Prompter stands for the person in front of gnome-keyring's dialogs.
type Prompter struct {
	conn    *dbus.Conn
	dismiss bool
	// Shown receives once for each dialog that is opened.
	Shown chan struct{}
}

// Prompt puts somebody in front of the dialogs of the keyring on the bus: one who dismisses each, or one who never answers.
func Prompt(t testing.TB, bus string, dismiss bool) *Prompter {
	t.Helper()
	p := &Prompter{conn: Connect(t, bus), dismiss: dismiss, Shown: make(chan struct{}, 100)}
	require.NoError(t, p.conn.Export(p, prompterPath, prompterIface))
	reply, err := p.conn.RequestName(prompterName, dbus.NameFlagDoNotQueue)
	require.NoError(t, err)
	require.Equal(t, dbus.RequestNameReplyPrimaryOwner, reply)
	return p
}

// BeginPrompting is called by the keyring first: the prompter tells that it is the keyring's turn.
func (p *Prompter) BeginPrompting(sender dbus.Sender, callback dbus.ObjectPath) *dbus.Error {
	go p.ready(sender, callback, "")
	return nil
}

// PerformPrompt opens a dialog.
func (p *Prompter) PerformPrompt(sender dbus.Sender, callback dbus.ObjectPath, _ string, _ map[string]dbus.Variant, _ string) *dbus.Error {
	p.Shown <- struct{}{}
	if p.dismiss {
		go p.ready(sender, callback, "no")
	}
	return nil
}

// StopPrompting closes the dialog.
func (p *Prompter) StopPrompting(sender dbus.Sender, callback dbus.ObjectPath) *dbus.Error {
	go p.conn.Object(string(sender), callback).Call(prompterCallback+".PromptDone", 0)
	return nil
}

func (p *Prompter) ready(sender dbus.Sender, callback dbus.ObjectPath, answer string) {
	p.conn.Object(string(sender), callback).Call(prompterCallback+".PromptReady", 0, answer, map[string]dbus.Variant{}, "")
}
