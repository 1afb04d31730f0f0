// The database's clock.
RETURN timestamp() AS now
