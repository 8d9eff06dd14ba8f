package lmeval

import "github.com/model-catalog-service/svc/internal/catalog"

// run is what is used of a result file.
type run struct {
	url        string
	model      string // model_name
	tasks      []task
	config     config
	commit     string // git_hash
	version    string // lm_eval_version
	date       string // as it is written
	observedAt string // timestamp
	isDated    bool

	versions      map[string]string // literal
	shots         map[string]string // literal
	samples       map[string]samples
	hashes        map[string]string
	groups        map[string]bool
	configured    map[string]bool // tasks with a configuration, which groups do not have
	lowerIsBetter map[string][]string
}

type task struct {
	name    string
	offset  int
	metrics []metric
	isGroup bool
}

type samples struct {
	original, effective uint64
	known               bool
}

// config is what is used of how the harness was called.
type config struct {
	limit      string // literal, "" if there is none
	shots      string // literal
	pretrained string
	model      string
	hasWeights bool // a hash names them
}

// id is the model that the file names, "" if it names none.
func (r *run) id() string {
	for _, name := range []string{r.model, r.config.pretrained, r.config.model} {
		if name != "" {
			return name
		}
	}
	return ""
}

// harness is the evaluator.
func (r *run) harness() catalog.Component {
	return catalog.Component{ID: "lm-evaluation-harness", Version: r.commit}
}
