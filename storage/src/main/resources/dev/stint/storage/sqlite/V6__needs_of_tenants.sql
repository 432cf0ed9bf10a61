-- A class of jobs may be one tenant's, or for one place that they are delivered to; '' is for none.
-- SQLite can only make the table anew for that; the ids stay.
CREATE TABLE needs_anew (
  id           INTEGER PRIMARY KEY,
  target       TEXT    NOT NULL,
  tenant       TEXT    NOT NULL,
  workspace    TEXT    NOT NULL,
  command      INTEGER NOT NULL CHECK (command IN (0, 1)),
  requirements TEXT    NOT NULL,  -- a sorted JSON array
  UNIQUE (target, tenant, workspace, command, requirements)
) STRICT;

INSERT INTO needs_anew (id, target, tenant, workspace, command, requirements)
SELECT id, '', '', '', command, requirements FROM needs;

DROP TABLE needs;

ALTER TABLE needs_anew RENAME TO needs;

PRAGMA user_version = 6;
