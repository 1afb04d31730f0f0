// The number of the newest turn that counts: each outcome is [turn, "decision", …]. Null if no turn counts.
toInteger(split(substring(w.outcomes[size(w.outcomes) - 1], 1), ',')[0])
