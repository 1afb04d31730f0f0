// Which of these turns stand already, and how much they hold: of copies that differ, the one with more calls counts.
// params: $keys
UNWIND $keys AS key
MATCH (t:TranscriptTurn {key: key})
RETURN t.key AS key, t.length AS length, t.sessionId AS sessionId
