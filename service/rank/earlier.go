package rank

import (
	"errors"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/service/record"
)

// RecordV2 returns the fields of a request of version 1 or 2. It fails if the request
// has version 3: [Request.Record] returns those.
func (q *Request) RecordV2() (*record.RankRequestV2, error) {
	if !q.inside().IsEarlier() {
		return nil, errors.New("a request of version 3 has another record: see Record")
	}
	request := &record.RankRequestV2{}
	ijson.ReadTagged(ijson.NewReader(q.JSON(), ""), request)
	return request, nil
}

// RecordV2 returns the fields of a result of version 1 or 2. It fails if the request
// had version 3: [Result.Record] returns those.
func (r *Result) RecordV2() (*record.RankResultV2, error) {
	if !r.inner.IsEarlier() {
		return nil, errors.New("a result of version 3 has another record: see Record")
	}
	text, err := r.MarshalJSON()
	if err != nil {
		return nil, err
	}
	result := &record.RankResultV2{}
	ijson.ReadTagged(ijson.NewReader(string(text), ""), result)
	return result, nil
}
