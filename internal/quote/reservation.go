package quote

import "slices"

// Reservation names a reason why a passage that was found does not count as
// "word for word".
type Reservation string

// The reservations, in the order in which they are listed.
const (
	Elision    Reservation = "elision"
	Insertion  Reservation = "insertion"
	LetterCase Reservation = "letter case"
	Sic        Reservation = "sic"
	Markup     Reservation = "markup"
	Spaces     Reservation = "spaces"
	LineEnd    Reservation = "line end"
	HiddenText Reservation = "hidden text"
	Struck     Reservation = "struck"
	Raised     Reservation = "raised"
	Blocks     Reservation = "blocks"
	Hyphenated Reservation = "hyphenated"
	Negated    Reservation = "negated"
	Short      Reservation = "short"
)

// reservations holds every reservation with its words for readers of a lesson.
var reservations = []struct {
	name  Reservation
	words string
}{
	{Elision, "parts of the passage are left out"},
	{Insertion, "the words in brackets are ours"},
	{LetterCase, "the letter in brackets is ours"},
	{Sic, "[sic] is ours"},
	{Markup, "the marks of formatting are ours"},
	{Spaces, "the spaces beside punctuation are not the page's"},
	{LineEnd, "we joined a word that the page divides at a line end"},
	{HiddenText, "the page hides this text"},
	{Struck, "the page strikes this text out, or a part of it"},
	{Raised, "the page has a superscript or a subscript here"},
	{Blocks, "the page has this text in separate paragraphs or cells"},
	{Hyphenated, "the passage begins or ends inside a hyphenated word"},
	{Negated, "a negation comes directly before the passage"},
	{Short, "the passage is too short to mean much by itself"},
}

// Words returns the note for readers, "the page hides this text", or "" for an
// unknown reservation.
func (r Reservation) Words() string {
	for _, known := range reservations {
		if known.name == r {
			return known.words
		}
	}
	return ""
}

// ReaderNotes returns the words of each reservation.
func ReaderNotes(all []Reservation) []string {
	notes := make([]string, 0, len(all))
	for _, r := range all {
		notes = append(notes, r.Words())
	}
	return notes
}

// reason is a reservation with its words for the author.
type reason struct {
	name Reservation
	text string
}

// names returns the reservations of reasons, each once, in the order of the list.
func names(reasons []reason) []Reservation {
	var found []Reservation
	for _, known := range reservations {
		if slices.ContainsFunc(reasons, func(r reason) bool { return r.name == known.name }) {
			found = append(found, known.name)
		}
	}
	return found
}

// texts returns the words for the author.
func texts(reasons []reason) []string {
	var all []string
	for _, r := range reasons {
		all = append(all, r.text)
	}
	return all
}
