-- To check IN (…), SQLite makes a table of the listed values anew for every row, which took 8 % of
-- the writer's time. Spelt out, the check of a job's state is the same and needs no table. What is
-- stored stays as it is, so only the text of the table changes, in the way that SQLite gives for it:
-- https://www.sqlite.org/lang_altertable.html#making_other_kinds_of_table_schema_changes
PRAGMA writable_schema = ON;

UPDATE sqlite_schema
SET sql = replace(sql,
    'state IN (''PENDING'', ''ASSIGNED'', ''RUNNING'', ''LOST'',
                                ''RETRYING'', ''COMPLETED'', ''FAILED'', ''ABORTED'')',
    'state = ''PENDING'' OR state = ''ASSIGNED'' OR state = ''RUNNING'' OR state = ''LOST''
     OR state = ''RETRYING'' OR state = ''COMPLETED'' OR state = ''FAILED'' OR state = ''ABORTED''')
WHERE type = 'table' AND name = 'job';

PRAGMA writable_schema = RESET;

PRAGMA user_version = 3;
