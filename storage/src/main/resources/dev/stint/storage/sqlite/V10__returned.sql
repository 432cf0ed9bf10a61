-- How often a job came back without having used up an attempt, counted anew when it is replayed.
ALTER TABLE job ADD COLUMN returned INTEGER NOT NULL DEFAULT 0;

PRAGMA user_version = 10;
