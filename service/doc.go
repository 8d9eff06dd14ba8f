// Package service has what the packages of the public library of svc share: errors, and the
// canonical form and hash of JSON. The packages below it do the work, and a program takes those
// that it needs:
//
//	catalog   observations about AI models, compiled; what is in a catalog, and what changed
//	rank      the models that a caller can run, ranked, and how sure that is
//	verify    what became of published claims: bundles, statuses, signed answers, receipts
//	sources   public leaderboards and price lists, made into observations
//	lock      what an application relies on, and what of it is no longer so
//	export    a catalog in formats that other tools read
//	serve     all of it over HTTP, to programs, people and agents
//	local     what needs files, databases and sockets
//	record    the documents, as Go structs
//
// What they promise:
//
//   - Compiling, ranking, comparing, importing and deriving statuses read no clock: the
//     same input gives the same bytes, and so the same digest, in whatever order, at
//     whatever time and on whatever machine.
//   - Nothing but package local opens a file or a connection: bytes, streams, and functions that
//     send, come from the caller.
//   - Packages catalog, rank, lock and verify are built of the standard library alone. With verify
//     and rank a page in a browser can do its own work, as WebAssembly.
//   - A validated value, such as an observation, a catalog, a request, a lock, a manifest or a
//     bundle, is made by functions of its package alone. Such values are immutable and, like
//     rankers, agents and handlers, safe for concurrent use.
//   - Documents are JSON, and each has a struct, in package record or where it is read. Build
//     one and hand it over, as it is or by json.Marshal; unmarshal what came back. What
//     json.Marshal writes has the members of the document, neither more nor fewer.
//     Null is the zero value or a pointer that is nil; a record.List that is nil is []. Trust
//     bundles have no struct: their records pass through as they came.
//
// # Which entry for which job
//
//	make an observation          catalog.NewObservation, catalog.NormalizeObservation
//	load observations            local.ReadObservationFiles, catalog.ReadObservations
//	compile a catalog            catalog.Compile, catalog.CompileObservations, local.CompileFiles
//	write and read a catalog     catalog.Serialize, catalog.Parse, local.ReadCatalogFile
//	look into one                catalog.ListModels, catalog.ListKeys, catalog.ListMeasurements
//	ask a question               rank.Draft, rank.Rank, rank.Result.Record
//	rank structs                 rank.New, rank.Ranker.RankRecord
//	rank documents               rank.ParseRequest, rank.Rank, rank.Ranker.Rank
//	explain a candidate          rank.Ranker.Explain
//	hold models side by side     catalog.Costs, rank.Compare
//	compare catalogs             catalog.Diff, rank.Diff
//	hold an application to it    lock.Make, lock.Check, lock.Update
//	write it for other tools     export.Catalog
//	serve in your own mux        serve.NewCatalogHandler
//	serve on a port              local.StartCatalogServer
//	show it to people            serve.NewExploreHandler, serve.WriteReport
//	show it to agents            serve.NewAgent
//	import a source              sources.Pin, sources.NewLiteLLM and the other adapters
//	find its releases            sources.LocateBundle, sources.Discover
//	answer for your claims       serve.NewResponder, serve.NewVerificationHandler
//	keep claims in a database    local.OpenLoader, local.OpenStore
//	ask for claims you hold      local.VerifyAtEndpoint, or local.AskEndpoint and verify.Receive
//	derive or merge, offline     verify.DeriveStatuses, verify.Merge
//	hash and compare             CanonicalJSON, SHA256, CompareText
//
// The program in examples/library goes from a directory to a table.
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
// type of the library must not be nil unless their comment says so.
package service
