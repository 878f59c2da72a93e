-- Moves memories to another database by logical replication while servers run; the steps are in docs/sharding.md.

-- Memories of different databases need different ids, so that they can be moved: a new database begins at a random million.
DO $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM memory) THEN
    EXECUTE format('ALTER TABLE memory ALTER id RESTART WITH %s', 1 + 1000000 * floor(random() * 2000)::integer);
  END IF;
END $$;

-- Why a memory cannot be written to; null if it can. A function, so that it sees what was committed while the caller waited for the lock.
CREATE FUNCTION omoide_copying(of_memory integer) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT copying FROM memory WHERE id = of_memory);
END $$;

-- Publishes only these memories, as `omoide_move`.
CREATE FUNCTION omoide_publish(names text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  ids text;
  found integer;
  tables text;
BEGIN
  SELECT string_agg(id::text, ', '), count(*) INTO ids, found FROM memory WHERE name = ANY (names);
  IF found <> cardinality(names) THEN RAISE EXCEPTION 'some of these memories are not in this database'; END IF;
  SELECT string_agg(format('TABLE %I WHERE (memory_id IN (%s))', relname, ids), ', ') INTO tables
    FROM pg_class WHERE relkind = 'p' AND relnamespace = current_schema()::regnamespace;
  EXECUTE format('CREATE PUBLICATION omoide_move FOR %s, TABLE memory WHERE (id IN (%s))
    WITH (publish_via_partition_root = true)', tables, ids);
END $$;

-- Waits for current writers and then rejects further writes to these memories. The mark is replicated after all earlier writes.
CREATE FUNCTION omoide_hand_over(names text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- The locks of writers and of processes that claim jobs.
  PERFORM pg_advisory_xact_lock(1869442817, id), pg_advisory_xact_lock(1869442818, id)
    FROM memory WHERE name = ANY (names);
  UPDATE memory SET copying = 'moved' WHERE name = ANY (names);
END $$;

-- Opens memories that were handed over to this database for writing. Returns their number.
CREATE FUNCTION omoide_take_over() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  taken integer;
BEGIN
  PERFORM setval(pg_get_serial_sequence('memory', 'id'), max(id)) FROM memory;
  PERFORM omoide_index_vectors(dimensions) FROM (SELECT DISTINCT dimensions FROM vector_set) d;
  UPDATE memory SET copying = NULL WHERE copying = 'moved';
  GET DIAGNOSTICS taken = ROW_COUNT;
  RETURN taken;
END $$;
REVOKE ALL ON FUNCTION omoide_publish(text[]), omoide_hand_over(text[]), omoide_take_over() FROM PUBLIC;
