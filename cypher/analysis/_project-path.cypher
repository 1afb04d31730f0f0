// Sets `path` to the file `given` in the form of its project, or null if the file is outside of the project:
// `projectPath` of src/core/project-paths.ts, in Cypher. A test compares the two. Passes on `key` and `turn`.
// Most paths are already in this form; the steps below handle the others, at ten times the cost.
WITH key, turn, trim(given) AS given
WITH key, turn, given, given = '' OR given CONTAINS '\\' OR given CONTAINS './' OR given CONTAINS '//' OR given CONTAINS 'worktrees/'
  OR given CONTAINS ':' OR given STARTS WITH '/' OR given ENDS WITH '/' OR given ENDS WITH '.' AS isOdd
WITH key, turn, given, isOdd, CASE WHEN isOdd THEN split(replace(given, '\\', '/'), '/') ELSE [] END AS parts
WITH key, turn, given, isOdd, parts, [i IN [i IN range(0, size(parts) - 4) WHERE parts[i + 1] = 'worktrees' AND parts[i + 2] <> '']
  WHERE parts[i] =~ '\\.[\\w-]+'] AS roots
WITH key, turn, given, isOdd, CASE WHEN size(roots) = 0 THEN parts ELSE parts[last(roots) + 3..] END AS parts
WITH key, turn, given, isOdd, parts, [part IN parts WHERE part <> '.'] AS segments,
     reduce(steps = [], part IN parts | CASE
       WHEN part IN ['', '.'] THEN steps
       WHEN part = '..' AND size(steps) > 0 AND last(steps) <> '..' THEN steps[0..size(steps) - 1]
       ELSE steps + [part] END) AS steps
WITH key, turn, CASE
  WHEN NOT isOdd THEN given
  WHEN size(steps) = 0 OR segments[0] = '' OR steps[0] = '..' THEN null
  WHEN CASE WHEN substring(steps[0], 1, 1) = ':' THEN steps[0] =~ '[A-Za-z]:.*' ELSE false END THEN null
  ELSE reduce(path = steps[0], step IN steps[1..] | path + '/' + step) + CASE WHEN last(parts) = '' THEN '/' ELSE '' END
  END AS path
