-- What the migrations result in, schema version 6. Generated; see schema.test.ts.

CREATE TABLE checkpoint (
  id         INTEGER PRIMARY KEY,
  turn_id    INTEGER NOT NULL,
  chain_hash TEXT    NOT NULL,
  at         INTEGER NOT NULL,
  public_key TEXT    NOT NULL,
  signature  TEXT    NOT NULL UNIQUE
) STRICT;

CREATE TABLE conversation (
  id            TEXT    PRIMARY KEY,
  turns         INTEGER NOT NULL,
  first_turn_at INTEGER NOT NULL,
  last_turn_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE derivation (
  unit_id     INTEGER NOT NULL REFERENCES unit (id),
  kind        TEXT    NOT NULL,
  fingerprint BLOB    NOT NULL,
  PRIMARY KEY (unit_id, kind, fingerprint)
) STRICT, WITHOUT ROWID;

CREATE TABLE edge (
  from_entity_id INTEGER NOT NULL REFERENCES entity (id),
  to_entity_id   INTEGER NOT NULL REFERENCES entity (id),
  relation       TEXT    NOT NULL,
  unit_id        INTEGER NOT NULL REFERENCES unit (id),
  weight         REAL    NOT NULL, mac TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (from_entity_id, to_entity_id, relation, unit_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE entity (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  type     TEXT    NOT NULL,
  name     TEXT    NOT NULL,
  aliases  TEXT    NOT NULL,
  salience REAL,
  mentions INTEGER NOT NULL
, mac TEXT NOT NULL DEFAULT '') STRICT;

CREATE TABLE entity_alias (
  folded    TEXT    NOT NULL,
  entity_id INTEGER NOT NULL REFERENCES entity (id),
  PRIMARY KEY (folded, entity_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE entity_key (
  key       TEXT    NOT NULL,
  entity_id INTEGER NOT NULL REFERENCES entity (id),
  PRIMARY KEY (key, entity_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE indexed (
  kind      INTEGER PRIMARY KEY,
  documents INTEGER NOT NULL,
  terms     INTEGER NOT NULL
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
, again_after INTEGER) STRICT;

CREATE TABLE journal (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  key            TEXT    UNIQUE,
  at             INTEGER NOT NULL,
  plan           TEXT    NOT NULL,
  topics_added   INTEGER NOT NULL,
  topics_changed INTEGER NOT NULL,
  units_changed  INTEGER NOT NULL,
  rolled_back_at INTEGER
, erased_at INTEGER) STRICT;

CREATE TABLE journal_image (
  entry_id INTEGER NOT NULL REFERENCES journal (id),
  of_table TEXT    NOT NULL,
  row_key  TEXT    NOT NULL,
  before   TEXT,
  after    TEXT,
  PRIMARY KEY (entry_id, of_table, row_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal_touch (
  kind     TEXT    NOT NULL CHECK (kind IN ('topic', 'unit')),
  id       INTEGER NOT NULL,
  entry_id INTEGER NOT NULL REFERENCES journal (id),
  PRIMARY KEY (kind, id, entry_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE link (
  from_unit_id INTEGER NOT NULL REFERENCES unit (id),
  to_unit_id   INTEGER NOT NULL REFERENCES unit (id),
  relation     TEXT    NOT NULL, mac TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (from_unit_id, to_unit_id, relation)
) STRICT, WITHOUT ROWID;

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE note_file (
  uri         TEXT    PRIMARY KEY,
  scope       INTEGER NOT NULL,
  hash        TEXT    NOT NULL,
  size_bytes  INTEGER NOT NULL,
  modified_at REAL    NOT NULL,
  unit_ids    TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE receipt (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  receipt TEXT NOT NULL
) STRICT;

CREATE TABLE speaker (
  name      TEXT    PRIMARY KEY,
  turns     INTEGER NOT NULL,
  terms     INTEGER NOT NULL, -- of the words alone, without name and date
  questions INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE term (
  term      TEXT    PRIMARY KEY,
  documents INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE text_change (
  revision INTEGER PRIMARY KEY AUTOINCREMENT,
  unit_id  INTEGER NOT NULL UNIQUE
) STRICT;

CREATE TABLE topic (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  title          TEXT    NOT NULL,
  summary        TEXT,
  source         TEXT    NOT NULL,
  created_at     INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL,
  state          TEXT    NOT NULL CHECK (state IN ('active', 'archived')),
  successor_id   INTEGER REFERENCES topic (id),
  strength       REAL    NOT NULL,
  members        INTEGER NOT NULL,
  first_at       INTEGER,
  last_at        INTEGER,
  emotion        TEXT,
  emotion_weight REAL    NOT NULL,
  version        INTEGER NOT NULL,
  changes        INTEGER NOT NULL
) STRICT;

CREATE TABLE topic_centroid (
  topic_id INTEGER PRIMARY KEY REFERENCES topic (id),
  sum      BLOB    NOT NULL
) STRICT;

CREATE TABLE topic_change (
  revision INTEGER PRIMARY KEY AUTOINCREMENT,
  topic_id INTEGER NOT NULL UNIQUE
) STRICT;

CREATE TABLE topic_member (
  topic_id INTEGER NOT NULL REFERENCES topic (id),
  unit_id  INTEGER NOT NULL REFERENCES unit (id),
  weight   REAL    NOT NULL, mac TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (topic_id, unit_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE topic_parent (
  topic_id  INTEGER NOT NULL REFERENCES topic (id),
  parent_id INTEGER NOT NULL REFERENCES topic (id), mac TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (topic_id, parent_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE topic_term (
  term     TEXT    NOT NULL,
  topic_id INTEGER NOT NULL REFERENCES topic (id),
  times    INTEGER NOT NULL,
  PRIMARY KEY (term, topic_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE turn (
  id              INTEGER PRIMARY KEY,
  conversation_id TEXT    NOT NULL,
  turn_index      INTEGER NOT NULL CHECK (turn_index >= 0),
  occurred_at     INTEGER NOT NULL,
  content_hash    BLOB    NOT NULL,
  chain_hash      BLOB    NOT NULL,
  raw_pointer     TEXT, sealed BLOB NOT NULL DEFAULT x'',
  UNIQUE (conversation_id, turn_index)
) STRICT;

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

CREATE TABLE unit_entity (
  unit_id    INTEGER NOT NULL REFERENCES unit (id),
  entity_id  INTEGER NOT NULL REFERENCES entity (id),
  surface    TEXT    NOT NULL,
  confidence REAL    NOT NULL, mac TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (unit_id, entity_id)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE unit_text USING fts5 (
  terms, content = '', contentless_delete = 1, tokenize = 'ascii', detail = 'full'
);

CREATE TABLE unit_time (
  unit_id INTEGER NOT NULL,
  from_at INTEGER NOT NULL,
  to_at   INTEGER NOT NULL,
  PRIMARY KEY (unit_id, from_at, to_at)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE vector_change (
  revision INTEGER PRIMARY KEY AUTOINCREMENT,
  unit_id  INTEGER NOT NULL UNIQUE
) STRICT;

CREATE TABLE vector_pending (
  unit_id  INTEGER PRIMARY KEY,
  is_stale INTEGER NOT NULL
) STRICT;

CREATE TABLE vector_set (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  role       TEXT    NOT NULL UNIQUE CHECK (role IN ('serving', 'next')),
  name       TEXT    NOT NULL UNIQUE,
  model      TEXT    NOT NULL,
  dimensions INTEGER NOT NULL,
  count      INTEGER NOT NULL,
  sum        BLOB    NOT NULL
) STRICT;

CREATE INDEX conversation_by_time ON conversation (last_turn_at);

CREATE INDEX edge_backwards ON edge (to_entity_id);

CREATE INDEX edge_by_evidence ON edge (unit_id);

CREATE INDEX entity_alias_backwards ON entity_alias (entity_id);

CREATE INDEX entity_by_mentions ON entity (mentions DESC, id);

CREATE INDEX entity_key_backwards ON entity_key (entity_id);

CREATE INDEX job_by_time ON job (status, kind, run_after);

CREATE INDEX job_due ON job (status, kind, id);

CREATE INDEX job_order ON job (conversation_id, kind, status, run_after);

CREATE INDEX journal_touch_backwards ON journal_touch (entry_id);

CREATE INDEX link_backwards ON link (to_unit_id);

CREATE INDEX topic_backwards ON topic (successor_id) WHERE successor_id IS NOT NULL;

CREATE INDEX topic_by_strength ON topic (state, strength DESC, id);

CREATE INDEX topic_member_backwards ON topic_member (unit_id, topic_id);

CREATE INDEX topic_parent_backwards ON topic_parent (parent_id, topic_id);

CREATE INDEX topic_term_backwards ON topic_term (topic_id);

CREATE INDEX unit_by_age ON unit (occurred_at);

CREATE INDEX unit_by_object ON unit (payload ->> 'objectEntityId') WHERE kind = 1 AND payload ->> 'objectEntityId' IS NOT NULL;

CREATE INDEX unit_by_place ON unit (conversation_id, turn_index) WHERE conversation_id IS NOT NULL;

CREATE INDEX unit_by_time ON unit (kind, occurred_at, id);

CREATE INDEX unit_by_uri ON unit (payload ->> 'uri') WHERE kind = 5;

CREATE INDEX unit_entity_backwards ON unit_entity (entity_id, unit_id);

CREATE INDEX unit_pinned ON unit (occurred_at) WHERE pinned = 1;

CREATE INDEX unit_time_by_start ON unit_time (from_at);

CREATE TRIGGER turn_is_never_deleted BEFORE DELETE ON turn
BEGIN SELECT RAISE(ABORT, 'turns are append-only'); END;

CREATE TRIGGER turn_is_never_replaced BEFORE INSERT ON turn WHEN EXISTS (
  SELECT 1 FROM turn t WHERE t.id = NEW.id
  UNION ALL SELECT 1 FROM turn t WHERE t.conversation_id = NEW.conversation_id AND t.turn_index = NEW.turn_index)
BEGIN SELECT RAISE(ABORT, 'turns are append-only'); END;

CREATE TRIGGER turn_is_never_updated BEFORE UPDATE ON turn WHEN NOT (
  NEW.id IS OLD.id AND NEW.turn_index IS OLD.turn_index AND NEW.occurred_at IS OLD.occurred_at
  AND NEW.sealed IS OLD.sealed AND NEW.content_hash IS OLD.content_hash AND NEW.chain_hash IS OLD.chain_hash
  AND (NEW.conversation_id IS OLD.conversation_id OR NEW.conversation_id GLOB '/forgotten/*'))
BEGIN SELECT RAISE(ABORT, 'turns are append-only'); END;

CREATE TRIGGER unit_needs_next_vector AFTER INSERT ON unit
WHEN EXISTS (SELECT 1 FROM vector_set WHERE role = 'next')
BEGIN INSERT OR REPLACE INTO vector_pending VALUES (NEW.id, 0); END;
