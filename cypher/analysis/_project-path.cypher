// `path` is the file `given` as its project names it, null where it leaves the project: `projectPath` of
// src/core/project-paths.ts, in Cypher. A test compares the two. `of` is handed on.
WITH of, split(replace(trim(given), '\\', '/'), '/') AS parts
WITH of, parts, [i IN range(0, size(parts) - 4)
  WHERE parts[i] =~ '\\.[\\w-]+' AND parts[i + 1] = 'worktrees' AND parts[i + 2] <> '' | i] AS roots
WITH of, CASE WHEN size(roots) = 0 THEN parts ELSE parts[last(roots) + 3..] END AS parts
WITH of, parts, [i IN range(0, size(parts) - 1) WHERE parts[i] <> '.' | i] AS named
WITH of, parts, coalesce(parts[named[0]], '') AS first,
     reduce(steps = [], part IN parts | CASE
       WHEN part IN ['', '.'] THEN steps
       WHEN part = '..' AND size(steps) > 0 AND last(steps) <> '..' THEN steps[0..size(steps) - 1]
       ELSE steps + [part] END) AS steps
WITH of, CASE
  WHEN first = '' OR size(steps) = 0 OR steps[0] = '..' OR steps[0] =~ '[A-Za-z]:.*' THEN null
  ELSE reduce(path = steps[0], step IN steps[1..] | path + '/' + step) + CASE WHEN last(parts) = '' THEN '/' ELSE '' END
  END AS path
