package config

import "go.yaml.in/yaml/v3"

// checkOperations holds the mappings of every profile to the checks. The error is a [*FileError] without a path.
func (d *document) checkOperations(checks []OperationCheck) error {
	profiles := lookUp(d.root, memberProfiles)
	if profiles == nil || len(checks) == 0 {
		return nil
	}
	return eachMember(profiles, memberProfiles, func(_, body *yaml.Node) error {
		operations := lookUp(body, keyOperations)
		if operations == nil {
			return nil
		}
		return eachMember(operations, keyOperations, func(name, mapping *yaml.Node) error {
			if err := checkOperation(checks, name.Value, mapping.Value); err != nil {
				return at(name, "%s: %v", keyOperations, err)
			}
			return nil
		})
	})
}

func checkOperation(checks []OperationCheck, id, mapping string) error {
	for _, check := range checks {
		if err := check(id, mapping); err != nil {
			return err
		}
	}
	return nil
}
