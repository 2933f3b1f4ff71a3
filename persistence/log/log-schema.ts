// The schema of a log in PostgreSQL. A released form is never edited: another one gets a new
// number, and nodes refuse a number that they do not know.

export const LOG_FORMAT = 1

/** The channel on which a leader notifies how far its batches were acknowledged. */
export const CONFIRMED_CHANNEL = 'outcomex_confirmed'

/** The key of the lock under which one node at a time creates the schema. */
const SCHEMA_LOCK = 7_046_029_254

/**
 * `trim_log` removes the oldest batches up to a seq, a bounded number in one transaction.
 * `append_batch` is one transaction with its checks: the epoch of the caller is the newest, and the
 * batch follows the end of the log. So a leader that was replaced appends nothing, and a call that
 * arrives twice or late has no effect. FOR UPDATE lets a new epoch, and a second call for the same
 * batch, wait for an append under way: the second would otherwise violate the primary key.
 */
export const CREATE_LOG = `
BEGIN;
SELECT pg_advisory_xact_lock(${SCHEMA_LOCK});
CREATE SCHEMA IF NOT EXISTS outcomex;
CREATE TABLE IF NOT EXISTS outcomex.marks (
  name  text PRIMARY KEY,
  value bytea NOT NULL
);
INSERT INTO outcomex.marks VALUES ('format', '${LOG_FORMAT}') ON CONFLICT DO NOTHING;
CREATE TABLE IF NOT EXISTS outcomex.batches (
  first_seq bigint PRIMARY KEY,
  last_seq  bigint NOT NULL,
  epoch     bigint NOT NULL,
  records   bytea NOT NULL,
  checksum  bytea NOT NULL
);
ALTER TABLE outcomex.batches ALTER COLUMN records SET STORAGE EXTERNAL;
CREATE TABLE IF NOT EXISTS outcomex.base (
  id       integer PRIMARY KEY CHECK (id = 1),
  seq      bigint NOT NULL,
  checksum bytea NOT NULL
);
CREATE TABLE IF NOT EXISTS outcomex.leadership (
  id    integer PRIMARY KEY CHECK (id = 1),
  epoch bigint NOT NULL,
  node  text NOT NULL,
  run   text NOT NULL,
  url   text NOT NULL,
  until timestamptz NOT NULL
);
INSERT INTO outcomex.leadership VALUES (1, 0, '', '', '', '-infinity') ON CONFLICT DO NOTHING;
CREATE TABLE IF NOT EXISTS outcomex.nodes (
  name    text PRIMARY KEY,
  run     text NOT NULL,
  url     text NOT NULL,
  seq     bigint NOT NULL,
  version text NOT NULL,
  rules   integer NOT NULL,
  seen    timestamptz NOT NULL
);
CREATE TABLE IF NOT EXISTS outcomex.hashes (
  seq   bigint NOT NULL,
  node  text NOT NULL,
  hash  text NOT NULL,
  taken timestamptz NOT NULL,
  PRIMARY KEY (seq, node)
);
CREATE OR REPLACE FUNCTION outcomex.append_batch(
  own_epoch bigint, own_first bigint, own_last bigint, own_records bytea, own_checksum bytea,
  needs_standby boolean
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  end_seq bigint;
BEGIN
  PERFORM 1 FROM outcomex.leadership WHERE id = 1 AND epoch = own_epoch FOR UPDATE;
  IF NOT FOUND THEN RETURN 'replaced'; END IF;
  IF needs_standby AND current_setting('synchronous_standby_names') = '' THEN
    RETURN 'unsynchronous';
  END IF;
  SELECT last_seq INTO end_seq FROM outcomex.batches ORDER BY first_seq DESC LIMIT 1;
  IF NOT FOUND THEN SELECT seq INTO end_seq FROM outcomex.base WHERE id = 1; END IF;
  IF end_seq <> own_first - 1 THEN RETURN 'elsewhere'; END IF;
  INSERT INTO outcomex.batches VALUES (own_first, own_last, own_epoch, own_records, own_checksum);
  RETURN 'appended';
END $$;
CREATE OR REPLACE FUNCTION outcomex.trim_log(
  own_epoch bigint, through bigint, rows_max integer
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  last outcomex.batches;
BEGIN
  PERFORM 1 FROM outcomex.leadership WHERE id = 1 AND epoch = own_epoch FOR SHARE;
  IF NOT FOUND THEN RETURN false; END IF;
  SELECT * INTO last FROM (
    SELECT * FROM outcomex.batches ORDER BY first_seq LIMIT rows_max
  ) AS oldest WHERE last_seq <= through ORDER BY first_seq DESC LIMIT 1;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE outcomex.base SET seq = last.last_seq, checksum = last.checksum WHERE id = 1;
  DELETE FROM outcomex.batches WHERE first_seq <= last.first_seq;
  RETURN true;
END $$;
COMMIT;
`
