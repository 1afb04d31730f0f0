// A capture that makes a world asks whether other features have its task.
CREATE INDEX task_id IF NOT EXISTS FOR (n:Task) ON (n.id);
