package load

import (
	"errors"
	"io/fs"
	"net/url"
	"path"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
	"verbatim/internal/yamldoc"
)

// sourceYAML is quotes/<id>/source.yaml.
type sourceYAML struct {
	Title     string `yaml:"title"`
	Publisher string `yaml:"publisher"`
	URL       string `yaml:"url"`
	Copy      string `yaml:"copy"`
	Saved     string `yaml:"saved"`
	Licence   string `yaml:"licence"`
	Publish   bool   `yaml:"publish"`
	Ours      bool   `yaml:"ours"`
	Module    string `yaml:"module"`
	File      string `yaml:"file"`
}

// loadSources reads the source.yaml of every folder of quotes/.
func loadSources(b *Book, fsys fs.FS, ps *problem.List) error {
	entries, err := fs.ReadDir(fsys, Quotes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	seen := map[string]string{} // url → source
	for _, entry := range entries {
		if hidden(entry.Name()) {
			continue
		}
		if !entry.IsDir() {
			if err := unreadable(fsys, path.Join(Quotes, entry.Name())); err != nil {
				complain(ps, path.Join(Quotes, entry.Name()), err)
			}
			continue
		}
		s, ok := loadSource(fsys, entry.Name(), ps)
		if !ok {
			continue
		}
		if first, twice := seen[s.URL]; twice && s.URL != "" {
			ps.Add(problem.Pos{File: s.File}, "source", "has the url of source %q", first)
		}
		seen[s.URL] = s.ID
		b.Sources = append(b.Sources, s)
	}
	return nil
}

func loadSource(fsys fs.FS, id string, ps *problem.List) (lesson.Source, bool) {
	file := path.Join(Quotes, id, "source.yaml")
	src, err := fs.ReadFile(fsys, file)
	if err != nil {
		ps.AddHint(problem.Pos{File: file}, "source", "say in it at least title and url", "cannot be read: %v", cause(err))
		return lesson.Source{}, false
	}
	var y sourceYAML
	places, problems := yamldoc.Decode(file, 0, src, &y, false)
	*ps = append(*ps, problems...)
	at := func(key string) problem.Pos {
		if pos, ok := places[key]; ok {
			return pos
		}
		return problem.Pos{File: file, Line: 1, Col: 1}
	}
	if u, err := url.Parse(y.URL); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		ps.AddHint(at("url"), "source", "give the page's address, https://…", "url is missing or not an http address: %q", y.URL)
	}
	checkDate(at("saved"), "source", "saved", y.Saved, ps)
	if (y.Module == "") != (y.File == "") {
		ps.AddHint(at("module"), "source", "name the module and the file in it", "module and file go together")
	}
	return lesson.Source{
		ID: id, File: file, Title: y.Title, Publisher: y.Publisher, URL: y.URL, Copy: y.Copy,
		Saved: y.Saved, Licence: y.Licence, Publish: y.Publish, Ours: y.Ours, Module: y.Module, Path: y.File,
	}, true
}
