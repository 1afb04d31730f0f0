// Runs in the page that `bench/page-view.ts` looks at, before the page's own scripts: watches paints, and scrolls.
const paints = []
new PerformanceObserver((list) => {
  for (const { startTime } of list.getEntries()) paints.push(startTime)
}).observe({ type: 'largest-contentful-paint', buffered: true })

const STEP = 60
const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))

globalThis.probe = {
  largestPaint: () => paints.at(-1) ?? null,

  /** The longest time between two frames while nothing moves: what the machine is busy with besides. */
  async longestIdleFrame() {
    let longest = 0
    let last = await nextFrame()
    for (let frame = 0; frame < 100; frame++) {
      const now = await nextFrame()
      longest = Math.max(longest, now - last)
      last = now
    }
    return longest
  },

  /** When the first of these stood there, in a frame or two. */
  async firstRows(selector) {
    while (document.querySelector(selector) === null) await nextFrame()
    return performance.now()
  },

  /** Scrolls to the left end, the lower end, the right end and the upper end, a step a frame: the longest time between two frames. */
  async longestFrame(selector) {
    const scroller = document.querySelector(selector)
    let longest = 0
    let last = await nextFrame()
    for (const [x, y] of [
      [-STEP, 0],
      [0, STEP],
      [STEP, 0],
      [0, -STEP],
    ]) {
      for (let place; place !== scroller.scrollLeft + scroller.scrollTop; ) {
        place = scroller.scrollLeft + scroller.scrollTop
        scroller.scrollBy(x, y)
        const now = await nextFrame()
        longest = Math.max(longest, now - last)
        last = now
      }
    }
    return longest
  },
}
