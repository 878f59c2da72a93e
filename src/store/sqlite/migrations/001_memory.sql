-- Properties of the memory: id, time zone, version of the text analysis, model of the vectors.
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Turns: written once, chained by hash, never changed.
CREATE TABLE turn (
  id              INTEGER PRIMARY KEY,
  conversation_id TEXT    NOT NULL,
  turn_index      INTEGER NOT NULL CHECK (turn_index >= 0),
  speaker         TEXT    NOT NULL,
  text            TEXT    NOT NULL,
  occurred_at     INTEGER NOT NULL,
  meta            TEXT    NOT NULL,
  origin          TEXT    NOT NULL, -- how it came in: source, sensitivity, scope, image in words
  content_hash    BLOB    NOT NULL,
  chain_hash      BLOB    NOT NULL,
  raw_pointer     TEXT,
  UNIQUE (conversation_id, turn_index)
) STRICT;

CREATE TRIGGER turn_is_never_updated BEFORE UPDATE ON turn
BEGIN SELECT RAISE(ABORT, 'turns are append-only'); END;
CREATE TRIGGER turn_is_never_deleted BEFORE DELETE ON turn
BEGIN SELECT RAISE(ABORT, 'turns are append-only'); END;
-- INSERT OR REPLACE deletes rows without firing the trigger above.
CREATE TRIGGER turn_is_never_replaced BEFORE INSERT ON turn WHEN EXISTS (
  SELECT 1 FROM turn t WHERE t.id = NEW.id
  UNION ALL SELECT 1 FROM turn t WHERE t.conversation_id = NEW.conversation_id AND t.turn_index = NEW.turn_index)
BEGIN SELECT RAISE(ABORT, 'turns are append-only'); END;

-- All units. An episode refers to its turn for its text; conversation and index are repeated here because every search
-- filters or sorts by them.
CREATE TABLE unit (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  kind             INTEGER NOT NULL,
  turn_id          INTEGER UNIQUE REFERENCES turn (id),
  conversation_id  TEXT,
  turn_index       INTEGER,
  occurred_at      INTEGER NOT NULL,
  created_at       INTEGER NOT NULL,
  updated_at       INTEGER NOT NULL,
  source           TEXT    NOT NULL,
  state            INTEGER NOT NULL,
  confidence       REAL    NOT NULL,
  salience         REAL    NOT NULL,
  sensitivity      INTEGER NOT NULL,
  pinned           INTEGER NOT NULL,
  topic_tags       TEXT    NOT NULL,
  scope            INTEGER NOT NULL,
  expires_at       INTEGER,
  reinforcement    INTEGER NOT NULL,
  access_count     INTEGER NOT NULL,
  last_accessed_at INTEGER,
  emotion          TEXT,
  version          INTEGER NOT NULL,
  payload          TEXT    NOT NULL
) STRICT;
CREATE INDEX unit_by_time ON unit (kind, occurred_at, id);
CREATE INDEX unit_by_place ON unit (conversation_id, turn_index) WHERE conversation_id IS NOT NULL;
CREATE INDEX unit_by_uri ON unit (payload ->> 'uri') WHERE kind = 5;

CREATE TABLE unit_version (
  unit_id        INTEGER NOT NULL REFERENCES unit (id),
  version        INTEGER NOT NULL,
  parent_version INTEGER,
  reason         TEXT    NOT NULL,
  payload_hash   TEXT    NOT NULL,
  at             INTEGER NOT NULL,
  snapshot       TEXT    NOT NULL,
  PRIMARY KEY (unit_id, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE link (
  from_unit_id INTEGER NOT NULL REFERENCES unit (id),
  to_unit_id   INTEGER NOT NULL REFERENCES unit (id),
  relation     TEXT    NOT NULL,
  PRIMARY KEY (from_unit_id, to_unit_id, relation)
) STRICT, WITHOUT ROWID;
CREATE INDEX link_backwards ON link (to_unit_id);

-- The text index: our own terms, separated by spaces, which the tokenizer only splits. (`ascii` treats every non-ASCII
-- character as a letter; `unicode61` would split at characters newer than its tables.)
CREATE VIRTUAL TABLE unit_text USING fts5 (
  terms, content = '', contentless_delete = 1, tokenize = 'ascii', detail = 'full'
);

-- Statistics of the text index, updated by every write to it.
CREATE TABLE term (
  term      TEXT    PRIMARY KEY,
  documents INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE indexed (
  kind      INTEGER PRIMARY KEY,
  documents INTEGER NOT NULL,
  terms     INTEGER NOT NULL
) STRICT;
CREATE TABLE speaker (
  name      TEXT    PRIMARY KEY,
  turns     INTEGER NOT NULL,
  terms     INTEGER NOT NULL, -- of the words alone, without name and date
  questions INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The times a unit mentions, other than its own (“next Friday”, “去年春节”): instants, `to_at` exclusive.
CREATE TABLE unit_time (
  unit_id INTEGER NOT NULL,
  from_at INTEGER NOT NULL,
  to_at   INTEGER NOT NULL,
  PRIMARY KEY (unit_id, from_at, to_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX unit_time_by_start ON unit_time (from_at);

-- The vector index itself (`unit_vector`) is created with the first vector, which determines its dimensions.
-- `sum`: for each dimension the sum over unit vectors in steps of 2^-20, whole numbers in float64, so that it is
-- exact and independent of order.
CREATE TABLE vector_model (
  only       INTEGER PRIMARY KEY CHECK (only = 1),
  id         TEXT    NOT NULL,
  dimensions INTEGER NOT NULL,
  count      INTEGER NOT NULL,
  sum        BLOB    NOT NULL
) STRICT;

-- Changes of vectors, in order: a process with a copy of the index in memory reads those after the last one it knows.
-- A unit is listed once, with its latest change; `unit_vector` may no longer contain it.
CREATE TABLE vector_change (
  revision INTEGER PRIMARY KEY AUTOINCREMENT,
  unit_id  INTEGER NOT NULL UNIQUE
) STRICT;

CREATE TABLE job (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  kind            TEXT    NOT NULL,
  key             TEXT    NOT NULL UNIQUE,
  conversation_id TEXT,
  input           TEXT    NOT NULL,
  status          TEXT    NOT NULL CHECK (status IN ('queued', 'running', 'failed')),
  attempts        INTEGER NOT NULL,
  run_after       INTEGER NOT NULL,
  lease_owner     TEXT,
  lease_until     INTEGER,
  last_error      TEXT,
  created_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX job_due ON job (status, kind, id);
CREATE INDEX job_order ON job (conversation_id, kind, status, run_after);
