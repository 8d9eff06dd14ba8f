-- The refs, without references to the table of claims, which is dropped with the others.

CREATE TABLE verification_claim_ref_4 (
    claim_id KEYTEXT NOT NULL,
    ref      KEYTEXT NOT NULL,
    PRIMARY KEY (ref, claim_id)
) CLUSTERED;
INSERT INTO verification_claim_ref_4 (claim_id, ref) SELECT claim_id, ref FROM verification_claim_ref ORDER BY ref, claim_id;
DROP TABLE verification_claim_ref;
ALTER TABLE verification_claim_ref_4 RENAME TO verification_claim_ref;
CREATE INDEX verification_claim_ref_by_claim ON verification_claim_ref (claim_id);

CREATE TABLE verification_evidence_ref_4 (
    ref      KEYTEXT NOT NULL,
    claim_id KEYTEXT NOT NULL,
    PRIMARY KEY (ref, claim_id)
) CLUSTERED;
INSERT INTO verification_evidence_ref_4 (ref, claim_id) SELECT ref, claim_id FROM verification_evidence_ref ORDER BY ref, claim_id;
DROP TABLE verification_evidence_ref;
ALTER TABLE verification_evidence_ref_4 RENAME TO verification_evidence_ref;

DROP TABLE verification_event;
DROP TABLE verification_evidence;
DROP TABLE verification_claim;
