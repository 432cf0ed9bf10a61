-- How often a job came back without having used up an attempt, counted anew when it is replayed.
ALTER TABLE job ADD COLUMN returned integer NOT NULL DEFAULT 0;
