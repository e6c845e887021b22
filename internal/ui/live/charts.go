package live

// chartsPane draws how the rows are distributed.
func (m *model) chartsPane(r rect) []string { return pad(nil, r.height) }
