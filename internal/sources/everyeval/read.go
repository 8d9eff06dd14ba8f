package everyeval

import (
	"archive/tar"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
)

// part is a file of a snapshot: of a tar, or the whole body.
type part struct {
	snapshot *sources.Snapshot
	name     string
	text     string
	at       int // in the body
}

// instancesSuffix ends the name of a file of instances.
const instancesSuffix = "_samples.jsonl"

// readRows reads all records of the snapshots, and the instances beside them.
func readRows(snapshots []*sources.Snapshot, _ *sources.Notes) (rows []sources.Row[entry], err error) {
	byName := map[string]part{} // files of instances
	var records []part
	for _, s := range snapshots {
		parts, err := partsOf(s)
		if err != nil {
			return nil, err
		}
		for _, p := range parts {
			if strings.HasSuffix(p.name, instancesSuffix) {
				byName[path.Base(p.name)] = p
			} else {
				records = append(records, p)
			}
		}
	}
	if len(records) == 0 {
		return nil, problem.New(problem.InvalidSourceSnapshot, "$.snapshots", "hold no record")
	}
	for _, p := range records {
		row, err := p.record(byName)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	supersede(rows)
	return rows, nil
}

func isText(s *sources.Snapshot) bool {
	r := s.Resource()
	return r.IsText()
}

// partsOf returns the files of a snapshot.
func partsOf(s *sources.Snapshot) (parts []part, err error) {
	body := s.Body()
	if isText(s) {
		name := s.Envelope().URL
		return []part{{s, name[strings.LastIndexAny(name, ":/")+1:], body, 0}}, nil
	}
	text := strings.NewReader(body)
	for archive := tar.NewReader(text); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return parts, nil
		}
		at := len(body) - text.Len()
		if err != nil {
			return nil, s.Fault(at, "", "is not a tar, or not a whole one: %s", err)
		}
		_, name, _ := strings.Cut(h.Name, "/")
		isRecord := strings.HasPrefix(name, "data/") && (strings.HasSuffix(name, ".json") ||
			strings.HasSuffix(name, instancesSuffix))
		if h.Typeflag != tar.TypeReg || !isRecord {
			continue
		}
		if h.Size > int64(len(body)-at) || len(parts) == sources.MaxRows {
			return nil, s.Fault(at, ijson.PathOf(name), "ends after the tar, or is one file too many")
		}
		parts = append(parts, part{s, name, body[at : at+int(h.Size)], at})
	}
}

// refuse makes faults of a file those of its snapshot.
func (p *part) refuse(faults problem.List) error {
	for _, e := range faults {
		e.Offset += p.at
		if p.isOfTar() {
			e.Path = ijson.PathOf(p.name) + strings.TrimPrefix(e.Path, "$")
		}
	}
	return p.snapshot.Refuse(faults)
}

func (p *part) isOfTar() bool { return !isText(p.snapshot) }

// isKnown reports whether a version of the schema is one that is read.
func isKnown(version string) bool {
	return version == "0.1.0" || strings.HasPrefix(version, "0.2.") || version == "0.3.0"
}

// record reads a record.
func (p *part) record(byName map[string]part) (row sources.Row[entry], err error) {
	r := ijson.NewReader(p.text, problem.InvalidSourceSnapshot)
	x := entry{Value: r.Value(), snapshot: p.snapshot, file: p.name}
	row.ID = word(x.Value, "model_info", "id")
	for _, need := range []string{"schema_version", "evaluation_id", "retrieved_timestamp", "model_info",
		"evaluation_results"} {
		if _, is := x.Get(need); !is && !r.Faulty() {
			r.Fail(0, "."+need, "missing field: this is no record of Every Eval Ever")
		}
	}
	if row.ID == "" && !r.Faulty() {
		r.Fail(0, ".model_info.id", "missing field: it names the model")
	}
	if faults := r.End(); faults != nil {
		return row, p.refuse(faults)
	}
	row.Where = sources.Where{Snapshot: p.snapshot, Offset: p.at}
	if p.isOfTar() {
		row.Where.Path = ijson.PathOf(p.name)
	}
	x.collection, _, _ = strings.Cut(word(x.Value, "evaluation_id"), "/")
	x.collection = slug(x.collection)
	var isDated bool
	x.retrieved, isDated = instant(x.Value, "retrieved_timestamp")
	version := find(x.Value, "schema_version").Text
	switch {
	case !isKnown(version):
		row.Skip, row.Why = sources.UnknownVersion, "is of version "+canonical.Quote(version)+", which is not read"
	case x.collection == "":
		row.Skip, row.Why = sources.UnknownBoard, "does not say of which collection it is"
	case slices.Contains(origins, x.collection):
		row.Skip, row.Why = sources.OriginIsRead, "is a copy of "+x.collection+", which svc reads itself"
	case !isDated:
		row.Skip, row.Why = sources.RowUndated, "does not say when it was retrieved"
	case x.retrieved > p.snapshot.Envelope().FetchedAt:
		row.Skip, row.Why = sources.RowInFuture, "was retrieved at "+x.retrieved+", after it was fetched"
	}
	if row.Skip == "" {
		x.takeResults()
		err = x.takeInstances(p, byName)
	}
	row.Data = x
	return row, err
}

