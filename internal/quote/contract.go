// Package quote checks that quotations are, word for word, in the saved page of
// their source. A match means that the page's text holds the words in order and
// without a gap. A weaker match is a warning with its reasons. Similar text never
// matches.
package quote

// ContractVersion is the version of Contract. A seal names the version that it was
// written under, so that a changed rule makes older seals stale.
const ContractVersion = 2

// Contract describes the rules of this package, as `quotecheck -h` prints them.
const Contract = `The contract, version 2. A quotation is compared with the text of one saved
page. In order; the first rule that finds the words gives the verdict.

 (a) text      The page is decoded (gzip; the first text/html part of MHTML; a
               byte-order mark, else valid UTF-8, else the charset it declares,
               else windows-1252) and parsed with scripting off. Left out are
               head, title, script, style, template, comments, iframe, object,
               svg, textarea, select, rt, rp and annotation. Block edges and
               <br> separate words, inline tags do not. Markdown loses its
               markup first. In .txt a hyphen at a line end may be joined
               (warning). Of a Go file: the comments, then the code.
 (b) exact     Invisible format characters dropped, NFC, each run of white
               space one space: match. Characters that change the direction of
               text are dropped from the page; in a quotation they are a
               problem.
 (c) typography  And quotation marks, dashes, the ellipsis glyph, ligatures
               and full-width ASCII made equal: match. (b) and (c) are also
               tried without foot-note marks, which are each <sup> that holds
               a link to a fragment.
 (d) spacing   And without the space before , . ; : ! ? ) ] } % and after
               ( [ { : warning.
 (e) hidden    The words need text that the page hides: warning. Hidden are the
               attributes hidden and popover, a closed dialog, noscript, what
               video, audio, canvas, datalist, progress and meter hold for old
               browsers, and display: none or visibility: hidden in a style
               attribute or in a <style> of the page, there for a selector of
               names, classes and ids of one element. Other selectors, @media,
               style sheets in files of their own and other ways to hide text
               are not looked at. A closed <details> is visible.
 (f) editing   Markdown marks; [sic]; [x] for the case of a letter; an elision
               … or [...] that skips at most 100 words between parts of three
               words or more; an [insertion] for at most six words: warning.
               At most 64 of these in one quotation. No match is an elision
               that skips a negation, whatever punctuation is beside it, at an
               end of the quotation too within the sentence and six words; an
               insertion with a negation, or for words with one, with a digit
               or in brackets; and any of these inside of a number. Negations
               are the words not, no, never, none, without, -n't and their
               like, and those of some twenty other languages.

Otherwise there is no match: no edit distance, no folding of case or accents.
An occurrence that begins or ends inside a word or a number does not count. A
match is a warning where it joins blocks, uses struck text, mixes superscript
or subscript with plain text, cuts a hyphenated word, directly follows a
negation, or has fewer than 3 words or 12 characters (of Chinese, Japanese
and the like: 4).

A match is "verified" or "attested" in full, and readers are told "word for
word". With a warning it is that "with a note", and the note says to readers
which of these it is. A seal holds the notes, so that a clone without the page
has them too.
`

// Verdict is the result of comparing one quotation with one page.
type Verdict string

// The verdicts.
const (
	Match   Verdict = "match"
	Warning Verdict = "warning"
	NoMatch Verdict = "no match"
)

// Fold names the rule under which the words were found.
type Fold string

// The folds, in the order in which they are tried.
const (
	Exact      Fold = "exact"
	Typography Fold = "typography"
	Spacing    Fold = "spacing"
	Hidden     Fold = "hidden"
	Editing    Fold = "editing"
)

// folds holds all folds.
var folds = []Fold{Exact, Typography, Spacing, Hidden, Editing}

// Finding is the result of searching for one quotation in one page.
type Finding struct {
	Verdict     Verdict
	Fold        Fold     // "" where there is no match
	Occurrences int      // how often the page has the words
	Notes       []string // for the author: why a warning, which fold, or what explains that there is no match
	Passage     string   // the page's own words for the quotation
	Nearest     string   // no match: the passage most like it, or ""
	Diff        string   // no match: quotation against Nearest, [-only quoted-] {+only there+}

	// Reservations are the reasons of a Warning; a Match has none.
	Reservations []Reservation

	FirstWord     int    // its index on the page, from 0
	Before, After string // at most 32 characters of context
}
