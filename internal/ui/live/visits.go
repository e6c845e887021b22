package live

import "slices"

// keptVisits is how many visited rows the user can go back to.
const keptVisits = 100

// visits are the rows that the user has opened, to go back and forward through them.
type visits struct {
	ids   []string
	place int // of the present one
}

// add notes that a row was opened. What came after the present one is forgotten.
func (v *visits) add(id string) {
	if len(v.ids) > 0 && v.ids[v.place] == id {
		return
	}
	v.ids = append(v.ids[:min(v.place+1, len(v.ids))], id)
	if len(v.ids) > keptVisits {
		v.ids = slices.Delete(v.ids, 0, 1)
	}
	v.place = len(v.ids) - 1
}

// forget drops the rows that are gone.
func (v *visits) forget(isGone func(id string) bool) {
	for i := len(v.ids) - 1; i >= 0; i-- {
		if isGone(v.ids[i]) {
			v.ids = slices.Delete(v.ids, i, i+1)
			if i <= v.place {
				v.place = max(v.place-1, 0)
			}
		}
	}
}

// step returns the row that is so many steps ahead; empty if there is none.
func (v *visits) step(by int, now string) string {
	if by < 0 && len(v.ids) > 0 && v.ids[v.place] != now { // back to where the user was
		return v.ids[v.place]
	}
	if place := v.place + by; place >= 0 && place < len(v.ids) {
		v.place = place
		return v.ids[place]
	}
	return ""
}
