-- Every write of a memory has a revision, so that a server knows with one statement whether its copy of the memory is
-- current. It is a time in microseconds, and greater than the one before: after a failover that lost commits, no revision
-- comes twice. In `counter`, with the number of times that accesses were counted.
CREATE FUNCTION omoide_begin_write(of_memory integer) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1869442817, of_memory);
  INSERT INTO counter AS c VALUES (of_memory, 'revision', (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
    ON CONFLICT (memory_id, name) DO UPDATE SET last = greatest(c.last + 1, excluded.last);
  RETURN omoide_copying(of_memory);
END $$;

-- Adds an access to each unit, once for each time that its id is given. It has no revision: the copies follow the number
-- of calls, which is returned; null for a memory that cannot be written. A power loss may undo the latest.
CREATE FUNCTION omoide_count_accesses(of_memory integer, unit_ids bigint[], counted_at bigint) RETURNS bigint
  LANGUAGE plpgsql AS $$
DECLARE calls bigint;
BEGIN
  PERFORM set_config('omoide.memory', of_memory::text, true), set_config('synchronous_commit', 'off', true),
    pg_advisory_xact_lock(1869442817, of_memory);
  IF omoide_copying(of_memory) IS NOT NULL THEN RETURN NULL; END IF;
  UPDATE unit SET access_count = access_count + n.times, last_accessed_at = counted_at
    FROM (SELECT j.id, count(*) AS times FROM unnest(unit_ids) j (id) GROUP BY j.id) n
    WHERE memory_id = of_memory AND unit.id = n.id;
  INSERT INTO counter AS c VALUES (of_memory, 'accesses', 1)
    ON CONFLICT (memory_id, name) DO UPDATE SET last = c.last + 1 RETURNING c.last INTO calls;
  RETURN calls;
END $$;
