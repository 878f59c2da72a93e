-- All memories of the database. Every key begins with the memory, and every table except this one is hash-partitioned by
-- it. There are no foreign keys, because partitions may be on other servers; `verify` checks references.

CREATE TABLE memory (
  id               integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  name             text COLLATE "C" NOT NULL UNIQUE,
  time_zone        text    NOT NULL,
  -- The memory key, encrypted under the master key.
  wrapped_key      bytea   NOT NULL,
  -- Not null: the memory is being copied from another store and cannot be opened yet. A fingerprint of the source.
  copying          text,
  analysis_version integer NOT NULL,
  names_version    integer NOT NULL
);

-- The last used id of each kind. Each memory has its own ids, and no id is used twice.
CREATE TABLE counter (
  memory_id integer NOT NULL,
  name      text COLLATE "C" NOT NULL,
  last      bigint  NOT NULL,
  PRIMARY KEY (memory_id, name)
) PARTITION BY HASH (memory_id);

CREATE TABLE turn (
  memory_id       integer NOT NULL,
  id              bigint  NOT NULL,
  conversation_id text COLLATE "C" NOT NULL,
  turn_index      bigint  NOT NULL CHECK (turn_index >= 0),
  occurred_at     bigint  NOT NULL,
  -- The address of its key, and speaker, text, meta, origin and salt, encrypted with that key.
  sealed          bytea   NOT NULL,
  content_hash    bytea   NOT NULL,
  chain_hash      bytea   NOT NULL,
  raw_pointer     text,
  PRIMARY KEY (memory_id, id),
  UNIQUE (memory_id, conversation_id, turn_index)
) PARTITION BY HASH (memory_id);

-- Pages of keys of turns, 32 bytes each, encrypted under the master key. A destroyed key is all zeros.
CREATE TABLE key_page (
  memory_id integer NOT NULL,
  id        bytea   NOT NULL,
  keys      bytea   NOT NULL,
  PRIMARY KEY (memory_id, id)
) PARTITION BY HASH (memory_id);

CREATE TABLE conversation (
  memory_id     integer NOT NULL,
  id            text COLLATE "C" NOT NULL,
  turns         bigint  NOT NULL,
  first_turn_at bigint  NOT NULL,
  last_turn_at  bigint  NOT NULL,
  PRIMARY KEY (memory_id, id)
) PARTITION BY HASH (memory_id);
CREATE INDEX conversation_by_time ON conversation (memory_id, last_turn_at DESC, id);

CREATE TABLE checkpoint (
  memory_id  integer NOT NULL,
  id         bigint  NOT NULL,
  turn_id    bigint  NOT NULL,
  chain_hash text    NOT NULL,
  at         bigint  NOT NULL,
  public_key text    NOT NULL,
  signature  text COLLATE "C" NOT NULL,
  PRIMARY KEY (memory_id, id),
  UNIQUE (memory_id, signature)
) PARTITION BY HASH (memory_id);

CREATE TABLE unit (
  memory_id        integer  NOT NULL,
  id               bigint   NOT NULL,
  kind             smallint NOT NULL,
  turn_id          bigint,
  conversation_id  text COLLATE "C",
  turn_index       bigint,
  occurred_at      bigint   NOT NULL,
  created_at       bigint   NOT NULL,
  updated_at       bigint   NOT NULL,
  source           text COLLATE "C" NOT NULL,
  state            smallint NOT NULL,
  confidence       double precision NOT NULL,
  salience         double precision NOT NULL,
  sensitivity      smallint NOT NULL,
  pinned           smallint NOT NULL,
  topic_tags       text     NOT NULL,
  scope            smallint NOT NULL,
  expires_at       bigint,
  reinforcement    bigint   NOT NULL,
  access_count     bigint   NOT NULL,
  last_accessed_at bigint,
  emotion          text,
  version          bigint   NOT NULL,
  payload          json     NOT NULL,
  PRIMARY KEY (memory_id, id)
) PARTITION BY HASH (memory_id);
CREATE UNIQUE INDEX unit_by_turn ON unit (memory_id, turn_id);
CREATE INDEX unit_by_age ON unit (memory_id, occurred_at, id);
CREATE INDEX unit_by_time ON unit (memory_id, kind, occurred_at, id);
CREATE INDEX unit_by_place ON unit (memory_id, conversation_id, turn_index) INCLUDE (id) WHERE conversation_id IS NOT NULL;
CREATE INDEX unit_by_uri ON unit (memory_id, (payload ->> 'uri')) WHERE kind = 5;
CREATE INDEX unit_by_object ON unit (memory_id, (payload ->> 'objectEntityId'))
  WHERE kind = 1 AND payload ->> 'objectEntityId' IS NOT NULL;
