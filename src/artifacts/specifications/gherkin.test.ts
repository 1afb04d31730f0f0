import { expect, test } from 'vitest'
import { readGherkin } from './gherkin.ts'

const FEATURE = `@shop
Feature: Cart
  Background:
    Given a shop

  Scenario: A book is added
    Given an empty cart
    When a buyer adds a book:
      | title | price |
      | Emma  | 9     |
    Then the cart says
      """
      One book
      """

  @slow
  Scenario Outline: <count> books cost <sum>
    When a buyer adds <count> books
    Then the sum is <sum>

    Examples: Prices
      | count | sum |
      | 1     | 9   |

  Rule: Cards
    Scenario Outline: <case>
      Then <case> is accepted

      Examples:
        | case   |
        | Visa   |
        | Amex   |
`

test('each scenario is a criterion with its steps and examples, and names its tests', async () => {
  const { tasks, warnings } = await readGherkin(FEATURE)
  expect(tasks[0]?.criteria).toEqual([
    {
      text: 'A book is added: Given an empty cart When a buyer adds a book: | title | price | | Emma | 9 | Then the cart says One book',
      tests: ['A book is added'],
    },
    {
      text: '<count> books cost <sum>: When a buyer adds <count> books Then the sum is <sum> Examples: Prices | count | sum | | 1 | 9 |',
      tests: ['* books cost *'],
    },
    { text: '<case>: Then <case> is accepted Examples: | case | | Visa | | Amex |', tests: ['Visa', 'Amex'] },
  ])
  expect(warnings).toEqual([{ line: 3, message: 'the background is not part of the criteria' }])
})

test('an outline whose name no example completes names no test, for * would match every one', async () => {
  const { tasks } = await readGherkin(
    'Feature: F\n  Scenario Outline: <case>\n    Then a\n    Examples:\n      | other |\n      | b |\n',
  )
  expect(tasks[0]?.criteria).toEqual([{ text: '<case>: Then a Examples: | other | | b |' }])
})

test.each(['xx', 'constructor', '__proto__'])('the language %s is none', async (language) => {
  const { tasks, warnings } = await readGherkin(
    `# language: ${language}\nFeature: f\n Scenario: a\n  Given x\n`,
  )
  expect(tasks[0]?.criteria.map(({ text }) => text)).toEqual(['a: Given x'])
  expect(warnings[0]?.message).toContain(`Language not supported: ${language}`)
})

test('keywords may be in any language', async () => {
  const { tasks } = await readGherkin(
    '# language: de\nFunktionalität: Korb\n  Szenario: Voll\n    Wenn er voll ist\n',
  )
  expect(tasks[0]?.criteria).toEqual([{ text: 'Voll: Wenn er voll ist', tests: ['Voll'] }])
})

test('a file that the parser refuses is read by its scenario lines', async () => {
  const { tasks, warnings } = await readGherkin(
    'Feature: F\n  Scenario: One\n    Given a\n    nonsense\n  Scenario: Two\n    | a |\n  Background:\n    Given no\n',
  )
  expect(tasks[0]?.criteria).toEqual([
    { text: 'One: Given a nonsense', tests: ['One'] },
    { text: 'Two: | a |', tests: ['Two'] },
  ])
  expect(warnings).toEqual([
    {
      line: 4,
      message: expect.stringMatching(/^the parser refuses the file: .*; it is read by its scenario lines$/s),
    },
  ])
  expect((await readGherkin('nothing')).refused).toBe('states no criteria: it has no scenario')
})

test('a criterion contains the text of a step before its table, and no tags or comments', async () => {
  const { tasks, warnings } = await readGherkin(
    'Feature: F\n  @a @b # c\n  @c\n  Scenario: One\n    Free words\n    # note\n    Given a\n      | t |\n      """\n      text\n      """\n    Then b\n',
  )
  expect(tasks[0]?.criteria).toEqual([{ text: 'One: Given a text | t | Then b', tests: ['One'] }])
  expect(warnings).toEqual([])
})

test.each([
  ['a table', 'Given a\n| a | b |\n| c |\n', 'inconsistent cell count within the table'],
  [
    'a table of examples',
    'Given a\nExamples:\n| a |\n| b | c |\n',
    'inconsistent cell count within the table',
  ],
  ['a tag with a space', 'Given a\n@a b\nScenario: Two\n', 'A tag may not contain whitespace'],
])('a file with %s that Cucumber rejects is read by its scenario lines', async (_what, steps, why) => {
  const { tasks, warnings } = await readGherkin(`Feature: F\nScenario: One\n${steps}`)
  expect(tasks[0]?.criteria[0]?.tests).toEqual(['One'])
  expect(warnings).toEqual([{ line: expect.any(Number), message: expect.stringContaining(why) }])
})

test('the tables of two steps and of examples may have different numbers of columns', async () => {
  const { warnings } = await readGherkin(
    'Feature: F\nScenario Outline: One\nGiven a\n| a |\nGiven b\n| a | b |\nExamples:\n| a |\nExamples:\n| a | b |\n',
  )
  expect(warnings).toEqual([])
})
