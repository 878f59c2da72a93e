-- Messages between the processes that use this database. It contains no words of a memory: an event names its unit.
-- Processes are notified of new rows and read them here, so a process that was disconnected for a while misses none.
CREATE TABLE outbox (
  seq       bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  memory_id integer     NOT NULL,
  kind      text        NOT NULL CHECK (kind IN ('event', 'message', 'erased')),
  unit_id   bigint,     -- of an event
  message   text,       -- of a message
  at        timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX outbox_by_age ON outbox (at);
