// params:
// when constraints
SHOW CONSTRAINTS
// when indexes
SHOW INDEXES
// end
