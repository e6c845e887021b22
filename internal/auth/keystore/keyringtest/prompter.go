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

// A Prompter plays the person in front of gnome-keyring's dialogs.
type Prompter struct {
	conn    *dbus.Conn
	dismiss bool
	// Shown receives once for each dialog that is opened.
	Shown chan struct{}
}

// Prompt starts a prompter for the keyring on the bus. It dismisses each dialog, or answers none.
func Prompt(t testing.TB, bus string, dismiss bool) *Prompter {
	t.Helper()
	p := &Prompter{conn: Connect(t, bus), dismiss: dismiss, Shown: make(chan struct{}, 100)}
	require.NoError(t, p.conn.Export(p, prompterPath, prompterIface))
	requestName(t, p.conn, prompterName)
	return p
}

// BeginPrompting is the keyring's first call. The prompter replies that the keyring may open its dialog.
func (p *Prompter) BeginPrompting(sender dbus.Sender, callback dbus.ObjectPath) *dbus.Error {
	go p.ready(sender, callback, "")
	return nil
}

// PerformPrompt opens a dialog.
func (p *Prompter) PerformPrompt(
	sender dbus.Sender, callback dbus.ObjectPath, _ string, _ map[string]dbus.Variant, _ string,
) *dbus.Error {
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
	p.conn.Object(string(sender), callback).
		Call(prompterCallback+".PromptReady", 0, answer, map[string]dbus.Variant{}, "")
}
