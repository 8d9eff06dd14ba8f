// Package service is the public library of svc. It compiles observations about AI models
// into a catalog, ranks the models that a caller can run, says how sure that is, and what
// changed since another catalog; it serves both over HTTP, to people and to agents. It
// imports public leaderboards and price lists. Apart from that, it answers and asks what
// became of published claims.
//
// What it promises:
//
//   - Compiling, ranking, comparing, importing and deriving statuses read no clock: the
//     same input gives the same bytes, and so the same digest, in whatever order, at
//     whatever time and on whatever machine.
//   - Nothing here opens a file or a connection: bytes, streams, and functions that send,
//     come from the caller. Package [github.com/model-catalog-service/svc/service/local]
//     reads files, opens databases, asks producers and starts servers.
//   - A value of type [Observation], [Catalog], [RankRequest], [ModelsLock],
//     [SourceManifest] or [TrustBundle] has passed validation: only the functions of this
//     package make one. Such values are immutable and, like a [Ranker], an [Agent] and the
//     handlers, safe for concurrent use.
//   - Documents are JSON, and each has a struct: [record.Observation], [RankRequestRecord],
//     [record.RankResult], [record.Catalog], [record.CatalogDiff] and so on. Build
//     one and hand it over, as it is or by json.Marshal; unmarshal what came back. What
//     json.Marshal writes has the members of the document, neither more nor fewer.
//     Null is the zero value or a pointer that is nil; a [record.List] that is nil is []. Trust
//     bundles have no
//     struct: their records pass through as they came.
//
// # Which entry for which job
//
//	make an observation          NewObservation, NormalizeObservation, ValidateObservation
//	load observations            local.ReadObservationFiles, ReadObservations
//	compile a catalog            CompileCatalog, CompileObservations, local.CompileFiles
//	write and read a catalog     SerializeCatalog, ParseCatalog, local.ReadCatalogFile
//	look into one                ListModels, ListKeys, ListMeasurements
//	ask a question               DraftRankRequest, RankCatalog, RankResult.Record
//	rank structs                 NewCatalogRanker, Ranker.RankRecord
//	rank documents               ValidateRankRequest, RankCatalog, Ranker.Rank
//	explain a candidate          Ranker.Explain
//	compare catalogs             DiffCatalogs, DiffRankings
//	hold an application to it    LockModels, CheckModels, UpdateModels
//	write it for other tools     ExportCatalog
//	serve in your own mux        NewCatalogHandler
//	serve on a port              local.StartCatalogServer
//	show it to people            NewExploreHandler, WriteReport
//	show it to agents            NewAgent
//	import a source              PinSource, NewLiteLLMAdapter and the other adapters
//	find its releases            LocateSourceBundle, DiscoverSourceRevisions
//	answer for your claims       NewVerificationResponder, NewVerificationHandler
//	keep claims in a database    local.OpenLoader, local.OpenStore
//	ask for claims you hold      local.AskEndpoint, AskForClaims, ReceiveAnswers
//	derive or merge, offline     DeriveStatuses, MergeBundles
//	hash and compare             CanonicalJSON, SHA256, CompareText
//
// # A tour
//
// Observations become a catalog as of an instant:
//
//	observation, err := service.NewObservation(record.Observation{...})
//	c, err := service.CompileObservations(ctx, []service.Observation{observation}, service.CompileOptions{AsOf: time.Now()})
//	fmt.Println(c.Digest())
//
// A question names keys of the catalog, and becomes a request. The answer has the candidates in
// order, in groups of tied candidates, with a reason, an interval and the
// evidence for each number:
//
//	request, _, err := service.DraftRankRequest(c, record.RankQuestion{Maximize: []string{"livebench.coding.score"}, Cheapest: true})
//	result, err := service.RankCatalog(ctx, c, request)
//	answer, err := result.Record()
//	for _, candidate := range answer.Ranked {
//		fmt.Println(candidate.Rank, candidate.RankInterval, candidate.CandidateID, candidate.Score)
//	}
//
// To name the candidates and criteria yourself, build a request. A ranker answers many of them:
//
//	ranker, err := service.NewCatalogRanker(c)
//	answer, err := ranker.RankRecord(ctx, service.RankRequestRecord{...})
//
// The program in examples/library goes from a directory to a table. Requests and results have
// three versions; use the third. Structs of the first two end in V2.
//
// # Words
//
// A fact is what somebody states, such as a price. Facts of one scope that differ while they
// hold are in conflict. A sample is one of many values, such as the outcome of one run, of
// which ranking makes a mean or a share. An observation holds at an instant if it was observed
// by then and its ValidUntil is nil or later; if its ValidUntil is not later, it has expired.
// Where no instant is named, it is the AsOf of the catalog.
//
// # Errors
//
// A document is refused with an [ErrorList]: all of its faults, each an [*Error] with a
// code, the JSON path of the faulty member and a reason. errors.As finds the first
// fault, and [Faults] returns all:
//
//	var fault *service.Error
//	if errors.As(err, &fault) && fault.Code == service.InvalidRankRequest {
//		fmt.Println(fault.Path) // $.inventory[0].model
//	}
//
// The comment of each function names the codes that it returns. Other errors are those
// of contexts, readers, signers and stores, as they came. Arguments that are pointers to a
// type of this package must not be nil unless their comment says so.
package service
