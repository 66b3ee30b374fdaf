// Package claim decides what a page may claim about what it shows: that an output
// ran, that a quotation is verified. Table holds every claim with its words and its
// condition, Of decides the claims of a lesson, and Count counts them.
package claim

// ID names a row of Table.
type ID string

// The claims.
const (
	Ran          ID = "ran"
	Computed     ID = "computed"
	CodeRan      ID = "code-ran"
	CodeGiven    ID = "code-given"
	InRepository ID = "in-repository"
	NotRun       ID = "not-run"
	Answer       ID = "answer"
	NoProof      ID = "no-proof"
	Verified     ID = "verified"
	VerifiedNote ID = "verified-note"
	Attested     ID = "attested"
	AttestedNote ID = "attested-note"
	OwnPage      ID = "own-page"
	OwnPageNote  ID = "own-page-note"
	Stale        ID = "stale"
	Drifted      ID = "drifted"
	NotVerified  ID = "unverified"
)

// Row holds the mark and the words of a claim.
type Row struct {
	ID         ID
	Mark, Tone string // the symbol: full, half, none or old; its colour: ok, warn or ""
	Word       string // beside the mark
	Condition  string // when the claim holds, in one sentence for readers
}

// Table holds every claim, in the order in which the evidence page explains
// them. Green is only for what the repository itself proves without reservation.
var Table = []Row{
	{Ran, "full", "ok", "RAN",
		"A program ran and printed, recorded or computed exactly this; its record is committed. The service beside the mark is the one that the program connected to."},
	{Computed, "full", "ok", "COMPUTED",
		"A program ran and printed, recorded or computed exactly this, and never connected to the Redis that it could use."},
	{CodeRan, "full", "ok", "RAN",
		"Beside code: these lines are of a file that a program of this site is compiled from or embeds, and that program ran."},
	{CodeGiven, "full", "ok", "was there when it ran",
		"Beside a file of a command's example: the command ran, and its folder held these lines then. Nothing shows that it read them."},
	{InRepository, "none", "", "in the repository",
		"The file holds these lines, and belongs to an example that ran, but no run used it as code."},
	{NotRun, "none", "warn", "NOT RUN",
		"No run proves it."},
	{Answer, "full", "ok", "COMPUTED",
		"Beside an answer: the right option, and no other, begins with the value that a program computed."},
	{NoProof, "none", "warn", "unverified",
		"Nothing proves the answer; the reason is beside the mark."},
	{Verified, "full", "ok", "verified",
		"The words are, word for word, in the saved page, without any reservation, and that page is committed or is a module file that go.sum pins."},
	{VerifiedNote, "half", "", "verified, with a note",
		"The passage was found in the saved page, which is committed, with a reservation or with words left out or inserted; the note says which."},
	{Attested, "half", "", "attested",
		"A committed seal says that the words were, word for word, in the saved page, which is not published here."},
	{AttestedNote, "half", "", "attested, with a note",
		"A committed seal says that the passage was found in the saved page, with a reservation or with words left out or inserted; the note says which."},
	{OwnPage, "full", "", "our own page",
		"The words are in a page by the authors of this site, so they prove only that it is quoted correctly."},
	{OwnPageNote, "half", "", "our own page, with a note",
		"The passage was found in a page by the authors of this site, with the reservation that the note names."},
	{Stale, "old", "warn", "stale",
		"The quotation or the rules changed after the seal was made."},
	{Drifted, "old", "warn", "drifted",
		"The saved page is no longer the one that was sealed."},
	{NotVerified, "none", "warn", "unverified",
		"Neither a saved page nor a seal holds the quotation."},
}

// counted returns the word of a claim behind a number: "3 from our own page".
func (r Row) counted() string {
	if r.ID == OwnPage || r.ID == OwnPageNote {
		return "from " + r.Word
	}
	return r.Word
}

// RowOf returns the row of Table with an id. For an unknown id it returns a row
// without a condition whose word is the id.
func RowOf(id ID) Row {
	for _, r := range Table {
		if r.ID == id {
			return r
		}
	}
	return Row{ID: id, Mark: "none", Tone: "warn", Word: string(id)}
}
