package manual

import (
	"reflect"
	"testing"
)

func TestBlocks(t *testing.T) {
	for text, want := range map[string][]Block{
		"":                 nil,
		"One.":             {{false, []string{"One."}}},
		"One\ntwo.":        {{false, []string{"One", "two."}}},
		"One.\n\nTwo.":     {{false, []string{"One."}}, {false, []string{"Two."}}},
		"  code\n    more": {{true, []string{"code", "  more"}}},
		"Like:\n  code\nso.\n\n  code": {
			{false, []string{"Like:"}}, {true, []string{"code"}}, {false, []string{"so."}}, {true, []string{"code"}}},
	} {
		if got := Blocks(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

// Paragraphs are broken at 80 columns, what is indented is not, and lists have two
// columns where their terms are short.
func TestPrint(t *testing.T) {
	long := "a sentence of more than eighty columns which is broken before the word that would not fit"
	got := Print([]Section{
		{Text: long + ":\n  " + long},
		{Title: "Below", Text: long + "\n\n" + "again"},
		{Title: "Code", Code: "x\n  y\n"},
		{Title: "Short", Items: Items{{"a", "one"}, {"bcd", long}, {"e", ""}}},
		{Title: "Long", Items: Items{{"a term of more than 22 letters", "one"}, {"b", ""}}},
	})
	const want = `a sentence of more than eighty columns which is broken before the word that
would not fit:
  a sentence of more than eighty columns which is broken before the word that would not fit

Below:
  a sentence of more than eighty columns which is broken before the word that
  would not fit

  again

Code:
  x
    y

Short:
  a    one
  bcd  a sentence of more than eighty columns which is broken before the word
       that would not fit
  e

Long:
  a term of more than 22 letters
      one
  b
`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// The texts are what the package takes them for.
func TestTextsAreRead(t *testing.T) {
	for _, topic := range Topics() {
		if topic.Name == "" || topic.Short == "" || topic.ManualSection != 5 && topic.ManualSection != 7 || len(topic.Sections) == 0 {
			t.Errorf("%+v", topic)
		}
	}
	if page := Command("svc rank"); page.Description == "" || page.Examples == "" {
		t.Errorf("%+v", page)
	}
}
