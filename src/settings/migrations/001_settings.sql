-- What the operator has chosen, by the name it has in the settings; the value is JSON.
CREATE TABLE setting (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL CHECK (json_valid(value))
) STRICT, WITHOUT ROWID;

-- Who may come in. A token itself is nowhere: of 256 random bits, SHA-256 tells nothing.
CREATE TABLE token (
  id           TEXT PRIMARY KEY,
  name         TEXT    NOT NULL,
  hash         BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
  memory_id    TEXT,             -- the only memory it opens; NULL: every one, and the settings
  created_at   INTEGER NOT NULL, -- milliseconds since 1970
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;
