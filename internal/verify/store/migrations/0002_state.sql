-- The records may be of bundles of schema versions 8 and 9 from here on, which programs
-- of the version before do not know.
--
-- The one row holds a random text, another one after every load: answers that were kept
-- are good as long as it stays.

CREATE TABLE verification_state (
    state TEXT NOT NULL
);
INSERT INTO verification_state (state) VALUES ('');
