package payments

// reaches says whether a state machine can come from one state to the other, in one step or more.
func reaches[S comparable](next map[S][]S, from, to S) bool {
	seen := map[S]bool{}
	open := []S{from}
	for len(open) > 0 {
		state := open[len(open)-1]
		open = open[:len(open)-1]
		for _, following := range next[state] {
			if following == to {
				return true
			}
			if !seen[following] {
				seen[following] = true
				open = append(open, following)
			}
		}
	}
	return false
}

// CanReach says whether an identity check in this state can still come to the other, in one step or more. Nothing is known
// against it where one of them is not known, but that a final state is never left.
func (s KYCStatus) CanReach(other KYCStatus) bool {
	if !s.Valid() || !other.Valid() {
		return !s.Final()
	}
	return reaches(kycTransitions, s, other)
}

// Final says whether the state is one that a transfer never leaves.
func (s TransferState) Final() bool { return s.Valid() && len(transferTransitions[s]) == 0 }

// CanReach says whether a transfer in this state can still come to the other, in one step or more. Nothing is known against
// it where one of them is not known, but that a final state is never left.
func (s TransferState) CanReach(other TransferState) bool {
	if !s.Valid() || !other.Valid() {
		return !s.Final()
	}
	return reaches(transferTransitions, s, other)
}

// HasPassed says whether a transfer in this state is past the other: it may have been in it, can no longer come to it, and
// has not failed.
func (s TransferState) HasPassed(other TransferState) bool {
	return s.Valid() && other.Valid() && !s.Failed() && !other.Failed() && s != other && other.CanReach(s) && !s.CanReach(other)
}
