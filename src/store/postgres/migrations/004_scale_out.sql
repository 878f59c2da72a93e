-- The statements that insert units also mark them as missing from the prepared vectors (`noteNewUnits`): a trigger on
-- `unit` that writes another table cannot run on a table that is distributed over servers.
DROP TRIGGER unit_needs_next_vector ON unit;
DROP FUNCTION omoide_unit_needs_next_vector();

-- Row-level security for the two tables without partitions. A transaction that names a memory sees only the row and the
-- events of that memory. Statements that name no memory see all rows: they look up names and read events for all servers.
ALTER TABLE memory ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_memory ON memory USING (
  coalesce(current_setting('omoide.memory', true), '') = ''
  OR id = nullif(current_setting('omoide.memory', true), '')::integer);
ALTER TABLE outbox ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_memory ON outbox USING (
  coalesce(current_setting('omoide.memory', true), '') = ''
  OR memory_id = nullif(current_setting('omoide.memory', true), '')::integer);

-- With the extension Citus: distributes each table that is not distributed yet by memory, so that all rows of a memory
-- are on one server. `memory` and `outbox` stay on the coordinator. Returns the number of tables distributed.
CREATE FUNCTION omoide_distribute() RETURNS integer LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  of_table regclass;
  distributed integer := 0;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_proc WHERE proname = 'create_distributed_table') THEN RETURN 0; END IF;
  -- Citus regards all triggers as unsafe. Ours, which rejects changes of turns, reads only the row.
  PERFORM set_config('citus.enable_unsafe_triggers', 'on', true);
  -- Required for several tables in one transaction.
  PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
  FOR of_table IN SELECT c.oid FROM pg_class c
    WHERE c.relkind = 'p' AND c.relnamespace = current_schema()::regnamespace
      AND NOT EXISTS (SELECT 1 FROM pg_dist_partition d WHERE d.logicalrelid = c.oid)
    ORDER BY c.relname <> 'turn', c.relname
  LOOP
    PERFORM create_distributed_table(of_table, 'memory_id',
      colocate_with => CASE of_table WHEN 'turn'::regclass THEN 'none' ELSE 'turn' END);
    distributed := distributed + 1;
  END LOOP;
  RETURN distributed;
END $$;
REVOKE ALL ON FUNCTION omoide_distribute() FROM PUBLIC;
