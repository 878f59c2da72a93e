-- Figures of recalls, without text.
CREATE TABLE recall (
  id        INTEGER PRIMARY KEY,
  at        INTEGER NOT NULL, -- milliseconds since 1970
  memory_id TEXT    NOT NULL,
  profile   TEXT    NOT NULL,
  outcome   TEXT    NOT NULL CHECK (outcome IN ('injected', 'silent', 'empty')),
  total_ms  REAL    NOT NULL,
  stages    TEXT    NOT NULL CHECK (json_valid(stages)) -- milliseconds by stage
) STRICT;
CREATE INDEX recall_by_memory ON recall (memory_id, at);

-- Requests to models by day (UTC).
CREATE TABLE model_use (
  day           TEXT    NOT NULL,
  purpose       TEXT    NOT NULL,
  model         TEXT    NOT NULL,
  calls         INTEGER NOT NULL,
  failed        INTEGER NOT NULL,
  input_tokens  INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  total_ms      REAL    NOT NULL,
  PRIMARY KEY (day, purpose, model)
) STRICT, WITHOUT ROWID;

-- Users' ratings of recalled memories.
CREATE TABLE feedback (
  id        INTEGER PRIMARY KEY,
  at        INTEGER NOT NULL,
  memory_id TEXT    NOT NULL,
  profile   TEXT    NOT NULL,
  verdict   TEXT    NOT NULL CHECK (verdict IN ('helped', 'wrong')),
  utterance TEXT    NOT NULL,
  context   TEXT    NOT NULL CHECK (json_valid(context)),
  unit_id   INTEGER NOT NULL, -- what was recalled
  UNIQUE (memory_id, utterance, unit_id)
) STRICT;
