// Tables of profiles that others can see. `profile_standings` has the values that a search shows
// and sorts by, as in the rows of the other two tables. `profile_prefixes` has one row for each
// prefix of a username or a social handle, from two characters on, with the standing in its key: a
// search is one sorted range of it. `profile_parts` has the other suffixes of traders' usernames.

export const SOCIAL_TABLES = `
ALTER TABLE profiles ADD COLUMN x_handle TEXT;
ALTER TABLE profiles ADD COLUMN x_avatar TEXT;
ALTER TABLE profiles ADD COLUMN is_machine INTEGER NOT NULL DEFAULT 0;
CREATE INDEX profiles_by_account ON profiles (lower(account));
CREATE TABLE follows (
  owner    INTEGER NOT NULL,
  followed INTEGER NOT NULL,
  seq      INTEGER NOT NULL,
  PRIMARY KEY (owner, followed)
) STRICT, WITHOUT ROWID;
CREATE INDEX follows_by_followed ON follows (followed, owner);
CREATE TABLE profile_standings (
  profile_id INTEGER PRIMARY KEY,
  followers  INTEGER NOT NULL,
  volume_raw INTEGER NOT NULL,
  has_traded INTEGER NOT NULL,
  is_machine INTEGER NOT NULL,
  shown_raw  INTEGER NOT NULL,
  is_due     INTEGER NOT NULL,
  name       TEXT,
  handle     TEXT
) STRICT;
CREATE INDEX standings_by_followers
  ON profile_standings (is_machine, followers DESC, shown_raw DESC, profile_id);
CREATE INDEX standings_due ON profile_standings (is_due, profile_id) WHERE is_due = 1;
CREATE TABLE profile_prefixes (
  prefix     TEXT NOT NULL,
  is_handle  INTEGER NOT NULL,
  is_whole   INTEGER NOT NULL,
  has_traded INTEGER NOT NULL,
  followers  INTEGER NOT NULL,
  volume_raw INTEGER NOT NULL,
  profile_id INTEGER NOT NULL,
  PRIMARY KEY (prefix, is_handle, is_whole DESC, has_traded DESC, followers DESC, volume_raw DESC,
    profile_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE profile_parts (
  part       TEXT NOT NULL,
  profile_id INTEGER NOT NULL,
  PRIMARY KEY (part, profile_id)
) STRICT, WITHOUT ROWID;
`
