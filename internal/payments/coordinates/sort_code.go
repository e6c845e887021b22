package coordinates

// SortCode checks the sort code of a bank in the United Kingdom: six digits, also written 12-34-56. It returns the six
// digits without hyphens. Whether the code is assigned is not checked.
//
// Source: Pay.UK, "Validating Account Numbers".
func SortCode(value string) (string, error) {
	return digitString("sort code", value, 6, 6)
}
