// Runs in the page that `bench/page-view.ts` opens, before the page's own scripts: observes paints, and
// scrolls.
const paints = []
new PerformanceObserver((list) => {
  for (const { startTime } of list.getEntries()) paints.push(startTime)
}).observe({ type: 'largest-contentful-paint', buffered: true })

const STEP = 60
const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))

globalThis.probe = {
  largestPaint: () => paints.at(-1) ?? null,

  /**
   * Returns the longest time between two frames while the page is idle, which shows the other load of the
   * machine.
   */
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

  /** Returns the time when the first of these rows exists, to within one or two frames. */
  async firstRows(selector) {
    while (document.querySelector(selector) === null) await nextFrame()
    return performance.now()
  },

  /**
   * Scrolls to the left end, the lower end, the right end and the upper end, one step per frame. Returns the
   * longest time between two frames.
   */
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
