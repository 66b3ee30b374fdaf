package quote

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"verbatim/internal/problem"
	"verbatim/internal/yamldoc"
)

// seal is quotes/<source>/seal.yaml: what a saved page that is not committed
// said about the quotations, on the day when it was here.
type seal struct {
	Contract   int      `yaml:"contract"`
	Bytes      string   `yaml:"bytes"` // SHA-256 of the page after gzip
	Text       string   `yaml:"text"`  // SHA-256 of its text
	Words      int      `yaml:"words"` // of that text
	Quotations []sealed `yaml:"quotations"`
	Sum        string   `yaml:"sum,omitempty"` // SHA-256 of the lines above it
}

// sealed is one quotation in a seal, in the order of the page.
type sealed struct {
	Words       string `yaml:"words"` // SHA-256 of the quotation, exact-folded
	Fold        Fold   `yaml:"fold"`
	Word        int    `yaml:"word"` // index of its first word on the page
	Occurrences int    `yaml:"occurrences"`
	Before      string `yaml:"before,omitempty"`
	After       string `yaml:"after,omitempty"`
	// Reservations are those of the finding, so that a clone without the page
	// can show them to readers.
	Reservations []Reservation `yaml:"reservations,omitempty"`
}

const sealFile = "seal.yaml"

const sealHeader = "# Written by `quotecheck seal`. It shows change in review; it is no proof against its author.\n"

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// newSeal seals findings, the quotation of each by its text. None of them may
// be without a match.
func newSeal(p *Page, findings map[string]Finding) seal {
	s := seal{Contract: ContractVersion, Bytes: p.Digest, Text: digest(p.Text()), Words: p.Words()}
	for quotation, f := range findings {
		s.Quotations = append(s.Quotations, newSealed(quotation, f))
	}
	slices.SortFunc(s.Quotations, func(a, b sealed) int {
		if a.Word != b.Word {
			return a.Word - b.Word
		}
		return strings.Compare(a.Words, b.Words)
	})
	s.Quotations = slices.CompactFunc(s.Quotations, sealed.equal)
	return s
}

func newSealed(quotation string, f Finding) sealed {
	return sealed{
		Words:        digest(exact(quotation)),
		Fold:         f.Fold,
		Word:         f.FirstWord,
		Occurrences:  f.Occurrences,
		Before:       f.Before,
		After:        f.After,
		Reservations: f.Reservations,
	}
}

// finding is what a seal says about a quotation.
func (s sealed) finding() Finding {
	f := Finding{
		Verdict: Match, Fold: s.Fold, Occurrences: s.Occurrences, FirstWord: s.Word, Before: s.Before, After: s.After,
		Notes: ReaderNotes(s.Reservations), Reservations: s.Reservations,
	}
	if len(s.Reservations) > 0 {
		f.Verdict = Warning
	}
	return f
}

// equal reports whether two entries are equal.
func (s sealed) equal(other sealed) bool { return reflect.DeepEqual(s, other) }

// of returns the seal of a quotation.
func (s *seal) of(quotation string) (sealed, bool) {
	want := digest(exact(quotation))
	for _, q := range s.Quotations {
		if q.Words == want {
			return q, true
		}
	}
	return sealed{}, false
}

// encode returns the bytes of seal.yaml.
func (s seal) encode() ([]byte, error) {
	s.Sum = ""
	body, err := yamldoc.Encode(s)
	if err != nil {
		return nil, err
	}
	body = append([]byte(sealHeader), body...)
	return fmt.Appendf(body, "sum: %s\n", digest(string(body))), nil
}

// readSeal reads the seal in a source's folder. It is nil where there is none
// and where it does not agree with itself, which is then a problem.
func readSeal(folder listing, ps *problem.List) *seal {
	if !folder.has(sealFile) {
		return nil
	}
	file := path.Join(folder.path, sealFile)
	f, err := folder.open(sealFile)
	var src []byte
	if err == nil {
		defer f.Close()
		src, err = readWithin(f)
	}
	if err != nil {
		ps.Add(problem.Pos{File: file}, "seal", "cannot be read: %v", cause(err))
		return nil
	}
	src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")) // a checkout may have made CR LF of them
	var s seal
	// Seals of other versions of the contract have other keys. They are stale,
	// which is said elsewhere, and the sum shows what was added by hand.
	places, problems := yamldoc.Decode(file, 0, src, &s, true)
	if n, _ := problems.Count(); n > 0 {
		*ps = append(*ps, problems...)
		return nil
	}
	key, fault := s.fault(src)
	if fault == "" {
		return &s
	}
	pos, ok := places[key]
	if !ok {
		pos = startOf(file)
	}
	ps.AddHint(pos, "seal", "only `quotecheck seal` writes this file; run: quotecheck seal "+path.Base(folder.path), "%s", fault)
	return nil
}

var sha256Hex = regexp.MustCompile(`^[0-9a-f]{64}$`)

// fault says how a seal disagrees with itself, and at which key, or "".
func (s *seal) fault(src []byte) (key, fault string) {
	body, _, _ := bytes.Cut(src, []byte("\nsum: "))
	switch {
	case s.Contract < 1:
		return "contract", "names no version of the contract"
	case !sha256Hex.MatchString(s.Bytes):
		return "bytes", "bytes is not a SHA-256 in hex"
	case !sha256Hex.MatchString(s.Text):
		return "text", "text is not a SHA-256 in hex"
	case s.Sum == "":
		return "sum", "has no sum"
	case s.Sum != digest(string(body)+"\n"):
		return "sum", "was edited by hand: it does not agree with its own sum"
	}
	seen := map[string]bool{}
	for _, q := range s.Quotations {
		if fault := q.fault(s.Words); fault != "" && s.Contract == ContractVersion {
			return "quotations", fault
		}
		if seen[q.Words] {
			return "quotations", "seals one quotation twice"
		}
		seen[q.Words] = true
	}
	return "", ""
}

func (s sealed) fault(words int) string {
	switch {
	case !sha256Hex.MatchString(s.Words):
		return "words of a quotation is not a SHA-256 in hex"
	case !slices.Contains(folds, s.Fold):
		return fmt.Sprintf("no fold is called %q", s.Fold)
	case s.Occurrences < 1:
		return "a sealed quotation must occur at least once"
	case s.Word < 0 || s.Fold != Hidden && s.Word >= words:
		return fmt.Sprintf("word %d is not on a page of %d words", s.Word, words)
	case s.Fold != Exact && s.Fold != Typography && len(s.Reservations) == 0:
		return fmt.Sprintf("a quotation of fold %q has no reservation", s.Fold)
	case slices.ContainsFunc(s.Reservations, func(r Reservation) bool { return r.Words() == "" }):
		return fmt.Sprintf("no reservations are called %q", s.Reservations)
	case !slices.Contains(s.Reservations, Negated) && negationAtEnd(withoutSeparators(s.Before)) != "":
		return fmt.Sprintf("a quotation comes after the negation %q and has no reservation for it", negationAtEnd(withoutSeparators(s.Before)))
	case utf8.RuneCountInString(s.Before) > contextRunes || utf8.RuneCountInString(s.After) > contextRunes:
		return fmt.Sprintf("context is longer than %d characters", contextRunes)
	}
	return ""
}
