-- A keyed hash of each row that nothing else protects from changes; `hashRows` fills it in for the rows that exist.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['link', 'entity', 'unit_entity', 'edge', 'topic_member', 'topic_parent'] LOOP
    EXECUTE format('ALTER TABLE %I ADD COLUMN mac text COLLATE "C" NOT NULL DEFAULT ''''', name);
    -- A server of an earlier version must not add rows without one.
    EXECUTE format('ALTER TABLE %I ALTER COLUMN mac DROP DEFAULT', name);
  END LOOP;
END $$;
