package diff

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/textutil"
)

// operations are those that commands use.
func operations() []*contract.Operation {
	return slices.DeleteFunc(slices.Clone(contract.Operations), func(op *contract.Operation) bool {
		return op.Access == contract.Open || op.IsSandbox()
	})
}

// A candidate is where a service seems to have an operation.
type candidate struct {
	place
	shown *schema          // a document of the response
	at    jsontext.Pointer // where that is; of a list, where its array is
	lacks []string         // the known members that it does not show
	also  jsontext.Pointer // another place that may be meant; empty if there is none
	why   string           // the reason why the operation is not sure; empty if it is
}

type candidates map[*contract.Operation]*candidate

// find looks for the operations of the contract. An operation is sure where the contract has it, or in a sure family.
func (d *Document) find() candidates {
	found := candidates{}
	if d.IsForeign {
		return found
	}
	for _, op := range operations() {
		d.try(found, op, op.Path, "", op.Method)
		if op.Origin == contract.Published {
			d.try(found, op, op.Path, "", "POST", "PUT", "PATCH")
		}
	}
	for _, r := range contract.Resources {
		if r.Get != nil && r.List != nil {
			d.findFamily(r, found)
		}
	}
	for _, op := range operations() {
		for _, p := range d.places {
			isNamed := payments.FoldMember(p.id) == payments.FoldMember(op.ID) && op.Origin != contract.Published
			if isNamed && (p.method == "GET") == (op.Method == "GET") {
				d.try(found, op, p.path, "only its operationId says so", p.method)
			}
		}
	}
	return found
}

// try adds an operation that is not found yet, if the document has one of the methods at a path.
func (d *Document) try(found candidates, op *contract.Operation, path, why string, methods ...string) {
	for _, method := range methods {
		p := d.byPath[method+" "+bare(path)]
		if p == nil || found[op] != nil {
			continue
		}
		names, all := known(op.Resource()), d.within(p.response)
		c := &candidate{place: *p, shown: &schema{}, lacks: names, why: why}
		for _, at := range slices.Sorted(maps.Keys(all)) {
			s := all[at]
			if _, isList := op.Shown(); isList {
				s = d.schema(s.items)
			}
			switch lacks := s.lacks(names); {
			case at == "", len(lacks) < len(c.lacks):
				c.shown, c.at, c.lacks, c.also = s, at, lacks, ""
			case len(lacks) == len(c.lacks) && len(lacks) < len(names) && !c.at.Contains(at):
				c.also = at
			}
		}
		found[op] = c
	}
}

// known lists the members that tell a resource from others: those that its creation requires, or else all required
// ones.
func known(r *contract.Resource) (names []string) {
	members := r.Schema().Members
	if creation := r.Creation(); creation != nil {
		members = creation.Body.Members
	}
	for _, m := range members {
		if m.Required {
			names = append(names, m.Name)
		}
	}
	return names
}

// bare is a path template without the names of its parameters.
func bare(path string) string { return textutil.Regexp(`\{[^{}/]*\}`).ReplaceAllString(path, "{}") }

// cutItem splits a path into what is before its last parameter, that parameter, and a version. It is nil for other
// paths.
func cutItem(path string) []string {
	return textutil.Regexp(`^(.*)/\{([^{}/]+)\}(/v[0-9.]+)?$`).FindStringSubmatch(path)
}

// findFamily adds the operations that are most like those of a resource, if a read shows half of what it is known by.
func (d *Document) findFamily(r *contract.Resource, found candidates) {
	var best candidates
	doubts := func(c candidates) int { return 2*len(c[r.Get].lacks) + min(len(c[r.Get].why), 1) }
	for _, p := range d.places {
		parts, own := cutItem(p.path), found[r.Get]
		if parts == nil || p.method != "GET" || own != nil && own.path != p.path {
			continue
		}
		family := d.familyAt(r, p.path, parts[1]+parts[3])
		switch {
		case len(family[r.Get].lacks)*2 > len(known(r)):
		case best == nil || doubts(family) < doubts(best):
			best = family
		case doubts(family) == doubts(best):
			for _, c := range best {
				c.why = cmp.Or(c.why, "or it is at "+p.path)
			}
		}
	}
	if best == nil {
		return
	}
	d.addBelow(r, best)
	maps.Copy(best, found)
	maps.Copy(found, best)
}

// familyAt returns the reads and the creation of a resource. They are sure if the list and the creation are at the path
// of the read without its parameter. A published creation stays where it is. All three must show what the creation
// requires, and the read must show what the creation shows.
func (d *Document) familyAt(r *contract.Resource, item, base string) candidates {
	found, create, why := candidates{}, r.Creation(), ""
	d.try(found, r.Get, item, "", "GET")
	d.try(found, r.List, base, "", "GET")
	if d.try(found, create, create.Path, "", "POST", "PUT"); create.Origin != contract.Published {
		d.try(found, create, base, "", "POST", "PUT")
	}
	get, list, creation := found[r.Get], found[r.List], found[create]
	switch {
	case len(get.lacks) > 0:
		why = "it does not show " + strings.Join(get.lacks, ", ")
	case list == nil || len(list.lacks) > 0:
		why = "no list of the same is at " + base
	case creation == nil || creation.request == nil || len(creation.request.lacks(known(r)))+len(creation.lacks) > 0:
		why = "no creation takes and shows the same"
	case get.also+list.also+creation.also != "":
		why = "a response shows several at once"
	default:
		if more := get.shown.lacks(slices.Sorted(maps.Keys(creation.shown.members))); len(more) > 0 {
			why = "the creation also shows " + strings.Join(more, ", ")
		}
	}
	for _, c := range found {
		c.why = why
	}
	return found
}

// addBelow adds the changes of a resource, and what is below its read under a word that paths have for it.
func (d *Document) addBelow(r *contract.Resource, found candidates) {
	get, uses := found[r.Get], r.Uses
	if kyc := contract.ResourceNamed("kyc"); kyc.PartOf == r.Name {
		uses = slices.Concat(uses, kyc.Uses)
	}
	base := regexp.QuoteMeta(cutItem(get.path)[1])
	below := textutil.Regexp(`^` + base + `/\{[^{}/]+\}(?:/[^{}]*)?/([^{}/]+?)(?:/v[0-9.]+)?$`)
	for _, use := range uses {
		if use.Action == contract.Updates {
			d.try(found, use.Op, get.path, get.why, "PATCH")
			d.try(found, use.Op, get.path, "it may remove what is not sent", "PUT", "POST")
		}
		for _, p := range d.places {
			last := below.FindStringSubmatch(p.path)
			isNamed := func(word string) bool { return strings.HasPrefix(strings.ToLower(last[1]), word) }
			switch other := found[use.Op]; {
			case last == nil || !slices.ContainsFunc(use.Words, isNamed) || use.Op.IsRead() != (p.method == "GET"):
			case other == nil:
				d.try(found, use.Op, p.path, get.why, p.method)
				if c := found[use.Op]; len(c.lacks) == len(known(use.Op.Resource())) {
					c.why = cmp.Or(c.why, "it does not show "+strings.Join(c.lacks, ", "))
				}
			default:
				other.why = cmp.Or(other.why, "or it is at "+p.path)
			}
		}
	}
	if r.Get == &contract.GetSavedContact {
		d.try(found, &contract.DeleteSavedContact, get.path, get.why, "DELETE")
	}
}
