package site

import (
	"fmt"
	"os"
	"sync"

	"verbatim/internal/load"
	"verbatim/internal/page"
)

// reading is what stays of a lesson's text when its parsed form is dropped.
type reading struct {
	gist *page.Gist
	text func() (page.Text, error) // as drawn already; nil where that has to wait
}

// keepReading takes what it needs from a lesson that was just keepReading. Several
// goroutines may call it. A text that shows nothing of the rest of the site is
// drawn here and now, so that it is keepReading once.
func (b *build) keepReading(l *load.Lesson) error {
	doc, err := l.Open()
	if err != nil {
		return err
	}
	r := reading{gist: b.theme.Read(&l.Lesson, doc)}
	if b.spool != nil && l.ID != load.HomeID && !l.Meta.Draft {
		text, alone, err := b.theme.Draw(page.Lesson{Lesson: &l.Lesson, Doc: doc}, b.imageSize)
		switch {
		case err != nil:
			r.text = func() (page.Text, error) { return page.Text{}, err } // problems go first
		case alone:
			if r.text, err = b.spool.add(text); err != nil {
				return err
			}
			if b.PDF == "" { // paper is drawn from the text again
				l.Drop()
			}
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.readings == nil {
		b.readings = map[string]reading{}
	}
	b.readings[l.File] = r
	return nil
}

// spool keeps texts out of memory until their pages are drawn, in a file that
// goes with the process.
type spool struct {
	file *os.File
	mu   sync.Mutex
	end  int64
}

// openSpool makes one in dir.
func openSpool(dir string) (*spool, error) {
	file, err := os.CreateTemp(dir, "texts-*")
	if err != nil {
		return nil, fmt.Errorf("keep the drawn texts: %w", err)
	}
	os.Remove(file.Name()) // where that works; close tries again
	return &spool{file: file}, nil
}

func (s *spool) close() {
	s.file.Close()
	os.Remove(s.file.Name())
}

// add stores a text and returns a function that reads it back.
func (s *spool) add(text page.Text) (func() (page.Text, error), error) {
	size := int64(len(text.HTML))
	s.mu.Lock()
	at := s.end
	s.end += size
	s.mu.Unlock()
	if _, err := s.file.WriteAt(text.HTML, at); err != nil {
		return nil, fmt.Errorf("keep the drawn texts: %w", err)
	}
	text.HTML = nil
	return func() (page.Text, error) {
		again := text
		again.HTML = make([]byte, size)
		if _, err := s.file.ReadAt(again.HTML, at); err != nil {
			return page.Text{}, fmt.Errorf("bring back a drawn text: %w", err)
		}
		return again, nil
	}, nil
}
