package table

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank/statistics"
	"github.com/model-catalog-service/svc/internal/sources"
)

// This file is tables with a line for each request, such as logs of gateways. Of each model at each
// provider on each day, the mean of each value is kept, and of how many requests it is:
//
//	"values": {"gateway.latency": {"column": "response_time", "unit": "ms", "where": {"is_success": "1"}}}

// valueColumn is a value that each line has.
type valueColumn struct {
	key, column, unit string
	power             int               // of ten, by which it is multiplied
	where             map[string]string // what other columns have, or else the line does not count
}

// readValues reads the columns of values, by their keys.
func readValues(r *ijson.Reader) (list []valueColumn) {
	const mostPower = 15
	list = []valueColumn{}
	for n := r.Names(); n.Next(); {
		v := valueColumn{key: n.Name()}
		of := r.Names()
		for of.Next() {
			switch of.Name() {
			case "column":
				v.column = r.Text()
			case "unit":
				v.unit = r.Text()
			case "power":
				power, err := strconv.Atoi(r.Number())
				if v.power = power; err != nil || power < -mostPower || power > mostPower {
					r.Fail(of.At(), "", "must be a power of ten from -%d to %[1]d, like -2 for cents", mostPower)
				}
			case "where":
				v.where = readTexts(r)
			default:
				r.Fail(of.At(), "", "must be column, unit, power or where")
				r.Value()
			}
		}
		if v.column == "" && !r.Faulty() {
			r.Fail(of.Start(), ".column", "missing field")
		}
		list = append(list, v)
	}
	return list
}

func readTexts(r *ijson.Reader) map[string]string {
	texts := map[string]string{}
	for n := r.Names(); n.Next(); {
		texts[n.Name()] = r.Text()
	}
	return texts
}

// group is the requests of a model at a provider on a day.
type group struct {
	of     map[string]string
	line   int         // the first
	values [][]float64 // by column of values
}

// reduceRequests returns the rows of a table with a line for each request.
func (m *Map) reduceRequests(text []byte, read func([]byte, take) error) (string, error) {
	groups, order := map[string]*group{}, []*group{}
	err := read(text, func(line int, cell func(string) (string, bool)) error {
		of := map[string]string{}
		var id strings.Builder
		for _, field := range fields {
			if field == "key" || field == "value" || field == "n" {
				continue
			}
			value, err := m.cell(line, field, cell)
			if err != nil {
				return err
			}
			if field == "date" {
				value = dayOf(value)
			}
			of[field] = value
			id.WriteString(canonical.Quote(value))
		}
		g := groups[id.String()]
		if g == nil {
			g = &group{of, line, make([][]float64, len(m.values))}
			groups[id.String()], order = g, append(order, g)
		}
		return m.addRequest(g, line, cell)
	})
	if err == nil && len(order)*len(m.values) > sources.MaxRows {
		err = fault(order[len(order)-1].line, "makes more than the %d rows of an import", sources.MaxRows)
	}
	list := ijson.Value{Kind: '[', Items: []ijson.Value{}}
	for _, g := range order {
		for i, v := range m.values {
			if len(g.values[i]) == 0 {
				continue
			}
			g.of["key"], g.of["value"], g.of["n"] = v.key, strconv.FormatFloat(statistics.Mean(g.values[i]), 'f', -1, 64),
				strconv.Itoa(len(g.values[i]))
			if v.unit != "" {
				g.of["unit"] = v.unit
			}
			list.Items = append(list.Items, item(g.line, g.of))
		}
	}
	return string(list.AppendCanonical(nil)), err
}

// addRequest adds the values of a line. An empty cell is none.
func (m *Map) addRequest(g *group, line int, cell func(string) (string, bool)) error {
	for i, v := range m.values {
		isWanted := true
		for column, want := range v.where {
			is, _ := cell(column)
			isWanted = isWanted && m.named(column, is) == want
		}
		text, isThere := cell(v.column)
		text = m.named(v.column, text)
		if !isWanted || !isThere || text == "" {
			continue
		}
		value, ok := scaled(text, v.power)
		if !ok {
			return fault(line, "has %s in the column %s, which is not a number", canonical.Quote(problem.Clip(text)),
				canonical.Quote(v.column))
		}
		g.values[i] = append(g.values[i], value)
	}
	return nil
}

// scaled returns a number, which may be written as 2.5e-05, times a power of ten.
func scaled(text string, power int) (value float64, ok bool) {
	if strings.Trim(text, "0123456789.+-eE") != "" { // others are numbers to some readers
		return 0, false
	}
	digits, exponent := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		digits, exponent = text[:i], text[i+1:]
		of, err := strconv.Atoi(exponent)
		if err != nil {
			return 0, false
		}
		power += of
	}
	value, err := strconv.ParseFloat(digits+"e"+strconv.Itoa(power), 64)
	return value, err == nil && !math.IsInf(value, 0)
}

// dayOf returns the date of a time, in the zone that it is written in.
func dayOf(text string) string {
	const day = len("2026-10-12")
	if len(text) > day && slices.Contains([]byte("T "), text[day]) {
		return text[:day]
	}
	return text
}
