package service_test

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/local"
)

func ExampleDiscoverSourceRevisions() {
	manifest, err := local.LoadPackagedApprovedSourceManifest()
	if err != nil {
		fmt.Println(err)
		return
	}
	pin := func(url, body string) service.SourceFile {
		text := service.NamedText{Name: url, Text: body}
		fetch := service.SourceFetch{URL: url, FetchedAt: time.Date(2026, 11, 1, 6, 0, 0, 0, time.UTC)}
		envelope, err := service.PinSource("livebench", fetch, text, manifest)
		if err != nil {
			fmt.Println(err)
			return service.SourceFile{}
		}
		written, err := json.Marshal(envelope)
		if err != nil {
			fmt.Println(err)
		}
		return service.SourceFile{Body: text, Envelope: service.NamedText{Text: string(written)}}
	}
	index := pin("https://livebench.ai/", `<script defer src="./static/js/main.b0448181.js"></script>`)
	bundle, err := service.LocateSourceBundle(index, "livebench", manifest)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bundle)
	proposal, err := service.DiscoverSourceRevisions(service.DiscoveryRequest{
		Manifest: manifest, Source: "livebench", Index: index,
		Bundle: pin(bundle, `n("0"===t?"2024-06-24":"1"===t?"2024-07-26":"2"===t?"2024-08-31":"2024-11-25")`),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(proposal.Revisions, proposal.Artifacts[1].URL)
	// Output:
	// https://livebench.ai/static/js/main.b0448181.js
	// [2024-06-24 2024-07-26 2024-08-31 2024-11-25] https://livebench.ai/table_2024_11_25.csv
}
