package rows

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An AmountStyle is how the amounts of a file are written.
type AmountStyle struct {
	point     string
	thousands string         // separates groups of three digits, as in 1 250.00; may be empty
	form      *regexp.Regexp // of an amount; captures the digits before and after the point

	grouped, plain string // the file's first amounts of at least four digits, with and without groups
}

// alike replaces each kind of space and apostrophe by the common one.
var alike = strings.NewReplacer("\u00a0", " ", "\u2009", " ", "\u202f", " ", "\u2019", "'")

// NewAmountStyle parses the values of --decimal-comma and --thousands. Without them, amounts look like 1250.00.
func NewAmountStyle(decimalComma bool, thousands string) (s AmountStyle, err error) {
	s.point, s.thousands = ".", alike.Replace(thousands)
	if decimalComma {
		s.point = ","
	}
	digits := `\d+`
	switch {
	case thousands == "":
	case !strings.Contains(".,' _", s.thousands) || len(s.thousands) > 1:
		return s, fmt.Errorf("--thousands must be a point, a comma, an apostrophe or a space, not %q", thousands)
	case s.thousands == s.point:
		return s, fmt.Errorf("--thousands %s is the decimal point; --decimal-comma makes the comma that", thousands)
	default:
		digits = `\d{1,3}(?:` + regexp.QuoteMeta(s.thousands) + `\d{3})+|\d+`
	}
	s.form = regexp.MustCompile(`^(` + digits + `)(?:` + regexp.QuoteMeta(s.point) + `(\d+))?`)
	return s, nil
}

// Read returns an amount with a point and without groups, such as 1250.00. A JSON number always has that form. The
// error shows the value and the wrong character.
func (s *AmountStyle) Read(field Field) (string, error) {
	if field.Kind != '"' {
		return field.Text, nil
	}
	text := alike.Replace(field.Text)
	parts := s.form.FindStringSubmatch(text)
	if parts == nil {
		parts = make([]string, 3)
	}
	if parts[0] != text {
		return "", s.wrongCharacter(field.Text, utf8.RuneCountInString(parts[0]))
	}
	number := strings.ReplaceAll(parts[1], s.thousands, "")
	// If a file groups the digits of only some large amounts, a separator may be the decimal point of another locale.
	mine, other := &s.plain, s.grouped
	if number != parts[1] {
		mine, other = &s.grouped, s.plain
	}
	switch {
	case s.thousands == "" || len(number) < 4:
	case other != "":
		return "", fmt.Errorf("%q and %q do not separate thousands in the same way", other, field.Text)
	default:
		*mine = field.Text
	}
	if parts[2] != "" {
		number += "." + parts[2]
	}
	return number, nil
}

// wrongCharacter is the error for the character at an index of an amount.
func (s *AmountStyle) wrongCharacter(text string, index int) error {
	char := []rune(text)[index]
	name, hint := fmt.Sprintf("%q", char), ""
	if unicode.IsSpace(char) {
		name = fmt.Sprintf("a space (%U)", char)
	}
	if strings.Contains(".,' ", alike.Replace(string(char))) {
		hint = "; --decimal-comma and --thousands CHAR read others"
	}
	return fmt.Errorf("%q has %s at character %d, and must look like 1%s250%s00%s",
		text, name, index+1, s.thousands, s.point, hint)
}
