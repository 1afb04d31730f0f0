// params:
SHOW INDEXES
