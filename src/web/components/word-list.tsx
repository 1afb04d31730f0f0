// Explains the words of a view in a `<details>` element, which also opens with the keyboard.
export type Meanings = Readonly<Record<string, string>>

export function WordList({ meanings }: { meanings: Meanings }) {
  return (
    <details class="word-list">
      <summary>What the words mean</summary>
      <dl>
        {Object.entries(meanings).map(([word, meaning]) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
