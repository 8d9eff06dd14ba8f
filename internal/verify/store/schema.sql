-- The records of the verification endpoint and how refs find them.
--
-- KEYTEXT is the type of a text that is compared byte by byte. A key is an id or a ref as it is, or
-- for some the mark U+0001, "sha256:" and the hash of it. CLUSTERED tells a database that can that
-- rows lie in the order of the primary key, so that a look-up reads what belongs to a claim in one
-- place.

-- The one row has the version of the schema, and a random text, another one after every load:
-- answers that were kept are good as long as it stays.
CREATE TABLE verification_schema (
    version INTEGER PRIMARY KEY,
    state   TEXT NOT NULL
);

CREATE TABLE verification_record (
    claim_id KEYTEXT NOT NULL, -- the key of the claim that a record belongs to; empty for traces
    kind     INTEGER NOT NULL, -- 0 claim, 1 evidence, 2 event, 3 authority trace
    id       KEYTEXT NOT NULL, -- the key of its id
    actor    KEYTEXT NOT NULL, -- the key of the actor of an event or a trace
    record   TEXT NOT NULL,    -- JSON as its producer wrote it
    digest   TEXT NOT NULL,    -- of a claim and all that belongs to it, or of a trace
    PRIMARY KEY (claim_id, kind, id)
) CLUSTERED;
CREATE UNIQUE INDEX verification_record_by_id ON verification_record (kind, id);
CREATE INDEX verification_record_by_actor ON verification_record (actor) WHERE kind = 3;

-- What refs name: a claim by its own refs (kind 0) or by those of its evidence (1), or a trace (3).
-- Rows of kind 4 have the key of a claim as the ref of each trace that names it.
CREATE TABLE verification_ref (
    ref  KEYTEXT NOT NULL,
    kind INTEGER NOT NULL,
    id   KEYTEXT NOT NULL, -- the key of the claim or of the trace
    PRIMARY KEY (ref, kind, id)
) CLUSTERED;
CREATE INDEX verification_ref_by_id ON verification_ref (id, kind);
