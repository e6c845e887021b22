package live

// The golden screens are those of systems that suspend programs.
func init() { redrawHelp = keyHelp{"Ctrl-L Ctrl-Z", "draw the screen again; suspend, until fg"} }
