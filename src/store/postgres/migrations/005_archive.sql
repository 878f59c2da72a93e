-- The name of a turn's copy in an archive. It can be set once; this is the only other change of a turn.
CREATE OR REPLACE FUNCTION omoide_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_forgotten CONSTANT boolean := TG_OP = 'UPDATE' AND starts_with(NEW.conversation_id, '/forgotten/')
    AND NEW.raw_pointer IS NULL AND NEW.sealed = '';
  is_archived CONSTANT boolean := TG_OP = 'UPDATE' AND OLD.raw_pointer IS NULL AND NEW.raw_pointer IS NOT NULL
    AND (NEW.conversation_id, NEW.sealed) = (OLD.conversation_id, OLD.sealed);
BEGIN
  IF (is_forgotten OR is_archived)
    AND (NEW.memory_id, NEW.id, NEW.turn_index, NEW.occurred_at, NEW.content_hash, NEW.chain_hash)
      = (OLD.memory_id, OLD.id, OLD.turn_index, OLD.occurred_at, OLD.content_hash, OLD.chain_hash)
  THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'turns are append-only';
END $$;

-- Sets it, for a role that has no UPDATE on turns.
CREATE FUNCTION omoide_archive_turns(of_memory integer, turn_ids bigint[], pointer text) RETURNS bigint
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE changed bigint;
BEGIN
  IF of_memory IS DISTINCT FROM nullif(current_setting('omoide.memory', true), '')::integer THEN
    RAISE EXCEPTION 'another memory' USING ERRCODE = 'insufficient_privilege';
  END IF;
  UPDATE turn SET raw_pointer = pointer
    WHERE memory_id = of_memory AND id = ANY (turn_ids) AND raw_pointer IS NULL;
  GET DIAGNOSTICS changed = ROW_COUNT;
  RETURN changed;
END $$;
REVOKE ALL ON FUNCTION omoide_archive_turns(integer, bigint[], text) FROM PUBLIC;

-- `omoide_grant` of 003, also for this function.
ALTER FUNCTION omoide_grant(regrole) RENAME TO omoide_grant_tables;
CREATE FUNCTION omoide_grant(to_role regrole) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM omoide_grant_tables(to_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION omoide_archive_turns(integer, bigint[], text) TO %s', to_role);
END $$;
