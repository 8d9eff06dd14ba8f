-- The records of the verification endpoint and how refs find them.
--
-- KEYTEXT is the type of a text that is compared byte by byte. A key is an id or
-- ref as it is, or for some the mark U+0001 and "sha256:" and the hash of it.
-- CLUSTERED tells a database that can that the rows lie in the order of the
-- primary key: look-ups read what belongs to a claim in one place.

CREATE TABLE verification_claim (
    id     KEYTEXT PRIMARY KEY,
    record TEXT NOT NULL -- JSON as its producer wrote it, here as below
) CLUSTERED;

-- The refs that name a claim, its id apart.
CREATE TABLE verification_claim_ref (
    claim_id KEYTEXT NOT NULL REFERENCES verification_claim (id),
    ref      KEYTEXT NOT NULL,
    PRIMARY KEY (ref, claim_id)
) CLUSTERED;
CREATE INDEX verification_claim_ref_by_claim ON verification_claim_ref (claim_id);

CREATE TABLE verification_evidence (
    id       KEYTEXT NOT NULL UNIQUE,
    claim_id KEYTEXT NOT NULL REFERENCES verification_claim (id),
    record   TEXT NOT NULL,
    PRIMARY KEY (claim_id, id)
) CLUSTERED;

-- The refs that name evidence, and the claim that it stands for.
CREATE TABLE verification_evidence_ref (
    ref      KEYTEXT NOT NULL,
    claim_id KEYTEXT NOT NULL REFERENCES verification_claim (id),
    PRIMARY KEY (ref, claim_id)
) CLUSTERED;

CREATE TABLE verification_event (
    id       KEYTEXT NOT NULL UNIQUE,
    claim_id KEYTEXT NOT NULL REFERENCES verification_claim (id),
    actor    KEYTEXT NOT NULL,
    record   TEXT NOT NULL,
    PRIMARY KEY (claim_id, id)
) CLUSTERED;

CREATE TABLE verification_trace (
    id     KEYTEXT PRIMARY KEY,
    actor  KEYTEXT NOT NULL,
    record TEXT NOT NULL
) CLUSTERED;
CREATE INDEX verification_trace_by_actor ON verification_trace (actor);

-- The claims that a trace names. They may come later, or never.
CREATE TABLE verification_trace_claim (
    trace_id KEYTEXT NOT NULL REFERENCES verification_trace (id),
    claim_id KEYTEXT NOT NULL,
    PRIMARY KEY (trace_id, claim_id)
) CLUSTERED;
CREATE INDEX verification_trace_claim_by_claim ON verification_trace_claim (claim_id, trace_id);

-- The refs that name a trace.
CREATE TABLE verification_trace_ref (
    trace_id KEYTEXT NOT NULL REFERENCES verification_trace (id),
    ref      KEYTEXT NOT NULL,
    PRIMARY KEY (ref, trace_id)
) CLUSTERED;
CREATE INDEX verification_trace_ref_by_trace ON verification_trace_ref (trace_id);
