package config

// Empty is the configuration of somebody who has no file. It belongs to no folder and cannot be saved.
func Empty() (*File, error) {
	doc, err := parseDocument(nil)
	if err != nil {
		return nil, err
	}
	return &File{doc: doc}, nil
}
