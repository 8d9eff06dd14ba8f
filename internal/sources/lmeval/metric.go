package lmeval

import (
	"strings"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/sources"
)

// metric is a member of a task's results.
type metric struct {
	key       string // as it stands there: acc_norm_stderr,none
	value     ijson.Value
	notFinite bool // the value is the text NaN, Infinity or -Infinity, written bare
	offset    int
}

const stderrSuffix = "_stderr"

// parts are the metric and the filter of a key, which ends at the last comma.
// The filter none is none; v0.3 had no filters.
func (m *metric) parts() (name, filter string) {
	name = m.key
	if i := strings.LastIndexByte(m.key, ','); i >= 0 {
		name, filter = m.key[:i], m.key[i+1:]
	}
	if filter == "none" {
		filter = ""
	}
	return name, filter
}

// isError reports whether the metric is the standard error of another.
func (m *metric) isError() bool {
	name, _ := m.parts()
	return strings.HasSuffix(name, stderrSuffix)
}

// name is what the key of the measurement ends with: acc_norm.strict-match.stderr.
func (m *metric) name() string {
	name, filter := m.parts()
	name, isError := strings.CutSuffix(name, stderrSuffix)
	if filter != "" {
		name += "." + filter
	}
	if isError {
		name += ".stderr"
	}
	return name
}

// refusal says why the value cannot be taken; the reason is "" if it can.
func (m *metric) refusal() (reason sources.Reason, message string) {
	switch {
	case m.notFinite:
		return sources.NotFinite, "is " + m.value.Text
	case m.value.Kind == '0':
		return "", ""
	case m.value.Kind == 'n':
		return sources.MissingValue, "is null"
	case m.value.Kind == '"' && m.value.Text == "N/A":
		return sources.MissingValue, `is "N/A"`
	}
	return sources.InvalidValue, "is no number: left out"
}

// replaceNotFinite puts strings of the same length in the place of the bare
// tokens NaN, Infinity and -Infinity, which Python writes and JSON does not know.
// It returns the tokens by offset. Texts without any are returned as they are.
func replaceNotFinite(text string) (string, map[int]string) {
	var out []byte
	tokens := map[int]string{}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = skipString(text, i)
		case 'N', 'I', '-':
			for _, token := range []string{"NaN", "Infinity", "-Infinity"} {
				if strings.HasPrefix(text[i:], token) {
					if out == nil {
						out = []byte(text)
					}
					copy(out[i:], `"`+strings.Repeat("~", len(token)-2)+`"`)
					tokens[i] = token
					i += len(token) - 1
					break
				}
			}
		}
	}
	if out == nil {
		return text, nil
	}
	return string(out), tokens
}

// skipString returns the offset of the quote that ends the string at i, or of the
// last byte.
func skipString(text string, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text) - 1
}
