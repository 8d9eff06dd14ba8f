-- What pg_dump --inserts says of a database that a program of schema version 1 made out
-- of examples/claims.json, without settings and the name of the schema.
CREATE TABLE verification_claim (
    id text NOT NULL COLLATE pg_catalog."C",
    record text NOT NULL
);
CREATE TABLE verification_claim_ref (
    claim_id text NOT NULL COLLATE pg_catalog."C",
    ref text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE verification_event (
    id text NOT NULL COLLATE pg_catalog."C",
    claim_id text NOT NULL COLLATE pg_catalog."C",
    actor text NOT NULL COLLATE pg_catalog."C",
    record text NOT NULL
);
CREATE TABLE verification_evidence (
    id text NOT NULL COLLATE pg_catalog."C",
    claim_id text NOT NULL COLLATE pg_catalog."C",
    record text NOT NULL
);
CREATE TABLE verification_evidence_ref (
    ref text NOT NULL COLLATE pg_catalog."C",
    claim_id text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE verification_schema (
    version integer NOT NULL
);
CREATE TABLE verification_trace (
    id text NOT NULL COLLATE pg_catalog."C",
    actor text NOT NULL COLLATE pg_catalog."C",
    record text NOT NULL
);
CREATE TABLE verification_trace_claim (
    trace_id text NOT NULL COLLATE pg_catalog."C",
    claim_id text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE verification_trace_ref (
    trace_id text NOT NULL COLLATE pg_catalog."C",
    ref text NOT NULL COLLATE pg_catalog."C"
);
INSERT INTO verification_claim VALUES ('claim.atlas-70b.repairs', '{"id":"claim.atlas-70b.repairs","subjectType":"model","subjectId":"acme/atlas-70b@2026-08-14","facet":"model.software-engineering","claimType":"suite-result","fieldOrBehavior":"house-repairs.fixed","value":0.75,"createdAt":"2026-10-06T08:00:00.000Z","updatedAt":"2026-10-06T08:00:00.000Z","impactLevel":"high","currentIntegrityRef":"sha256:b2c16a1abdae13e28bf6413ed55246a513b44f3fdd6773a1993dffeaf281e61f","verificationPolicyId":"policy.suite-result"}');
INSERT INTO verification_claim VALUES ('claim.borealis-1.repairs', '{"id":"claim.borealis-1.repairs","subjectType":"model","subjectId":"northwind/borealis-1","facet":"model.software-engineering","claimType":"suite-result","fieldOrBehavior":"house-repairs.fixed","value":1.0,"createdAt":"2026-10-07T08:00:00.000Z","updatedAt":"2026-10-07T08:00:00.000Z","impactLevel":"high","currentIntegrityRef":"sha256:89c1f5af3d43f5d48523fbbe259a5562ca2f28569eb2445caaa56a6be100d522","verificationPolicyId":"policy.suite-result"}');
INSERT INTO verification_claim_ref VALUES ('claim.atlas-70b.repairs', 'sha256:b2c16a1abdae13e28bf6413ed55246a513b44f3fdd6773a1993dffeaf281e61f');
INSERT INTO verification_claim_ref VALUES ('claim.borealis-1.repairs', 'sha256:89c1f5af3d43f5d48523fbbe259a5562ca2f28569eb2445caaa56a6be100d522');
INSERT INTO verification_event VALUES ('event.atlas-70b.verified', 'claim.atlas-70b.repairs', 'reviewer:ines', '{"id":"event.atlas-70b.verified","claimId":"claim.atlas-70b.repairs","status":"verified","actor":"reviewer:ines","method":"reproduction","evidenceIds":["evidence.atlas-70b.run-1"],"createdAt":"2026-10-06T09:30:00.000Z","verifiedAt":"2026-10-06T09:30:00.000Z"}');
INSERT INTO verification_event VALUES ('event.borealis-1.verified', 'claim.borealis-1.repairs', 'reviewer:ines', '{"id":"event.borealis-1.verified","claimId":"claim.borealis-1.repairs","status":"verified","actor":"reviewer:ines","method":"reproduction","evidenceIds":["evidence.borealis-1.run-1"],"createdAt":"2026-10-07T09:15:00.000Z","verifiedAt":"2026-10-07T09:15:00.000Z"}');
INSERT INTO verification_event VALUES ('event.atlas-70b.revoked', 'claim.atlas-70b.repairs', 'reviewer:ines', '{"id":"event.atlas-70b.revoked","claimId":"claim.atlas-70b.repairs","status":"revoked","actor":"reviewer:ines","method":"review","evidenceIds":["evidence.atlas-70b.leak"],"createdAt":"2026-11-04T10:00:00.000Z","type":"invalidation","notes":"The result says nothing about tasks that the model has not seen."}');
INSERT INTO verification_evidence VALUES ('evidence.atlas-70b.run-1', 'claim.atlas-70b.repairs', '{"id":"evidence.atlas-70b.run-1","claimId":"claim.atlas-70b.repairs","evidenceType":"test_output","method":"validation","sourceRef":"https://bench.example.org/house-repairs","excerptOrSummary":"3 of 4 repairs pass their hidden tests.","observedAt":"2026-10-05T21:10:00.000Z","collectedBy":"runner:bench-3","integrityRef":"sha256:b2c16a1abdae13e28bf6413ed55246a513b44f3fdd6773a1993dffeaf281e61f","passing":true,"execution":{"runner":"bash","label":"house-repairs --model atlas-70b","exitCode":0,"durationMs":9293000}}');
INSERT INTO verification_evidence VALUES ('evidence.borealis-1.run-1', 'claim.borealis-1.repairs', '{"id":"evidence.borealis-1.run-1","claimId":"claim.borealis-1.repairs","evidenceType":"test_output","method":"validation","sourceRef":"https://bench.example.org/house-repairs","excerptOrSummary":"4 of 4 repairs pass their hidden tests.","observedAt":"2026-10-06T20:40:00.000Z","collectedBy":"runner:bench-3","integrityRef":"sha256:89c1f5af3d43f5d48523fbbe259a5562ca2f28569eb2445caaa56a6be100d522","passing":true,"execution":{"runner":"bash","label":"house-repairs --model borealis-1","exitCode":0,"durationMs":6906000}}');
INSERT INTO verification_evidence VALUES ('evidence.atlas-70b.leak', 'claim.atlas-70b.repairs', '{"id":"evidence.atlas-70b.leak","claimId":"claim.atlas-70b.repairs","evidenceType":"document_citation","method":"auditability","sourceRef":"https://bench.example.org/house-repairs","excerptOrSummary":"Two of the four tasks stand in the model''s training data.","observedAt":"2026-11-03T14:00:00.000Z","collectedBy":"auditor:omar","integrityRef":"sha256:b7c209447fa32500efe3710ba6f9a6dec393a2904badef53d4ddb16385c8e74b","supportStrength":"cited"}');
INSERT INTO verification_evidence_ref VALUES ('sha256:b2c16a1abdae13e28bf6413ed55246a513b44f3fdd6773a1993dffeaf281e61f', 'claim.atlas-70b.repairs');
INSERT INTO verification_evidence_ref VALUES ('sha256:89c1f5af3d43f5d48523fbbe259a5562ca2f28569eb2445caaa56a6be100d522', 'claim.borealis-1.repairs');
INSERT INTO verification_evidence_ref VALUES ('sha256:b7c209447fa32500efe3710ba6f9a6dec393a2904badef53d4ddb16385c8e74b', 'claim.atlas-70b.repairs');
INSERT INTO verification_schema VALUES (1);
INSERT INTO verification_trace VALUES ('trace.ines.reviewer', 'reviewer:ines', '{"id":"trace.ines.reviewer","subject":{"subjectType":"model","subjectId":"acme/atlas-70b@2026-08-14"},"actorRef":"reviewer:ines","authorityType":"role","authorityRef":"bench-reviewers","sourceRef":"https://bench.example.org/reviewers","observedAt":"2026-09-01T00:00:00.000Z","validFrom":"2026-09-01T00:00:00.000Z"}');
ALTER TABLE verification_claim
    ADD CONSTRAINT verification_claim_pkey PRIMARY KEY (id);
ALTER TABLE verification_claim_ref
    ADD CONSTRAINT verification_claim_ref_pkey PRIMARY KEY (ref, claim_id);
ALTER TABLE verification_event
    ADD CONSTRAINT verification_event_id_key UNIQUE (id);
ALTER TABLE verification_event
    ADD CONSTRAINT verification_event_pkey PRIMARY KEY (claim_id, id);
ALTER TABLE verification_evidence
    ADD CONSTRAINT verification_evidence_id_key UNIQUE (id);
ALTER TABLE verification_evidence
    ADD CONSTRAINT verification_evidence_pkey PRIMARY KEY (claim_id, id);
ALTER TABLE verification_evidence_ref
    ADD CONSTRAINT verification_evidence_ref_pkey PRIMARY KEY (ref, claim_id);
ALTER TABLE verification_schema
    ADD CONSTRAINT verification_schema_pkey PRIMARY KEY (version);
ALTER TABLE verification_trace_claim
    ADD CONSTRAINT verification_trace_claim_pkey PRIMARY KEY (trace_id, claim_id);
ALTER TABLE verification_trace
    ADD CONSTRAINT verification_trace_pkey PRIMARY KEY (id);
ALTER TABLE verification_trace_ref
    ADD CONSTRAINT verification_trace_ref_pkey PRIMARY KEY (ref, trace_id);
CREATE INDEX verification_claim_ref_by_claim ON verification_claim_ref USING btree (claim_id);
CREATE INDEX verification_trace_by_actor ON verification_trace USING btree (actor);
CREATE INDEX verification_trace_claim_by_claim ON verification_trace_claim USING btree (claim_id, trace_id);
CREATE INDEX verification_trace_ref_by_trace ON verification_trace_ref USING btree (trace_id);
ALTER TABLE verification_claim_ref
    ADD CONSTRAINT verification_claim_ref_claim_id_fkey FOREIGN KEY (claim_id) REFERENCES verification_claim(id);
ALTER TABLE verification_event
    ADD CONSTRAINT verification_event_claim_id_fkey FOREIGN KEY (claim_id) REFERENCES verification_claim(id);
ALTER TABLE verification_evidence
    ADD CONSTRAINT verification_evidence_claim_id_fkey FOREIGN KEY (claim_id) REFERENCES verification_claim(id);
ALTER TABLE verification_evidence_ref
    ADD CONSTRAINT verification_evidence_ref_claim_id_fkey FOREIGN KEY (claim_id) REFERENCES verification_claim(id);
ALTER TABLE verification_trace_claim
    ADD CONSTRAINT verification_trace_claim_trace_id_fkey FOREIGN KEY (trace_id) REFERENCES verification_trace(id);
ALTER TABLE verification_trace_ref
    ADD CONSTRAINT verification_trace_ref_trace_id_fkey FOREIGN KEY (trace_id) REFERENCES verification_trace(id);
