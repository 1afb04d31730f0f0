// A world that lacks versions of its task stores its current turn for each, like in specifications/declare.
FOREACH (_ IN CASE WHEN size(coalesce(w.specifiedAfter, [])) < coalesce(task.specificationVersion, 0) THEN [1] ELSE [] END |
  SET w.specifiedAfter = coalesce(w.specifiedAfter, []) + [v IN range(size(coalesce(w.specifiedAfter, [])) + 1, task.specificationVersion) | w.currentTurn])
