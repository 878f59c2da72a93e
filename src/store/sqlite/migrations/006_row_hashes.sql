-- A keyed hash of each row that nothing else protects from changes; `hashRows` fills it in for the rows that exist.
ALTER TABLE link ADD COLUMN mac TEXT NOT NULL DEFAULT '';
ALTER TABLE entity ADD COLUMN mac TEXT NOT NULL DEFAULT '';
ALTER TABLE unit_entity ADD COLUMN mac TEXT NOT NULL DEFAULT '';
ALTER TABLE edge ADD COLUMN mac TEXT NOT NULL DEFAULT '';
ALTER TABLE topic_member ADD COLUMN mac TEXT NOT NULL DEFAULT '';
ALTER TABLE topic_parent ADD COLUMN mac TEXT NOT NULL DEFAULT '';
