-- Topics. `members`, `first_at` and `last_at` are of its own members and updated with every move. `emotion_weight`: the sum
-- of the weights of its members' emotions. `changes`: incremented by every change of the topic, its members and its
-- centroid; a rollback compares it to detect later changes.
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
CREATE INDEX topic_by_strength ON topic (state, strength DESC, id);
CREATE INDEX topic_backwards ON topic (successor_id) WHERE successor_id IS NOT NULL;

CREATE TABLE topic_parent (
  topic_id  INTEGER NOT NULL REFERENCES topic (id),
  parent_id INTEGER NOT NULL REFERENCES topic (id),
  PRIMARY KEY (topic_id, parent_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_parent_backwards ON topic_parent (parent_id, topic_id);

-- Episodes of topics. `weight`: the weight of its vector in the topic's centroid; 0 without a vector.
CREATE TABLE topic_member (
  topic_id INTEGER NOT NULL REFERENCES topic (id),
  unit_id  INTEGER NOT NULL REFERENCES unit (id),
  weight   REAL    NOT NULL,
  PRIMARY KEY (topic_id, unit_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_member_backwards ON topic_member (unit_id, topic_id);

-- The weighted sum of a topic's vectors, each at unit length, as float32. Topics without one have no row.
CREATE TABLE topic_centroid (
  topic_id INTEGER PRIMARY KEY REFERENCES topic (id),
  sum      BLOB    NOT NULL
) STRICT;

-- Topics whose centroid or state changed, for copies in the memory of processes that search them.
CREATE TABLE topic_change (
  revision INTEGER PRIMARY KEY AUTOINCREMENT,
  topic_id INTEGER NOT NULL UNIQUE
) STRICT;

-- The terms of title and summary of active topics (see `terms`).
CREATE TABLE topic_term (
  term     TEXT    NOT NULL,
  topic_id INTEGER NOT NULL REFERENCES topic (id),
  times    INTEGER NOT NULL,
  PRIMARY KEY (term, topic_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_term_backwards ON topic_term (topic_id);

-- Reorganisations, with the data to undo them. `plan`: for people to read.
CREATE TABLE journal (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  key            TEXT    UNIQUE,
  at             INTEGER NOT NULL,
  plan           TEXT    NOT NULL,
  topics_added   INTEGER NOT NULL,
  topics_changed INTEGER NOT NULL,
  units_changed  INTEGER NOT NULL,
  rolled_back_at INTEGER
) STRICT;

-- Each row that an entry touched, as JSON before and after it; null where there was none. `row_key`: its table's key, a
-- JSON array. Bytes are { "base64": … }.
CREATE TABLE journal_image (
  entry_id INTEGER NOT NULL REFERENCES journal (id),
  of_table TEXT    NOT NULL,
  row_key  TEXT    NOT NULL,
  before   TEXT,
  after    TEXT,
  PRIMARY KEY (entry_id, of_table, row_key)
) STRICT, WITHOUT ROWID;

-- Changes of an entry that must be undone before those of earlier entries: of a unit, or of a topic's text, state,
-- members, parents or children.
CREATE TABLE journal_touch (
  kind     TEXT    NOT NULL CHECK (kind IN ('topic', 'unit')),
  id       INTEGER NOT NULL,
  entry_id INTEGER NOT NULL REFERENCES journal (id),
  PRIMARY KEY (kind, id, entry_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX journal_touch_backwards ON journal_touch (entry_id);

-- Signed states of the chain of turns.
CREATE TABLE checkpoint (
  id         INTEGER PRIMARY KEY,
  turn_id    INTEGER NOT NULL,
  chain_hash TEXT    NOT NULL,
  at         INTEGER NOT NULL,
  public_key TEXT    NOT NULL,
  signature  TEXT    NOT NULL UNIQUE
) STRICT;

-- The indexed state of note files. `unit_ids`: JSON array of their sections' units.
CREATE TABLE note_file (
  uri         TEXT    PRIMARY KEY,
  scope       INTEGER NOT NULL,
  hash        TEXT    NOT NULL,
  size_bytes  INTEGER NOT NULL,
  modified_at REAL    NOT NULL,
  unit_ids    TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

-- The last removal of each unit from the text index, for processes that keep parts of the index in memory. Unit 0: the
-- index was rebuilt.
CREATE TABLE text_change (
  revision INTEGER PRIMARY KEY AUTOINCREMENT,
  unit_id  INTEGER NOT NULL UNIQUE
) STRICT;