// takeResults gives each result its key. Results of one name are told apart by their metrics.
func (x *entry) takeResults() {
	list := find(x.Value, "evaluation_results").Items
	count := map[string]int{}
	for _, v := range list {
		count[slug(word(v, "evaluation_name"))]++
	}
	seen := map[string]int{}
	for i, v := range list {
		name := slug(word(v, "evaluation_name"))
		key := "eee." + x.collection + "." + name
		if metric := slug(word(v, "metric_config", "metric_id")); count[name] > 1 && metric != "" {
			key += "." + metric
		}
		r := result{Value: v, index: i, key: key, condition: conditionOf(find(x.Value, "model_info"), v)}
		where := key + "\x00" + r.condition.String()
		if seen[where]++; seen[where] > 1 { // the record does not say in what they differ
			r.condition.Set("result", strconv.Itoa(seen[where]))
		}
		x.results = append(x.results, r)
	}
}

// supersede marks results that a later record repeats: of one model, key and condition.
func supersede(rows []sources.Row[entry]) {
	type place struct{ model, key, condition string }
	newest := map[place]*result{}
	retrieved := map[place]string{}
	for i := range rows {
		x := &rows[i].Data
		for j := range x.results {
			r := &x.results[j]
			at := place{strings.ToLower(rows[i].ID), r.key, r.condition.String()}
			other, is := newest[at]
			switch {
			case !is || x.retrieved > retrieved[at]:
				if is {
					other.superseded = true
				}
				newest[at], retrieved[at] = r, x.retrieved
			default:
				r.superseded = true
			}
		}
	}
}

// instances are what the instances of a result give.
type instances struct {
	n                   int
	mean, standardError float64
}

// takeInstances checks the instances that the record names, and computes from them. Without the
// file, the record stands as it is.
func (x *entry) takeInstances(p *part, byName map[string]part) error {
	stated := find(x.Value, "detailed_evaluation_results")
	file, is := byName[path.Base(word(stated, "file_path"))]
	if !is {
		return nil
	}
	sum := canonical.SumText(file.text)
	if word(stated, "hash_algorithm") == "md5" {
		digest := md5.Sum([]byte(file.text))
		sum = hex.EncodeToString(digest[:])
	}
	if want := word(stated, "checksum"); want != "" && want != sum {
		return p.refuse(problem.List{problem.New(problem.InvalidSourceSnapshot, "$.detailed_evaluation_results.checksum",
			"must be that of the instances, %s", sum)})
	}
	scores, n, err := file.scores()
	if err != nil {
		return err
	}
	if total, ok := number(stated, "total_rows"); ok && int(total) != n {
		return p.refuse(problem.List{problem.New(problem.InvalidSourceSnapshot, "$.detailed_evaluation_results.total_rows",
			"must be the number of instances, %d", n)})
	}
	for i := range x.results {
		r := &x.results[i]
		list := scores[word(r.Value, "evaluation_result_id")]
		if list == nil {
			list = scores[word(r.Value, "evaluation_name")]
		}
		if len(list) > 0 {
			r.instances = meanOf(list)
		}
	}
	return nil
}

// scores reads the scores of instances, by the result that they are of.
func (p *part) scores() (scores map[string][]float64, n int, err error) {
	scores = map[string][]float64{}
	at := 0
	for line := range strings.Lines(p.text) {
		start := at
		at += len(line)
		if strings.TrimSpace(line) == "" {
			continue
		}
		v, err := ijson.ReadValue(strings.TrimSuffix(line, "\n"), problem.InvalidSourceSnapshot)
		if err != nil {
			return nil, 0, p.snapshot.Fault(p.at+start, ijson.PathOf(p.name, n), "is not an instance: %s", err)
		}
		n++
		score, ok := number(v, "evaluation", "score")
		if !ok {
			return nil, 0, p.snapshot.Fault(p.at+start, ijson.PathOf(p.name, n-1)+".evaluation.score", "must be a number")
		}
		for _, name := range []string{"evaluation_result_id", "evaluation_name"} {
			if of := word(v, name); of != "" {
				scores[of] = append(scores[of], score)
				break
			}
		}
	}
	return scores, n, nil
}

// meanOf computes the mean and its standard error.
func meanOf(list []float64) *instances {
	i := &instances{n: len(list)}
	for _, f := range list {
		i.mean += f
	}
	i.mean /= float64(i.n)
	squares := 0.0
	for _, f := range list {
		squares += (f - i.mean) * (f - i.mean)
	}
	if i.n > 1 {
		i.standardError = math.Sqrt(squares / float64(i.n-1) / float64(i.n))
	}
	return i
}
