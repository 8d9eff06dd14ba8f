// Package service is the public library of svc: it compiles observations about AI
// models into a catalog, ranks the models that a caller can run against one, and
// serves both over HTTP; it imports public leaderboards; it answers and asks what
// became of published claims.
//
// What it promises:
//
//   - Compiling, ranking, importing and deriving statuses read no clock: the same input
//     gives the same bytes, and so the same digest, in whatever order, at whatever time
//     and on whatever machine.
//   - Nothing here opens a file or a connection: bytes, and functions that send, come
//     from the caller. Package [github.com/model-catalog-service/svc/service/local] reads
//     files, opens databases and starts servers.
//   - A value of type [Observation], [Catalog], [RankRequest], [SourceManifest] or
//     [TrustBundle] has passed validation: only the functions of this package make one.
//     Such values are immutable and, like a [Ranker] and the handlers, safe for
//     concurrent use.
//   - Documents are JSON, and each has a struct: [ObservationRecord],
//     [RankRequestRecord], [RankResultRecord], [CatalogRecord], [SourceMapping] and so
//     on. Build one, call json.Marshal and hand the text over; unmarshal what came back.
//     In all of them a pointer that is nil is null, and a [List] that is nil is [].
//     Two have none: trust bundles, whose records pass through as they came, and
//     version 3 of ranking, which goes from text to text.
//
// # Which entry for which job
//
//	validate an observation      NormalizeObservation, ValidateObservation
//	compile a catalog            CompileCatalog, SerializeCatalog
//	read a catalog               ParseCatalog, local.ReadCatalogFile
//	rank once, or often          RankCatalog, NewCatalogRanker
//	rank by version 3, explain   NewDocumentRanker
//	serve in your own mux        NewCatalogHandler
//	serve on a port              local.StartCatalogServer
//	import a leaderboard         PinSource, NewLiveBenchAdapter and the other adapters
//	find its releases            LocateSourceBundle, DiscoverSourceRevisions
//	answer for your claims       NewVerificationResponder, NewVerificationHandler
//	keep claims in a database    local.OpenLoader, local.OpenStore
//	ask for claims you hold      AskForClaims, ReceiveAnswers
//	derive or merge, offline     DeriveStatuses, MergeBundles
//	hash and compare             CanonicalJSON, SHA256, CompareText
//
// # A tour
//
// Observations become a catalog as of an instant:
//
//	text, err := json.Marshal(service.ObservationRecord{...})
//	c, err := service.CompileCatalog(ctx, [][]byte{text}, service.CompileOptions{AsOf: time.Now()})
//	fmt.Println(c.Digest())
//
// A request lists the candidates that can be run, what the job requires and what is
// preferred. The result has the candidates in order, with a reason and the evidence for
// each number:
//
//	text, err := json.Marshal(service.RankRequestRecord{...})
//	request, err := service.ValidateRankRequest(text)
//	result, err := service.RankCatalog(ctx, c, request)
//	record, err := result.Record()
//	fmt.Println(record.Ranked[0].CandidateID)
//
// The examples of the functions are whole programs.
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
// of contexts, readers, signers and stores, as they came.
package service
