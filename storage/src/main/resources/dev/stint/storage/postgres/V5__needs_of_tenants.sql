-- A class of jobs may be one tenant's, or for one place that they are delivered to; '' is for none.
ALTER TABLE needs
  ADD COLUMN target    text NOT NULL DEFAULT '',
  ADD COLUMN tenant    text NOT NULL DEFAULT '',
  ADD COLUMN workspace text NOT NULL DEFAULT '';

CREATE INDEX needs_whose ON needs (target, tenant);
