-- The operator's settings by name; values are JSON.
CREATE TABLE setting (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL CHECK (json_valid(value))
) STRICT, WITHOUT ROWID;

-- Tokens for access. Only the SHA-256 of a token is stored, which does not reveal its 256 random bits.
CREATE TABLE token (
  id           TEXT PRIMARY KEY,
  name         TEXT    NOT NULL,
  hash         BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
  memory_id    TEXT,             -- the only memory it opens; NULL: every one, and the settings
  created_at   INTEGER NOT NULL, -- milliseconds since 1970
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;
