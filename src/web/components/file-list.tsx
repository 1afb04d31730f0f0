// Draws file paths of a record as text, never as links.

export function FileList({ files }: { files: readonly string[] }) {
  if (files.length === 0) return null
  return (
    <ul class="files">
      {[...new Set(files)].map((file) => (
        <li key={file}>
          <code>
            <bdi>{file}</bdi>
          </code>
        </li>
      ))}
    </ul>
  )
}
