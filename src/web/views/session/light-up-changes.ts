// Lights up, once, the cells of a grid whose name has changed since it was last looked at.

const names = new WeakMap<Element, ReadonlyMap<string, string>>()

export function lightUpChanges(grid: HTMLTableElement | null): void {
  if (grid === null) return
  const before = names.get(grid)
  const now = new Map<string, string>()
  for (const cell of grid.querySelectorAll<HTMLElement>('td[data-turn]')) {
    const place = `${cell.parentElement?.dataset.key} ${cell.dataset.turn}`
    const name = cell.getAttribute('aria-label') ?? ''
    now.set(place, name)
    if (before !== undefined && before.get(place) !== name) lightUp(cell)
  }
  names.set(grid, now)
}

function lightUp(cell: HTMLElement): void {
  cell.classList.add('lit')
  setTimeout(() => cell.classList.remove('lit'), LIT_MS)
}

const LIT_MS = 300
