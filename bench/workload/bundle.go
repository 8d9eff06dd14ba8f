package workload

import (
	"bufio"
	"io"
	"strconv"
)

// recordsPerClaim is how many pieces of evidence, and how many events, a claim of
// [Bundle] has.
const recordsPerClaim = 3

// ClaimID is the id of a claim of [Bundle].
func ClaimID(i int) string { return "claim." + strconv.Itoa(1_000_000+i) }

// Bundle writes a trust bundle of n claims, each with a policy, three pieces of evidence
// and three events, of about 2,040 bytes together. Claims and evidence have hashes as
// integrity refs, in no order, as real ones have.
func Bundle(w io.Writer, seed uint64, n int) error {
	const bufferSize = 256 << 10
	out := bufio.NewWriterSize(w, bufferSize)
	g := newGenerator()
	out.WriteString(`{"schemaVersion":5,"source":"bench.example.org","claims":[`)
	list := func(per int, record func(g *generator, claim, k int)) error {
		for i := range n * per {
			g.restart(seed, i)
			if i > 0 {
				g.raw(",\n")
			}
			record(g, i/per, i%per)
			if _, err := out.Write(g.buf); err != nil {
				return err
			}
		}
		return nil
	}
	if err := list(1, (*generator).claim); err != nil {
		return err
	}
	out.WriteString(`],"evidence":[`)
	if err := list(recordsPerClaim, (*generator).piece); err != nil {
		return err
	}
	out.WriteString(`],"policies":[{"id":"policy.repairs","claimType":"benchmark","requiredEvidence":["test_output"],` +
		`"acceptanceCriteria":["hidden tests"],"reviewAuthority":"maintainers","validityRule":{"kind":"duration",` +
		`"durationDays":400},` +
		`"stalenessTriggers":[],"conflictRules":[],"impactLevel":"medium"}],"events":[`)
	if err := list(recordsPerClaim, (*generator).event); err != nil {
		return err
	}
	out.WriteString("]}\n")
	return out.Flush()
}

func (g *generator) claim(i, _ int) {
	g.raw(`{"id":`)
	g.text(ClaimID(i))
	g.raw(`,"subjectType":"model","subjectId":`)
	g.text(g.pick(vendors))
	g.raw(`,"claimType":"benchmark","fieldOrBehavior":`)
	g.text(families[i%len(families)].suites[0])
	g.raw(`,"value":`)
	g.float(float64(g.rng.IntN(1000)) / 1000)
	at := g.instant(300)
	g.raw(`,"createdAt":`)
	g.timestamp(at)
	g.raw(`,"updatedAt":`)
	g.timestamp(at)
	g.raw(`,"currentIntegrityRef":"sha256:`)
	g.hash()
	g.raw(`","verificationPolicyId":"policy.repairs"}`)
}

func (g *generator) piece(claim, k int) {
	g.raw(`{"id":"evidence.`)
	g.int(claim)
	g.raw(`.`)
	g.int(k)
	g.raw(`","claimId":`)
	g.text(ClaimID(claim))
	g.raw(`,"evidenceType":"test_output","method":"validation","sourceRef":"run `)
	g.int(g.rng.IntN(1_000_000))
	g.raw(`","excerptOrSummary":`)
	g.text(g.pick(bases))
	g.raw(`,"passing":`)
	g.bool(!g.oneIn(20))
	g.raw(`,"observedAt":`)
	g.timestamp(g.instant(300))
	g.raw(`,"collectedBy":"bench","integrityRef":"sha256:`)
	g.hash()
	g.raw(`"}`)
}

func (g *generator) event(claim, k int) {
	g.raw(`{"id":"event.`)
	g.int(claim)
	g.raw(`.`)
	g.int(k)
	g.raw(`","claimId":`)
	g.text(ClaimID(claim))
	g.raw(`,"status":"verified","actor":"reviewer-`)
	g.int(g.rng.IntN(50))
	g.raw(`","method":"review","evidenceIds":["evidence.`)
	g.int(claim)
	g.raw(`.`)
	g.int(k)
	g.raw(`"],"createdAt":`)
	g.timestamp(g.instant(300))
	g.raw(`,"notes":`)
	g.text(g.pick(gaps))
	g.raw(`}`)
}
