package coordinates

import "strings"

// pixEmail checks an e-mail address as the directory of PIX keys accepts it: at
// most 77 characters, ASCII only, no quoted local part.
//
// Source: Banco Central do Brasil, DICT API, "Key" (its pattern follows the valid e-mail address of the HTML standard).
func pixEmail(value string) (string, error) {
	const kind = "PIX e-mail key"
	s, err := trim(kind, value)
	if err != nil {
		return "", err
	}
	s = lower(s)
	if len(s) > 77 {
		return "", invalid(kind, "it has %d characters and may have 77", len(s))
	}
	allowed := func(r rune) bool { return isLocalPart(r) || r == '@' }
	if err := onlyOf(kind, s, allowed, "allowed in an e-mail address"); err != nil {
		return "", err
	}
	local, domain, _ := strings.Cut(s, "@")
	if local == "" || domain == "" || strings.Contains(domain, "@") {
		return "", invalid(kind, "it needs one @ with something on both sides of it")
	}
	if !strings.Contains(domain, ".") {
		return "", invalid(kind, "the part after the @ has no dot")
	}
	for label := range strings.SplitSeq(domain, ".") {
		if !isDomainLabel(label) {
			return "", invalid(kind, "the part after the @ is not a domain name")
		}
	}
	return s, nil
}

func isLocalPart(r rune) bool {
	return isLowerOrDigit(r) || strings.ContainsRune(".!#$&'*+/=?^_`{|}~-", r)
}

func isDomainLabel(label string) bool {
	if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
		return false
	}
	for _, r := range label {
		if !isLowerOrDigit(r) && r != '-' {
			return false
		}
	}
	return true
}

func isLowerOrDigit(r rune) bool { return r >= 'a' && r <= 'z' || isDigit(r) }
