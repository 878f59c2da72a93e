-- Conversations, updated with every turn, so that listing them does not read all turns.
CREATE TABLE conversation (
  id            TEXT    PRIMARY KEY,
  turns         INTEGER NOT NULL,
  first_turn_at INTEGER NOT NULL,
  last_turn_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_by_time ON conversation (last_turn_at);
INSERT INTO conversation
  SELECT conversation_id, count(*), min(occurred_at), max(occurred_at) FROM turn GROUP BY conversation_id;

-- For lists of units: newest first of all kinds, pinned ones, facts about an entity.
CREATE INDEX unit_by_age ON unit (occurred_at);
CREATE INDEX unit_pinned ON unit (occurred_at) WHERE pinned = 1;
CREATE INDEX unit_by_object ON unit (payload ->> 'objectEntityId') WHERE kind = 1 AND payload ->> 'objectEntityId' IS NOT NULL;

-- People, places and things. `mentions`: number of units that mention one. `salience`: null unless set by hand.
CREATE TABLE entity (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  type     TEXT    NOT NULL,
  name     TEXT    NOT NULL,
  aliases  TEXT    NOT NULL,
  salience REAL,
  mentions INTEGER NOT NULL
) STRICT;
CREATE INDEX entity_by_mentions ON entity (mentions DESC, id);

-- The entity's name and aliases in the form for comparison (see `foldName`).
CREATE TABLE entity_alias (
  folded    TEXT    NOT NULL,
  entity_id INTEGER NOT NULL REFERENCES entity (id),
  PRIMARY KEY (folded, entity_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_alias_backwards ON entity_alias (entity_id);

-- The keys for finding them, independent of script and titles (see `nameKeys`).
CREATE TABLE entity_key (
  key       TEXT    NOT NULL,
  entity_id INTEGER NOT NULL REFERENCES entity (id),
  PRIMARY KEY (key, entity_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_key_backwards ON entity_key (entity_id);

CREATE TABLE unit_entity (
  unit_id    INTEGER NOT NULL REFERENCES unit (id),
  entity_id  INTEGER NOT NULL REFERENCES entity (id),
  surface    TEXT    NOT NULL,
  confidence REAL    NOT NULL,
  PRIMARY KEY (unit_id, entity_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX unit_entity_backwards ON unit_entity (entity_id, unit_id);

-- Relations of entities, one row for each unit that states one. An edge is all rows with the same ends and relation.
CREATE TABLE edge (
  from_entity_id INTEGER NOT NULL REFERENCES entity (id),
  to_entity_id   INTEGER NOT NULL REFERENCES entity (id),
  relation       TEXT    NOT NULL,
  unit_id        INTEGER NOT NULL REFERENCES unit (id),
  weight         REAL    NOT NULL,
  PRIMARY KEY (from_entity_id, to_entity_id, relation, unit_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX edge_backwards ON edge (to_entity_id);
CREATE INDEX edge_by_evidence ON edge (unit_id);

-- Completed derivations. `fingerprint`: the first 16 bytes of the SHA-256 of the mark's fingerprint.
CREATE TABLE derivation (
  unit_id     INTEGER NOT NULL REFERENCES unit (id),
  kind        TEXT    NOT NULL,
  fingerprint BLOB    NOT NULL,
  PRIMARY KEY (unit_id, kind, fingerprint)
) STRICT, WITHOUT ROWID;

-- For finding due jobs quickly when many wait for a retry.
CREATE INDEX job_by_time ON job (status, kind, run_after);

-- A job that was added again while it ran runs once more, not before this instant.
ALTER TABLE job ADD COLUMN again_after INTEGER;

-- The serving vectors and, while another model is prepared, the next ones: each set in its own `vec0` table, created with
-- the first vector. `sum`: for each dimension the sum over unit vectors in steps of
-- 2^-20, whole numbers in float64, so that it is exact and independent of order.
CREATE TABLE vector_set (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  role       TEXT    NOT NULL UNIQUE CHECK (role IN ('serving', 'next')),
  name       TEXT    NOT NULL UNIQUE,
  model      TEXT    NOT NULL,
  dimensions INTEGER NOT NULL,
  count      INTEGER NOT NULL,
  sum        BLOB    NOT NULL
) STRICT;
INSERT INTO vector_set (role, name, model, dimensions, count, sum)
  SELECT 'serving', 'unit_vector', id, dimensions, count, sum FROM vector_model;
DROP TABLE vector_model;

-- Units without a vector in the next set. `is_stale`: the text changed since it was requested, so a vector of the earlier
-- text is rejected.
CREATE TABLE vector_pending (
  unit_id  INTEGER PRIMARY KEY,
  is_stale INTEGER NOT NULL
) STRICT;
CREATE TRIGGER unit_needs_next_vector AFTER INSERT ON unit
WHEN EXISTS (SELECT 1 FROM vector_set WHERE role = 'next')
BEGIN INSERT OR REPLACE INTO vector_pending VALUES (NEW.id, 0); END;
