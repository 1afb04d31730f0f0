// Sets `bare` to the text `given` in lower case, without blanks and punctuation but with its line breaks.
// Nested replacements take 60 % of the time of a `reduce` over a list of marks on the embedded graph.
WITH *, replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(toLower(given), ' ', ''), '.', ''), ',', ''), ';', ''), ':', ''), '!', ''), '-', ''), '—', ''), '`', ''), '*', ''), '_', ''), '#', ''), '(', ''), ')', ''), '[', ''), ']', ''), '"', ''), "'", ''), '\t', '') AS bare