CREATE INDEX unit_pinned ON unit (memory_id, occurred_at) WHERE pinned = 1;

CREATE TABLE unit_version (
  memory_id      integer NOT NULL,
  unit_id        bigint  NOT NULL,
  version        bigint  NOT NULL,
  parent_version bigint,
  reason         text    NOT NULL,
  payload_hash   text    NOT NULL,
  at             bigint  NOT NULL,
  snapshot       json    NOT NULL,
  PRIMARY KEY (memory_id, unit_id, version)
) PARTITION BY HASH (memory_id);

CREATE TABLE link (
  memory_id    integer NOT NULL,
  from_unit_id bigint  NOT NULL,
  to_unit_id   bigint  NOT NULL,
  relation     text COLLATE "C" NOT NULL,
  PRIMARY KEY (memory_id, from_unit_id, to_unit_id, relation)
) PARTITION BY HASH (memory_id);
CREATE INDEX link_backwards ON link (memory_id, to_unit_id);

CREATE TABLE derivation (
  memory_id   integer NOT NULL,
  unit_id     bigint  NOT NULL,
  kind        text COLLATE "C" NOT NULL,
  fingerprint bytea   NOT NULL,
  PRIMARY KEY (memory_id, unit_id, kind, fingerprint)
) PARTITION BY HASH (memory_id);

-- The text index: which units contain which terms, and how often (at most 255 times). `length` is the unit's number of
-- terms (at most 65,535), repeated here so that a search reads only this table.
CREATE TABLE term (
  memory_id integer NOT NULL,
  term      text COLLATE "C" NOT NULL,
  id        bigint  NOT NULL,
  documents bigint  NOT NULL,
  PRIMARY KEY (memory_id, term) INCLUDE (id, documents)
) PARTITION BY HASH (memory_id);

CREATE TABLE posting (
  memory_id integer  NOT NULL,
  term_id   bigint   NOT NULL,
  unit_id   bigint   NOT NULL,
  times     smallint NOT NULL,
  length    integer  NOT NULL,
  PRIMARY KEY (memory_id, term_id, unit_id) INCLUDE (times, length)
) PARTITION BY HASH (memory_id);
CREATE INDEX posting_backwards ON posting (memory_id, unit_id);

CREATE TABLE unit_text (
  memory_id integer NOT NULL,
  unit_id   bigint  NOT NULL,
  length    integer NOT NULL,
  PRIMARY KEY (memory_id, unit_id)
) PARTITION BY HASH (memory_id);

CREATE TABLE indexed (
  memory_id integer  NOT NULL,
  kind      smallint NOT NULL,
  documents bigint   NOT NULL,
  terms     bigint   NOT NULL,
  PRIMARY KEY (memory_id, kind)
) PARTITION BY HASH (memory_id);

CREATE TABLE speaker (
  memory_id integer NOT NULL,
  name      text COLLATE "C" NOT NULL,
  turns     bigint  NOT NULL,
  terms     bigint  NOT NULL, -- of the words alone, without name and date
  questions bigint  NOT NULL,
  PRIMARY KEY (memory_id, name)
) PARTITION BY HASH (memory_id);

CREATE TABLE unit_time (
  memory_id integer NOT NULL,
  unit_id   bigint  NOT NULL,
  from_at   bigint  NOT NULL,
  to_at     bigint  NOT NULL,
  PRIMARY KEY (memory_id, unit_id, from_at, to_at)
) PARTITION BY HASH (memory_id);
CREATE INDEX unit_time_by_start ON unit_time (memory_id, from_at);

