package recipe

import (
	"slices"
	"time"

	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

// This file says which of many looks at a list a build uses. Prices have a history, so that all
// of them count that tell something; years of two looks a day must stay within the bounds of one
// import:
//
//   - looks after the instant that the catalog speaks for tell nothing of it;
//   - of looks that found the same bytes, one after another, the first and the last tell all;
//   - of the last eight days all count, of the last 31 days the last of each day, before that
//     the last of each seven days, and nothing that is older than the recipe keeps.

const (
	daysOfAll   = 8
	daysOfDaily = 31
	weekDays    = 7
)

// Needed returns the looks at a list that a catalog as of an instant uses, the newest last. The
// looks are accepted ones of one source, in any order; sameBytes reports whether two of them
// found the same.
func Needed(looks []record.Look, asOf string, keepDays int, sameBytes func(a,
	b *record.Look) bool) (needed []record.Look) {
	list := slices.DeleteFunc(slices.Clone(looks), func(l record.Look) bool { return string(l.At) > asOf })
	slices.SortStableFunc(list, func(a, b record.Look) int { return compareText(string(a.At), string(b.At)) })
	for i := range list {
		isMiddle := i > 0 && i < len(list)-1 && sameBytes(&list[i-1], &list[i]) && sameBytes(&list[i], &list[i+1])
		if !isMiddle {
			needed = append(needed, list[i])
		}
	}
	if len(needed) == 0 {
		return nil
	}
	newest := dayOf(needed[len(needed)-1].At)
	thinned := needed[:0]
	for i, l := range needed {
		age := newest - dayOf(l.At)
		isLast := i == len(needed)-1 || periodOf(newest, needed[i+1].At) != periodOf(newest, l.At)
		if age <= keepDays && (isLast || age < daysOfAll) {
			thinned = append(thinned, l)
		}
	}
	return thinned
}

func compareText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// dayOf counts the days of an instant since 1970.
func dayOf(at record.Timestamp) int {
	t, err := time.Parse(timestamp.Layout, string(at))
	if err != nil {
		return 0 // what a store holds was validated
	}
	const day = 24 * 60 * 60
	return int(t.Unix() / day)
}

// periodOf numbers the period of an instant of which one look counts: its day, or its week.
// Weeks are negative, so that none is a day.
func periodOf(newest int, at record.Timestamp) int {
	day := dayOf(at)
	if newest-day < daysOfDaily {
		return day
	}
	return -1 - day/weekDays
}
