-- Row-level security, for roles other than the owner: a transaction names a memory and sees only its rows. `memory` and
-- `outbox` get theirs in 004.
DO $$
DECLARE name text;
BEGIN
  FOR name IN SELECT c.relname FROM pg_class c
    WHERE c.relkind = 'p' AND c.relnamespace = current_schema()::regnamespace ORDER BY 1
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_memory ON %I USING (
      memory_id = nullif(current_setting(''omoide.memory'', true), '''')::integer)', name);
  END LOOP;
END $$;

-- Removes the words of a turn, for a role that has no UPDATE on turns.
CREATE FUNCTION omoide_forget_turn(of_memory integer, turn_id bigint, forgotten_name text) RETURNS bigint
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE changed bigint;
BEGIN
  IF of_memory IS DISTINCT FROM nullif(current_setting('omoide.memory', true), '')::integer THEN
    RAISE EXCEPTION 'another memory' USING ERRCODE = 'insufficient_privilege';
  END IF;
  UPDATE turn SET conversation_id = forgotten_name, sealed = '', raw_pointer = NULL
    WHERE memory_id = of_memory AND id = turn_id;
  GET DIAGNOSTICS changed = ROW_COUNT;
  RETURN changed;
END $$;

-- Gives a role only the rights that servers and workers need. Turns, checkpoints and receipts can be read and added.
CREATE FUNCTION omoide_grant(to_role regrole) RETURNS void LANGUAGE plpgsql AS $$
DECLARE name text;
BEGIN
  FOR name IN SELECT c.relname FROM pg_class c
    WHERE c.relkind IN ('p', 'r') AND NOT c.relispartition AND c.relnamespace = current_schema()::regnamespace
  LOOP
    EXECUTE format('REVOKE ALL ON %I FROM %s', name, to_role);
    EXECUTE format('GRANT %s ON %I TO %s', CASE
      WHEN name = 'omoide_schema' THEN 'SELECT'
      WHEN name IN ('turn', 'checkpoint', 'receipt') THEN 'SELECT, INSERT'
      WHEN name = 'memory' THEN 'SELECT, INSERT, UPDATE'
      ELSE 'SELECT, INSERT, UPDATE, DELETE' END, name, to_role);
  END LOOP;
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %s', current_schema(), to_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION omoide_forget_turn(integer, bigint, text) TO %s', to_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION omoide_index_vectors(integer) TO %s', to_role);
END $$;

REVOKE ALL ON FUNCTION omoide_forget_turn(integer, bigint, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION omoide_index_vectors(integer) FROM PUBLIC;