-- Vectors of whole numbers from −127 to 127, so that their products are exact. Each partition has one index for each number of
-- dimensions; `omoide_index_vectors` creates the index for a new number.
CREATE TABLE vector_set (
  memory_id  integer NOT NULL,
  id         bigint  NOT NULL,
  role       text COLLATE "C" NOT NULL CHECK (role IN ('serving', 'next')),
  model      text    NOT NULL,
  dimensions integer NOT NULL,
  count      bigint  NOT NULL,
  sum        bytea   NOT NULL,
  PRIMARY KEY (memory_id, id)
) PARTITION BY HASH (memory_id);

CREATE TABLE unit_vector (
  memory_id      integer  NOT NULL,
  set_id         bigint   NOT NULL,
  unit_id        bigint   NOT NULL,
  kind           smallint NOT NULL,
  occurred_at    bigint   NOT NULL,
  state          smallint NOT NULL,
  sensitivity    smallint NOT NULL,
  scope          smallint NOT NULL,
  dimensions     integer  NOT NULL,
  squared_length double precision NOT NULL,
  embedding      halfvec  NOT NULL,
  PRIMARY KEY (memory_id, set_id, unit_id)
) PARTITION BY HASH (memory_id);

CREATE TABLE vector_pending (
  memory_id integer  NOT NULL,
  unit_id   bigint   NOT NULL,
  is_stale  smallint NOT NULL,
  PRIMARY KEY (memory_id, unit_id)
) PARTITION BY HASH (memory_id);

CREATE TABLE entity (
  memory_id integer NOT NULL,
  id        bigint  NOT NULL,
  type      text    NOT NULL,
  name      text    NOT NULL,
  aliases   text    NOT NULL,
  salience  double precision,
  mentions  bigint  NOT NULL,
  PRIMARY KEY (memory_id, id)
) PARTITION BY HASH (memory_id);
CREATE INDEX entity_by_mentions ON entity (memory_id, mentions DESC, id);

CREATE TABLE entity_alias (
  memory_id integer NOT NULL,
  folded    text COLLATE "C" NOT NULL,
  entity_id bigint  NOT NULL,
  PRIMARY KEY (memory_id, folded, entity_id)
) PARTITION BY HASH (memory_id);
CREATE INDEX entity_alias_backwards ON entity_alias (memory_id, entity_id);

CREATE TABLE entity_key (
  memory_id integer NOT NULL,
  key       text COLLATE "C" NOT NULL,
  entity_id bigint  NOT NULL,
  PRIMARY KEY (memory_id, key, entity_id)
) PARTITION BY HASH (memory_id);
CREATE INDEX entity_key_backwards ON entity_key (memory_id, entity_id);

CREATE TABLE unit_entity (
  memory_id  integer NOT NULL,
  unit_id    bigint  NOT NULL,
  entity_id  bigint  NOT NULL,
  surface    text    NOT NULL,
  confidence double precision NOT NULL,
  PRIMARY KEY (memory_id, unit_id, entity_id)
) PARTITION BY HASH (memory_id);
CREATE INDEX unit_entity_backwards ON unit_entity (memory_id, entity_id, unit_id);

CREATE TABLE edge (
  memory_id      integer NOT NULL,
  from_entity_id bigint  NOT NULL,
  to_entity_id   bigint  NOT NULL,
  relation       text COLLATE "C" NOT NULL,
  unit_id        bigint  NOT NULL,
  weight         double precision NOT NULL,
  PRIMARY KEY (memory_id, from_entity_id, to_entity_id, relation, unit_id)
) PARTITION BY HASH (memory_id);
CREATE INDEX edge_backwards ON edge (memory_id, to_entity_id);
CREATE INDEX edge_by_evidence ON edge (memory_id, unit_id);

