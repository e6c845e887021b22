package coordinates

// ABARoutingNumber checks a routing transit number of the United States: nine digits, a first pair that is assigned,
// and the checksum with weights 3, 7, 1. It returns the nine digits.
//
// Source: American Bankers Association, Routing Number Policy.
func ABARoutingNumber(value string) (string, error) {
	const kind = "ABA routing number"
	s, err := digitString(kind, value, 9, 9)
	if err != nil {
		return "", err
	}
	if allSame(s) {
		return "", invalid(kind, "it is one digit repeated")
	}
	if !assignedRoutingPrefix(s[:2]) {
		return "", invalid(kind, "none starts with %s; the first two digits are 00 to 12, 21 to 32, 61 to 72 or 80", s[:2])
	}
	if weighted371(s)%10 != 0 {
		return "", invalid(kind, "its checksum (weights 3, 7, 1) does not come out, so at least one digit is mistyped")
	}
	return s, nil
}

func assignedRoutingPrefix(pair string) bool {
	return pair <= "12" || pair >= "21" && pair <= "32" || pair >= "61" && pair <= "72" || pair == "80"
}

// weighted371 sums the digits' products with 3, 7 and 1 in turn, each cut to
// its last digit; ABA routing numbers and CLABE share it.
func weighted371(digits string) int {
	weights := [...]int{3, 7, 1}
	sum := 0
	for i, r := range digits {
		sum += int(r-'0') * weights[i%len(weights)] % 10
	}
	return sum
}
