package profile

// systemEditor is the editor that every system has.
const systemEditor = "notepad"