CREATE TABLE topic (
  memory_id      integer NOT NULL,
  id             bigint  NOT NULL,
  title          text    NOT NULL,
  summary        text,
  source         text    NOT NULL,
  created_at     bigint  NOT NULL,
  updated_at     bigint  NOT NULL,
  state          text COLLATE "C" NOT NULL CHECK (state IN ('active', 'archived')),
  successor_id   bigint,
  strength       double precision NOT NULL,
  members        bigint  NOT NULL,
  first_at       bigint,
  last_at        bigint,
  emotion        text,
  emotion_weight double precision NOT NULL,
  version        bigint  NOT NULL,
  changes        bigint  NOT NULL,
  PRIMARY KEY (memory_id, id)
) PARTITION BY HASH (memory_id);
CREATE INDEX topic_by_strength ON topic (memory_id, state, strength DESC, id);

CREATE TABLE topic_parent (
  memory_id integer NOT NULL,
  topic_id  bigint  NOT NULL,
  parent_id bigint  NOT NULL,
  PRIMARY KEY (memory_id, topic_id, parent_id)
) PARTITION BY HASH (memory_id);
CREATE INDEX topic_parent_backwards ON topic_parent (memory_id, parent_id, topic_id);

CREATE TABLE topic_member (
  memory_id integer NOT NULL,
  topic_id  bigint  NOT NULL,
  unit_id   bigint  NOT NULL,
  weight    double precision NOT NULL,
  PRIMARY KEY (memory_id, topic_id, unit_id)
) PARTITION BY HASH (memory_id);
CREATE INDEX topic_member_backwards ON topic_member (memory_id, unit_id, topic_id);

CREATE TABLE topic_centroid (
  memory_id integer NOT NULL,
  topic_id  bigint  NOT NULL,
  sum       bytea   NOT NULL,
  PRIMARY KEY (memory_id, topic_id)
) PARTITION BY HASH (memory_id);

CREATE TABLE topic_term (
  memory_id integer NOT NULL,
  term      text COLLATE "C" NOT NULL,
  topic_id  bigint  NOT NULL,
  times     bigint  NOT NULL,
  PRIMARY KEY (memory_id, term, topic_id)
) PARTITION BY HASH (memory_id);
CREATE INDEX topic_term_backwards ON topic_term (memory_id, topic_id);

CREATE TABLE note_file (
  memory_id   integer  NOT NULL,
  uri         text COLLATE "C" NOT NULL,
  scope       smallint NOT NULL,
  hash        text     NOT NULL,
  size_bytes  bigint   NOT NULL,
  modified_at double precision NOT NULL,
  unit_ids    text     NOT NULL,
  PRIMARY KEY (memory_id, uri)
) PARTITION BY HASH (memory_id);

CREATE TABLE job (
  memory_id       integer NOT NULL,
  id              bigint  NOT NULL,
  kind            text COLLATE "C" NOT NULL,
  key             text COLLATE "C" NOT NULL,
  conversation_id text COLLATE "C",
  input           text    NOT NULL,
  status          text COLLATE "C" NOT NULL CHECK (status IN ('queued', 'running', 'failed')),
  attempts        bigint  NOT NULL,
  run_after       bigint  NOT NULL,
  lease_owner     text COLLATE "C",
  lease_until     bigint,
  last_error      text,
  created_at      bigint  NOT NULL,
  again_after     bigint,
  PRIMARY KEY (memory_id, id),
  UNIQUE (memory_id, key)
) PARTITION BY HASH (memory_id);
CREATE INDEX job_by_time ON job (memory_id, status, kind, run_after);
CREATE INDEX job_due ON job (memory_id, status, kind, id);
CREATE INDEX job_order ON job (memory_id, conversation_id, kind, status, run_after);

CREATE TABLE journal (
  memory_id      integer NOT NULL,
  id             bigint  NOT NULL,
  key            text COLLATE "C",
  at             bigint  NOT NULL,
  plan           text    NOT NULL,
  topics_added   bigint  NOT NULL,
  topics_changed bigint  NOT NULL,
  units_changed  bigint  NOT NULL,
  rolled_back_at bigint,
  erased_at      bigint,
  PRIMARY KEY (memory_id, id)
) PARTITION BY HASH (memory_id);
CREATE UNIQUE INDEX journal_by_key ON journal (memory_id, key);

