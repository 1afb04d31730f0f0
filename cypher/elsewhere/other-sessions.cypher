// What other sessions know before the first turn of one, where nothing but the feature is known of it. With a turn before it the
// context says it (turns/context).
// params: $topics $own
UNWIND $topics AS topic
WITH topic, $own AS own
// include elsewhere/_found
