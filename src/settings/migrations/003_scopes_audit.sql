-- Scope and expiry of tokens. Tokens of one memory never had access to the settings.
ALTER TABLE token ADD COLUMN scope TEXT NOT NULL DEFAULT 'operate' CHECK (scope IN ('read', 'write', 'manage', 'operate'));
ALTER TABLE token ADD COLUMN expires_at INTEGER;
UPDATE token SET scope = 'manage' WHERE memory_id IS NOT NULL;

-- The audit log, without text of turns. Never changed; removed by age only.
CREATE TABLE audit (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  at         INTEGER NOT NULL, -- milliseconds since 1970
  token_id   TEXT    NOT NULL,
  token_name TEXT    NOT NULL,
  action     TEXT    NOT NULL, -- the name of the operation
  memory_id  TEXT,
  outcome    TEXT    NOT NULL  -- 'done', or the code of the problem
) STRICT;

CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_is_kept_a_month BEFORE DELETE ON audit
WHEN OLD.at > (unixepoch('subsec') * 1000 - 2592000000)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