CREATE TABLE journal_image (
  memory_id integer NOT NULL,
  entry_id  bigint  NOT NULL,
  of_table  text COLLATE "C" NOT NULL,
  row_key   text COLLATE "C" NOT NULL,
  before    text,
  after     text,
  PRIMARY KEY (memory_id, entry_id, of_table, row_key)
) PARTITION BY HASH (memory_id);

CREATE TABLE journal_touch (
  memory_id integer NOT NULL,
  kind      text COLLATE "C" NOT NULL CHECK (kind IN ('topic', 'unit')),
  id        bigint  NOT NULL,
  entry_id  bigint  NOT NULL,
  PRIMARY KEY (memory_id, kind, id, entry_id)
) PARTITION BY HASH (memory_id);
CREATE INDEX journal_touch_backwards ON journal_touch (memory_id, entry_id);

-- Signed receipts of permanent forgetting. `receipt`: JSON.
CREATE TABLE receipt (
  memory_id integer NOT NULL,
  id        bigint  NOT NULL,
  receipt   text    NOT NULL,
  PRIMARY KEY (memory_id, id)
) PARTITION BY HASH (memory_id);

-- Creates the partitions of every table, the same number for each.
DO $$
DECLARE name text;
BEGIN
  FOR name IN SELECT c.relname FROM pg_class c
    WHERE c.relkind = 'p' AND c.relnamespace = current_schema()::regnamespace ORDER BY 1
  LOOP
    FOR part IN 0 .. current_setting('omoide.partitions')::integer - 1 LOOP
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s)',
        name || '_' || part, name, current_setting('omoide.partitions'), part);
    END LOOP;
  END LOOP;
END $$;

-- Turns are append-only for every role. The only allowed change is to forget a turn: its words are removed, its place
-- in the chain stays.
CREATE FUNCTION omoide_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND starts_with(NEW.conversation_id, '/forgotten/') AND NEW.raw_pointer IS NULL
    AND NEW.sealed = ''
    AND (NEW.memory_id, NEW.id, NEW.turn_index, NEW.occurred_at, NEW.content_hash, NEW.chain_hash)
      = (OLD.memory_id, OLD.id, OLD.turn_index, OLD.occurred_at, OLD.content_hash, OLD.chain_hash)
  THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'turns are append-only';
END $$;
CREATE TRIGGER turn_is_never_changed BEFORE UPDATE OR DELETE ON turn
  FOR EACH ROW EXECUTE FUNCTION omoide_refuse();
CREATE TRIGGER turn_is_never_emptied BEFORE TRUNCATE ON turn
  FOR EACH STATEMENT EXECUTE FUNCTION omoide_refuse();

CREATE FUNCTION omoide_unit_needs_next_vector() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO vector_pending SELECT DISTINCT n.memory_id, n.id, 0 FROM added n
    JOIN vector_set s ON s.memory_id = n.memory_id AND s.role = 'next'
    ON CONFLICT (memory_id, unit_id) DO UPDATE SET is_stale = 0;
  RETURN NULL;
END $$;
CREATE TRIGGER unit_needs_next_vector AFTER INSERT ON unit
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION omoide_unit_needs_next_vector();

-- Creates the indexes for vectors of this number of dimensions, at most 4,000. It runs with the rights of the owner, so that a
-- role that may not change the schema can call it.
CREATE FUNCTION omoide_index_vectors(dimensions integer) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF dimensions > 4000 OR to_regclass('unit_vector_near_' || dimensions) IS NOT NULL THEN RETURN; END IF;
  EXECUTE format('CREATE INDEX %I ON unit_vector USING hnsw ((embedding::halfvec(%s)) halfvec_cosine_ops)
    WHERE dimensions = %s', 'unit_vector_near_' || dimensions, dimensions, dimensions);
END $$;
SELECT omoide_index_vectors(256);
