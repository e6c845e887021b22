package coordinates

import "strings"

// Check checks the coordinates that a payment rail needs. It returns them in canonical form, and one problem for each
// invalid field, in a fixed order; without a problem, the coordinates can be stored. An invalid coordinate is returned
// empty, and so is one that does not belong to the rail, which is not a problem. An unknown rail is a problem of the field
// paymentRail.
func Check(railName string, c Coordinates) (Coordinates, []FieldProblem) {
	r, err := railByName(railName)
	if err != nil {
		return Coordinates{}, []FieldProblem{fieldProblem("paymentRail", err)}
	}
	checked := checking{given: c}
	for _, m := range r.required {
		checked.member(m)
	}
	if len(r.either) > 0 && checked.members(r.either) == 0 {
		checked.refuse(r.either[0], requiredUnless(r.either[1:]))
	}
	checked.members(r.optional)
	return checked.normal, checked.problems
}

// checking is the check of one set of coordinates.
type checking struct {
	given    Coordinates
	normal   Coordinates
	problems []FieldProblem
}

// members checks the members that are given and returns their number.
func (k *checking) members(members []*member) int {
	given := 0
	for _, m := range members {
		if k.has(m) {
			given++
			k.member(m)
		}
	}
	return given
}

func (k *checking) member(m *member) {
	if !k.has(m) {
		k.refuse(m, Required)
		return
	}
	value, err := m.check(*m.at(&k.given), k.given)
	if err != nil {
		k.refuse(m, err)
		return
	}
	*m.at(&k.normal) = value
}

func (k *checking) has(m *member) bool { return strings.TrimSpace(*m.at(&k.given)) != "" }

func (k *checking) refuse(m *member, why error) {
	k.problems = append(k.problems, fieldProblem(m.name, why))
}

func fieldProblem(field string, why error) FieldProblem {
	return FieldProblem{Field: field, Message: "The " + field + " field " + why.Error() + "."}
}

func requiredUnless(others []*member) Problem {
	names := make([]string, len(others))
	for i, m := range others {
		names[i] = m.name
	}
	return Required + Problem(" unless "+strings.Join(names, " or ")+" is given")
}

func railByName(name string) (rail, error) {
	if strings.TrimSpace(name) == "" {
		return rail{}, Required
	}
	for _, r := range rails {
		if r.name == name {
			return r, nil
		}
	}
	return rail{}, invalid("payment rail", "the rails are %s", strings.Join(Rails(), ", "))
}
