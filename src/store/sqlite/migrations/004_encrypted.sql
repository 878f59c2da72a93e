-- Text is encrypted; the functions called here are defined in `encryptOld.ts`.

DROP TRIGGER turn_is_never_updated;
DROP TRIGGER turn_is_never_deleted;
DROP TRIGGER turn_is_never_replaced;

-- Where its key lies, and speaker, text, meta, origin and salt, encrypted with that key.
ALTER TABLE turn ADD COLUMN sealed BLOB NOT NULL DEFAULT x'';
UPDATE turn SET sealed = sealed_turn(speaker, text, meta, origin);
ALTER TABLE turn DROP COLUMN speaker;
ALTER TABLE turn DROP COLUMN text;
ALTER TABLE turn DROP COLUMN meta;
ALTER TABLE turn DROP COLUMN origin;

-- A turn changes in two ways only: the location of its archived copy is added, and its conversation is replaced by a
-- keyed hash when it is forgotten.
CREATE TRIGGER turn_is_never_updated BEFORE UPDATE ON turn WHEN NOT (
  NEW.id IS OLD.id AND NEW.turn_index IS OLD.turn_index AND NEW.occurred_at IS OLD.occurred_at
  AND NEW.sealed IS OLD.sealed AND NEW.content_hash IS OLD.content_hash AND NEW.chain_hash IS OLD.chain_hash
  AND (NEW.conversation_id IS OLD.conversation_id OR NEW.conversation_id GLOB '/forgotten/*'))
BEGIN SELECT RAISE(ABORT, 'turns are append-only'); END;
CREATE TRIGGER turn_is_never_deleted BEFORE DELETE ON turn
BEGIN SELECT RAISE(ABORT, 'turns are append-only'); END;
-- INSERT OR REPLACE deletes rows without firing the trigger above.
CREATE TRIGGER turn_is_never_replaced BEFORE INSERT ON turn WHEN EXISTS (
  SELECT 1 FROM turn t WHERE t.id = NEW.id
  UNION ALL SELECT 1 FROM turn t WHERE t.conversation_id = NEW.conversation_id AND t.turn_index = NEW.turn_index)
BEGIN SELECT RAISE(ABORT, 'turns are append-only'); END;

-- `payload` and `snapshot`: `{"sealed": …}` with the fields by which units are looked up.
UPDATE unit SET payload = sealed_payload(payload), topic_tags = sealed_tags(topic_tags);
UPDATE unit_version SET payload_hash = keyed_hash(snapshot, payload_hash), snapshot = sealed_snapshot(snapshot);
UPDATE topic SET title = sealed_words(title), summary = sealed_words(summary);
UPDATE entity SET name = sealed_words(name), aliases = sealed_aliases(aliases);
UPDATE unit_entity SET surface = sealed_words(surface);
UPDATE journal SET plan = sealed_words(plan);
UPDATE journal_image SET before = sealed_image(of_table, before), after = sealed_image(of_table, after);
UPDATE job SET key = sealed_key(key), input = sealed_input(input), last_error = sealed_error(last_error);
UPDATE derivation SET fingerprint = keyed_mark(fingerprint);

-- Terms and names are looked up by keyed hashes, which are computed when the memory is opened.
DELETE FROM topic_term;
DELETE FROM entity_alias;
DELETE FROM entity_key;
DELETE FROM speaker;
UPDATE meta SET value = '0' WHERE key IN ('analysis', 'nameKeys');

-- When something that the entry touched was forgotten: what it would be undone by went with it.
ALTER TABLE journal ADD COLUMN erased_at INTEGER;

-- Signed receipts of forgetting. `receipt`: JSON.
CREATE TABLE receipt (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  receipt TEXT NOT NULL
) STRICT;

-- Set while deleted data must still be erased from the file: free pages, the log, keys of forgotten turns.
INSERT INTO meta SELECT 'erasing', '[]' WHERE EXISTS (SELECT 1 FROM unit);
