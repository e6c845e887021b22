package rows

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An AmountStyle is how the amounts of a file are written. The zero value is digits and a point, as in 1250.00.
type AmountStyle struct {
	// DecimalComma reads 1250,00.
	DecimalComma bool
	// Thousands separates groups of three digits before the decimals, as in 1 250.00; zero: nothing does. A space stands
	// for all kinds of spaces, and an apostrophe for both kinds.
	Thousands rune

	grouped, plain string // the first amount of the file of at least four digits that is grouped, and that is not
}

// NewAmountStyle reads the values of --decimal-comma and --thousands.
func NewAmountStyle(decimalComma bool, thousands string) (s AmountStyle, err error) {
	s.DecimalComma = decimalComma
	if thousands == "" {
		return s, nil
	}
	char, size := utf8.DecodeRuneInString(thousands)
	switch s.Thousands = plainSeparator(char); {
	case size != len(thousands) || !strings.ContainsRune(".,' _", s.Thousands):
		return s, fmt.Errorf("--thousands must be a point, a comma, an apostrophe or a space, not %q", thousands)
	case s.Thousands == s.point() && decimalComma:
		return s, fmt.Errorf("--thousands , and --decimal-comma give the comma two meanings")
	case s.Thousands == s.point():
		return s, fmt.Errorf("--thousands . gives the point two meanings; for amounts such as 1.250,00 give --decimal-comma too")
	}
	return s, nil
}

// plainSeparator returns the plain character for one of several that look alike.
func plainSeparator(char rune) rune {
	switch char {
	case '\u00a0', '\u2009', '\u202f':
		return ' '
	case '\u2019':
		return '\''
	}
	return char
}

func (s *AmountStyle) point() rune {
	if s.DecimalComma {
		return ','
	}
	return '.'
}

// example is an amount as the style has it.
func (s *AmountStyle) example() string {
	text := "1250.00"
	if s.Thousands != 0 {
		text = "1" + string(s.Thousands) + "250.00"
	}
	return text[:len(text)-3] + string(s.point()) + "00"
}

// Read returns an amount with a point and without groups, such as 1250.00. An amount of JSON that is a number has that
// form whatever the texts of the file have. The error shows the value and the character that does not belong there.
func (s *AmountStyle) Read(field Field) (string, error) {
	if field.Kind != '"' {
		return field.Text, nil
	}
	var number strings.Builder
	digits, groups, hasPoint := 0, 0, false // digits since the last separator
	position := 0
	for _, char := range field.Text {
		position++
		isWhole := digits == 3 || digits > 0 && groups == 0 // the digits before a point
		switch {
		case '0' <= char && char <= '9':
			digits++
			number.WriteRune(char)
			continue
		case char == s.point() && !hasPoint && isWhole:
			hasPoint = true
			number.WriteByte('.')
		case s.Thousands != 0 && plainSeparator(char) == s.Thousands && !hasPoint && isWhole && digits <= 3:
			groups++
		default:
			return "", s.wrongCharacter(field.Text, char, position)
		}
		digits = 0
	}
	if field.Text != "" && digits == 0 || groups > 0 && !hasPoint && digits != 3 {
		return "", fmt.Errorf("%q must look like %s", field.Text, s.example())
	}
	return number.String(), s.checkGroups(field.Text, groups > 0, number.String())
}

// checkGroups returns an error if a file groups the digits of some large amounts and not of others: then a separator
// may as well be the decimal point of a program in another language.
func (s *AmountStyle) checkGroups(text string, grouped bool, number string) error {
	integer, _, _ := strings.Cut(number, ".")
	if s.Thousands == 0 || len(integer) < 4 {
		return nil
	}
	mine, other := &s.plain, s.grouped
	if grouped {
		mine, other = &s.grouped, s.plain
	}
	if *mine == "" {
		*mine = strings.Clone(text)
	}
	if other != "" {
		return fmt.Errorf("%q and %q do not separate thousands in the same way", other, text)
	}
	return nil
}

// wrongCharacter is the error of an amount with a character that does not belong there.
func (s *AmountStyle) wrongCharacter(text string, char rune, position int) error {
	name := fmt.Sprintf("%q", char)
	if unicode.IsSpace(char) {
		name = fmt.Sprintf("a space (%U)", char)
	}
	reason := fmt.Sprintf("%q has %s at character %d, and must look like %s", text, name, position, s.example())
	if strings.ContainsRune(".,' ", plainSeparator(char)) {
		reason += "; --decimal-comma and --thousands CHAR read others"
	}
	return errors.New(reason)
}
