// The knowledge of other sessions before the first turn of a session, if only its feature is known. If there
// is an earlier turn, the context contains it (turns/context).
// params: $topics $own
UNWIND $topics AS topic
WITH topic, $own AS own
// include elsewhere/_found
