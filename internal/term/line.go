package term

import "bytes"

// Line writes cells as one line to Out, at once: a change as it happens. On a terminal a space stands between the cells,
// elsewhere a tab. Everything in it is sanitised.
func (s *Streams) Line(cells ...Cell) error {
	surface := s.outSurface()
	var b bytes.Buffer
	for i, cell := range cells {
		if i > 0 {
			if surface.tty {
				b.WriteByte(' ')
			} else {
				b.WriteByte('\t')
			}
		}
		b.WriteString(surface.paint(cell.Tone, Sanitize(cell.Text)))
	}
	b.WriteByte('\n')
	_, err := s.Out.Write(b.Bytes())
	return err
}
