package run

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"verbatim/internal/lesson"
)

// Compiled returns, by example, the files of the site that the program of a Go
// example is compiled from: the Go and assembly files and the embedded files of its packages,
// by their path in the site, sorted. root is the site's folder.
func Compiled(ctx context.Context, root string, examples []lesson.Example) (map[string][]string, error) {
	compiled := map[string][]string{}
	golang := slices.DeleteFunc(slices.Clone(examples), func(e lesson.Example) bool { return !e.Go })
	if len(golang) == 0 {
		return compiled, nil
	}
	absolute, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, fmt.Errorf("list what is compiled: %w", err)
	}
	packages, err := goList(ctx, absolute, golang, hostPlatform)
	if err != nil {
		return nil, err
	}
	for _, e := range golang {
		main := packageIn(packages, filepath.Join(absolute, filepath.FromSlash(e.Dir)))
		if main == nil {
			continue // a problem elsewhere
		}
		for _, name := range append([]string{main.ImportPath}, main.Deps...) {
			if p := packages[name]; p != nil && !p.Standard {
				compiled[e.ID] = append(compiled[e.ID], p.filesBelow(absolute)...)
			}
		}
		slices.Sort(compiled[e.ID])
	}
	return compiled, nil
}

// filesBelow returns the files of a package by their path below root, none for a
// package elsewhere.
func (p *listed) filesBelow(root string) (files []string) {
	dir, err := filepath.Rel(root, p.Dir)
	if err != nil || !filepath.IsLocal(dir) {
		return nil
	}
	for _, name := range slices.Concat(p.GoFiles, p.SFiles, p.EmbedFiles) {
		files = append(files, path.Join(filepath.ToSlash(dir), filepath.ToSlash(name)))
	}
	return files
}
