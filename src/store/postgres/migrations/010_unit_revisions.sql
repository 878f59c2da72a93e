-- Each unit, its place in the text index and its vectors have the revision of the write that changed them last, so that a server
-- reads again only what has changed since it copied a memory. Rows from before this migration, and accesses, have no revision.
ALTER TABLE unit ADD COLUMN revision bigint NOT NULL DEFAULT 0;
ALTER TABLE unit_text ADD COLUMN revision bigint NOT NULL DEFAULT 0;
ALTER TABLE unit_vector ADD COLUMN revision bigint NOT NULL DEFAULT 0;
CREATE INDEX unit_by_revision ON unit (memory_id, revision);
CREATE INDEX unit_text_by_revision ON unit_text (memory_id, revision);
CREATE INDEX unit_vector_by_revision ON unit_vector (memory_id, set_id, revision);

CREATE OR REPLACE FUNCTION omoide_begin_write(of_memory integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE given bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(1869442817, of_memory);
  INSERT INTO counter AS c VALUES (of_memory, 'revision', (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
    ON CONFLICT (memory_id, name) DO UPDATE SET last = greatest(c.last + 1, excluded.last) RETURNING c.last INTO given;
  PERFORM set_config('omoide.revision', given::text, true);
  RETURN omoide_copying(of_memory);
END $$;

-- Changes only the row, as a trigger on a distributed table must.
CREATE FUNCTION omoide_note_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.revision := current_setting('omoide.revision')::bigint;
  RETURN NEW;
END $$;
CREATE TRIGGER unit_has_revision BEFORE INSERT OR UPDATE ON unit
  FOR EACH ROW WHEN (coalesce(current_setting('omoide.revision', true), '') <> '') EXECUTE FUNCTION omoide_note_revision();
CREATE TRIGGER unit_text_has_revision BEFORE INSERT OR UPDATE ON unit_text
  FOR EACH ROW WHEN (coalesce(current_setting('omoide.revision', true), '') <> '') EXECUTE FUNCTION omoide_note_revision();
CREATE TRIGGER unit_vector_has_revision BEFORE INSERT OR UPDATE ON unit_vector
  FOR EACH ROW WHEN (coalesce(current_setting('omoide.revision', true), '') <> '') EXECUTE FUNCTION omoide_note_revision();
