package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// parquetMark is what a file of Parquet begins and ends with.
const parquetMark = "PAR1"

// readParquet reads a file of Parquet. Its columns are those that have one value in each row; one
// inside a group has the names of both, with a dot between.
func readParquet(text []byte, take take) (err error) {
	defer func() {
		if r := recover(); r != nil { // as the library does at some damaged files
			err = fault(1, "is not Parquet: %v", r)
		}
	}()
	f, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)), parquet.SkipPageIndex(true),
		parquet.SkipBloomFilters(true))
	if err != nil {
		return fault(1, "is not Parquet: %v", err)
	}
	columns := map[string]*parquet.Column{}
	leaves(f.Root(), columns)
	line := 0
	for _, group := range f.RowGroups() {
		if err := readGroup(group, columns, &line, take); err != nil {
			return err
		}
	}
	return nil
}

// leaves gathers the columns of a group that have one value in each row.
func leaves(c *parquet.Column, into map[string]*parquet.Column) {
	switch {
	case c.Repeated():
	case c.Leaf():
		into[strings.Join(c.Path(), ".")] = c
	default:
		for _, child := range c.Columns() {
			leaves(child, into)
		}
	}
}

// readGroup reads the rows of a group, which go on from a line.
func readGroup(group parquet.RowGroup, columns map[string]*parquet.Column, line *int, take take) (err error) {
	rows := group.Rows()
	defer func() { err = errors.Join(err, rows.Close()) }()
	const atOnce = 64
	read := make([]parquet.Row, atOnce)
	for {
		n, readErr := rows.ReadRows(read)
		for _, row := range read[:n] {
			*line++
			byColumn := map[int]parquet.Value{}
			for _, v := range row {
				byColumn[v.Column()] = v
			}
			err := take(*line, func(column string) (string, bool) {
				c, isThere := columns[column]
				if !isThere {
					return "", false
				}
				return cellText(c, byColumn[c.Index()]), true
			})
			if err != nil {
				return err
			}
		}
		switch {
		case errors.Is(readErr, io.EOF):
			return nil
		case readErr != nil:
			return fault(*line+1, "is not Parquet: %v", readErr)
		}
	}
}

// cellText writes a value as the cell of a table has it: a day as a date, a missing one as nothing.
func cellText(c *parquet.Column, v parquet.Value) string {
	if v.IsNull() {
		return ""
	}
	const double, single = 64, 32
	if logical := c.Type().LogicalType(); logical != nil {
		switch kind := logical.Value.(type) {
		case *format.DateType:
			return time.Unix(0, 0).UTC().AddDate(0, 0, int(v.Int32())).Format(time.DateOnly)
		case *format.TimestampType:
			return strings.TrimSuffix(instant(v.Int64(), kind).Format(time.RFC3339Nano), "T00:00:00Z")
		case *format.DecimalType:
			return decimal(v, int(kind.Scale))
		case *format.IntType:
			if !kind.IsSigned && v.Kind() == parquet.Int64 {
				return strconv.FormatUint(v.Uint64(), 10)
			}
			if !kind.IsSigned {
				return strconv.FormatUint(uint64(v.Uint32()), 10)
			}
		}
	}
	switch v.Kind() {
	case parquet.Double:
		return strconv.FormatFloat(v.Double(), 'f', -1, double)
	case parquet.Float:
		return strconv.FormatFloat(float64(v.Float()), 'f', -1, single)
	case parquet.Int32:
		return strconv.FormatInt(int64(v.Int32()), 10)
	case parquet.Int64:
		return strconv.FormatInt(v.Int64(), 10)
	}
	return fmt.Sprint(v)
}

// instant returns the time of so many units since 1970.
func instant(n int64, kind *format.TimestampType) time.Time {
	perSecond := int64(time.Second / kind.Unit.Value.Duration())
	return time.Unix(n/perSecond, n%perSecond*int64(kind.Unit.Value.Duration())).UTC()
}

// decimal writes a number of which so many digits are behind the point.
func decimal(v parquet.Value, scale int) string {
	const most = 76 // digits, of 256 bits
	if scale < 0 || scale > most {
		return "a decimal of unknown scale"
	}
	n := new(big.Int)
	switch v.Kind() {
	case parquet.Int32:
		n.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		n.SetInt64(v.Int64())
	default: // bytes, of two's complement
		b := v.ByteArray()
		n.SetBytes(b)
		if len(b) > 0 && b[0] > 0x7f {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	return new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)).FloatString(scale)
}
