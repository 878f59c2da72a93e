-- Memories with jobs that are due by an instant, or whose lease ends by then. Only the functions of this file read more than one
-- memory: a process asks once for all its memories. They run with the rights of the owner, because row-level security shows
-- the role of servers one memory at a time.
CREATE INDEX job_by_run_after ON job (run_after) WHERE status = 'queued';
CREATE INDEX job_by_lease ON job (lease_until) WHERE status = 'running';

CREATE FUNCTION omoide_memories_with_work(by_then bigint) RETURNS TABLE (memory_id integer, memory_name text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT m.id, m.name FROM memory m WHERE m.copying IS NULL AND m.id IN (
    SELECT j.memory_id FROM job j WHERE j.status = 'queued' AND j.run_after <= by_then
    UNION SELECT j.memory_id FROM job j WHERE j.status = 'running' AND j.lease_until <= by_then)
$$;

REVOKE ALL ON FUNCTION omoide_memories_with_work(bigint) FROM PUBLIC;

-- Memories whose vectors are of another model than this one, for the worker, which replaces them.
CREATE FUNCTION omoide_memories_of_other_models(wanted text) RETURNS SETOF text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT m.name FROM memory m WHERE m.copying IS NULL AND m.id IN (
    SELECT s.memory_id FROM vector_set s WHERE s.role = 'serving' AND s.count > 0 AND s.model <> wanted)
$$;
REVOKE ALL ON FUNCTION omoide_memories_of_other_models(text) FROM PUBLIC;

CREATE FUNCTION omoide_grant_work(to_role regrole) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('GRANT EXECUTE ON FUNCTION omoide_memories_with_work(bigint) TO %s', to_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION omoide_memories_of_other_models(text) TO %s', to_role);
END $$;
