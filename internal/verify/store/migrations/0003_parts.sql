-- The records of a claim lie together from here on, so that a look-up reads one row: the claim,
-- its evidence and its events, in the order in which they came.
--
-- Records are put into the part with the highest number as long as it is small, and into a new
-- one after that. The first has the number 0 and the claim. The program moves what is in the
-- tables of the versions before, and version 4 drops them.
--
-- WIDE tells a database that would store large texts elsewhere to leave them in their rows.

CREATE TABLE verification_part (
    claim_id KEYTEXT NOT NULL,
    number   INTEGER NOT NULL,
    actors   TEXT NOT NULL, -- the keys of those of its events, a JSON array
    records  TEXT NOT NULL, -- each as c2,0,24:c1{"id":"c1","value":0.74}, lengths of key, actor and JSON first
    PRIMARY KEY (claim_id, number)
) WIDE;

-- Where evidence and events are, for loading: their ids are unique.
CREATE TABLE verification_evidence_place (
    id       KEYTEXT PRIMARY KEY,
    claim_id KEYTEXT NOT NULL,
    part     INTEGER NOT NULL
) CLUSTERED;

CREATE TABLE verification_event_place (
    id       KEYTEXT PRIMARY KEY,
    claim_id KEYTEXT NOT NULL,
    part     INTEGER NOT NULL
) CLUSTERED;
