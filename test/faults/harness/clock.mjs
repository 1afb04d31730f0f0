/**
 * Loaded into a service before it starts (`node --import`): shifts its clock by CHAOS_CLOCK_MS for all
 * callers.
 */
const offset = Number(process.env.CHAOS_CLOCK_MS ?? 0)
const RealDate = Date

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + offset)
    else super(...given)
  }

  static now() {
    return RealDate.now() + offset
  }
}
