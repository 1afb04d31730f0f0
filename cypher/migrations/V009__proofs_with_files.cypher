// Whether any verification of a world names files: where none does, what makes a proof stale is read from the oldest proof on, and not
// from the first turn. A world that was written before may have some.
MATCH (w:World) SET w.hasProofFiles = true;
