-- A second wall around each memory, for roles other than the owner: rows of another memory than the one that the transaction
-- named are not there. `memory` and `outbox` have none: names are looked up before a memory is known, and events are
-- for all servers.
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

-- All that can be done to a turn, for a role that has no UPDATE on turns: its words go.
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

-- Gives a role what servers and workers need, and no more: turns, checkpoints and receipts are read and added to.
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
